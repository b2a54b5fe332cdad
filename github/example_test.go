package github_test

import (
	"fmt"

	"github.com/codescan-dev/scanner/github"
)

func ExampleParseEvent() {
	ev, err := github.ParseEvent("pull_request", []byte(`{"action":"opened","pull_request":{"number":7,
		"head":{"ref":"topic","sha":"1111111111111111111111111111111111111111","repo":{"full_name":"fork/scanner"}},
		"base":{"ref":"main","sha":"2222222222222222222222222222222222222222","repo":{"full_name":"codescan-dev/scanner"}}}}`))
	fmt.Println(ev.Number, ev.Action, ev.Repo, ev.Fork, err)
	// Output: 7 opened codescan-dev/scanner true <nil>
}
