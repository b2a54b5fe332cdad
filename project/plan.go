package project

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/ignore"
	"github.com/codescan-dev/scanner/jsonl"
	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/provider/replay"
	"github.com/codescan-dev/scanner/redact"
	"github.com/codescan-dev/scanner/skill"
)

// Options choose what is scanned and how. The zero value scans the uncommitted
// changes as the configuration demands.
type Options struct {
	// Flags take precedence over everything in the configuration. In a local run, a skill
	// with a slash is the directory of one; any other is a name.
	Flags config.Flags
	// Config is a file to read instead of scanner.toml at the root of the
	// repository. Reviews ignore it.
	Config string
	// Offline runs the patterns of the skills without a model.
	Offline bool
	// Verify gets a second opinion on the findings that would be reported.
	Verify bool
	// NoCache ignores cached answers. New answers are cached.
	NoCache bool
	// Record is a directory in which the exchanges with the model are kept, see package
	// replay; the cache is then not read. Replay is one whose records take the place of
	// the model: no key is needed, and no connection is made. Empty means none. At most
	// one of them may be set.
	Record, Replay string
	// AgentTools allows an agent CLI whose tools cannot be turned off.
	AgentTools bool
	// Timeout ends the run, so long after [Open] was called; what is left is not
	// analyzed. 0 means never.
	Timeout time.Duration
	// Estimate makes a plan for [Plan.Estimate], which needs no credentials.
	Estimate bool
	// Discards keeps the texts of discarded findings in the log.
	Discards bool
	// Shard scans only a part of the files; see [PlanMerge]. Its Run is ignored. A
	// pull request cannot be split, and its findings cannot be fixed.
	Shard scanner.Shard

	// Paths limit the scan to files and directories. Reviews ignore them, as all
	// fields that follow.
	Paths []string
	// Exclude are files and directories that are never scanned, for instance the report.
	Exclude []string
	// Base scans what changed since the merge base with a reference: in the working
	// tree, or, with Head, in that commit, whose contents are scanned then. Staged scans
	// the index, All whole files. At most one of them, and of Diff, may be set.
	Base, Head  string
	Staged, All bool
	// Diff is scanned instead of what git reports. Nil means git.
	Diff []diff.File
	// Baseline is an earlier log: what is in it is not reported. Nil means none.
	Baseline *jsonl.Log
	// Fix applies the suggested fixes. Nil means that no fix is applied.
	Fix *FixOptions
}

// Plan is a run of which everything is known but its result. Its fields must not
// be changed. It can be run once.
type Plan struct {
	Settings *config.Settings
	Skills   []scanner.Skill
	// Files are the files to scan, Contents their contents.
	Files    []diff.File
	Contents fs.FS
	// PolicyFiles are the changed files that affect how the change is scanned.
	PolicyFiles []string
	// Offline is set when no model is called.
	Offline bool
	// Meta is what the records of the run have in common.
	Meta jsonl.Run

	p        *Project
	opts     Options
	provider *selectedProvider // nil: no model is called
	limiter  *provider.Limiter // nil likewise
	foreign  bool              // see Review
	pull     *scanner.PullRequest
	checks   []string // commands that fixes must pass

	suppressor *suppressor

	// Of a review: what else its result depends on.
	scope string
}

// Plan plans a local run: errors of usage and of the configuration come first, then
// those of git, then those of the provider. No request is sent.
func (p *Project) Plan(ctx context.Context, opts Options) (*Plan, error) {
	if p.repo == nil && opts.Diff == nil {
		return nil, p.noRepo
	}
	plan := &Plan{p: p, opts: opts}
	var t *target
	limited, cancel, _ := p.withTimeout(ctx, opts.Timeout)
	changes := new(errgroup.Group) // git runs while the settings and skills are read
	changes.Go(func() (err error) {
		t, err = p.changes(ctx, limited, &opts)
		return err
	})
	defer func() {
		cancel()
		_ = changes.Wait()
	}()
	var err error
	if plan.Settings, _, err = p.settings(limited, &opts); err != nil {
		return nil, err
	}
	if plan.Skills, err = p.skills(limited, p.tree.FS(), p.env.skillDirs(), plan.Settings, false); err != nil {
		return nil, err
	}
	if opts.Fix != nil {
		plan.checks = plan.Settings.Fix.Check
		if len(opts.Fix.Checks) > 0 {
			plan.checks = opts.Fix.Checks
		}
		if len(plan.checks) > 0 && p.repo == nil {
			return nil, usagef("fixes cannot be checked outside of a repository: the files to copy are not known")
		}
	}
	if err := changes.Wait(); err != nil {
		return nil, err
	}
	if c, ok := t.contents.(io.Closer); ok {
		p.closers = append(p.closers, func() { c.Close() })
	}
	if opts.Diff != nil {
		for i := range plan.Skills {
			plan.Skills[i].AllowedTools = nil // no tree is known to belong to the diff
		}
	}
	plan.Files, plan.Contents = skipReports(p.withoutExcluded(t.files, append(slices.Clip(opts.Exclude), opts.Record, opts.Replay)), t.contents, opts.Shard), t.contents
	if opts.Base != "" {
		plan.PolicyFiles = policyFiles(t.all, plan.Settings, nil)
	}
	if err := plan.newSuppressor(p.tree.FS(), nil); err != nil {
		return nil, err
	}
	head := ""
	if p.repo != nil {
		head = p.repo.HeadSHA()
	}
	if opts.Head != "" {
		if head, err = p.repo.MergeBase(ctx, opts.Head, opts.Head); err != nil {
			return nil, gitError(err)
		}
	}
	return plan, plan.complete(ctx, head)
}

// complete selects the provider. Without files none is needed, but the shards of a run
// always have reports.
func (pl *Plan) complete(ctx context.Context, head string) error {
	p := pl.p
	pl.Offline = pl.opts.Offline
	if !pl.Offline && (len(pl.Files) > 0 || pl.opts.Shard.Count > 0) {
		if err := pl.selectModel(ctx); err != nil {
			return err
		}
		if err := pl.checkSharedCache(); err != nil {
			return err
		}
	}
	pl.Meta = jsonl.NewRun(p.started, p.env.Dir)
	pl.Meta.HeadSHA, pl.Meta.TraceID = head, p.env.traceID()
	if !pl.Offline {
		pl.Meta.Model = pl.Settings.Provider.Model
	}
	return nil
}

// selectModel selects the provider, the models of the skills, and their prices.
func (pl *Plan) selectModel(ctx context.Context) (err error) {
	p := pl.p
	if pl.opts.Replay != "" {
		pl.provider, err = p.openReplay(pl.opts.Replay)
	} else {
		pl.provider, err = p.selectProvider(ctx, pl.Settings, pl.Skills, pl.opts.AgentTools)
	}
	if _, none := errors.AsType[*NoCredentialsError](err); none && pl.opts.Estimate {
		err = nil
	}
	if err == nil && pl.provider != nil {
		pl.limiter = provider.NewLimiter(pl.Settings.ConcurrencyFor(pl.provider.agent))
		if pl.opts.Replay == "" { // a record needs neither a model nor a price
			pl.preferModels()
			err = pl.checkPrices()
		}
		if err == nil && pl.opts.Record != "" {
			err = pl.record()
		}
	}
	return err
}

// skipReports returns the files with those skipped that are reports of earlier runs, or
// their exchanges with a model: they quote the code that was scanned. All of a file must
// be valid records. Only files of the shard are read.
func skipReports(files []diff.File, contents fs.FS, shard scanner.Shard) []diff.File {
	own := false // files; a copy of those of a whole repository takes space
	for i := range files {
		f := &files[i]
		ext := path.Ext(f.Path)
		if f.Skip != "" || !shard.Has(f.Path) || ext != ".jsonl" && ext != ".txt" && (len(f.Hunks) == 0 || !strings.HasPrefix(f.Hunks[0].Body, `+{"run":`)) {
			continue
		}
		data, err := fs.ReadFile(contents, f.Path)
		if err != nil || len(bytes.TrimSpace(data)) == 0 {
			continue
		}
		if _, err := jsonl.ReadAll(bytes.NewReader(data)); err == nil || replay.IsRecord(data) {
			if !own {
				files, own = slices.Clone(files), true
			}
			files[i].Skip = diff.ReasonGenerated
		}
	}
	return files
}

// withoutExcluded returns the files without those that are never scanned.
func (p *Project) withoutExcluded(files []diff.File, exclude []string) []diff.File {
	var own []string
	for _, name := range exclude {
		if rel, err := p.rel(name); err == nil && rel != "." {
			own = append(own, rel)
		}
	}
	if len(own) == 0 {
		return files
	}
	return slices.DeleteFunc(slices.Clone(files), func(f diff.File) bool {
		return slices.ContainsFunc(own, func(name string) bool { return below(f.Path, name) })
	})
}

// scanOptions returns the options of the run.
func (pl *Plan) scanOptions() scanner.Options {
	s := pl.Settings
	opts := scanner.Options{
		PatternsOnly:   pl.Offline,
		Model:          s.Provider.Model,
		AuxiliaryModel: s.Provider.AuxiliaryModel,
		FS:             pl.Contents,
		Chunking:       s.Chunking(),
		BatchDelay:     s.BatchDelay(),
		Timeout:        s.Timeout(),
		MaxCost:        s.Runner.MaxCost,
		MaxTokens:      s.Runner.MaxTokens,
		PullRequest:    pl.pull,
		Policies:       make(map[string]scanner.Policy, len(s.Skills)),
		Verify:         pl.opts.Verify,
		NonProductCode: s.Defaults.NonProductCode,
		Shard:          pl.opts.Shard,
		Suppress:       pl.suppressor.suppress,
	}
	if pl.opts.Shard.Count > 0 {
		opts.Shard.Run = pl.shardRun()
	}
	for _, sk := range s.Skills {
		opts.Policies[sk.Name] = sk.Policy()
	}
	if pl.provider != nil {
		opts.Provider, opts.Limiter = pl.provider.Provider, pl.limiter
	}
	if s.Provider.Redact {
		opts.Redact = redact.New(s.Provider.APIKey.Reveal()).Redact
	}
	return opts
}

// Wait returns how long no request can start because the provider limits the rate; 0 if
// that holds none. It is for calls during [Plan.Run], and safe for concurrent use.
func (pl *Plan) Wait() time.Duration {
	if pl.limiter == nil {
		return 0
	}
	return pl.limiter.Wait()
}

// PolicyHash returns a hash of everything that decides about the result, besides
// the code that is scanned. version is that of the program.
func (pl *Plan) PolicyHash(version string) string { return pl.hash(true, version) }

// shardRun returns what identifies the run that a shard is a part of. A shard may be
// repeated with another cache and other limits, and next to the reports of others.
func (pl *Plan) shardRun() string {
	o := &pl.opts
	return pl.hash(false, o.Base, o.Head, fmt.Sprint(o.Staged, o.All, o.Diff != nil), strings.Join(o.Paths, "\x00"))
}

// hash hashes parts and the policy. Only all of the policy includes the settings of how
// a run is carried out, and the attributes of the files.
func (pl *Plan) hash(all bool, parts ...string) string {
	h := sha256.New()
	add := func(parts ...string) {
		for _, part := range parts {
			fmt.Fprintf(h, "%d:%s", len(part), part)
		}
	}
	add(parts...)
	add(pl.suppressor.hash(), pl.scope, strconv.FormatBool(pl.Offline), strconv.FormatBool(pl.opts.Verify))
	if pl.provider != nil {
		add(pl.provider.namespace)
	}
	for _, o := range pl.Settings.Explain() {
		if section, _, _ := strings.Cut(o.Key, "."); all || !slices.Contains([]string{"runner", "cache", "logs"}, section) {
			add(o.Key, o.Value)
		}
	}
	for _, p := range pl.Settings.Defaults.Chunking.FilePatterns {
		add(p.Pattern, p.Mode)
	}
	for i := range pl.Skills {
		s := &pl.Skills[i]
		add(s.Name, s.Description, s.Instructions, strings.Join(s.AllowedTools, ","), strings.Join(s.Paths, "\n"), s.Model)
		for _, r := range s.Resources {
			add("resource", r.Name, r.Text)
		}
		for j := range s.Patterns {
			t := &s.Patterns[j]
			add(t.ID, t.Regexp.String(), string(t.Severity), string(t.Confidence), t.Title, t.Description, strings.Join(t.Files, "\n"), string(t.Scope))
			if t.Replacement != nil {
				add("replacement", *t.Replacement)
			}
		}
	}
	// Attributes decide which files are scanned.
	for i := range pl.Files {
		if f := &pl.Files[i]; all {
			add(f.Path, strconv.FormatBool(f.Generated))
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// policyFiles returns the changed files that affect how a change is scanned.
// resolve returns the target of a name that leads over links; nil means that
// there are no links.
func policyFiles(files []diff.File, settings *config.Settings, resolve func(string) string) []string {
	dirs := []string{configName, ignore.File}
	for _, src := range skill.ProjectSources(nil) {
		dirs = append(dirs, src.Dir)
		for _, s := range settings.Skills {
			dirs = append(dirs, path.Join(src.Dir, s.Name))
		}
	}
	for _, s := range settings.Skills {
		if s.Path != "" {
			dirs = append(dirs, path.Clean(s.Path))
		}
	}
	if resolve != nil {
		for _, dir := range slices.Clone(dirs) {
			dirs = append(dirs, resolve(dir), resolve(dir+"/SKILL.md"), resolve(dir+"/patterns.toml"))
		}
	}
	decides := func(name string) bool {
		return path.Base(name) == ".gitattributes" || slices.ContainsFunc(dirs, func(d string) bool { return below(name, d) })
	}
	var changed []string
	for _, f := range files {
		for _, name := range []string{f.Path, f.OldPath} {
			if name != "" && decides(name) {
				changed = append(changed, name)
			}
		}
	}
	return slices.Compact(changed)
}

// below reports whether file is dir or below it. Both are relative to the root.
func below(file, dir string) bool {
	return dir == "." || file == dir || strings.HasPrefix(file, dir+"/")
}
