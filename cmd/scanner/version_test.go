package main

import (
	"encoding/json"
	"runtime/debug"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVersionInfo(t *testing.T) {
	setting := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	tests := []struct {
		name string
		in   *debug.BuildInfo
		want string
	}{
		{"nothing is known", nil, `{"version":"` + version + `"}`},
		{"go build", &debug.BuildInfo{
			GoVersion: "go1.26.0",
			Main:      debug.Module{Version: "(devel)"},
			Settings: []debug.BuildSetting{setting("-buildmode", "exe"), setting("GOARCH", "arm64"), setting("GOOS", "darwin"), setting("vcs", "git"),
				setting("vcs.revision", "0123abcd"), setting("vcs.time", "2026-11-22T10:00:00Z"), setting("vcs.modified", "true")},
		}, `{"version":"` + version + `","commit":"0123abcd","date":"2026-11-22T10:00:00Z","modified":true,"go":"go1.26.0","os":"darwin","arch":"arm64"}`},
		{"go install", &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "v0.1.0"}},
			`{"version":"` + version + `","module":"v0.1.0","go":"go1.26.0"}`},
	}
	for _, tt := range tests {
		got, err := json.Marshal(newVersionInfo(tt.in))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(got), tt.want); d != "" {
			t.Errorf("%s (-got +want):\n%s", tt.name, d)
		}
	}
}
