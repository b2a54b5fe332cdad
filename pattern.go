package scanner

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/prefilter"
	"github.com/codescan-dev/scanner/internal/regex"
	"github.com/codescan-dev/scanner/internal/taint"
	"github.com/codescan-dev/scanner/internal/weakness"
	"github.com/codescan-dev/scanner/provider"
)

// patternTime bounds the time that the patterns of a skill take for a chunk.
// Hundreds of them usually take a few milliseconds.
const patternTime = 10 * time.Second

// patternLimit returns the time that patterns may take for a chunk.
func (r *run) patternLimit() time.Duration {
	if r.timeout > 0 {
		return min(patternTime, r.timeout)
	}
	return patternTime
}

// prepared is what is known of an expression before it is matched.
type prepared struct {
	filter prefilter.Filter
	// boundary is the class that it begins with and that only bounds a match, such as
	// [^\w.] in (?:^|[^\w.])eval; empty if there is none.
	boundary string
}

var boundary = regexp.MustCompile(`^(?:\(\?i\))?\(?(?:\?:)?(?:\^\|)?(\[\^(?:[^\]\\]|\\.)*\])`)

func prepare(re *regexp.Regexp) prepared {
	p := prepared{filter: prefilter.New(re)}
	if m := boundary.FindStringSubmatch(re.String()); m != nil {
		p.boundary = m[1]
	}
	return p
}

// valueGroup is the group of an expression with the value that makes it a finding.
const valueGroup = "value"

// requestGroup is an outside group whose value the user of the program may choose, as
// the files that a command opens, but not the sender of a request.
const requestGroup = "request"

// builtGroup is an outside group whose value is put together from a literal and
// something of which the origin is unknown, as many queries.
const builtGroup = "built"

// rule is a pattern of a skill, ready to be matched with many lines.
type rule struct {
	*Pattern
	name string // that of Finding.Rule
	prepared
	files []diff.Glob
	value int // index of the group with the value; -1 if there is none
}

func (r *rule) matches(path string) bool {
	return len(r.files) == 0 || slices.ContainsFunc(r.files, func(g diff.Glob) bool { return g.Match(path) })
}

func (s *Skill) rules() []rule {
	rules := make([]rule, len(s.Patterns))
	for i := range s.Patterns {
		p := &s.Patterns[i]
		ready, ok := s.prepared[p.Regexp]
		if !ok {
			ready = prepare(p.Regexp)
		}
		rules[i] = rule{Pattern: p, name: s.Name + "/" + p.ID, prepared: ready, value: p.Regexp.SubexpIndex(cmp.Or(p.Outside, valueGroup))}
		for _, glob := range p.Files {
			rules[i].files = append(rules[i].files, diff.CompileGlob(glob))
		}
	}
	return rules
}

// analyzedScopes are those of the rules that run on files that are analyzed.
var analyzedScopes = []PatternScope{ScopeCode, ScopeString, ScopeComment, ScopeAny}

// rulesFor returns the rules that are for a file, of the given scopes. None is for
// the skill's own files: the examples of a rule match it.
func (s *skillRun) rulesFor(f *diff.File, scopes ...PatternScope) []rule {
	if s.skill.Source != "" && strings.HasPrefix(f.Path, s.skill.Source+"/") {
		return nil
	}
	var rules []rule
	for _, r := range s.rules {
		if !slices.Contains(scopes, r.Scope) || !r.matches(f.Path) {
			continue
		}
		if !s.sameEverywhere {
			r.Pattern = r.forKind(f.Kind)
		}
		rules = append(rules, r)
	}
	return rules
}

// code is a chunk that is read once, and prepared once for the rules of all skills. It
// is safe for concurrent use.
type code struct {
	chunk  *diff.Chunk
	file   func() string        // the contents of the file; empty if they are not known
	goFile func() *taint.GoFile // of all of the file; nil if it is not known

	read     func(i int) (diff.Text, error) // nil when done
	index    int
	once     sync.Once
	contents diff.Text
	err      error

	prepare  sync.Once
	prepared *source
}

// codes returns a function for the code of chunks of p, by their index.
func (r *run) codes(p *diff.Plan, chunks []diff.Chunk) func(i int) *code {
	texts := diff.Texts(chunks)
	file := func() string { return p.Contents(r.opts.FS) }
	goFile := sync.OnceValue(func() *taint.GoFile { return taint.ParseGo(file()) })
	return func(i int) *code {
		return &code{chunk: &chunks[i], file: file, goFile: goFile, read: texts, index: i}
	}
}

func (c *code) text() (diff.Text, error) {
	c.once.Do(func() {
		c.contents, c.err = c.read(c.index)
		c.read = nil // which keeps the file
	})
	return c.contents, c.err
}

// has reports whether the file has a match of re, which may be nil.
func (c *code) has(ctx context.Context, re *regexp.Regexp) bool {
	if re == nil {
		return true
	}
	file := c.file()
	if file == "" {
		text, _ := c.text()
		var b strings.Builder
		for l := range text.NewSide() {
			b.WriteString(l.Text + "\n")
		}
		file = b.String()
	}
	return regex.Match(ctx, re, file)
}

func (c *code) source() *source {
	c.prepare.Do(func() {
		text, _ := c.text()
		c.prepared = newSource(c.chunk.Path, text)
	})
	return c.prepared
}

// matchRules returns the findings of rules in the added lines of a chunk, in the
// order of the lines, then of the rules. If ctx ends or the time limit is reached,
// it returns an error and the findings so far.
func matchRules(ctx context.Context, limit time.Duration, rules []rule, code *code) ([]Finding, error) {
	text, err := code.text()
	if err != nil || len(rules) == 0 {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	m := matcher{ctx: limited, path: code.chunk.Path, text: text, goFile: code.goFile, source: code.source(), found: make(map[classLine]int)}
	marks := make([]bool, len(m.lines))
	for i := range rules {
		clear(marks)
		if !rules[i].filter.Mark(m.folded, m.foldedStarts, marks) {
			continue
		}
		m.required = sync.OnceValue(func() bool { return code.has(limited, rules[i].Requires) })
		m.match(&rules[i], marks)
		if limited.Err() == nil {
			continue
		}
		if err = ctx.Err(); err == nil {
			err = &provider.Error{
				Kind:    provider.KindTimeout,
				Message: fmt.Sprintf("matching the patterns took longer than %v; the last one was %q", limit, rules[i].ID),
				Hint:    "make the regular expressions simpler, or limit their patterns to some files",
			}
		}
		break
	}
	slices.SortStableFunc(m.findings, func(a, b Finding) int { return a.Location.StartLine - b.Location.StartLine })
	return m.findings, err
}

// matcher matches rules with a chunk.
type matcher struct {
	ctx  context.Context // ends when the time is up
	path string
	text diff.Text
	*source
	goFile   func() *taint.GoFile
	findings []Finding
	required func() bool       // whether the file has what the rule requires
	reported []int             // lines with a finding of the rule
	found    map[classLine]int // the finding of a class at a line
}

// classLine is a line with a weakness of a class.
type classLine struct {
	class string
	line  int
}

// match adds the findings of a rule: of the lines that are marked, and of the
// statements that they are part of.
func (m *matcher) match(r *rule, marks []bool) {
	if r.Scope != ScopeAny {
		m.read()
	}
	m.reported = m.reported[:0]
	for i, marked := range marks {
		if marked && m.own[i] && (r.value <= 0 || !m.isLong(i)) && m.ctx.Err() == nil {
			m.matchLine(r, i)
		}
	}
	if r.Scope != ScopeCode {
		return
	}
	next := 0 // the first line of which no statement was matched
	for i, marked := range marks {
		if !marked {
			continue
		}
		first := m.first[i]
		if i > 0 && first == i && m.last[m.first[i-1]] == i { // the header of a block is before it
			first = m.first[i-1]
		}
		for first = max(first, next); first <= i; first = next {
			m.matchStatement(r, first)
			for next = first + 1; next < len(m.lines) && m.first[next] == first; {
				next++
			}
		}
	}
}

// matchLine matches a rule with an added line alone.
func (m *matcher) matchLine(r *rule, i int) {
	text := m.lines[i].Text
	if r.Scope == ScopeCode {
		text = m.line(i)
	}
	var confidence Confidence
	found := regex.Find(m.ctx, r.Regexp, text)
	matches := slices.DeleteFunc(slices.Clone(found), func(loc []int) bool {
		if m.ctx.Err() != nil {
			return true
		}
		c, ok := m.judge(r, m.starts[i], loc)
		if ok {
			confidence = cmp.Or(confidence, c)
		}
		return !ok
	})
	if len(matches) == 0 || m.ctx.Err() != nil {
		return
	}
	f := m.report(r, i, i, confidence)
	if f != nil && r.Replacement != nil && !m.text.Decoded && len(found) <= regex.MaxMatches {
		f.SuggestedFix = r.fix(m.path, m.text, m.lines[i], text, matches)
	}
}

// matchStatement matches a rule with the lines of a statement together, if it has
// several.
func (m *matcher) matchStatement(r *rule, first int) {
	last := m.last[first]
	if last == first || !slices.Contains(m.own[first:last+1], true) || m.ctx.Err() != nil {
		return
	}
	base := m.starts[first]
	for _, loc := range regex.Find(m.ctx, r.Regexp, m.code[base:m.starts[last+1]-1]) {
		begin, end := m.trim(r, base+loc[0], base+loc[1])
		from, to := m.lineAt(begin), m.lineAt(end-1)
		if from == to || slices.ContainsFunc(m.reported, func(i int) bool { return from <= i && i <= to }) {
			continue // matchLine has found it
		}
		for from <= to && m.lines[from].Op != diff.Add {
			from++
		}
		if from > to || !m.own[from] || m.ctx.Err() != nil {
			continue
		}
		if c, ok := m.judge(r, base, loc); ok {
			m.report(r, from, to, c)
		}
	}
}

// report adds a finding at line i of a match that ends in line last, and returns it. Of
// several rules that find the same class of weaknesses in a line, the one with the
// highest severity, then confidence, is left: it returns nil for the others.
func (m *matcher) report(r *rule, i, last int, confidence Confidence) *Finding {
	m.reported = append(m.reported, i)
	f := r.finding(m.path, m.lines[i].New)
	f.Confidence = confidence
	at, class := len(m.findings), weakness.Class(r.CWE)
	if class != "" && r.Scope != ScopeAny {
		for line := i; line <= last; line++ {
			if k, ok := m.found[classLine{class, line}]; ok && m.findings[k].Rule != r.name {
				at = min(at, k)
			}
		}
		for line := i; line <= last; line++ {
			m.found[classLine{class, line}] = at
		}
	}
	if at == len(m.findings) {
		m.findings = append(m.findings, f)
	} else if old := m.findings[at]; cmp.Or(f.Severity.Rank()-old.Severity.Rank(), f.Confidence.Rank()-old.Confidence.Rank()) >= 0 {
		return nil
	}
	m.findings[at] = f
	return &m.findings[at]
}

// logged matches the code before a literal that is only shown to people, and its
// opening.
var logged = regexp.MustCompile(`(?:\b(?:[lL]og|LOG|[lL]ogger|LOGGER|console|logging|slog|System\.(?:out|err))\.\w+|(?:^|[^.\w])println?!?|\bthrow new \w+|\braise \w+)\([ \t]*\w?["'\x60].?$`)

// judge returns the confidence of a match, whose offsets are relative to base, and
// whether it is in what the rule is about.
func (m *matcher) judge(r *rule, base int, loc []int) (Confidence, bool) {
	if !m.required() {
		return "", false
	}
	if r.Scope == ScopeAny {
		return r.Confidence, true
	}
	begin, end := m.trim(r, base+loc[0], base+loc[1])
	if !m.isIn(r.Scope, begin, end) || logged.MatchString(m.code[max(0, begin-40):min(begin+2, end)]) {
		return "", false
	}
	if r.Scope != ScopeCode || r.value <= 0 || loc[2*r.value] < 0 {
		return r.Confidence, r.Outside == ""
	}
	at := base + loc[2*r.value]
	value := m.expression(at, base+loc[2*r.value+1])
	switch from := m.origin(value, at); {
	case r.Outside == "":
		return r.Confidence, from != taint.Harmless
	case r.Outside == builtGroup:
		return r.Confidence, from == taint.Built
	case from != taint.Outside && (from != taint.Local || r.Outside == requestGroup):
		return "", false
	case !taint.IsSource(value) && r.Confidence == ConfidenceHigh:
		return ConfidenceMedium, true
	}
	return r.Confidence, true
}

// originLines is how many lines above a value may give it its origin.
const originLines = 30

// origin returns where the value at an offset comes from.
func (m *matcher) origin(value string, at int) taint.Origin {
	from := taint.Of(value, m.above(at, originLines))
	if from == taint.Outside || from == taint.Local || path.Ext(m.path) != ".go" {
		return from
	}
	switch file := m.goFile(); {
	case file == nil:
	case file.IsConstant(value, m.lines[m.lineAt(at)].New):
		return taint.Harmless
	default: // what is assigned above the value is not all
		return taint.Unknown
	}
	return from
}

// trim returns the part of a match without what only bounds it, and without white
// space around it; never nothing.
func (m *matcher) trim(r *rule, begin, end int) (int, int) {
	if c := m.code[begin]; r.boundary != "" && begin < end-1 && strings.IndexByte("\"'`{(", c) >= 0 && strings.IndexByte(r.boundary, c) < 0 {
		begin++
	}
	guard, rest, _ := strings.Cut(m.code[begin:end], "\n")
	if guard = strings.TrimRight(guard, " \t\r"); len(guard) == 1 && strings.TrimSpace(rest) != "" && strings.Contains("{}(,;=[&|?:!", guard) {
		begin = end - len(rest) // it is before the line
	}
	for begin < end-1 && strings.IndexByte(" \t\n", m.code[begin]) >= 0 {
		begin++
	}
	for begin < end-1 && strings.IndexByte(" \t\n", m.code[end-1]) >= 0 {
		end--
	}
	return begin, max(end, begin+1)
}

// finding returns the finding of r at a line.
func (r *rule) finding(path string, line int) Finding {
	return Finding{
		Severity:    r.Severity,
		Confidence:  r.Confidence,
		Title:       r.Title,
		Description: r.Description,
		Location:    &Location{Path: path, StartLine: line},
		Rule:        r.name,
	}
}

// fix returns the change that replaces matches of p in a line of the chunk, which p
// has seen as seen; nil if that changes nothing, or could take long, or if one of them
// has a comment in it.
func (p *Pattern) fix(path string, text diff.Text, old diff.Line, seen string, matches [][]int) *SuggestedFix {
	for _, loc := range matches {
		if old.Text[loc[0]:loc[1]] != seen[loc[0]:loc[1]] {
			return nil
		}
	}
	replaced := regex.Replace(p.Regexp, old.Text, *p.Replacement, matches)
	if replaced == old.Text || strings.ContainsAny(replaced, "\r\n") {
		return nil
	}

	edits := []Edit{{Line: old.New, Old: []string{old.Text}, New: []string{replaced}}}
	return &SuggestedFix{
		Description: "Change the line to: " + strings.TrimSpace(replaced),
		Diff:        UnifiedDiff(path, slices.Collect(text.NewSide()), edits),
		Edits:       edits,
	}
}
