package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/urfave/cli/v2"
)

// version is the semantic version of this source. A release is tagged with it, and is
// not built under another tag.
const version = "0.1.0"

func versionFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "json", Usage: "print an object of JSON"},
	}
}

// versionInfo is what version --json prints.
type versionInfo struct {
	Version  string `json:"version"`
	Module   string `json:"module,omitempty"`
	Commit   string `json:"commit,omitempty"`
	Date     string `json:"date,omitempty"` // of the commit
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go,omitempty"`
	OS       string `json:"os,omitempty"`
	Arch     string `json:"arch,omitempty"`
}

// newVersionInfo returns the description of the build that b is the information of; nil
// means that there is none.
func newVersionInfo(b *debug.BuildInfo) versionInfo {
	info := versionInfo{Version: version}
	if b == nil {
		return info
	}
	info.Go = b.GoVersion
	if b.Main.Version != "(devel)" {
		info.Module = b.Main.Version
	}
	for _, s := range b.Settings {
		switch s.Key {
		case "vcs.revision":
			info.Commit = s.Value
		case "vcs.time":
			info.Date = s.Value
		case "vcs.modified":
			info.Modified = s.Value == "true"
		case "GOOS":
			info.OS = s.Value
		case "GOARCH":
			info.Arch = s.Value
		}
	}
	return info
}

// printVersion is the command version.
func (p *process) printVersion(_ context.Context, o *options) error {
	text := version
	if o.json {
		b, _ := debug.ReadBuildInfo()
		data, err := json.MarshalIndent(newVersionInfo(b), "", "  ")
		if err != nil {
			return err
		}
		text = string(data)
	}
	_, err := fmt.Fprintln(p.stdout, text)
	return err
}
