// Package weakness groups the weaknesses of the Common Weakness Enumeration into the
// classes that the documentation of the rules, and the figures of package judge, have.
package weakness

import (
	"slices"
	"strconv"
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

var classes = []struct {
	name    string
	members []int
}{
	{"sql-injection", []int{89, 564}},
	{"command-injection", []int{77, 78}},
	{"code-injection", []int{94, 95, 96, 1336}},
	{"workflow-injection", []int{829, 913}},
	{"path-traversal", []int{22, 23, 36, 73, 98}},
	{"xss", []int{79, 80, 83, 116}},
	{"deserialization", []int{502}},
	{"xxe", []int{611, 776}},
	{"ssrf", []int{918}},
	{"open-redirect", []int{601}},
	{"tls-verification", []int{295, 297, 322}},
	{"weak-crypto", []int{326, 327, 328, 780, 916}},
	{"hardcoded-secret", []int{259, 321, 798}},
	{"jwt-unverified", []int{345, 347}},
	{"predictable-random", []int{330, 338}},
	{"permissions", []int{250, 276, 732}},
	{"debugging", []int{11, 215, 489}},
	{"mass-assignment", []int{915}},
	{"memory-safety", []int{119, 120, 121, 122, 125, 134, 242, 415, 416, 676, 787}},
}
