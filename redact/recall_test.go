package redact_test

import (
	"encoding/base64"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/redact"
)

var verbose = flag.Bool("leaks", false, "print each sample that leaks or is replaced by mistake")

// Bounds of the measurement, and what it must cover.
const (
	samples      = 6 // of each kind
	minSecrets   = 114
	minHarmless  = 67
	maxLeaks     = 3 // percent of the samples
	maxMistakes  = 4 // kinds
	passwordSize = 14
)

// TestRecall measures how many secrets of many kinds are left in a text, and how
// many harmless texts are changed. The package documentation has its figures.
func TestRecall(t *testing.T) {
	var r redact.Redactor
	kinds, total, left := 0, 0, 0
	for _, group := range secretKinds {
		groupLeft := 0
		for _, k := range group.kinds {
			g := &maker{r: rand.New(rand.NewPCG(uint64(kinds), 2))}
			for i := range samples {
				text, secrets := g.fill(k, i)
				got, _ := r.Redact(text)
				if strings.Count(got, "\n") != strings.Count(text, "\n") {
					t.Errorf("%q has another number of lines in %q", text, got)
				}
				if again, n := r.Redact(got); again != got || n != 0 {
					t.Errorf("Redact(%q) = %q, which becomes %q", text, got, again)
				}
				if leaks(got, secrets) {
					groupLeft++
					if *verbose {
						t.Logf("%s: sample %d leaks: %s\n  became %s", group.name, i, text, got)
					}
				}
			}
			kinds++
		}
		n := samples * len(group.kinds)
		t.Logf("%-22s %3d kinds %4d samples %3d leak", group.name, len(group.kinds), n, groupLeft)
		total, left = total+n, left+groupLeft
	}
	mistakes := 0
	for i, k := range harmlessKinds {
		g := &maker{r: rand.New(rand.NewPCG(uint64(i), 3))}
		for i := range samples {
			text, _ := g.fill(k, i)
			if got, n := r.Redact(text); n > 0 {
				mistakes++
				if *verbose {
					t.Logf("replaced by mistake: %s\n  became %s", text, got)
				}
				break
			}
		}
	}
	t.Logf("%d of %d samples of %d kinds leak (%.1f %%), %d of %d harmless kinds are replaced",
		left, total, kinds, 100*float64(left)/float64(total), mistakes, len(harmlessKinds))
	if kinds < minSecrets || len(harmlessKinds) < minHarmless {
		t.Errorf("%d kinds of secrets and %d harmless ones", kinds, len(harmlessKinds))
	}
	if 100*left > maxLeaks*total {
		t.Errorf("%d of %d samples leak", left, total)
	}
	if mistakes > maxMistakes {
		t.Errorf("%d harmless kinds are replaced", mistakes)
	}
}

// leaks reports whether half of a secret, or more, is left in a text.
func leaks(text string, secrets []string) bool {
	for _, s := range secrets {
		half := (len(s) + 1) / 2
		for i := 0; i+half <= len(s); i++ {
			if strings.Contains(text, s[i:i+half]) {
				return true
			}
		}
	}
	return false
}

// TestRecallIsDeterministic checks that the generated secrets do not change from
// run to run.
func TestRecallIsDeterministic(t *testing.T) {
	fill := func() string {
		g := &maker{r: rand.New(rand.NewPCG(1, 2))}
		text, _ := g.fill("«{pw}» «{made}» «{phrase}» «{odd}» «{tok}»", 0)
		return text
	}
	if a, b := fill(), fill(); a != b {
		t.Errorf("%q and %q", a, b)
	}
}

// A maker makes secrets, so that no file of this repository holds one.
type maker struct {
	r    *rand.Rand
	last string
}

var verb = regexp.MustCompile(`\{(b62|b64|url|hex|dig|b36|up36|b32|pw|made|phrase|odd|blank|tok|basic|enc|jwt|uuid|var|same)(?: (\d+))?\}`)

// fill returns a text from its template, and the secrets in it: what is between
// « and ». What is in braces is generated.
func (g *maker) fill(template string, sample int) (string, []string) {
	text := verb.ReplaceAllStringFunc(template, func(v string) string {
		m := verb.FindStringSubmatch(v)
		n, _ := strconv.Atoi(m[2])
		if m[1] != "same" {
			g.last = g.make(m[1], n, sample)
		}
		return g.last
	})
	var secrets []string
	for rest := text; ; {
		_, after, ok := strings.Cut(rest, "«")
		if !ok {
			break
		}
		var s string
		s, rest, _ = strings.Cut(after, "»")
		secrets = append(secrets, s)
	}
	return strings.NewReplacer("«", "", "»", "").Replace(text), secrets
}

const (
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits = "0123456789"
)

// dictionary holds what people make passwords from.
var dictionary = strings.Fields(`falcon thunder summer winter harbor river dragon purple silver coffee monkey
	guitar sunshine tiger banana rocket castle marble pepper garden orange planet cookie wizard copper meadow
	lantern velvet walnut pirate breeze saddle tunnel magnet violin cactus anchor bridge canyon desert`)

func (g *maker) of(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[g.r.IntN(len(alphabet))]
	}
	return string(b)
}

func (g *maker) word() string { return dictionary[g.r.IntN(len(dictionary))] }

func (g *maker) make(class string, n, sample int) string {
	title := func(w string) string { return strings.ToUpper(w[:1]) + w[1:] }
	switch class {
	case "b62":
		return g.of(lower+upper+digits, n-1) + "7"
	case "b64":
		return g.of(lower+upper+digits+"+/", n)
	case "url":
		return g.of(lower+upper+digits+"-_", n-1) + "7"
	case "hex":
		return g.of("0123456789abcdef", n-2) + "a7"
	case "dig":
		return g.of("123456789", n)
	case "b36":
		return g.of(lower+digits, n-2) + "q7"
	case "up36":
		return g.of(upper+digits, n)
	case "b32":
		return g.of(upper+"234567", n)
	case "pw": // what password managers make, and what people make up
		switch sample % 3 {
		case 0:
			return g.of(lower+upper+digits, passwordSize) + "k7Q"
		case 1:
			return g.of(lower+upper+digits+"!@%^*-_+.", passwordSize) + "k7!Q"
		}
		return g.make("made", 0, sample/3)
	case "made":
		w, v, year := g.word(), g.word(), strconv.Itoa(1980+g.r.IntN(45))
		return []string{title(w) + year + "!", w + title(v) + g.of(digits, 2), strings.NewReplacer("a", "4", "e", "3", "o", "0", "i", "1").Replace(w+v) + "9!", title(w) + "@" + g.of(digits, 4), w + "-" + v + "-" + year, title(w) + title(v) + "#" + g.of(digits, 1)}[sample%6]
	case "phrase":
		var words []string
		for range 4 + sample%3 {
			words = append(words, g.word())
		}
		return strings.Join(words, []string{" ", "-", " ", "."}[sample%4])
	case "odd": // with characters that also begin references, comments, paths and tags
		c := []string{"$", "#", "/", "<", "(", "{"}[sample%6]
		s := g.of(lower+upper+digits+"!@%*", 5) + c + g.of(lower+upper+digits, 5) + "9t"
		if sample%2 == 1 {
			return c + s
		}
		return s
	case "blank":
		return g.of(lower+upper+digits, 5) + " " + g.of(lower+upper+digits+"!%", 5) + " 7" + g.of(lower, 2)
	case "tok":
		switch sample % 3 {
		case 0:
			return g.make("b62", 32, 0)
		case 1:
			return g.make("hex", 40, 0)
		}
		return g.make("b64", 42, 0) + "x="
	case "basic":
		return base64.StdEncoding.EncodeToString([]byte(g.word() + ":" + g.make("pw", 0, sample)))
	case "enc":
		return base64.StdEncoding.EncodeToString([]byte(g.make("pw", 0, sample)))
	case "jwt":
		enc := base64.RawURLEncoding.EncodeToString
		return enc([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + enc([]byte(`{"sub":"`+g.of(digits, 8)+`"}`)) + "." + g.make("url", 43, 0)
	case "uuid":
		return g.make("hex", 8, 0) + "-" + g.make("hex", 4, 0) + "-4" + g.make("hex", 3, 0) + "-a" + g.make("hex", 3, 0) + "-" + g.make("hex", 12, 0)
	case "var": // an identifier
		return g.word() + []string{"Password", "_password", "Token2", "_secret_v2", "Pwd1", "Credentials"}[sample%6]
	}
	panic(fmt.Sprintf("no class %q", class))
}
