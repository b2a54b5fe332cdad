// Package fix plans suggested fixes, and applies them such that no file is ever
// half written.
//
// A suggested fix comes from a model: nobody has checked it. Package scanner has
// resolved it to exact edits of the file that its finding is about, or dropped
// it. From there to a changed file there are two steps. The first is pure:
// findings and contents go in, and a [Plan] comes out, with the outcome of each
// fix, and the contents of each file before and after. The second, [Apply],
// changes the files.
//
//	plan := fix.NewPlan(fix.Input{
//		Suggestions: fix.Collect(fix.SetOf(report, selection.Shown)),
//		Files:       snapshot.Files(),
//		Read:        snapshot.Read,
//	})
//	os.Stdout.Write(plan.Patch()) // what would be done
//	result, err := fix.Apply(root, plan, fix.Options{ID: runID})
//
// # Exact or not at all
//
// An edit replaces whole lines. They must be in the file, at their place, with
// all their white space; only carriage returns at their ends are ignored. New
// lines get the line ends of the lines that they replace, and a file without a
// final newline stays without one. A fix is applied with all of its edits or not
// at all.
//
// All edits are changes of the contents that were analyzed, so one fix does not
// move the place of another. Fixes are taken in the order of priority. One that
// changes a line that an earlier one changes, or inserts where an earlier one
// changes something, is refused; one that makes only changes that earlier ones
// make is covered by them. [Plan.Verify] refuses the fixes with which checks
// fail, for instance those that do not compile.
//
// # Which files
//
// A fix changes only the file of its finding, which must be one that the scan
// looked at. Names that are absolute, lead out of the repository, or belong to
// git or to scanner itself are refused in any case.
//
// On disk it must be a regular file, below directories that are neither symbolic
// links nor repositories of their own, with the contents that were analyzed. A
// [Snapshot] remembers these: it is taken when the scan begins, since a model
// takes its time, and people go on working.
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
