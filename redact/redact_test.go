package redact

import (
	"strings"
	"testing"
)

func TestNumbers(t *testing.T) {
	g := newGen(5)
	a, b, c := "ghp_"+g.b62(36), "ghp_"+g.b62(36), "glpat-"+g.b62(20)
	tests := []struct {
		name, in, want string
		n              int
	}{
		{"several", a + "\n" + b + "\n" + c, "[REDACTED:github-token]\n[REDACTED:github-token#2]\n[REDACTED:gitlab-token]", 3},
		{"the same again", a + " " + b + " " + a + " " + b, "[REDACTED:github-token] [REDACTED:github-token#2] [REDACTED:github-token] [REDACTED:github-token#2]", 4},
		{"in another place without its name", `password = "kX9$mQ2!pL0z"` + "\nconnect('kX9$mQ2!pL0z')", "password = \"[REDACTED:password]\"\nconnect('[REDACTED:password]')", 2},
		{"before its name", "connect('kX9$mQ2!pL0z')\n" + `password = "kX9$mQ2!pL0z"`, "connect('[REDACTED:password]')\npassword = \"[REDACTED:password]\"", 2},
		{"after placeholders", "[REDACTED:github-token] [REDACTED:github-token#7] " + a, "[REDACTED:github-token] [REDACTED:github-token#7] [REDACTED:github-token#8]", 1},
		{"special kind within a general one", `password = "` + a + `"`, `password = "[REDACTED:github-token]"`, 1},
		{"next to each other", a + "," + b, "[REDACTED:github-token],[REDACTED:github-token#2]", 2},
		{"nothing", "x", "x", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, n := New().Redact(tt.in)
			if got != tt.want || n != tt.n {
				t.Errorf("got  %q, %d\nwant %q, %d", got, n, tt.want, tt.n)
			}
			check(t, New(), tt.in)
		})
	}
}

func TestZero(t *testing.T) {
	var r Redactor
	for _, p := range positives() {
		check(t, &r, p.text)
	}
	if got, n := r.Redact("password = 'kX9$mQ2!pL'"); got != "password = '[REDACTED:password]'" || n != 1 {
		t.Errorf("got %q, %d", got, n)
	}
}

func TestHasPlaceholder(t *testing.T) {
	for _, tt := range []struct {
		s    string
		want bool
	}{
		{"[REDACTED:github-token]", true},
		{"+\tx := \"[REDACTED:password#2]\"", true},
		{"[redacted:password]", true},
		{"[[REDACTED:", true},
		{"[REDACTED:cut", true},
		{"[REDACTED]", false},
		{"REDACTED:x", false},
		{"[REDACTED", false},
		{"[", false},
		{"", false},
	} {
		if got := HasPlaceholder(tt.s); got != tt.want {
			t.Errorf("HasPlaceholder(%q) = %t", tt.s, got)
		}
	}
}

func TestPlaceholders(t *testing.T) {
	for _, tt := range []struct {
		s    string
		want int
	}{
		{"[REDACTED:a] [REDACTED:b-c#2]", 2},
		{"[REDACTED:] [REDACTED:A] [REDACTED:a [REDACTED:a#] x", 1},
		{"[REDACTED:[REDACTED:a]", 1},
		{"[REDACTED:a#1234567]", 0},
		{"[REDACTED:" + strings.Repeat("a", 41) + "]", 0},
	} {
		if got := len(placeholder().FindAllString(tt.s, -1)); got != tt.want {
			t.Errorf("%q: %d placeholders, want %d", tt.s, got, tt.want)
		}
	}
}

func TestEveryKindIsAPlaceholder(t *testing.T) {
	all := []string{kindKnown, kindPrivateKey, kindKeyMaterial, kindURLPassword, kindPassword, kindSecret, kindToken, kindAPIKey, kindSecretKey, kindAWSSecret}
	for _, r := range rules {
		all = append(all, r.kind)
	}
	for _, k := range all {
		if p := format(k, 1); !placeholder().MatchString(p) {
			t.Errorf("%q is not recognized", p)
		}
	}
}

func TestConcurrent(t *testing.T) {
	r := New("my own provider key")
	for _, p := range positives() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			check(t, r, p.text)
		})
	}
}

// Hostile texts take about as long as others of their size.
func hostile() map[string]string {
	const size = 200_000
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	return map[string]string{
		"tokens":          fill("token="),
		"quoted tokens":   fill(`token="`),
		"mixed quotes":    fill(`token="token='token=` + "`"),
		"open quotes":     `token="` + fill("token='a "),
		"names":           fill("token-"),
		"words":           fill("password secret token key "),
		"bare":            "token=" + fill("token/"),
		"escapes":         fill(`token=\"\\`),
		"jwt":             fill("eyJ"),
		"jwt with dots":   fill("eyJhbGciOi.eyJhbGciOi."),
		"sk":              fill("sk-"),
		"sg":              fill("SG."),
		"slack":           fill("xoxb-"),
		"urls":            fill("a://"),
		"urls with users": fill("a://b:"),
		"base64":          fill("QUJDRE+/"),
		"long lines":      fill(strings.Repeat("aB3/", 16) + "\n"),
		"begins":          fill("-----BEGIN PRIVATE KEY-----\n"),
		"begins in line":  fill("-----BEGIN PRIVATE KEY-----"),
		"ends":            fill("-----END PRIVATE KEY-----\n"),
		"begin end":       fill("-----BEGIN PRIVATE KEY-----aB3aB3aB3aB3aB3aB3c-----END PRIVATE KEY-----\n"),
		"dashes":          fill("-"),
		"placeholders":    fill("[REDACTED:a]"),
		"open":            fill("[REDACTED:"),
		"basic":           fill("basic QUJD"),
		"bearer":          fill("bearer aB3"),
		"machine":         fill("machine a login b password "),
		"letters":         fill("a"),
		"newlines":        fill("\n"),
		"keys":            fill("apiKey: \"kX9$mQ2!pL0z\"\n"),
		"tokens found":    fill("ghp_" + strings.Repeat("aB3dE5gH7", 4) + "x "),
		"known":           fill("provider "),
		"joined":          "password = " + fill(`"a" `),
		"joined each":     fill(`password = "a" + "b" `),
		"apart":           fill("name: password\nvalue: "),
		"apart in a line": fill(`"name": "password", "a": "b", "c": "d", "value": `),
		"blocks":          fill("password: |\n  a\n"),
		"manifests":       fill("kind: Secret\ndata:\n  a: b\n"),
		"manifest":        "kind: Secret\ndata:\n" + fill("  a: bcdefghi1\n"),
		"commands":        fill("curl login mysql echo redis-cli -p -a | : "),
		"connections":     fill("a:b@tcp("),
		"names found":     fill("password=trombone42\ntrombone42."),
		"literals":        fill("password('a'"),
		"phrases":         fill("passphrase: a b c "),
		"hidden":          fill("p\x00a\x00s\x00s\x00=\u200b"),
	}
}

func TestHostile(t *testing.T) {
	r := New("my own provider key")
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) { check(t, r, text) })
	}
}

func FuzzRedact(f *testing.F) {
	const known = "my own provider key/+%"
	for _, p := range positives() {
		f.Add(p.text, known)
	}
	for _, n := range negatives() {
		f.Add(n, n)
	}
	for _, h := range hostile() {
		f.Add(h[:200], h[:40])
	}
	g := newGen(6)
	f.Add(strings.Join(g.pem("PRIVATE KEY", 3), "\n"), "two\nlines of it")
	f.Add("token=ghp_"+g.b62(36)+"ghp_"+g.b62(36), "ghp_")
	f.Fuzz(func(t *testing.T, text, known string) {
		r := New(known)
		for _, text := range []string{text, text + known, known + text + "\n" + known} {
			check(t, r, text)
			got, _ := r.Redact(text)
			checkKnown(t, got, known)
		}
	})
}

// checkKnown checks that a known value is nowhere outside of placeholders.
func checkKnown(t *testing.T, redacted, known string) {
	t.Helper()
	if placeholder().MatchString(known) {
		return
	}
	rest, _ := visible(redacted)
	rest = placeholder().ReplaceAllString(rest, "\n")
	for _, form := range spellings(known) {
		if strings.Contains(rest, form) {
			t.Errorf("%q of the known value %q survives in %q", form, known, redacted)
		}
	}
}

func benchText(size int) string {
	line := []string{
		"func (c *Client) Do(ctx context.Context, req *Request) (*Response, error) {",
		"\ttoken, err := c.tokens.Next(ctx)",
		"\tif err != nil {",
		"\t\treturn nil, fmt.Errorf(\"client: %w\", err)",
		"\t}",
		"\treq.Header.Set(\"Authorization\", \"Bearer \"+token.Value)",
		"\tfor i, k := range keys { // keys are sorted, see https://example.com/sorting#keys",
		"\t\tx[i] = hash(k) ^ 0x9e3779b97f4a7c15",
		"\t}",
		"}",
		"",
	}
	text := strings.Join(line, "\n")
	return strings.Repeat(text, size/len(text)+1)[:size]
}

func BenchmarkRedact(b *testing.B) {
	r := New("sk-" + newGen(7).b62(48))
	clean := benchText(1 << 20)
	if got, n := r.Redact(clean); n != 0 || got != clean {
		b.Fatal("the text is not clean")
	}
	var dirty strings.Builder
	for i, p := range positives() {
		dirty.WriteString(benchText(10_000+i) + "\n" + p.text + "\n")
	}
	for _, bb := range []struct{ name, text string }{
		{"clean", clean},
		{"a secret every 10 KB", dirty.String()},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(bb.text)))
			for b.Loop() {
				r.Redact(bb.text)
			}
		})
	}
	for name, text := range hostile() {
		b.Run("hostile "+name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.Redact(text)
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		New("sk-0123456789abcdefghijklmnopqrstuvwxyz")
	}
}
