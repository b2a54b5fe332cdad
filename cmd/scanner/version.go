package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// version is the semantic version of this source. A release is tagged with it, and is
// not built under another tag.
const version = "0.1.0"

// versionInfo is what version --json prints.
type versionInfo struct {
	Version  string `json:"version"`
	Module   string `json:"module,omitempty"`
	Commit   string `json:"commit,omitempty"`
	Date     string `json:"date,omitempty"` // of the commit
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// newVersionInfo returns the description of the build that b is the information of.
func newVersionInfo(b *debug.BuildInfo) versionInfo {
	setting := make(map[string]string)
	for _, s := range b.Settings {
		setting[s.Key] = s.Value
	}
	return versionInfo{
		Version: version, Module: strings.TrimPrefix(b.Main.Version, "(devel)"),
		Commit: setting["vcs.revision"], Date: setting["vcs.time"], Modified: setting["vcs.modified"] == "true",
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
	}
}

// printVersion is the command version.
func (p *process) printVersion(_ context.Context, o *options) error {
	if !o.json {
		_, err := fmt.Fprintln(p.stdout, version)
		return err
	}
	b, ok := debug.ReadBuildInfo()
	if !ok {
		b = new(debug.BuildInfo)
	}
	enc := json.NewEncoder(p.stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(newVersionInfo(b))
}
