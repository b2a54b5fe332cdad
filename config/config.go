// Package config reads configuration files and decides which value of a setting
// counts.
//
// There are two files of the same form, TOML with `version = 1`: scanner.toml at
// the root of a repository ([Parse]), and the user's own ([ParseUser]). A pull
// request can change the first. So that it cannot send an API key elsewhere or
// choose commands that run on a machine, the keys that decide this are accepted
// in the second file only; and the key itself is in no file at all, but in the
// environment. [Example] and [UserExample] show every key.
//
// Files are decoded from bytes, since they may come from a revision of the
// repository instead of the disk. Reading is strict, and an [Error] names
// everything that is wrong with a file at once, with line, column and key path:
//
//	Failed to parse scanner.toml
//	Invalid value at path: skills[0].triggers[1].type
//	  scanner.toml:12:8: got "cron", want pull_request or schedule
//
// Then [Resolve] puts the levels together. A flag beats an environment variable,
// which beats the trigger, the skill, the defaults of scanner.toml, the user's
// file, and the built-in value, in this order; rule 4 of the processing rules is
// the middle of it. The result, [Settings], remembers where each value came from.
//
// A list is taken from one level as a whole, never put together from several,
// but for ignorePaths: those of a skill are added to those of the defaults.
// Globs are those of [github.com/codescan-dev/scanner/diff.Match].
//
// The package reads nothing but its arguments: no file, no environment, no
// clock. All its functions are safe for concurrent use.
package config

import _ "embed" // for the examples

// Example is a commented scanner.toml with every key that it may hold.
//
//go:embed example.toml
var Example string

// UserExample is a commented file of a user, with every key that it may hold.
//
//go:embed user-example.toml
var UserExample string
