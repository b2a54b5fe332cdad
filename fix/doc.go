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
// changes is covered by the earlier one. [Plan.Prove] leaves out the fixes with
// which checks fail.
//
// # Which files
//
// A fix may change the file that its finding is about, and further files of the
// same diff, if the scan looked at them; Input.Files lists them. Names that are
// absolute, lead out of their folder, belong to git or to scanner itself, or
// hold control characters are refused in any case, and in all spellings that
// some file system takes for the same.
//
// On disk, the file must be a regular one, below directories that are neither
// symbolic links nor repositories of their own, and hold what was analyzed.
//
// # What happens on disk
//
// Everything goes through an [os.Root]. First a patch with all changes is written
// to ".scanner/fixes" and synced. Then the new contents are written next to each
// file, with its mode, and synced; then each is renamed over its file. So a file
// has its old or its new contents at any time.
//
// After a run, "git apply -R --whitespace=nowarn" with the patch undoes all of
// it. After a kill between two renames some files are old and others new, and git
// refuses the whole patch: add --include=<path> for every file to undo. Temporary
// files named ".scanner-fix-*.tmp" may be left; they can be deleted.
package fix
