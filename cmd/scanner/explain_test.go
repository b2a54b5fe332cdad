package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/provider/providertest"
)

// explained returns the texts that the explanation of a target shows.
func (w *world) explained(t *testing.T, target string) (texts []string) {
	t.Helper()
	if code := w.run(t.Context(), "explain", target); code != exitOK || w.stderr.Len() > 0 {
		t.Fatalf("exit code %d: %s", code, &w.stderr)
	}
	parts := strings.Split(w.stdout.String(), "\n----\n")
	for i := 1; i < len(parts); i += 2 {
		texts = append(texts, parts[i]+"\n")
	}
	return texts
}

// snapshot lists all files below directories, with their contents and times.
func snapshot(t *testing.T, dirs ...string) (list string) {
	t.Helper()
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err == nil && !e.IsDir() {
				var data []byte
				data, err = os.ReadFile(path)
				list += fmt.Sprintf("%q ", data)
			}
			list += fmt.Sprintln(path, info.ModTime())
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// TestExplainExact: what explain shows is byte for byte what a scan sends, before and after
// the answer is stored. It sends nothing and writes nothing.
func TestExplainExact(t *testing.T) {
	long := strings.Repeat("x := 1\n", 30)
	for _, tt := range []struct{ name, file, before, after string }{
		{"a change", "a.go", "package a\n" + long, "package a\n\nvar y = 1\n" + long},
		{"another encoding of lines", "a.go", "a\r\nb\r\n", "a\r\nc\td \u202e é\r\n"},
		{"no final newline", "a b.go", "a", "a\nb"},
		{"a secret", "a.py", "a = 1\n", "a = 1\npassword = \"hunter2-Xk9vQ2m7Lp4Z\"\n"},
		{"a whole file", "same.go", "package a\n", "package a\n"},
		{"a new file", "new.go", "", "package a\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{"other.go": "package a\n", tt.file: tt.before}
			if tt.before == "" {
				delete(files, tt.file)
			}
			w := newWorld(t, files)
			server := w.server(t, providertest.Script{Rules: []providertest.Rule{{Findings: json.RawMessage(`[]`)}}})
			w.write(t, map[string]string{tt.file: tt.after})
			before := snapshot(t, w.dir, w.env["HOME"])
			texts := w.explained(t, tt.file)
			if after := snapshot(t, w.dir, w.env["HOME"]); after != before || len(server.Requests()) > 0 {
				t.Errorf("%d requests; before:\n%s\nafter:\n%s", len(server.Requests()), before, after)
			}
			args := []string{"scan", tt.file}
			if tt.before == tt.after {
				args = append(args, "--all")
			}
			if code := w.run(t.Context(), args...); code != exitOK || len(server.Requests()) != 1 {
				t.Fatalf("exit code %d, %d requests: %s", code, len(server.Requests()), &w.stderr)
			}
			var sent []string
			for _, m := range server.Requests()[0].Messages {
				sent = append(sent, m.Content)
			}
			if !slices.Equal(texts, sent) {
				t.Errorf("explained %q\nsent      %q", texts, sent)
			}
			before = snapshot(t, w.dir, w.env["HOME"])
			if again := w.explained(t, tt.file); !slices.Equal(again, sent) || !strings.Contains(w.stdout.String(), "answer: in the cache") {
				t.Errorf("explained %q\nsent      %q", again, sent)
			}
			if after := snapshot(t, w.dir, w.env["HOME"]); after != before || len(server.Requests()) > 1 {
				t.Errorf("%d requests; before:\n%s\nafter:\n%s", len(server.Requests()), before, after)
			}
		})
	}
}
