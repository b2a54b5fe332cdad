package redact

import (
	"slices"
	"strings"
	"testing"
)

const keyLine = "[REDACTED:private-key]"

// rewrite applies f to each line.
func rewrite(lines []string, f func(string) string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = f(l)
	}
	return out
}

func repeat(s string, n int) []string { return slices.Repeat([]string{s}, n) }

func TestBlocks(t *testing.T) {
	g := newGen(3)
	key := g.pem("RSA PRIVATE KEY", 6) // 9 lines: marker, 6 full, the rest, marker
	other := g.pem("EC PRIVATE KEY", 6)
	code := []string{"func main() {", "\tx := load()", "\treturn", "}"}
	cat := func(parts ...[]string) []string { return slices.Concat(parts...) }
	encrypted := slices.Insert(slices.Clone(key), 1, "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,0123456789ABCDEF0123456789ABCDEF", "")
	pgp := cat([]string{"-----BEGIN PGP PRIVATE KEY BLOCK-----", "Version: GnuPG v2", ""}, key[1:8], []string{"=aB3d", "-----END PGP PRIVATE KEY BLOCK-----"})
	certificate := g.pem("CERTIFICATE", 12)
	tests := []struct {
		name     string
		in, want []string
		n        int
	}{
		{"whole", key, repeat(keyLine, 9), 1},
		{"between code", cat(code, key, code), cat(code, repeat(keyLine, 9), code), 1},
		{"no end", cat(code, key[:5]), cat(code, repeat(keyLine, 5)), 1},
		{"no end, first line", key[:2], repeat(keyLine, 2), 1},
		{"no begin", cat(key[4:], code), cat(repeat(keyLine, 5), code), 1},
		{"no begin, last line", key[7:], repeat(keyLine, 2), 1},
		{"no begin, last lines", key[6:], repeat(keyLine, 3), 1},
		{"neither end", cat(code, key[1:7], code), cat(code, repeat("[REDACTED:key-material]", 6), code), 1},
		{"two keys", cat(key, other), repeat(keyLine, 18), 2},
		{"two keys apart", cat(key, code, other), cat(repeat(keyLine, 9), code, repeat(keyLine, 9)), 2},
		{"end and begin of another", cat(key[4:], other[:4]), repeat(keyLine, 9), 2},
		{"encrypted", encrypted, cat(repeat(keyLine, 1), encrypted[1:4], repeat(keyLine, 8)), 1},
		{"pgp", pgp, cat(repeat(keyLine, 1), pgp[1:3], repeat(keyLine, 7), []string{"=" + keyLine, keyLine}), 1},
		{"openssh", cat([]string{"-----BEGIN OPENSSH PRIVATE KEY-----"}, rewrite(key[1:7], func(l string) string { return l + "aB3dE5" }), []string{"-----END OPENSSH PRIVATE KEY-----"}), repeat(keyLine, 8), 1},
		{"four dashes", cat([]string{"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----"}, key[1:8], []string{"---- END SSH2 ENCRYPTED PRIVATE KEY ----"}), repeat(keyLine, 9), 1},
		{"putty", cat([]string{"PuTTY-User-Key-File-3: ssh-rsa", "Private-Lines: 7"}, key[1:8], []string{"Private-MAC: " + g.of(hexes16, 64)}), nil, 1},
		{"replaced, one after the other", cat(key, other[1:8]), nil, 0},
		{"indented", rewrite(key, func(l string) string { return "    " + l }), repeat("    "+keyLine, 9), 1},
		{"tabs and CR", rewrite(key, func(l string) string { return "\t" + l + "\r" }), repeat("\t"+keyLine+"\r", 9), 1},
		{"strings in go", rewrite(key, func(l string) string { return "\t\"" + l + "\\n\" +" }), repeat("\t\""+keyLine+"\\n\" +", 9), 1},
		{"strings in java", rewrite(key, func(l string) string { return "  + \"" + l + "\\r\\n\"" }), repeat("  + \""+keyLine+"\\r\\n\"", 9), 1},
		{"statements", rewrite(key, func(l string) string { return `key += "` + l + `";` }),
			cat(repeat(`key += "`+keyLine+`";`, 7), []string{`key += "` + key[7] + `";`}, repeat(`key += "`+keyLine+`";`, 1)), 1},
		{"comments", rewrite(key, func(l string) string { return "# " + l }), repeat("# "+keyLine, 9), 1},
		{"numbered", rewrite(key, func(l string) string { return "12 |" + l }), repeat("12 |"+keyLine, 9), 1},
		{"diff", rewrite(key, func(l string) string { return "+" + l }), repeat("+"+keyLine, 9), 1},
		{"deleted in a diff", rewrite(key, func(l string) string { return "-" + l }), repeat("-"+keyLine, 9), 1},
		{"raw string", cat([]string{"const k = `" + key[0]}, key[1:8], []string{key[8] + "`"}), cat([]string{"const k = `" + keyLine}, repeat(keyLine, 7), []string{keyLine + "`"}), 1},
		{"interleaved with code", cat(key[:3], code[:2], key[3:6], code[2:], key[6:]), cat(repeat(keyLine, 3), code[:2], repeat(keyLine, 3), code[2:], repeat(keyLine, 3)), 1},
		{"interleaved with another key", []string{key[0], key[1], key[2], other[1], other[2], key[3], key[4], other[3], other[4], key[7], key[8]}, repeat(keyLine, 11), 1},
		{"code far below a cut key", cat(key[:3], slices.Repeat(code, 3), []string{g.of(base64s, 64)}), cat(repeat(keyLine, 3), slices.Repeat(code, 3), nil), -1},
		{"public key", rewrite(key, func(l string) string { return strings.ReplaceAll(l, "RSA PRIVATE", "PUBLIC") }), nil, 0},
		{"certificate", certificate, certificate, 0},
		{"certificate without an end", certificate[:9], certificate[:9], 0},
		{"certificate without a begin", certificate[5:], certificate[5:], 0},
		{"certificate and key", cat(certificate, key), cat(certificate, repeat(keyLine, 9)), 1},
		{"key and certificate", cat(key, certificate), cat(repeat(keyLine, 9), certificate), 1},
		{"markers in code", []string{`if strings.HasPrefix(s, "-----BEGIN PRIVATE KEY-----") &&`, `strings.HasSuffix(s, "-----END PRIVATE KEY-----") {`, "return"}, nil, 0},
		{"markers in a list", []string{`"-----BEGIN RSA PRIVATE KEY-----",`, "identifierOfSomething,", `"-----END RSA PRIVATE KEY-----",`}, nil, 0},
		{"only markers", []string{key[0], key[8]}, nil, 0},
		{"checksums", []string{g.of(hexes16, 64), g.of(hexes16, 64), g.of(hexes16, 64), g.of(hexes16, 64), g.of(hexes16, 64)}, nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := strings.Join(tt.in, "\n")
			got, n := New().Redact(in)
			check(t, New(), in)
			switch {
			case tt.n < 0:
				return
			case tt.want == nil && tt.n > 0:
				if strings.Contains(got, key[3]) || n != tt.n {
					t.Errorf("got %d replacements:\n%s", n, got)
				}
				return
			case tt.want == nil && tt.name == "replaced, one after the other":
				if strings.Contains(got, other[3]) {
					t.Errorf("the second key is left:\n%s", got)
				}
				return
			case tt.want == nil:
				tt.want = tt.in
			}
			if want := strings.Join(tt.want, "\n"); got != want || n != tt.n {
				t.Errorf("%d replacements, want %d:\n%s\nwant\n%s", n, tt.n, got, want)
			}
		})
	}
}

// A key cut anywhere shows nothing of itself but the shortest ends.
func TestBlocksCut(t *testing.T) {
	key := newGen(4).pem("PRIVATE KEY", 25)
	for from := range key {
		for to := from + 1; to <= len(key); to++ {
			if whole := from == 0 || to == len(key); to-from < minBodies+1 && !whole || to-from <= 2 && from > 0 {
				continue
			}
			in := strings.Join(key[from:to], "\n")
			got, _ := New().Redact(in)
			for i := from; i < to; i++ {
				if l := key[i]; len(l) == 64 && strings.Contains(got, l) {
					t.Fatalf("lines %d to %d: line %d is left:\n%s", from, to, i, got)
				}
			}
			check(t, New(), in)
		}
	}
}
