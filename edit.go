package scanner

// Edit replaces whole lines of a file by others. The lines are those of the file
// as it was scanned; a fix is a list of edits of one file that do not overlap, in
// the order of their lines.
type Edit struct {
	// Line is the number of the first line that is replaced, from 1. Of an
	// insertion it is the line that the new ones come before, which is one past
	// the last line at the end of the file.
	Line int
	// Old are the lines that are replaced, without line ends. None means that
	// the edit is an insertion.
	Old []string
	// New are the lines that replace them, without line ends. None means that
	// the edit is a deletion.
	New []string
}
