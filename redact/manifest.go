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
	// scalar matches what can be a value: a text that ends a line or is before the
	// next key.
	scalar = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)(?:^[ \t+]*|: *)(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"'{}\[\]#][^\s,}]*))\s*?(?:[,}]|$)`)
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
		at, end := from+m[1], to
		if m[4] < m[5] && text[from+m[4]] == '{' {
			if n := strings.IndexByte(text[at:to], '}'); n >= 0 {
				end = at + n + 1
			}
		} else {
			margin := len(strings.TrimRight(text[from+m[2]:from+m[3]], "{,"))
			for end = at; end < to; {
				next := lineEnd(text[:to], end+1)
				if line := text[end+1 : next]; strings.TrimSpace(line) != "" && indent(line) <= margin {
					break
				}
				end = next
			}
		}
		for _, p := range scalar().FindAllStringSubmatchIndex(text[at:end], -1) {
			for g := 2; g < len(p); g += 2 {
				if p[g] >= 0 && p[g+1]-p[g] >= minValue && !isReference(text[at+p[g]:at+p[g+1]]) {
					spans = append(spans, span{start: at + p[g], end: at + p[g+1], kind: kindSecret, rank: rankContext})
				}
			}
		}
	}
	return spans
}
