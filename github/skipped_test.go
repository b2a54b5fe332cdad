package github

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/google/go-cmp/cmp"
)

// TestUnread has a clean run that skipped files of the change. What it may pass,
// and what it says, depends on why.
func TestUnread(t *testing.T) {
	changed := func(name string) diff.File { return diff.File{Path: name, Status: diff.Modified} }
	renamed := func(old, name string) diff.File {
		return diff.File{Path: name, OldPath: old, Status: diff.Renamed}
	}
	const none = 0 // chunks
	tests := []struct {
		name       string
		chunks     int
		files      []diff.File
		skipped    []scanner.SkippedFile
		conclusion Conclusion
		title      string
		notice     string // of the summary comment; empty if there is none
	}{
		{"all read", 3, nil, nil, Success, "no findings", ""},
		{"too large", 3, []diff.File{changed("a.go")}, []scanner.SkippedFile{skippedFor("a.go", "too-large")}, Neutral, "no findings, 1 file skipped", "1 file (1 too-large): `a.go`."},
		{"unreadable", 3, nil, []scanner.SkippedFile{skippedFor("a.go", "unreadable")}, Neutral, "no findings, 1 file skipped", "1 file (1 unreadable): `a.go`."},
		{"binary", none, nil, []scanner.SkippedFile{skippedFor("b", "binary"), skippedFor("a.go", "too-large")}, Neutral, "no findings, 2 files skipped", "2 files (1 binary, 1 too-large): `b`, `a.go`."},
		{"binary, and gone", 3, []diff.File{{Path: "b", Status: diff.Deleted}}, []scanner.SkippedFile{skippedFor("b", "binary")}, Success, "no findings", ""},
		{"made generated", 3, []diff.File{renamed("a.go", "a_generated.go")}, []scanner.SkippedFile{skippedFor("a_generated.go", "generated")}, Neutral, "no findings, 1 file skipped", "1 file (1 generated): `a_generated.go`."},
		{"moved to vendor", 3, []diff.File{renamed("a.go", "vendor/a.go")}, []scanner.SkippedFile{skippedFor("vendor/a.go", "builtin")}, Neutral, "no findings, 1 file skipped", "1 file (1 builtin): `vendor/a.go`."},
		{"moved within vendor", 3, []diff.File{renamed("vendor/b.go", "vendor/a.go")}, []scanner.SkippedFile{skippedFor("vendor/a.go", "builtin")}, Success, "no findings, 1 file skipped", ""},
		{"moved to where no skill looks", 3, []diff.File{renamed("a.go", "old/a.go")}, []scanner.SkippedFile{skippedFor("old/a.go", "paths")}, Success, "no findings, 1 file skipped", ""},
		{"a lock file besides", 3, []diff.File{changed("go.sum")}, []scanner.SkippedFile{skippedFor("go.sum", "builtin")}, Success, "no findings, 1 file skipped", ""},
		{"a lock file alone", none, []diff.File{changed("go.sum")}, []scanner.SkippedFile{skippedFor("go.sum", "builtin")}, Neutral, "no findings, 1 file skipped", ""},
		{"a link alone", none, nil, []scanner.SkippedFile{skippedFor("x", "link")}, Neutral, "no findings, 1 file skipped", ""},
		{"a lock file alone, and gone", none, []diff.File{{Path: "go.sum", Status: diff.Deleted}}, []scanner.SkippedFile{skippedFor("go.sum", "builtin")}, Success, "no findings", ""},
		{"kept out by the policy", none, nil, []scanner.SkippedFile{skippedFor("a", "paths"), skippedFor("b", "ignored"), skippedFor("c", "pattern")}, Success, "no findings, 3 files skipped", ""},
		{"nothing to read", none, nil, []scanner.SkippedFile{skippedFor("a", "deleted"), skippedFor("b", "no-content")}, Success, "no findings", ""},
	}
	for _, tt := range tests {
		for _, where := range []string{"run", "skill", "both"} {
			t.Run(tt.name+"/"+where, func(t *testing.T) {
				h := newHost(t, parse(t, patch))
				r := resultOf(t, skillOf("code-review"))
				r.Files = append(r.Files, tt.files...)
				r.Skills[0].Report.Chunks = scanner.ChunkCounts{Total: tt.chunks, Analyzed: tt.chunks}
				if where != "skill" {
					r.Skipped = tt.skipped
				}
				if where != "run" {
					r.Skills[0].Report.SkippedFiles = tt.skipped
				}
				post(t, h, r)
				k := h.Checks[0]
				if k.Conclusion != string(tt.conclusion) || k.Title != tt.title {
					t.Errorf("check run: %s %q", k.Conclusion, k.Title)
				}
				for _, f := range tt.skipped {
					if want := "\n- `" + f.Filename + "`: " + f.Reason; strings.Count(k.Summary, want) != 1 {
						t.Errorf("no %q once in\n%s", want, k.Summary)
					}
				}
				if got, want := strings.Contains(k.Summary, "**Nothing was read:**"), tt.chunks == none && tt.conclusion == Neutral; got != want {
					t.Errorf("said that nothing was read: %t\n%s", got, k.Summary)
				}
				if got, want := len(h.IssueComments), btoi(tt.notice != ""); got != want {
					t.Fatalf("%d summary comments, want %d", got, want)
				}
				if tt.notice != "" {
					body := h.IssueComments[0].Body
					for _, text := range []string{body, k.Summary} {
						if !strings.Contains(text, "\n\n**Not read:** "+tt.notice+"\n") && !strings.HasPrefix(text, "**Not read:** "+tt.notice+"\n") {
							t.Errorf("no notice %q in\n%s", tt.notice, text)
						}
					}
					if want := fmt.Sprintf("## Scanner: no findings, %d file", len(tt.skipped)); !strings.HasPrefix(body, want) {
						t.Errorf("headline of\n%s", body)
					}
				}
				// The head is known: no model is asked, and nothing is written.
				if !isDone(t, h, r) {
					t.Errorf("not done:\n%s", h.Dump())
				}
				mark := len(h.Writes)
				post(t, h, r)
				if got := h.Writes[mark:]; len(got) > 0 {
					t.Errorf("writes of the second run: %q", got)
				}
			})
		}
	}
}

// TestUnreadBySkill shows that a file that one skill could not read is not held
// against another that did not want it, and that a scheduled run changes nothing.
func TestUnreadBySkill(t *testing.T) {
	one, two := skillOf("one"), skillOf("two")
	one.Report.SkippedFiles = []scanner.SkippedFile{skippedFor("a.go", "too-large")}
	r := resultOf(t, one, two)
	r.Skipped = one.Report.SkippedFiles
	verdicts := func() string {
		out := render(t, r)
		return fmt.Sprint(out.Checks[0].Conclusion, " ", out.Checks[1].Conclusion)
	}
	if got := verdicts(); got != "neutral success" {
		t.Errorf("check runs: %s", got)
	}
	r.Number = 0
	if got := verdicts(); got != "success success" {
		t.Errorf("check runs without a pull request: %s", got)
	}
}

// TestSkippedOnce shows where skipped files are listed: once.
func TestSkippedOnce(t *testing.T) {
	a, b, c := skippedFor("a", "builtin"), skippedFor("b", "ignored"), skippedFor("c", "paths")
	for _, tt := range []struct {
		name     string
		skills   [][]scanner.SkippedFile
		run      []scanner.SkippedFile
		sections string // what is listed in the sections, and after them
	}{
		{"one skill", [][]scanner.SkippedFile{{a, b}}, []scanner.SkippedFile{a, b}, "|ab"},
		{"one skill of a log", [][]scanner.SkippedFile{{a, b}}, nil, "ab|"},
		{"two skills", [][]scanner.SkippedFile{{a, b}, {a, c}}, []scanner.SkippedFile{a}, "bc|a"},
		{"two skills, the same", [][]scanner.SkippedFile{{b}, {b}}, []scanner.SkippedFile{b}, "|b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var skills []SkillResult
			for i, files := range tt.skills {
				s := skillOf(fmt.Sprint("skill", i))
				s.Report.SkippedFiles = files
				skills = append(skills, s)
			}
			r := resultOf(t, skills...)
			r.Skipped = tt.run
			job, err := JobSummary(r)
			if err != nil {
				t.Fatal(err)
			}
			listed := func(text string) (list string) {
				for _, name := range []string{"a", "b", "c"} {
					list += strings.Repeat(name, strings.Count(text, "\n- `"+name+"`: "))
				}
				return list
			}
			text := render(t, r).Summary
			i := strings.LastIndex(text, sectionEnd)
			if got := listed(text[:i]) + "|" + listed(text[i:]); got != tt.sections {
				t.Errorf("listed %s, want %s\n%s", got, tt.sections, text)
			}
			if got := len(listed(job)); got != len(tt.sections)-1 {
				t.Errorf("%d files listed in\n%s", got, job)
			}
		})
	}
}

// TestCouldBeText tells text with a few odd bytes from what never was text.
func TestCouldBeText(t *testing.T) {
	source := strings.Repeat("a := b // ünïcode\r\n", 20)
	tests := []struct {
		name, text string
		want       bool
	}{
		{"source with a NUL", source + "\x00\n", true},
		{"source in another encoding", source + "// caf\xe9 \x00\n", true},
		{"image", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00\xff\xfe\x00\x01\x02\x03", false},
		{"zeros", strings.Repeat("\x00", 100), false},
		{"empty", "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Result{Contents: fstest.MapFS{"f": {Data: []byte(tt.text)}}}
			if got := r.couldBeText("f"); got != tt.want {
				t.Errorf("got %t", got)
			}
		})
	}
	r := Result{Contents: fstest.MapFS{}}
	if !r.couldBeText("f") || !new(Result).couldBeText("f") {
		t.Error("what cannot be read could be text")
	}

	h := newHost(t, parse(t, patch))
	res := resultOf(t, skillOf("code-review"))
	res.Files = append(res.Files, diff.File{Path: "x.dat", Status: diff.Added})
	res.Contents = fstest.MapFS{"x.dat": {Data: []byte(strings.Repeat("\x00\x01\x02", 50))}}
	res.Skipped = []scanner.SkippedFile{skippedFor("x.dat", "binary")}
	post(t, h, res)
	if len(h.IssueComments) != 0 || h.Checks[0].Conclusion != "success" {
		t.Errorf("an added fixture:\n%s", h.Dump())
	}
}

// readCounter counts how often files are read.
type readCounter struct {
	fs.FS
	reads map[string]int
}

func (c readCounter) ReadFile(name string) ([]byte, error) {
	c.reads[name]++
	return fs.ReadFile(c.FS, name)
}

// TestBinaryReadOnce has several skills that skip the same binary files: large
// ones are not read for every skill and every text.
func TestBinaryReadOnce(t *testing.T) {
	c := readCounter{fstest.MapFS{"x.dat": {Data: make([]byte, 100)}, "y.txt": {Data: []byte("text\x00, more of it")}}, make(map[string]int)}
	r := resultOf(t, skillOf("a"), skillOf("b"), skillOf("c"))
	for i := range r.Skills {
		r.Skills[i].Report.SkippedFiles = []scanner.SkippedFile{skippedFor("x.dat", "binary"), skippedFor("y.txt", "binary")}
	}
	r.Contents = c
	render(t, r)
	if d := cmp.Diff(c.reads, map[string]int{"x.dat": 1, "y.txt": 1}); d != "" {
		t.Errorf("reads (-got +want):\n%s", d)
	}

	// Other contents are looked at anew.
	r.Contents = fstest.MapFS{"x.dat": {Data: []byte("text")}, "y.txt": {Data: []byte("text")}}
	if got := render(t, r).Summary; !strings.Contains(got, "2 files not read") {
		t.Error(got)
	}
}
