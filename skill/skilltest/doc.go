// Package skilltest tests skills, and the reports of runs.
//
// [Run] tests a skill with fixtures: small directories with code and with what
// is to be found in it. The command "scanner skills test" runs the same fixtures.
//
//	func TestSkill(t *testing.T) { skilltest.Run(t, "path/of/the/skill") }
//
// A fixture is a directory below "tests" of the skill. Its files are the code, as a change
// that adds them; their paths begin at the fixture. With a unified diff in a file
// change.diff, that is the change and has the expectations, and the files are the tree
// after it: where the diff shows a line, they have the same.
//
// A comment expects a finding: at the end of a line about that line,
// alone on a line about the next one.
//
//	db.Query("..." + id)        // want high "sql injection"
//	# want "secret" "tls"
//	total := a + b              /* want nothing */
//
// The word "want", in any case and perhaps with a colon, comes after one to four characters
// that are neither letters, digits, quotes, white space nor '=', do not end in an opening
// bracket, and have white space or nothing before them. A quote ' or " also begins a
// comment, if all that follows is as below; a word such as REM does not. Then comes a
// severity, if it matters, and a Go string for each finding, which its title, its
// description or the id of its rule contains, in any case. Or it is "nothing": a finding
// there is a failure. The comment ends the line. Nothing but the fixture sees it: the line
// ends before it, so that the lines keep their numbers, and the recorded answers of a model
// remain valid when an expectation changes.
//
// A file want.toml expects findings that have no line, and has settings:
//
//	needs = "model"         # it is about what a model finds: without answers it is not run
//	unexpected = "allow"    # findings that nothing expects are fine; otherwise "fail"
//
//	[[want]]
//	file = "client.go"      # each of these can be left out
//	line = 4
//	severity = "high"
//	text = "sql injection"
//
//	[[never]]               # a finding that matches is a failure
//	text = "style"
//
// Expectations and findings are matched one to one. What is missing and what nothing
// expects are both failures, so a fixture without expectations is one in which nothing is
// to be found. A finding that was merged from several places, or has additional ones,
// can meet an expectation at each.
//
// The directory "answers" of a fixture has records of a model, see package replay. A
// fixture that has some, or needs a model, is about what the model finds alone: the rules
// of the skill do not run. Any other one is about the rules alone.
//
// [DiffLogs] compares a report with one that is kept in a file: what differs from run to
// run, such as times and costs, is left out.
package skilltest
