// Package fix plans suggested fixes, and applies them such that no file is ever
// broken.
//
// A suggested fix is a unified diff that a model wrote: text that nobody
// checked. The way from there to a changed file has two halves. The first is
// pure: findings and contents go in, and a [Plan] comes out that says for each
// fix what becomes of it, and for each file what it is before and after. The
// second, [Apply], changes the files.
//
//	plan := fix.NewPlan(fix.Input{
//		Suggestions: fix.Collect(fix.SetOf(report, selection.Shown)),
//		Files:       scanned,
//		Read:        read,
//	})
//	os.Stdout.Write(plan.Patch()) // what would be done
//	result, err := fix.Apply(root, plan, fix.Options{ID: runID})
//
// # What a diff may look like
//
// Models copy text well, and count badly. So the text decides, and must be exact:
// each line of context and each removed line must stand in the file as the diff
// has it, with all its white space. What may be wrong is everything around the
// text:
//
//   - The names may have the prefixes a/ and b/, others, or none, be quoted, have
//     times behind them, or be missing: then the diff is about the file of the
//     finding. The diff may stand in a Markdown fence, with prose around it.
//   - Line numbers and counts may be wrong. The text must then stand in the file
//     once. If it is there several times, it must stand exactly at the stated
//     line, in a header that does not contradict itself.
//   - Lines of context may lack their first column, a space. A line at which it
//     is unclear whether it does is tried both ways, and only one may fit.
//   - Line endings, a byte order mark, and a missing newline at the end are those
//     of the file, unless the diff has all of its bytes right: then it may change
//     them, as the diffs that git makes do.
//
// Whatever can be read in two ways is refused. So is a diff of which a part
// cannot be read, a hunk that inserts without showing where, and one that
// creates, deletes or renames files or changes their mode. What git apply takes
// comes out as git apply makes it, or is refused.
//
// # Several fixes
//
// All fixes are understood as changes of the contents that were analyzed: one
// does not move the place of another. They are taken in the order of priority. A
// fix with several hunks, or several files, is part of the plan as a whole or
// not at all. One that changes a line that an earlier one changes, or inserts
// where an earlier one changes something, is refused; one that makes the same
// changes is covered by the earlier one. [Plan.Without] leaves fixes out, for
// instance because a person said no, and [Plan.Prove] those with which checks
// fail.
//
// # Which files
//
// A fix may change the file that its finding is about, and further files of the
// same diff, if the scan looked at them; Input.Files lists them. Names that are
// absolute, lead out of their folder, belong to git or to scanner itself, or
// hold control characters are refused in any case, and in all spellings that
// some file system takes for the same.
//
// On the disk, the file must be a regular one with a single name, reached over
// folders that are neither links nor repositories of their own, and hold what
// was analyzed. To replace a file that has a second name (a hard link) would
// silently part the two, so it is left alone.
//
// # What happens on the disk
//
// Everything goes through an [os.Root]. Before the first file changes, a patch
// with all changes and a journal are written to ".scanner/fixes" and synced. New
// contents are written beside each file, with its owner and mode, synced, and
// renamed over it. So a file is the old or the new one at any time; and after a
// kill, [Pending] says which are which, and [Journal.Undo] how to go back.
package fix
