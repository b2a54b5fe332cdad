package skill

import (
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/weakness"
)

// DescribeRule describes in a few words how much a rule weighs and what it looks at:
// "Severity high, confidence medium, CWE-89 (sql-injection). It looks at code, in `*.go`."
func DescribeRule(r *scanner.Pattern) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Severity %s, confidence %s", r.Severity, r.Confidence)
	if r.CWE != 0 {
		fmt.Fprintf(&b, ", CWE-%d", r.CWE)
		if class := weakness.Class(r.CWE); !strings.HasPrefix(class, "cwe-") {
			b.WriteString(" (" + class + ")")
		}
	}
	b.WriteString(". It looks at " + map[scanner.PatternScope]string{
		scanner.ScopeCode: "code", scanner.ScopeString: "string literals", scanner.ScopeComment: "comments",
		scanner.ScopeAny:         "every byte, in generated, minified, lock and credential files as well",
		scanner.ScopeCredentials: "the names of credential files",
	}[r.Scope])
	if r.Outside != "" {
		b.WriteString(" with a value from outside")
	}
	if len(r.Files) > 0 {
		b.WriteString(", in `" + strings.Join(r.Files, "`, `") + "`")
	}
	return b.String() + "."
}
