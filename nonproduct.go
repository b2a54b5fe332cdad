package scanner

import (
	"fmt"
	"slices"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/weakness"
)

// NonProductCode is what rules make of files that are not product code
// ([diff.File].Kind): tests, fixtures, examples, documentation, vendored code. The zero
// value means [NonProductLower].
type NonProductCode string

const (
	// NonProductLower makes the findings of some rules one severity lower there: rules
	// about TLS, debugging and permissions; those about secrets in tests and fixtures
	// only. Their confidence is at most medium. What a rule is about, its CWE decides:
	// certificates that are not verified (295, 297, 322) and old versions of TLS (326),
	// debugging (11, 215, 489), permissions (250, 276, 732), secrets (259, 321, 798).
	// Rules with [ScopeCredentials] are about secrets, as are guessable passwords (1391).
	// In vendored code those about a value that may come from anywhere are lower, too
	// ([Pattern].Regexp has a group "value" and Outside is empty).
	NonProductLower NonProductCode = "lower"
	// NonProductSame makes no difference.
	NonProductSame NonProductCode = "same"
)

// inadequateStrength is the weakness of old versions of TLS.
const inadequateStrength = 326

// forKind returns the pattern for files of a kind.
func (p *Pattern) forKind(kind diff.Kind) *Pattern {
	switch class := weakness.Class(p.CWE); {
	case kind == diff.KindProduct:
		return p
	case kind == diff.KindVendored && p.Outside == "" && p.Regexp.SubexpIndex(valueGroup) > 0:
		// The users of a library choose the value.
	case class == "hardcoded-secret", p.Scope == ScopeCredentials:
		if kind != diff.KindTest && kind != diff.KindFixture {
			return p
		}
	case p.CWE == inadequateStrength, slices.Contains([]string{"tls-verification", "debugging", "permissions"}, class):
	default:
		return p
	}
	lowered := *p
	if p.Confidence == ConfidenceHigh { // the code may well be meant so
		lowered.Confidence = ConfidenceMedium
	}
	severity := p.Severity.lower()
	if severity == p.Severity {
		return &lowered
	}
	lowered.Severity = severity
	lowered.Description += fmt.Sprintf(" The severity is %s instead of %s, since this is not product code.", severity, p.Severity)
	return &lowered
}

// lower returns the next lower severity, or s if there is none.
func (s Severity) lower() Severity {
	if s == SeverityHigh {
		return SeverityMedium
	}
	return SeverityLow
}
