package redact

import (
	"regexp"
	"strings"
	"sync"
)

// maxManifest is how far the data of a manifest can be before and after its kind.
const maxManifest = 8192

var (
	// secretData matches the key of the secrets, in YAML and JSON.
	secretData = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)(^[ \t+]*|[{,]\s{0,80})"?(?:data|stringData)"?:[ \t]{0,80}(\{|\r?$)`)
	})
	// secretPair matches a key and its value, which can be a block.
	secretPair = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^((?:[\s,+]|#[^\n]*\n){0,80})["']?[\w.-]{1,253}["']?:[ \t]{0,8}(?:[|>][-+]?[ \t]*\r?\n|"([^"\n]*)"|'([^'\n]*)'|([^\s"'{}\[\]][^\s,}]*))`)
	})
)

// matchManifest finds the data of a Kubernetes Secret of which the kind is at i.
// All of its values are secrets, under any key.
func matchManifest(sc *scan, i int) []span {
	text := sc.text
	if i < sc.manifest {
		return nil // found with another kind
	}
	from := max(sc.manifest, i-maxManifest)
	if n := strings.LastIndex(text[from:i], "\n---"); n >= 0 {
		from += n + 1
	}
	to := min(len(text), i+maxManifest)
	if n := strings.Index(text[i:to], "\n---"); n >= 0 {
		to = i + n
	}
	sc.manifest = to
	var spans []span
	for _, m := range secretData().FindAllStringSubmatchIndex(text[from:to], -1) {
		at, margin := from+m[1], len(strings.TrimRight(text[from+m[2]:from+m[3]], "{,"))
		flow := m[4] < m[5] && text[from+m[4]] == '{'
		for {
			p := secretPair().FindStringSubmatchIndex(text[at:to])
			if p == nil {
				break
			}
			space := text[at+p[2] : at+p[3]]
			if indent := len(space) - strings.LastIndexByte(space, '\n') - 1; !flow && indent <= margin {
				break
			}
			v := value{}
			for g := 4; g < len(p); g += 2 {
				if p[g] >= 0 {
					v.parts = []part{{at + p[g], at + p[g+1]}}
				}
			}
			at += p[1]
			if v.parts == nil {
				if v = readBlock(text, at, ""); v.parts == nil {
					break
				}
				at = v.parts[len(v.parts)-1].end
			}
			if s := v.text(text); len(s) < minValue || isReference(s) {
				continue
			}
			for n, p := range v.parts {
				spans = append(spans, span{start: p.start, end: p.end, kind: kindSecret, rank: rankContext, more: n > 0})
			}
		}
	}
	return spans
}
