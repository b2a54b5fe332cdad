package fix

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/dotdir"
)

// Input is what a plan is made from.
type Input struct {
	// Suggestions are the fixes in the order of their priority, as [Collect]
	// returns them.
	Suggestions []Suggestion
	// Files are the paths of the files that the scan looked at. No other file
	// is changed.
	Files []string
	// Read returns the contents of one of Files as they were analyzed; see
	// [Snapshot]. An error that wraps [ErrStale] means that the file changed
	// since. Required. It is called at most once for each file.
	Read func(path string) ([]byte, error)
	// HoldRules returns why the fixes of rules are not applied to a file; empty if they
	// are. Nil means that they are.
	HoldRules func(path string) string
	// Redacted reports whether a text contains a placeholder for a secret that
	// was not sent. Nil means that no secrets were replaced.
	Redacted func(text string) bool
}

// ErrStale is wrapped by errors that mean that a file changed since it was
// analyzed.
var ErrStale = errors.New("the file changed since it was analyzed")

// Plan is the outcome of each suggested fix, and the files that change. A plan
// does not change after it was built, and is safe for concurrent use.
type Plan struct {
	// Outcomes are in the order of the suggestions.
	Outcomes []Outcome
	// Changes are the files that change, sorted by path.
	Changes []Change

	fixes []candidate
	files map[string][]diff.Line
}

// Change is a file that a plan changes.
type Change struct {
	Path          string
	Before, After []byte
	// Fixes are the indexes of the outcomes that change the file, in ascending
	// order.
	Fixes []int

	lines []diff.Line    // of Before
	edits []scanner.Edit // sorted
}

// candidate is a suggestion with its edits as they apply to the bytes of the
// file, or with the reason why it cannot be applied.
type candidate struct {
	Suggestion
	edits   []scanner.Edit
	refused *refusal
}

// NewPlan plans the suggested fixes. All edits are relative to the contents that
// were analyzed, so no fix moves the place of another. Fixes are taken in order:
// a fix becomes part of the plan as a whole or not at all, and one that changes
// lines that an earlier one changes is refused.
func NewPlan(in Input) *Plan {
	b := builder{in: in, files: make(map[string][]diff.Line), refused: make(map[string]*refusal)}
	var fixes []candidate
	for _, s := range in.Suggestions {
		fixes = append(fixes, b.candidate(s))
	}
	return newPlan(fixes, b.files)
}

// builder reads each file once, when a fix first needs it.
type builder struct {
	in      Input
	files   map[string][]diff.Line
	refused map[string]*refusal
}

func (b *builder) candidate(s Suggestion) candidate {
	if r := b.refuse(s); r != nil {
		return candidate{Suggestion: s, refused: r}
	}
	lines, r := b.read(s.Path)
	if r != nil {
		return candidate{Suggestion: s, refused: r}
	}
	edits, ok := fit(s.Fix.Edits, lines)
	if !ok {
		return candidate{Suggestion: s, refused: refuse(ReasonStale, "the lines that the fix replaces are not in %s", quote(s.Path))}
	}
	return candidate{Suggestion: s, edits: edits}
}

// refuse returns why a fix must not be applied to any contents of its file.
func (b *builder) refuse(s Suggestion) *refusal {
	switch {
	case s.Path == "" || len(s.Fix.Edits) == 0:
		return refuse(ReasonUnplaced, "the fix has no exact place in a file")
	case !changeable(s.Path):
		return refuse(ReasonPath, "no fix may change %s", quote(s.Path))
	case !slices.Contains(b.in.Files, s.Path):
		return refuse(ReasonNotScanned, "%s was not scanned", quote(s.Path))
	case s.Rule != "" && b.in.HoldRules != nil:
		if why := b.in.HoldRules(s.Path); why != "" {
			return refuse(ReasonNotProduct, "%s", why)
		}
	}
	for _, e := range s.Fix.Edits {
		if b.in.Redacted != nil && slices.ContainsFunc(slices.Concat(e.Old, e.New), b.in.Redacted) {
			return refuse(ReasonRedacted, "the fix contains a placeholder for a secret that was not sent")
		}
	}
	return nil
}

// changeable reports whether a fix may change a file of that name: one inside the
// repository that belongs neither to git nor to scanner itself. [Apply] finds the
// spellings that only some file systems take for ".git".
func changeable(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return fs.ValidPath(path) && path != "." && !dotdir.InGit(path) && !strings.EqualFold(first, dotdir.Name)
}

func (b *builder) read(path string) ([]diff.Line, *refusal) {
	if lines, ok := b.files[path]; ok || b.refused[path] != nil {
		return lines, b.refused[path]
	}
	data, err := b.in.Read(path)
	if err != nil {
		b.refused[path] = refuseFile(path, err)
		return nil, b.refused[path]
	}
	b.files[path] = splitLines(data)
	return b.files[path], nil
}

// accepted is an edit that is part of a plan.
type accepted struct {
	scanner.Edit
	fix int
}

// newPlan decides in the order of priority which fixes are part of the plan.
func newPlan(fixes []candidate, files map[string][]diff.Line) *Plan {
	p := &Plan{fixes: fixes, files: files}
	planned := make(map[string][]accepted)
	for i, f := range fixes {
		o := Outcome{Suggestion: f.Suggestion, By: -1}
		others := planned[f.Path]
		switch by := overlapping(others, f.edits); {
		case f.refused != nil:
			o.refuse(f.refused)
		case by >= 0 && covered(others, f.edits):
			o.Status, o.By = StatusCovered, by
		case by >= 0:
			o.refuse(refuse(ReasonOverlap, "a fix of higher priority changes the same lines of %s", quote(f.Path)))
			o.By = by
		default:
			o.Status = StatusPlanned
			for _, e := range f.edits {
				planned[f.Path] = append(planned[f.Path], accepted{e, i})
			}
		}
		p.Outcomes = append(p.Outcomes, o)
	}
	for _, path := range slices.Sorted(maps.Keys(planned)) {
		p.Changes = append(p.Changes, newChange(path, files[path], planned[path]))
	}
	return p
}

func newChange(path string, lines []diff.Line, planned []accepted) Change {
	ch := Change{Path: path, lines: lines}
	for _, a := range planned {
		ch.edits = append(ch.edits, a.Edit)
		ch.Fixes = append(ch.Fixes, a.fix)
	}
	ch.Fixes = slices.Compact(ch.Fixes)
	slices.SortFunc(ch.edits, func(a, b scanner.Edit) int { return a.Line - b.Line })
	ch.Before, ch.After = joinLines(lines), joinLines(applyEdits(lines, ch.edits))
	return ch
}

// overlapping returns the first fix, by priority, that cannot be made together
// with edits; -1 if there is none.
func overlapping(others []accepted, edits []scanner.Edit) int {
	for _, o := range others {
		if slices.ContainsFunc(edits, func(e scanner.Edit) bool { return touch(e, o.Edit) }) {
			return o.fix
		}
	}
	return -1
}

// covered reports whether all edits are part of the plan already.
func covered(others []accepted, edits []scanner.Edit) bool {
	return !slices.ContainsFunc(edits, func(e scanner.Edit) bool {
		return !slices.ContainsFunc(others, func(o accepted) bool { return equal(e, o.Edit) })
	})
}

// without returns the plan with further fixes refused, by their index. Fixes that
// overlapped with them may take their place.
func (p *Plan) without(refused map[int]*refusal) *Plan {
	fixes := slices.Clone(p.fixes)
	for i, r := range refused {
		if fixes[i].refused == nil {
			fixes[i].refused = r
		}
	}
	return newPlan(fixes, p.files)
}

// Patch returns all changes of the plan as one unified diff that git apply
// accepts, forward and, with -R, backward. It is empty when nothing changes.
func (p *Plan) Patch() []byte { return patch(p.Changes) }

func patch(changes []Change) []byte {
	var b strings.Builder
	for _, ch := range changes {
		fmt.Fprintf(&b, "diff --git %s %s\n", diff.QuotePath("a/"+ch.Path), diff.QuotePath("b/"+ch.Path))
		b.WriteString(scanner.UnifiedDiff(ch.Path, ch.lines, ch.edits))
	}
	return []byte(b.String())
}
