package skill_test

import (
	"fmt"
	"testing/fstest"

	"github.com/codescan-dev/scanner/skill"
)

func Example() {
	// A repository with a skill of its own.
	repo := fstest.MapFS{
		".scanner/skills/sql-migrations/SKILL.md": {Data: []byte(`---
name: sql-migrations
description: Finds migrations: those that lock tables or lose data.
allowed-tools: Read, Grep, Bash
---
Look at every statement of the migration.
`)},
		".scanner/skills/sql-migrations/patterns.toml": {Data: []byte(`
[[patterns]]
id = "drop-column"
regex = '(?i)^\s*ALTER\s+TABLE\s.*\bDROP\s+COLUMN\b'
severity = "high"
confidence = "medium"
title = "Column is dropped"
description = "The data is gone once this ran."
files = ["migrations/**/*.sql"]
match = ["ALTER TABLE users DROP COLUMN email;"]
noMatch = ["ALTER TABLE users ADD COLUMN email text;"]
`)},
	}

	catalog := skill.Discover(append(skill.ProjectSources(repo), skill.Builtin())...)
	s, warnings, err := catalog.Find("sql-migrations")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Name, s.AllowedTools, len(s.Patterns))
	fmt.Println(warnings[0])

	_, _, err = catalog.Find("sql-migration")
	fmt.Println(err)
	// Output:
	// sql-migrations [Read Grep] 1
	// .scanner/skills/sql-migrations/SKILL.md:3: front matter is not valid YAML, so each key is read by itself: mapping values are not allowed in this context (put a text that contains ": " in quotes)
	// unknown skill "sql-migration": found code-review (built-in), security-review (built-in), sql-migrations (.scanner/skills/sql-migrations)
	// hint: did you mean "sql-migrations"?
}
