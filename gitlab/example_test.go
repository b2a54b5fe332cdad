package gitlab_test

import (
	"fmt"

	"github.com/codescan-dev/scanner/gitlab"
)

func ExampleFlavor() {
	project, err := gitlab.ParseProject("group/subgroup/project")
	if err != nil {
		fmt.Println(err)
		return
	}
	flavor := gitlab.Flavor("https://gitlab.example.com", project)
	fmt.Println(flavor.ChangeURL(7))
	fmt.Println(flavor.FileURL("4b825dc", "cmd/main.go", 3, 5))
	// Output:
	// https://gitlab.example.com/group/subgroup/project/-/merge_requests/7
	// https://gitlab.example.com/group/subgroup/project/-/blob/4b825dc/cmd/main.go#L3-5
}
