// Package scanner reviews code changes with language models, and says exactly
// what it looked at.
//
// A [Skill] is an analysis task: instructions for a model, deterministic
// patterns, or both. [RunSkill] runs one over changed files, [Run] several. The
// files are values of package diff: parsed from a unified diff by diff.Parse, or
// read from a repository by package diff/gitdiff. The model is a
// [provider.Provider]: package provider/openai has one for OpenAI-compatible
// APIs, and any type with its one method will do.
//
//	files, err := diff.Parse(patch)
//	...
//	report, err := scanner.RunSkill(ctx, skill, files, scanner.Options{Provider: p, Model: "m"})
//	...
//	for _, f := range scanner.Select(report, scanner.Policy{ReportOn: scanner.ThresholdMedium}).Shown {
//		fmt.Println(f.Location, f.Severity, f.Title)
//	}
//
// # From files to findings
//
// Each file is split into chunks: neighboring hunks with the lines around them.
// Chunks are analyzed in parallel, each in one request and, when that fails, its
// retries. What the model answers is untrusted text. Findings are read from it
// by pattern, then, if that fails, by asking a model to extract them. Each finding
// then goes through the same steps, in this order:
//
//   - path: it belongs to the chunk's file, whatever the model wrote; one that
//     names another file of the scan is discarded;
//   - quote: the code that the model quotes decides the line, since models copy
//     text well and count badly; a line number counts only without a quote;
//   - validation: it must start in the chunk (rule 8, [FilterHunk]);
//   - identity: its id is made from its content, without line numbers;
//   - de-duplication by id (rule 5, [Dedupe]);
//   - a second opinion, if one is asked for (Options.Verify, [Verification]);
//   - merging of findings that say the same about different places (rule 6,
//     [Merge]);
//   - sorting by priority (rule 7, [Sort]).
//
// What is discarded is counted by reason in the report's metadata. Filters are
// not part of a run: a report holds everything, and [Select] applies thresholds
// to it (rules 1 to 3). The steps are exported as pure functions where they are
// of use by themselves.
//
// # Complete, or says so
//
// A run does not fail because a chunk does. Every chunk stands in the report's
// ledger, [ChunkCounts], as analyzed, cached, failed or not analyzed, and every
// file that was given is either among its files or among its skipped files, with
// a reason. A report that is not complete says so in its summary. An error is
// returned only when the run as a whole could not be done: arguments that make
// no sense, credentials that are refused, or a context that ended. In the last
// two cases the report comes along, with all that was known by then.
//
// # Events
//
// Options.OnEvent is told what happens, one call at a time: what is planned,
// what is sent, retried and extracted, and how each chunk and skill ended. The
// [Event] types are plain values, for a terminal or a log to make something of.
//
// # Around it
//
// Packages above this one load skills (skill), read configuration (config), write
// and read records (jsonl), keep answers (cache), apply suggested fixes (fix), and
// say on a pull request what was found (github). The command, cmd/scanner, puts
// them together and uses nothing that other programs could not.
package scanner
