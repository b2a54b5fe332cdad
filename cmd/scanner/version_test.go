package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVersionInfo(t *testing.T) {
	tests := []struct {
		name string
		in   debug.BuildInfo
		want string // without what is always there
	}{
		{"nothing is known", debug.BuildInfo{}, ""},
		{"go build", debug.BuildInfo{
			Main: debug.Module{Version: "(devel)"},
			Settings: []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "0123abcd"},
				{Key: "vcs.time", Value: "2026-11-22T10:00:00Z"}, {Key: "vcs.modified", Value: "true"}},
		}, `"commit":"0123abcd","date":"2026-11-22T10:00:00Z","modified":true,`},
		{"go install", debug.BuildInfo{Main: debug.Module{Version: "v0.1.0"}}, `"module":"v0.1.0",`},
	}
	for _, tt := range tests {
		got, err := json.Marshal(newVersionInfo(&tt.in))
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf(`{"version":%q,%s"go":%q,"os":%q,"arch":%q}`, version, tt.want, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		if d := cmp.Diff(string(got), want); d != "" {
			t.Errorf("%s (-got +want):\n%s", tt.name, d)
		}
	}
}
