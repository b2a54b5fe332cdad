package skill

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/regex"
	"github.com/codescan-dev/scanner/internal/tomlfile"
)

const (
	// maxPatterns is the most rules that a skill may have.
	maxPatterns = 1000
	// maxProblems bounds what is reported of one file.
	maxProblems = 100
	// maxRegex is the most bytes of a regular expression.
	maxRegex = 4096
	// maxRegexes bounds the cost of all of them together, as [regex.Cost] estimates
	// it: they must load in a second or two, which nothing interrupts.
	maxRegexes = 48 << 10
)

// patternsContents are the keys and values of a patterns.toml.
type patternsContents struct {
	Patterns []patternTable `toml:"patterns"`
}

// patternTable is a rule as it is written.
type patternTable struct {
	ID          string   `toml:"id" validate:"required"`
	Regex       string   `toml:"regex" validate:"required"`
	Severity    string   `toml:"severity" validate:"required"`
	Confidence  string   `toml:"confidence" validate:"required"`
	Title       string   `toml:"title" validate:"required"`
	Description string   `toml:"description" validate:"required"`
	Replacement *string  `toml:"replacement"`
	Files       []string `toml:"files"`
	In          string   `toml:"in"`
	Outside     *string  `toml:"outside"`
	Requires    *string  `toml:"requires"`
	CWE         *int     `toml:"cwe"`
	Match       []string `toml:"match"`
	NoMatch     []string `toml:"noMatch"`
}

var patternsSchema = sync.OnceValue(func() *tomlfile.Key { return tomlfile.NewSchema[patternsContents](nil) })

// parsePatterns decodes a patterns.toml. The file's name is used in messages
// only. Unknown keys are errors, keys are case-sensitive, and all problems are
// reported at once; only of a file that is not valid TOML just the first.
//
// Severities may be written as in findings, "critical" and "info" included.
func parsePatterns(file string, data []byte) ([]scanner.Pattern, error) {
	doc, rules := decodeRules(data)
	if problems := doc.Problems(); len(problems) > 0 {
		return nil, &fileError{file, problems}
	}
	return rules, nil
}

// decodeRules returns the rules of a document, which are all valid if it has no problems.
func decodeRules(data []byte) (*tomlfile.Document, []scanner.Pattern) {
	var contents patternsContents
	doc := tomlfile.Decode(data, patternsSchema(), tomlfile.Rules{}, &contents)
	tables := contents.Patterns
	if len(tables) > maxPatterns {
		doc.Report(fmt.Sprintf("patterns[%d]", maxPatterns), fmt.Sprintf("%d patterns; at most %d are read", len(tables), maxPatterns), "")
		tables = tables[:maxPatterns]
	}
	var rules []scanner.Pattern
	first := make(map[string]int)
	cost := 0
	for i := range tables {
		report := func(key string, err error) {
			if err != nil {
				doc.Report(fmt.Sprintf("patterns[%d].%s", i, key), err.Error(), "")
			}
		}
		cost += regex.Cost(tables[i].Regex)
		if also := tables[i].Requires; also != nil {
			cost += regex.Cost(*also)
		}
		if cost > maxRegexes {
			report("regex", fmt.Errorf("the regular expressions have more than %d bytes together "+
				"(with (?i), a range beyond ASCII counts as 500); move patterns to another skill", maxRegexes))
			break
		}
		r := tables[i].rule(report)
		if n, ok := first[r.ID]; ok {
			report("id", fmt.Errorf("%q is also the id of patterns[%d]", r.ID, n))
		} else {
			first[r.ID] = i
		}
		rules = append(rules, r)
	}
	return doc, rules
}

// rule checks t and returns it as a pattern, which is valid only if no error was
// reported. Of several errors of a key the first is used; one that is missing or
// has another type was reported before.
func (t *patternTable) rule(report func(key string, err error)) scanner.Pattern {
	r := scanner.Pattern{Match: t.Match, NoMatch: t.NoMatch}
	r.ID, r.Title, r.Description = t.ID, strings.TrimSpace(t.Title), strings.TrimSpace(t.Description)
	r.Files, r.Replacement, r.Scope = t.Files, t.Replacement, scanner.PatternScope(t.In)
	for _, c := range []struct{ key, value string }{
		{"id", t.ID}, {"regex", t.Regex}, {"severity", t.Severity}, {"confidence", t.Confidence},
		{"title", r.Title}, {"description", r.Description},
	} {
		if strings.TrimSpace(c.value) == "" {
			report(c.key, errors.New("empty"))
		}
	}
	if !idSyntax.MatchString(t.ID) {
		report("id", fmt.Errorf("%q is not a valid id: want letters, digits, and - _ . between them, at most 64", shorten(t.ID)))
	}
	var err error
	if r.Regexp, err = compile(t.Regex); errors.Is(err, regex.ErrTooLarge) {
		err = fmt.Errorf("pattern %q: it compiles to more than %d instructions; use smaller repetition counts, or several patterns",
			shorten(t.ID), regex.MaxInstructions)
	}
	report("regex", err)
	report("severity", r.Severity.UnmarshalText([]byte(t.Severity)))
	report("confidence", r.Confidence.UnmarshalText([]byte(t.Confidence)))
	report("title", checkLine(t.Title))
	if t.Replacement != nil {
		report("replacement", checkReplacement(r.Regexp, *t.Replacement))
	}
	if t.Files != nil && len(t.Files) == 0 {
		report("files", errors.New("empty; leave it out for a rule that is for all files"))
	}
	for i, glob := range t.Files {
		report(fmt.Sprintf("files[%d]", i), diff.ValidatePattern(glob))
	}
	if r.Scope == "code" {
		r.Scope = scanner.ScopeCode
	}
	if !r.Scope.Valid() {
		report("in", fmt.Errorf("%q is not code, string, comment, any or credentials", shorten(t.In)))
	}
	if t.Outside != nil {
		r.Outside = *t.Outside
		report("outside", checkOutside(&r))
	}
	if t.Requires != nil {
		var err error
		r.Requires, err = compile(*t.Requires)
		report("requires", err)
	}
	if t.CWE != nil {
		if r.CWE = *t.CWE; r.CWE <= 0 {
			report("cwe", fmt.Errorf("%d is not the number of a weakness", r.CWE))
		}
	}
	return r
}

var idSyntax = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

func checkLine(s string) error {
	if strings.ContainsAny(s, "\n\r") {
		return errors.New("must be a single line")
	}
	return nil
}

// notRE2 finds what other dialects have and RE2 does not.
var notRE2 = regexp.MustCompile(`\(\?<?[=!]|\\[1-9]`)

// compile returns nil with an error.
func compile(text string) (*regexp.Regexp, error) {
	if err := checkLine(text); err != nil {
		return nil, err
	}
	if len(text) > maxRegex {
		return nil, fmt.Errorf("longer than %d bytes", maxRegex)
	}
	re, err := regex.Compile(text)
	if errors.Is(err, regex.ErrTooLarge) {
		return nil, err
	}
	if err != nil {
		err = fmt.Errorf("invalid regular expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		if notRE2.MatchString(text) {
			err = fmt.Errorf("%w (RE2 has neither lookaround nor backreferences)", err)
		}
		return nil, err
	}
	if re.MatchString("") {
		return nil, errors.New("matches the empty line, and so nearly everything")
	}
	return re, nil
}

// checkOutside reports a group that the regex of p, if it is valid, does not have,
// and a scope that does not go with one.
func checkOutside(p *scanner.Pattern) error {
	switch {
	case p.Regexp == nil:
		return nil
	case p.Outside == "" || p.Regexp.SubexpIndex(p.Outside) < 0:
		return fmt.Errorf("%q is not the name of a group of regex; write (?P<name>...) around the value", shorten(p.Outside))
	case p.Scope != scanner.ScopeCode:
		return errors.New("only a rule about code can have it; remove in")
	}
	return nil
}

var templateRef = regexp.MustCompile(`\$(?:\$|\{(\w+)\}|(\w+))`)

// checkReplacement reports a reference to a group that re, if it is valid, does
// not have: it would be replaced by nothing. A frequent slip is $1x for ${1x}.
func checkReplacement(re *regexp.Regexp, replacement string) error {
	if err := checkLine(replacement); err != nil || re == nil {
		return err
	}
	for _, m := range templateRef.FindAllStringSubmatch(replacement, -1) {
		name := m[1] + m[2]
		if name == "" { // $$
			continue
		}
		if n, err := strconv.Atoi(name); err == nil {
			if n <= re.NumSubexp() {
				continue
			}
			return fmt.Errorf("refers to group %d, but regex has %d groups", n, re.NumSubexp())
		}
		if re.SubexpIndex(name) < 0 {
			return fmt.Errorf("refers to group %q, which regex does not have; write ${1} where a letter or digit follows, $$ for a dollar sign", name)
		}
	}
	return nil
}
