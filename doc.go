// Package scanner reviews code changes with language models, and reports exactly
// what it analyzed.
//
// A [Skill] is an analysis task: instructions for a model, deterministic
// patterns, or both. [RunSkill] runs one over changed files, [Run] several. The
// files are values of package diff: parsed from a unified diff by diff.Parse, or
// read from a repository by package diff/gitdiff. The model is a
// [provider.Provider]: package provider/openai has one for OpenAI-compatible
// APIs, provider/anthropic one for that of Anthropic, and any type with its one
// method can be used.
//
//	files, err := diff.Parse(patch)
//	...
//	report, err := scanner.RunSkill(ctx, skill, files, scanner.Options{Provider: p, Model: "m"})
//	...
//	selection, err := scanner.Select(report, scanner.Policy{ReportOn: scanner.ThresholdMedium})
//	...
//	for _, f := range selection.Shown {
//		fmt.Println(f.Location, f.Severity, f.Title)
//	}
//
// # From files to findings
//
// Each file is split into chunks: neighboring hunks with the lines around them.
// Chunks are analyzed in parallel, each in one request and, when that fails, its
// retries. What the model answers is untrusted text. Findings are read from it
// by pattern, and if that fails a model extracts them. Each finding then goes
// through the same steps, in this order:
//
//   - path: it belongs to the chunk's file; one that names another file of the
//     scan is discarded;
//   - quote: the code that the model quotes determines the line, since models copy
//     text well and count badly; without a quote the line number does;
//   - validation: it must start in the chunk (rule 8, [FilterHunk]);
//   - fix: the text that it replaces must occur once in what the model saw, and
//     becomes exact edits ([SuggestedFix]);
//   - identity: its id is made from its content, without line numbers;
//   - de-duplication by id (rule 5, [Dedupe]);
//   - a second opinion, if it is wanted (Options.Verify, [Verification]);
//   - merging of similar findings at different places (rule 6, [Merge]);
//   - sorting by priority (rule 7, [Sort]).
//
// What is discarded is counted by reason, and the text of the first ones is kept
// ([Discard]). A finding that an earlier skill of the run reports at the same place
// is left to that skill ([Duplicate]). What a rule found as well has the identity of the
// rule.
//
// Filters are not part of a run: a report holds everything, and [Select] applies
// thresholds to it (rules 1 to 3). The steps are exported as pure functions where
// they are useful by themselves: a program with findings of its own locates them with an
// [Anchor], identifies them with [AssignIDs], and has a report that is like any other.
//
// # Spread over several machines
//
// Options.Shard limits a run to those files whose paths hash to a part of it. Its
// reports end before what has to see all findings: merging, and everything after it.
// [MergeShards] does the rest with the reports of all parts; the result is that of the
// whole run.
//
// # Complete, or marked as incomplete
//
// A run does not fail because a chunk does. Every chunk is in the report's ledger,
// [ChunkCounts], as analyzed, cached, failed or not analyzed, and every file that
// was given is either among its files or among its skipped files, with a reason.
// The summary of a report that is not complete reads so; see [SkillReport.Complete]. An error is returned only
// when the run as a whole could not be done: invalid arguments, refused
// credentials, or a context that ended. In the last two cases the report comes
// along, with all that was known by then.
//
// # Results
//
// Options.OnEvent receives an [Event] for everything that happens, one call at a
// time: what is planned, sent, retried and extracted, and how each chunk and skill
// ended. A [Sink] receives the finished reports. A report does not change after it
// was handed out.
//
// # Other packages
//
// Packages above this one load skills (skill), read configuration (config), write
// and read records (jsonl), keep answers (cache), apply suggested fixes (fix),
// bring these together around a repository (project), and post reviews of pull
// requests (review, github). The command, cmd/scanner, is built on them and uses
// nothing that other programs cannot use.
package scanner
