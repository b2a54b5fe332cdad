// Package nearest finds the known word that is most similar to a wrong one, for the
// "did you mean" of error messages.
package nearest

import (
	"fmt"
	"strings"
)

// maxLen is the length in bytes of the longest word that is compared.
const maxLen = 100

// Word returns the known word that is most similar to word: the one that needs the
// fewest edits, the first of several; otherwise the first that contains it or that
// it begins with ("security" for "security-review"). It returns the empty string if
// none is similar enough. It ignores letter case.
func Word(word string, known []string) string {
	if len(word) > maxLen {
		return ""
	}
	word = strings.ToLower(word)
	best, most := "", max(1, len(word)/3)
	for _, k := range known {
		if d := distance(word, strings.ToLower(k), most); d <= most {
			best, most = k, d-1
		}
		if most < 0 {
			break
		}
	}
	if best != "" || len(word) < 3 {
		return best
	}
	for _, k := range known {
		if l := strings.ToLower(k); strings.Contains(l, word) || len(l) > 2 && strings.HasPrefix(word, l) {
			return k
		}
	}
	return ""
}

// Hint returns the hint of an error about word: the known word that is most similar to it,
// or else other.
func Hint(word string, known []string, other string) string {
	if near := Word(word, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return other
}

// distance counts the edits (insert, delete or replace a byte, swap two) between
// a and b, and gives up above most.
func distance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	prev2, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], prev2[j-2]+1)
			}
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(b)]
}
