package replay_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/provider/providertest"
	"github.com/codescan-dev/scanner/provider/replay"
)

// A run is recorded once, and repeated without the model.
func Example() {
	dir, err := os.MkdirTemp("", "records")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	skill := scanner.Skill{Name: "own", Instructions: "Find divisions by zero."}
	files := []diff.File{{
		Path: "a.go", Status: diff.Added,
		Hunks: []diff.Hunk{{NewStart: 1, NewLines: 1, Body: "+var x = 1 / 0\n"}},
	}}
	run := func(p provider.Provider) {
		report, err := scanner.RunSkill(context.Background(), skill, files, scanner.Options{Provider: p, Model: "my-model"})
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, f := range report.Findings {
			fmt.Printf("%s:%d: %s\n", f.Location.Path, f.Location.StartLine, f.Title)
		}
	}

	// In place of a real model.
	model := providertest.Answers(providertest.Text(
		`{"findings": [{"severity": "high", "title": "Division by zero", "description": "It fails.", "location": {"startLine": 1}}]}`))
	recorder, err := replay.Record(dir, model, nil, time.Now)
	if err != nil {
		fmt.Println(err)
		return
	}
	run(recorder)

	player, err := replay.Open(dir, func(difference string) { fmt.Println("warning:", difference) })
	if err != nil {
		fmt.Println(err)
		return
	}
	run(player)
	skill.Instructions = "Find all divisions by zero."
	run(player)
	// Output:
	// a.go:1: Division by zero
	// a.go:1: Division by zero
	// warning: skill "own": its recorded answers are for a request with a different system text
	// a.go:1: Division by zero
}
