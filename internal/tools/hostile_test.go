package tools_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/codescan-dev/scanner/internal/tools"
	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/redact"
)

// A key in a file of any name is not shown, no matter which part of it is read, and
// a search does not reveal it.
func TestKeyInParts(t *testing.T) {
	body := strings.Repeat("aB3/", 15)
	var key []string
	for i := range 20 {
		key = append(key, fmt.Sprintf("%s%04d", body, i))
	}
	text := "notes\n-----BEGIN " + "PRIVATE KEY-----\n" + strings.Join(key, "\n") + "\n-----END " + "PRIVATE KEY-----\n"
	token := "ghp_" + strings.Repeat("aB3dE5gH7", 4)
	files := fstest.MapFS{"notes.txt": {Data: []byte(text + "token: " + token + "\n")}}
	set := tools.New(files, []string{tools.Read, tools.Grep}, tools.Options{
		Redact: redact.New().Redact,
		Limits: tools.Limits{Calls: 100, Total: 1 << 20},
	})
	call := func(name, arguments string) string {
		return set.Session("").Call(context.Background(), provider.ToolCall{Name: name, Arguments: arguments})
	}
	for line := 2; line <= 23; line++ {
		for _, limit := range []int{1, 2, 5} {
			got := call(tools.Read, fmt.Sprintf(`{"path":"notes.txt","offset":%d,"limit":%d}`, line, limit))
			if strings.Contains(got, "aB3") || !redact.HasPlaceholder(got) {
				t.Errorf("line %d, %d lines: %s", line, limit, got)
			}
		}
	}
	for _, pattern := range []string{"aB3", "^[A-Za-z0-9/]{64}$", "ghp_", "0007$", "BEGIN|0019", "dE5"} {
		if got := call(tools.Grep, `{"pattern":"`+pattern+`"}`); got != "(no match)" {
			t.Errorf("Grep %q = %s", pattern, got)
		}
	}
	if got, want := call(tools.Grep, `{"pattern":"^token"}`), "file: notes.txt\n24 |token: [REDACTED:github-token]"; got != want {
		t.Errorf("Grep = %q, want %q", got, want)
	}
}

func Example() {
	files := fstest.MapFS{
		"store/store.go": {Data: []byte("package store\n\nfunc Open(path string) (*DB, error) {\n")},
		".env":           {Data: []byte("PASSWORD=x\n")},
	}
	set := tools.New(files, []string{"Read", "Grep"}, tools.Options{})
	session := set.Session("")
	for _, arguments := range []string{`{"pattern":"func Open","path":null,"ignoreCase":null}`, `{"pattern":"PASSWORD","path":".env","ignoreCase":null}`} {
		fmt.Println(session.Call(context.Background(), provider.ToolCall{Name: "Grep", Arguments: arguments}))
	}
	fmt.Printf("%d calls, %d with a problem\n", session.Stats().Calls, session.Stats().Problems)
	// Output:
	// file: store/store.go
	// 3 |func Open(path string) (*DB, error) {
	// error: ".env" must not be read: files of this name can hold secrets
	// 2 calls, 1 with a problem
}
