// Package weakness groups the weaknesses of the Common Weakness Enumeration into the
// classes that the documentation of the rules, and the figures of package judge, have.
package weakness

import (
	"slices"
	"strconv"
	"strings"
)

// Class returns the name of the class that a weakness belongs to. One that is in no
// class is its own, for instance "cwe-190"; that of 0 is the empty string.
func Class(cwe int) string {
	for _, c := range classes {
		if slices.Contains(c.members, cwe) {
			return c.name
		}
	}
	if cwe == 0 {
		return ""
	}
	return "cwe-" + strconv.Itoa(cwe)
}

// Mentions reports whether a text names the class that a weakness belongs to, or one of
// the weaknesses in it.
func Mentions(text string, cwe int) bool {
	text = strings.ToLower(text)
	for _, c := range classes {
		if slices.Contains(c.members, cwe) {
			return slices.ContainsFunc(c.terms, func(t string) bool { return strings.Contains(text, t) }) ||
				slices.ContainsFunc(c.members, func(n int) bool { return strings.Contains(text, "cwe-"+strconv.Itoa(n)) })
		}
	}
	return false
}

var classes = []struct {
	name    string
	members []int
	terms   []string // in lower case; texts name the class by them
}{
	{"sql-injection", []int{89, 564}, []string{"sql injection", "sqli"}},
	{"command-injection", []int{77, 78}, []string{"command injection", "shell injection", "arbitrary command"}},
	{"code-injection", []int{94, 95, 96, 1336}, []string{"code injection", "code execution", "arbitrary code", "template injection"}},
	{"workflow-injection", []int{829, 913}, []string{"script injection", "workflow injection", "untrusted checkout"}},
	{"path-traversal", []int{22, 23, 36, 73, 98}, []string{"path traversal", "directory traversal", "zip slip"}},
	{"xss", []int{79, 80, 83, 116}, []string{"xss", "cross-site scripting", "html injection"}},
	{"deserialization", []int{502}, []string{"deserializ", "unserializ", "unpickl"}},
	{"xxe", []int{611, 776}, []string{"xxe", "external entit"}},
	{"ssrf", []int{918}, []string{"ssrf", "request forgery"}},
	{"open-redirect", []int{601}, []string{"open redirect", "unvalidated redirect"}},
	{"tls-verification", []int{295, 297, 322}, []string{"certificate", "host key", "man-in-the-middle"}},
	{"weak-crypto", []int{326, 327, 328, 780, 916}, []string{"weak hash", "weak cipher", "weak crypto", "md5", "sha-1", "sha1", "tls 1.0", "ecb"}},
	{"hardcoded-secret", []int{259, 321, 798, 1391}, []string{"hardcoded", "hard-coded", "credential", "private key", "secret in", "api key"}},
	{"jwt-unverified", []int{345, 347}, []string{"signature", "jwt"}},
	{"predictable-random", []int{330, 338}, []string{"predictable", "insecure random", "weak random"}},
	{"permissions", []int{250, 276, 732}, []string{"permission", "world-writable", "world writable"}},
	{"debugging", []int{11, 215, 489}, []string{"debug"}},
	{"mass-assignment", []int{915}, []string{"mass assignment"}},
	{"memory-safety", []int{119, 120, 121, 122, 125, 134, 242, 415, 416, 676, 787}, []string{"overflow", "out of bounds", "use after free", "double free", "format string"}},
}
