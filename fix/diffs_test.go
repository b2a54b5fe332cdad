package fix

import (
	"strings"
)

// diffCase is a suggested fix as models write them, and what must happen.
type diffCase struct {
	name    string
	file    string // the contents of main.go; empty means goFile
	diff    string
	want    string // the contents afterwards; empty if the fix is refused
	reason  Reason
	applies bool // git apply takes the diff, too, with the same result
}

// numbered is a file whose lines are all different.
const numbered = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"

// repeated is a file with the same block twice.
const repeated = "func a() {\n\topen()\n\tuse()\n}\n\nfunc b() {\n\topen()\n\tuse()\n}\n"

const spaced = "def f():\n    a = 1\n    b = 2\n\n    return a\n"

func crlf(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

// with returns numbered with some lines changed: pairs of old and new text.
func with(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(numbered) }

const names = "--- a/main.go\n+++ b/main.go\n"

var diffCases = []diffCase{
	// The headers.
	{name: "names only", diff: names + "@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n", want: with("three", "THREE"), applies: false},
	{name: "git header", diff: "diff --git a/main.go b/main.go\nindex 1111111..2222222 100644\n" + names + "@@ -1,5 +1,5 @@\n one\n two\n-three\n+THREE\n four\n five\n", want: with("three", "THREE"), applies: true},
	{name: "git line without names", diff: "diff --git a/main.go b/main.go\n@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n", want: with("three", "THREE")},
	{name: "no header at all", diff: "@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n", want: with("three", "THREE")},
	{name: "no prefixes", diff: "--- main.go\n+++ main.go\n@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n", want: with("three", "THREE")},
	{name: "prefix on one side", diff: "--- a/main.go\n+++ main.go\n@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n", want: with("three", "THREE")},
	{name: "old and new as prefixes", diff: "--- old/main.go\n+++ new/main.go\n@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n", want: with("three", "THREE")},
	{name: "the same prefix twice", diff: "--- a/main.go\n+++ a/main.go\n@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n", want: with("three", "THREE")},
	{name: "dot prefix", diff: "--- ./main.go\n+++ ./main.go\n@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n", want: with("three", "THREE")},
	{name: "times behind tabs", diff: "--- a/main.go\t2024-01-02 10:00:00.000000000 +0100\n+++ b/main.go\t2024-01-02 10:00:01.000000000 +0100\n@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n", want: with("three", "THREE")},
	{name: "times behind spaces", diff: "--- main.go 2024-01-02 10:00:00\n+++ main.go 2024-01-02 10:00:01\n@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n", want: with("three", "THREE")},
	{name: "quoted names", diff: "--- \"a/main.go\"\n+++ \"b/main\\056go\"\n@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n", want: with("three", "THREE")},
	{name: "a broken quoted name", diff: "--- \"a/main.go\n+++ \"b/main.go\n@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n", reason: ReasonMalformed},
	{name: "index line only", diff: "index 1111111..2222222 100644\n" + names + "@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n", want: with("three", "THREE")},
	{name: "names with CR", diff: crlf(names + "@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n"), want: with("three", "THREE")},
	{name: "only the new name", diff: "+++ b/main.go\n@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n", reason: ReasonMalformed},
	{name: "a byte order mark before the diff", diff: bom + names + "@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n", want: with("three", "THREE")},

	// What stands around the diff.
	{name: "fence", diff: "```diff\n" + names + "@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n```\n", want: with("three", "THREE")},
	{name: "fence with prose", diff: "Replace the line:\n\n```diff\n@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n```\n\nThis works because:\n\n- it is upper case\n- it is right\n", want: with("three", "THREE")},
	{name: "fence without a language", diff: "```\n@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n```", want: with("three", "THREE")},
	{name: "tilde fence", diff: "~~~patch\n@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n~~~\n", want: with("three", "THREE")},
	{name: "indented fence", diff: "1. Fix it:\n\n   ```diff\n   @@ -2,3 +2,3 @@\n    two\n   -three\n   +THREE\n    four\n   ```\n", want: with("three", "THREE")},
	{name: "fence that is not closed, counts right", diff: "```diff\n@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four", want: with("three", "THREE")},
	{name: "fence that is not closed, counts wrong", diff: "```diff\n@@ -2,9 +2,9 @@\n two\n-three\n+THREE\n", reason: ReasonMalformed},
	{name: "an example in another fence", diff: "```go\nTHREE\n```\n\n```diff\n@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n```\n", want: with("three", "THREE")},
	{name: "two fences, two places", diff: "```diff\n@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n```\nand\n```diff\n@@ -7,3 +7,3 @@\n seven\n-eight\n+EIGHT\n nine\n```\n", want: with("three", "THREE", "eight", "EIGHT")},
	{name: "two fences, two ways", diff: "```diff\n@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n```\nor\n```diff\n@@ -2,3 +2,3 @@\n two\n-three\n+Three\n four\n```\n", reason: ReasonMalformed},
	{name: "only a closing fence", diff: names + "@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n```\nThat is all.\n", want: with("three", "THREE")},
	{name: "a fence in the middle", diff: names + "@@ -2,3 +2,3 @@\n two\n-three\n```\n+THREE\n four\n", reason: ReasonMalformed},
	{name: "prose before", diff: "Here is the fix.\n\n" + names + "@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n", want: with("three", "THREE")},
	{name: "prose behind, counts right", diff: "@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n\nThis fixes the problem.\n", want: with("three", "THREE")},
	{name: "prose behind, counts wrong", diff: "@@ -2,7 +2,7 @@\n two\n-three\n+THREE\n four\n\nThis fixes the problem.\n", want: with("three", "THREE")},
	{name: "prose right behind, counts wrong", diff: "@@ -2,7 +2,7 @@\n two\n-three\n+THREE\n four\nThis fixes the problem.\n", want: with("three", "THREE")},
	{name: "prose behind, then more of the diff", diff: "@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\nAlso:\n-five\n+FIVE\n", reason: ReasonMalformed},
	{name: "a mail's signature", diff: names + "@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n-- \n2.39.5\n", want: with("three", "THREE")},
	{name: "a mail's signature, counts wrong", diff: names + "@@ -2,8 +2,8 @@\n two\n-three\n+THREE\n four\n-- \n2.39.5\n", want: with("three", "THREE")},
	{name: "no diff", diff: "Just rename it.", reason: ReasonMalformed},
	{name: "empty", diff: "", reason: ReasonMalformed},
	{name: "only names", diff: names, reason: ReasonMalformed},
	{name: "search and replace", diff: "<<<<<<< SEARCH\nthree\n=======\nTHREE\n>>>>>>> REPLACE\n", reason: ReasonMalformed},
	{name: "another patch format", diff: "*** Begin Patch\n*** Update File: main.go\n@@\n-three\n+THREE\n*** End Patch\n", reason: ReasonMalformed},
	{name: "a context diff", diff: "*** main.go\n--- main.go\n***************\n*** 1,2 ****\n! one\n", reason: ReasonMalformed},
	{name: "a combined diff", diff: names + "@@@ -2,3 -2,3 +2,3 @@@\n  two\n- three\n++THREE\n", reason: ReasonMalformed},
	{name: "colors", diff: "\x1b[1m--- a/main.go\x1b[m\n\x1b[1m+++ b/main.go\x1b[m\n\x1b[36m@@ -2,3 +2,3 @@\x1b[m\n two\n\x1b[31m-three\x1b[m\n", reason: ReasonMalformed},

	// Numbers.
	{name: "wrong line number", diff: "@@ -42,3 +42,3 @@\n two\n-three\n+THREE\n four\n", want: with("three", "THREE")},
	{name: "counts too small", diff: "@@ -2,1 +2,1 @@\n two\n-three\n+THREE\n four\n", want: with("three", "THREE")},
	{name: "counts too large", diff: "@@ -2,30 +2,30 @@\n two\n-three\n+THREE\n four\n", want: with("three", "THREE")},
	{name: "counts too small, a blank line inside", file: "a\nb\n\nc\nd\n", diff: "@@ -1,2 +1,2 @@\n a\n-b\n+B\n\n-c\n+C\n d\n", want: "a\nB\n\nC\nd\n"},
	{name: "no counts", diff: "@@ -2 +2 @@\n two\n-three\n+THREE\n four\n", want: with("three", "THREE")},
	{name: "no numbers", diff: "@@ ... @@\n two\n-three\n+THREE\n four\n", want: with("three", "THREE")},
	{name: "bare @@", diff: names + "@@\n two\n-three\n+THREE\n four\n", want: with("three", "THREE")},
	{name: "no @@", diff: names + " two\n-three\n+THREE\n four\n", want: with("three", "THREE")},
	{name: "only lines", diff: "-three\n+THREE\n", want: with("three", "THREE")},
	{name: "no end of the header", diff: "@@ -2,3 +2,3\n two\n-three\n+THREE\n four\n", want: with("three", "THREE")},
	{name: "numbers that are too large", diff: "@@ -99999999999999999999,3 +2,3 @@\n two\n-three\n+THREE\n four\n", want: with("three", "THREE")},
	{name: "a section behind the numbers", diff: "@@ -2,3 +2,3 @@ func f() {\n two\n-three\n+THREE\n four\n", want: with("three", "THREE")},

	// Lines.
	{name: "context without its space", file: spaced, diff: "@@ -1,3 +1,3 @@\ndef f():\n-    a = 1\n+    a = 7\n    b = 2\n", want: strings.Replace(spaced, "1", "7", 1)},
	{name: "all context indented and without its space", file: spaced, diff: "@@ -2,2 +2,2 @@\n-    a = 1\n+    a = 7\n    b = 2\n", want: strings.Replace(spaced, "1", "7", 1)},
	{name: "context of tabs without its space", file: repeated, diff: "@@ -1,3 +1,3 @@\nfunc a() {\n-\topen()\n+\treopen()\n\tuse()\n", want: strings.Replace(repeated, "open", "reopen", 1)},
	{name: "some context without its space", file: spaced, diff: "@@ -1,3 +1,3 @@\ndef f():\n-    a = 1\n+    a = 7\n     b = 2\n", want: strings.Replace(spaced, "1", "7", 1)},
	{name: "too much indentation in the context", file: spaced, diff: "@@ -1,3 +1,3 @@\n def f():\n-    a = 1\n+    a = 7\n      b = 2\n", reason: ReasonNotFound},
	{name: "wrong indentation of the removed line", file: spaced, diff: "@@ -1,3 +1,3 @@\n def f():\n-  a = 1\n+  a = 7\n     b = 2\n", reason: ReasonNotFound},
	{name: "tabs for spaces", file: spaced, diff: "@@ -2,1 +2,1 @@\n-\ta = 1\n+\ta = 7\n", reason: ReasonNotFound},
	{name: "an empty line without its space", file: spaced, diff: "@@ -3,3 +3,3 @@\n     b = 2\n\n-    return a\n+    return b\n", want: strings.Replace(spaced, "return a", "return b", 1)},
	{name: "an empty line with spaces", file: spaced, diff: "@@ -3,3 +3,3 @@\n     b = 2\n     \n-    return a\n+    return b\n", reason: ReasonNotFound},
	{name: "blank lines at the end", diff: "@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four\n\n\n", want: with("three", "THREE")},
	{name: "no newline at the end of the diff", diff: "@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n four", want: with("three", "THREE")},
	{name: "removed lines that are not there", diff: "@@ -2,3 +2,3 @@\n two\n-drei\n+THREE\n four\n", reason: ReasonNotFound},
	{name: "context that is not there", diff: "@@ -2,3 +2,3 @@\n zwei\n-three\n+THREE\n four\n", reason: ReasonNotFound},
	{name: "another case", diff: "@@ -2,3 +2,3 @@\n Two\n-three\n+THREE\n four\n", reason: ReasonNotFound},
	{name: "white space at the end of a line", diff: "@@ -2,3 +2,3 @@\n two \n-three\n+THREE\n four\n", reason: ReasonNotFound},
	{name: "three dots for lines left out", diff: "@@ -2,5 +2,5 @@\n two\n ...\n-five\n+FIVE\n six\n", reason: ReasonNotFound},
	{name: "the new text instead of the old", diff: "@@ -2,2 +2,3 @@\n two\n+2.5\n THREE\n", reason: ReasonNotFound},
	{name: "added before removed", diff: "@@ -2,3 +2,3 @@\n two\n+THREE\n-three\n four\n", want: with("three", "THREE")},
	{name: "removed -- and added ++", file: "a\n-- x\nb\n", diff: names + "@@ -1,3 +1,3 @@\n a\n--- x\n+++ y\n b\n", want: "a\n++ y\nb\n", applies: true},
	{name: "removed -- and added ++, counts wrong", file: "a\n-- x\nb\n", diff: names + "@@ -1,9 +1,9 @@\n a\n--- x\n+++ y\n b\n", want: "a\n++ y\nb\n"},

	// Places.
	{name: "twice, at the stated line", file: repeated, diff: "@@ -7,2 +7,2 @@\n-\topen()\n+\treopen()\n \tuse()\n", want: "func a() {\n\topen()\n\tuse()\n}\n\nfunc b() {\n\treopen()\n\tuse()\n}\n"},
	{name: "twice, at no stated line", file: repeated, diff: "@@ -5,2 +5,2 @@\n-\topen()\n+\treopen()\n \tuse()\n", reason: ReasonAmbiguous},
	{name: "twice, without a line", file: repeated, diff: "@@ @@\n-\topen()\n+\treopen()\n \tuse()\n", reason: ReasonAmbiguous},
	{name: "without context, once", diff: "@@ -99 +99 @@\n-three\n+THREE\n", want: with("three", "THREE")},
	{name: "without context, twice, stated", file: repeated, diff: "@@ -2 +2 @@\n-\topen()\n+\treopen()\n", want: strings.Replace(repeated, "open", "reopen", 1)},
	{name: "without context, twice, not stated", file: repeated, diff: "@@ -3 +3 @@\n-\topen()\n+\treopen()\n", reason: ReasonAmbiguous},
	{name: "twice, the numbers contradict each other", file: repeated, diff: "@@ -7,2 +2,2 @@\n-\topen()\n+\treopen()\n \tuse()\n", reason: ReasonAmbiguous},
	{name: "at the stated line and at the end", file: "a\nx\nb\nc\na\nx\n", diff: names + "@@ -2 +2 @@\n-x\n+y\n", reason: ReasonAmbiguous},
	{name: "insertion with context", diff: "@@ -2,2 +2,3 @@\n two\n+2.5\n three\n", want: with("three", "2.5\nthree")},
	{name: "insertion with context before", diff: "@@ -40,1 +40,2 @@\n two\n+2.5\n", want: with("three", "2.5\nthree")},
	{name: "insertion with context behind", diff: "@@ -40,1 +40,2 @@\n+2.5\n three\n", want: with("three", "2.5\nthree")},
	{name: "insertion without context", diff: "@@ -2,0 +3,1 @@\n+2.5\n", want: with("three", "2.5\nthree")},
	{name: "insertion without context, unclear numbers", diff: "@@ -2,1 +2,2 @@\n+2.5\n", reason: ReasonAmbiguous},
	{name: "insertion without context, contradicting numbers", diff: "@@ -2,0 +2,1 @@\n+2.5\n", reason: ReasonAmbiguous},
	{name: "insertion without context behind the end", diff: "@@ -12,0 +13,1 @@\n+13\n", reason: ReasonNotFound},
	{name: "insertion at the top without context", diff: "@@ -0,0 +1,2 @@\n+zero\n+half\n", reason: ReasonAmbiguous},
	{name: "insertion at the end", diff: "@@ -9,2 +9,3 @@\n nine\n ten\n+eleven\n", want: numbered + "eleven\n"},
	{name: "removal", diff: "@@ -2,3 +2,2 @@\n two\n-three\n four\n", want: with("three\n", "")},
	{name: "removal of everything", file: "a\nb\n", diff: "diff --git a/main.go b/main.go\n" + names + "@@ -1,2 +0,0 @@\n-a\n-b\n", want: "\x00"},

	// Several hunks.
	{name: "two hunks", diff: names + "@@ -1,3 +1,4 @@\n one\n+1.5\n two\n three\n@@ -8,3 +9,2 @@\n eight\n-nine\n ten\n", want: with("two", "1.5\ntwo", "nine\n", ""), applies: true},
	{name: "two hunks, one not found", diff: names + "@@ -1,3 +1,4 @@\n one\n+1.5\n two\n three\n@@ -8,3 +9,2 @@\n eight\n-neun\n ten\n", reason: ReasonNotFound},
	{name: "hunks in the wrong order", diff: names + "@@ -8,3 +8,2 @@\n eight\n-nine\n ten\n@@ -1,3 +1,4 @@\n one\n+1.5\n two\n three\n", want: with("two", "1.5\ntwo", "nine\n", "")},
	{name: "hunks that overlap", diff: names + "@@ -2,2 +2,2 @@\n two\n-three\n+THREE\n@@ -3,2 +3,2 @@\n-three\n+drei\n four\n", reason: ReasonMalformed},
	{name: "hunks that share context", diff: names + "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n@@ -3,3 +3,3 @@\n three\n-four\n+FOUR\n five\n", want: with("two", "TWO", "four", "FOUR")},
	{name: "the names before every hunk", diff: names + "@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n" + names + "@@ -8,2 +8,2 @@\n eight\n-nine\n+NINE\n", want: with("two", "TWO", "nine", "NINE")},
	{name: "a hunk of context alone", diff: names + "@@ -1,2 +1,2 @@\n one\n two\n@@ -8,2 +8,2 @@\n eight\n-nine\n+NINE\n", want: with("nine", "NINE")},
	{name: "nothing but context", diff: names + "@@ -1,2 +1,2 @@\n one\n two\n", reason: ReasonNoChange},
	{name: "removed and added again", diff: names + "@@ -1,2 +1,2 @@\n-one\n+one\n two\n", reason: ReasonNoChange},
	{name: "a file without hunks", diff: "diff --git a/main.go b/main.go\nindex 1..2\ndiff --git a/main.go b/main.go\n" + names + "@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n", reason: ReasonMalformed},

	// Line endings, the end of the file, byte order marks.
	{name: "LF diff, CRLF file", file: crlf(numbered), diff: "@@ -2,3 +2,4 @@\n two\n-three\n+THREE\n+3.5\n four\n", want: crlf(with("three", "THREE\n3.5"))},
	{name: "CRLF diff, LF file", diff: crlf("@@ -2,3 +2,4 @@\n two\n-three\n+THREE\n+3.5\n four\n"), want: with("three", "THREE\n3.5")},
	{name: "CRLF diff, CRLF file", file: crlf(numbered), diff: crlf("@@ -2,3 +2,4 @@\n two\n-three\n+THREE\n+3.5\n four\n"), want: crlf(with("three", "THREE\n3.5"))},
	{name: "CR in the lines, LF in the headers, CRLF file", file: crlf(numbered), diff: names + "@@ -1,4 +1,4 @@\n one\r\n two\r\n-three\r\n+THREE\r\n four\r\n", want: crlf(with("three", "THREE")), applies: true},
	{name: "CR in the lines, LF file", diff: names + "@@ -1,4 +1,4 @@\n one\r\n two\r\n-three\r\n+THREE\r\n four\r\n", want: with("three", "THREE")},
	{name: "CRLF diff, LF file, nothing to compare", diff: "@@ -2,0 +3,1 @@\r\n+2.5\r\n", want: with("three", "2.5\nthree")},
	{name: "mixed file, LF diff", file: "a\r\nb\nc\r\nd\n", diff: "@@ -1,3 +1,4 @@\n a\n b\n-c\n+C\n+D\n d\n", want: "a\r\nb\nC\r\nD\r\nd\n"},
	{name: "a diff that changes the line ending", file: "a\nb\r\nc\n", diff: names + "@@ -1,3 +1,3 @@\n a\n-b\r\n+b\n c\n", want: "a\nb\nc\n", applies: true},
	{name: "no newline at the end, marked", file: "a\nb", diff: names + "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+B\n\\ No newline at end of file\n", want: "a\nB", applies: true},
	{name: "no newline at the end, not marked", file: "a\nb", diff: names + "@@ -1,2 +1,2 @@\n a\n-b\n+B\n", want: "a\nB"},
	{name: "no newline at the end, marked without need", file: "a\nb\n", diff: names + "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+B\n\\ No newline at end of file\n", want: "a\nB\n"},
	{name: "a newline is added", file: "a\nb", diff: names + "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n", want: "a\nb\n", applies: true},
	{name: "a newline is removed", file: "a\nb\n", diff: names + "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n", want: "a\nb", applies: true},
	{name: "appended where no newline is, not marked", file: "a\nb", diff: names + "@@ -1,2 +1,3 @@\n a\n b\n+c\n", want: "a\nb\nc"},
	{name: "appended where no newline is, CRLF", file: "a\r\nb", diff: names + "@@ -1,2 +1,3 @@\n a\n b\n+c\n+d\n", want: "a\r\nb\r\nc\r\nd"},
	{name: "a marker in the middle", diff: names + "@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n\\ No newline at end of file\n four\n", reason: ReasonMalformed},
	{name: "byte order mark, not in the diff", file: bom + "a\nb\n", diff: "@@ -1,2 +1,2 @@\n-a\n+A\n b\n", want: bom + "A\nb\n"},
	{name: "byte order mark, also in the diff", file: bom + "a\nb\n", diff: names + "@@ -1,2 +1,2 @@\n-" + bom + "a\n+" + bom + "A\n b\n", want: bom + "A\nb\n", applies: true},
	{name: "byte order mark as a prompt shows it", file: bom + "a\nb\n", diff: "@@ -1,2 +1,2 @@\n-\\u{FEFF}a\n+\\u{FEFF}A\n b\n", want: bom + "A\nb\n"},
	{name: "insertion before the first line with a byte order mark", file: bom + "a\nb\n", diff: "@@ -1,2 +1,3 @@\n+0\n a\n b\n", want: bom + "0\na\nb\n"},
	{name: "insertion before a byte order mark", file: bom + "a\nb\n", diff: "@@ -1,2 +1,3 @@\n+0\n " + bom + "a\n b\n", reason: ReasonAmbiguous},
	{name: "removal of the first line with a byte order mark", file: bom + "a\nb\n", diff: "@@ -1,2 +1 @@\n-a\n b\n", want: bom + "b\n"},
	{name: "the byte order mark is removed", file: bom + "a\nb\n", diff: names + "@@ -1,2 +1,2 @@\n-" + bom + "a\n+a\n b\n", want: "a\nb\n", applies: true},

	// What fixes must not do.
	{name: "new file", diff: "--- /dev/null\n+++ b/main.go\n@@ -0,0 +1 @@\n+x\n", reason: ReasonCreate},
	{name: "new file in git's words", diff: "diff --git a/new.go b/new.go\nnew file mode 100644\n--- /dev/null\n+++ b/new.go\n@@ -0,0 +1 @@\n+x\n", reason: ReasonCreate},
	{name: "deleted file", diff: "--- a/main.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n", reason: ReasonDelete},
	{name: "deleted file in git's words", diff: "diff --git a/main.go b/main.go\ndeleted file mode 100644\nindex 1..0\n", reason: ReasonDelete},
	{name: "rename", diff: "diff --git a/main.go b/cmd.go\nsimilarity index 90%\nrename from main.go\nrename to cmd.go\n--- a/main.go\n+++ b/cmd.go\n@@ -1 +1 @@\n-one\n+ONE\n", reason: ReasonRename},
	{name: "rename by names", diff: "--- a/main.go\n+++ b/cmd.go\n@@ -1 +1 @@\n-one\n+ONE\n", reason: ReasonRename},
	{name: "copy", diff: "diff --git a/main.go b/cmd.go\nsimilarity index 90%\ncopy from main.go\ncopy to cmd.go\n", reason: ReasonRename},
	{name: "mode", diff: "diff --git a/main.go b/main.go\nold mode 100644\nnew mode 100755\n", reason: ReasonMode},
	{name: "mode and text", diff: "diff --git a/main.go b/main.go\nold mode 100644\nnew mode 100755\n" + names + "@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n", reason: ReasonMode},
	{name: "binary", diff: "diff --git a/main.go b/main.go\nGIT binary patch\nliteral 3\nKcmZQzU|?VX0RaF40RR91\n", reason: ReasonBinary},
	{name: "binary files differ", diff: "diff --git a/main.go b/main.go\nBinary files a/main.go and b/main.go differ\n", reason: ReasonBinary},
	{name: "NUL in the diff", diff: names + "@@ -1,2 +1,2 @@\n-one\n+o\x00e\n two\n", reason: ReasonBinary},
	{name: "NUL in the file", file: "a\x00\nb\n", diff: names + "@@ -1,2 +1,2 @@\n-b\n+B\n", reason: ReasonBinary},
	{name: "a placeholder", diff: names + "@@ -2,3 +2,3 @@\n two\n-three\n+key = [REDACTED]\n four\n", reason: ReasonRedacted},
	{name: "another file", diff: "--- a/other.go\n+++ b/other.go\n@@ -1 +1 @@\n-x\n+y\n", reason: ReasonOtherFile},
	{name: "a file that was not scanned", diff: "--- a/else.go\n+++ b/else.go\n@@ -1 +1 @@\n-x\n+y\n", reason: ReasonNotScanned},
	{name: "names that contradict the git line", diff: "diff --git a/other.go b/other.go\n" + names + "@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n", reason: ReasonRename},
	{name: "too many hunks", diff: names + strings.Repeat("@@ @@\n-one\n+ONE\n", maxHunks+1), reason: ReasonTooLarge},
	{name: "too many files", diff: strings.Repeat("diff --git a/main.go b/main.go\n", maxHunks+1), reason: ReasonTooLarge},
	{name: "too large", diff: names + "@@ -1,2 +1,2 @@\n-one\n+" + strings.Repeat("x", maxDiff) + "\n two\n", reason: ReasonTooLarge},
}
