package skill

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/codescan-dev/scanner"
)

// Rule is a pattern of a skill with the examples that stand beside it.
type Rule struct {
	scanner.Pattern
	// Match are lines that the pattern must match, NoMatch such that it must
	// not. They are tests; a scan does not look at them.
	Match, NoMatch []string
}

// Check tests the rule on its examples. It reports every line of Match that the
// pattern does not match, every line of NoMatch that it does, and, if the pattern
// has a replacement, every line of Match that the replacement leaves as it is or
// that the pattern still matches afterwards.
func (r *Rule) Check() error {
	var errs []error
	fail := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("pattern %q: "+format, append([]any{r.ID}, args...)...))
	}
	for _, line := range r.Match {
		at := r.Regexp.FindStringSubmatchIndex(line)
		if at == nil {
			fail("does not match %q", line)
			continue
		}
		if r.Replacement == nil {
			continue
		}
		fixed := line[:at[0]] + string(r.Regexp.ExpandString(nil, *r.Replacement, line, at)) + line[at[1]:]
		switch {
		case fixed == line:
			fail("the replacement does not change %q", line)
		case r.Regexp.MatchString(fixed):
			fail("the replacement makes %q, which the pattern still matches", fixed)
		}
	}
	for _, line := range r.NoMatch {
		if r.Regexp.MatchString(line) {
			fail("matches %q", line)
		}
	}
	return errors.Join(errs...)
}

var templateRef = regexp.MustCompile(`\$(?:\$|\{(\w+)\}|(\w+))`)

// checkReplacement reports a reference to a group that re does not have; it
// would silently stand for nothing. A frequent slip is $1x, which means ${1x}.
func checkReplacement(re *regexp.Regexp, replacement string) error {
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
