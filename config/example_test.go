package config_test

import (
	"fmt"

	"github.com/codescan-dev/scanner/config"
)

// A configuration file is parsed from bytes, and then resolved together with
// flags and environment.
func Example() {
	file, err := config.Parse("scanner.toml", []byte(`
version = 1

[defaults]
failOn = "high"
reportOn = "low"

[[skills]]
name = "code-review"
reportOn = "medium"
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	settings, err := config.Resolve(config.Input{
		File:  file,
		Flags: config.Flags{FailOn: new("off")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	skill := settings.Skills[0]
	fmt.Println(skill.ReportOn, "from", settings.Origin(skill.Key("reportOn")))
	fmt.Println(skill.FailOn, "from", settings.Origin(skill.Key("failOn")))
	// Output:
	// medium from scanner.toml:10 skills[0].reportOn
	// off from --fail-on
}

// Everything that is wrong is reported at once.
func ExampleParse() {
	_, err := config.Parse("scanner.toml", []byte(`
[[skills]]
name = "nightly"
failon = "high"

[[skills.triggers]]
type = "schedule"
reportOn = "critical"
`))
	fmt.Println(err)
	// Output:
	// Failed to parse scanner.toml
	// Invalid value at path: version
	//   scanner.toml:1:1: `version = 1` is required
	//   hint: make it the first line of the file
	// Invalid value at path: skills[0].paths
	//   scanner.toml:2:3: paths is required for skills with schedule triggers
	// Invalid value at path: skills[0].failon
	//   scanner.toml:4:1: unknown key, did you mean "failOn"?
	//   hint: keys are case-sensitive
	// Invalid value at path: skills[0].triggers[0].reportOn
	//   scanner.toml:8:12: got "critical", want high, medium, low or off
	//   hint: critical findings count as high
}
