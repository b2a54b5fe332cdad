package main

import (
	"context"
	"io"
	"strings"

	"github.com/codescan-dev/scanner/config"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/project"
)

// checkConfig is the command "config check".
func (p *process) checkConfig(ctx context.Context, pr *project.Project, o *options) error {
	if len(o.Paths) > 0 {
		o.Config = o.Paths[0]
	}
	files, skills, err := pr.Check(ctx, o.Options)
	if err != nil {
		return err
	}
	read := "no configuration file"
	if len(files) > 0 {
		read = "no mistakes in " + strings.Join(files, " and ")
	}
	var names []string
	for i := range skills {
		names = append(names, skills[i].Name+" ("+skills[i].Source+")")
	}
	return p.print(text.OneLine(read+"; skills: "+strings.Join(names, ", ")) + "\n")
}

// showConfig is the command "config show".
func (p *process) showConfig(ctx context.Context, pr *project.Project, o *options) error {
	settings, err := pr.Settings(ctx, o.Options)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, s := range settings.Explain() {
		if s.Value == "" {
			s.Source = "not set"
		}
		rows = append(rows, []string{s.Key, s.Value, s.Source})
	}
	return p.writeTable([]string{"SETTING", "VALUE", "FROM"}, rows)
}

// printSchema is the command "config schema".
func (p *process) printSchema(_ context.Context, o *options) error {
	_, err := io.WriteString(p.stdout, config.Schema(o.user))
	return err
}
