package project

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/dotdir"
	"github.com/codescan-dev/scanner/provider/replay"
	"github.com/codescan-dev/scanner/redact"
	"github.com/codescan-dev/scanner/skill"
	"github.com/codescan-dev/scanner/skill/skilltest"
)

// SkillTests are tests of skills with their fixtures.
type SkillTests struct {
	// Skills are names of skills, or directories as that of --skill. None means all skills
	// of the repository that have fixtures.
	Skills []string
	// Live sends the fixtures that need a model to one, as a scan does, within the budget of
	// the settings. Record does so, too, and replaces the answers of each fixture of which
	// the run is complete.
	Live, Record bool
	// Report receives the outcome of each fixture, with the directory of its skill. It is
	// required, and called one at a time.
	Report func(dir, fixture string, res *skilltest.Result)
}

// skillTester sends fixtures to a model.
type skillTester struct {
	plan    *Plan
	options scanner.Options // with what is left of the budget
	spent   string          // why no more requests are made
}

// TestSkills tests skills with their fixtures. A fixture that fails is a result. The error
// is about tests that could not be done: a usage error, or that of the provider, of ctx or
// of writing answers; see [ExitCode].
func (p *Project) TestSkills(ctx context.Context, opts Options, tests SkillTests) error {
	settings, _, err := p.readSettings(ctx, opts, true)
	if err != nil {
		return err
	}
	dirs, err := p.findSkills(ctx, opts, tests.Skills)
	if err != nil {
		return err
	}
	t := &skillTester{plan: &Plan{p: p, opts: opts, Settings: settings}}
	var tested []string // directories of those that have fixtures
	var fixtures [][]skilltest.Fixture
	for _, dir := range dirs {
		fsys, name := p.openDir(dir)
		all, err := skilltest.Load(fsys, name)
		if err == nil && len(all) == 0 && len(tests.Skills) == 0 {
			continue
		}
		s, _, loadErr := skill.Load(fsys, name)
		if err := cmp.Or(loadErr, err); err != nil {
			return UsageError(err)
		}
		if len(all) == 0 {
			return usagef("skill %q has no fixtures: add directories below %q", s.Name, path.Join(filepath.ToSlash(dir), "tests"))
		}
		for _, c := range settings.Skills {
			if c.Name == s.Name {
				s.Model = c.Model
			}
		}
		t.plan.Skills, tested, fixtures = append(t.plan.Skills, s), append(tested, dir), append(fixtures, all)
	}
	if len(tested) == 0 {
		return usagef("no skill of the repository has fixtures: add directories below the directory tests of one")
	}
	for i, dir := range tested {
		for j := range fixtures[i] {
			f := &fixtures[i][j]
			var res *skilltest.Result
			if (tests.Live || tests.Record) && f.NeedsModel(t.plan.Skills[i]) {
				res, err = t.testLive(ctx, f, i, dir, tests.Record)
			} else {
				res, err = f.Test(ctx, t.plan.Skills[i], scanner.Options{})
			}
			if err != nil {
				return fmt.Errorf("%s/tests/%s: %w", dir, f.Name, t.plan.runError(err))
			}
			for _, w := range res.Warnings {
				p.env.warn(Normal, fmt.Sprintf("%s/tests/%s: %s; --record makes new ones", dir, f.Name, w))
			}
			tests.Report(dir, f.Name, res)
		}
	}
	return nil
}

// testLive tests a fixture with a model: one of the i-th skill, which is in the directory
// dir. It keeps the answers if keep is set.
func (t *skillTester) testLive(ctx context.Context, f *skilltest.Fixture, i int, dir string, keep bool) (*skilltest.Result, error) {
	pl := t.plan
	if pl.provider == nil {
		if err := pl.selectModel(ctx); err != nil {
			return nil, err
		}
		s := pl.Settings
		t.options = scanner.Options{
			Limiter: pl.limiter, Model: s.Provider.Model, AuxiliaryModel: s.Provider.AuxiliaryModel, Timeout: s.Timeout(),
			MaxCost: s.Runner.MaxCost, MaxTokens: s.Runner.MaxTokens, Redact: redact.New(s.Provider.APIKey.Reveal()).Redact,
		}
	}
	if t.spent != "" {
		return &skilltest.Result{NotRun: t.spent, Differences: []string{t.spent}}, nil
	}
	temp, err := os.MkdirTemp(pl.p.env.tempDir(), "scanner-answers-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	recorder, err := replay.Record(temp, pl.provider.Provider, t.options.Redact, pl.p.env.Now)
	if err != nil {
		return nil, err
	}
	t.options.Provider = recorder
	res, err := f.Test(ctx, pl.Skills[i], t.options)
	if err != nil {
		return nil, err
	}
	t.spend(res)
	player, err := replay.Open(temp, nil)
	if err != nil {
		return nil, err
	}
	res.Answers = player.Origin()
	if keep && res.NotRun == "" && (res.Report == nil || res.Report.Complete()) {
		err = pl.p.keepAnswers(dir, f.Name, temp)
	}
	return res, err
}

// spend subtracts what a fixture used from the budget.
func (t *skillTester) spend(res *skilltest.Result) {
	t.spent = res.NotRun
	if res.Report == nil || res.Report.Usage == nil {
		return
	}
	used := *res.Report.Usage
	for _, u := range res.Report.AuxiliaryUsage {
		used = used.Add(u)
	}
	cost := t.options.MaxCost
	if used.CostUSD != nil {
		cost -= *used.CostUSD
	}
	tokens := t.options.MaxTokens - used.InputTokens - used.OutputTokens
	if t.options.MaxCost > 0 && cost <= 0 || t.options.MaxTokens > 0 && tokens <= 0 {
		t.spent = scanner.ErrBudget.Error()
	}
	t.options.MaxCost, t.options.MaxTokens = max(cost, 0), max(tokens, 0)
}

// keepAnswers puts the records of a directory in place of the answers of a fixture. No link
// of the repository leads out of it.
func (p *Project) keepAnswers(dir, fixture, records string) error {
	open := p.tree.OpenRoot
	if filepath.IsAbs(dir) {
		open = os.OpenRoot
	}
	root, err := open(filepath.FromSlash(dir))
	if err != nil {
		return err
	}
	defer root.Close()
	return dotdir.In(root, "tests/"+fixture, func(tests *os.Root, name string) error {
		return dotdir.Replace(tests, name+"/answers", func() (map[string][]byte, error) {
			return dotdir.ReadTree(os.DirFS(records), ".", 1<<30)
		})
	})
}
