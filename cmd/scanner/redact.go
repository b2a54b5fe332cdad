package main

import (
	"regexp"
	"strings"
	"sync"
)

// redacted stands for a secret in what is sent to a model.
const redacted = "[redacted]"

// secrets returns what counts as a secret for provider.redact: forms that are
// hardly ever anything else. If an expression has a group, that is the secret.
var secrets = sync.OnceValue(func() []*regexp.Regexp {
	var all []*regexp.Regexp
	for _, s := range []string{
		`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----\n(.*?)\n[^\n]*-----END [A-Z ]*PRIVATE KEY-----`,
		`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`,                       // AWS
		`\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,})`, // GitHub
		`\bglpat-[\w-]{20,}`,                                  // GitLab
		`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`,                    // Slack
		`\bsk-[\w-]{20,}`,                                     // OpenAI, Anthropic
		`\bAIza[\w-]{35}`,                                     // Google
		`\b[rs]k_(?:live|test)_[0-9A-Za-z]{16,}`,              // Stripe
		`\bnpm_[A-Za-z0-9]{36}\b`,                             // npm
		`\bpypi-[\w-]{50,}`,                                   // PyPI
		`\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}`,          // JSON web tokens
		`://[^\s/:@"']+:([^\s/@"']{3,})@`,                     // passwords in URLs
		`(?i)(?:password|passwd|secret|token|api_?key)["']?\s*[:=]+\s*["']([^"'\n]{6,})["']`, // assignments
	} {
		all = append(all, regexp.MustCompile(s))
	}
	return all
})

// redact replaces the secrets in text and returns how many it replaced. The
// number of lines stays.
func redact(text string) (string, int) {
	n := 0
	for _, re := range secrets() {
		matches := re.FindAllStringSubmatchIndex(text, -1)
		if matches == nil {
			continue
		}
		var b strings.Builder
		last := 0
		for _, m := range matches {
			start, end := m[len(m)-2], m[len(m)-1] // the group, or else all
			secret := text[start:end]
			if secret == redacted {
				continue
			}
			b.WriteString(text[last:start])
			b.WriteString(redacted + strings.Repeat("\n"+redacted, strings.Count(secret, "\n")))
			last = end
			n++
		}
		text = b.String() + text[last:]
	}
	return text, n
}
