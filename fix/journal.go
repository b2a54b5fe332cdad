package fix

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
)

const (
	journalEnd = ".json"
	patchEnd   = ".patch"
	maxJournal = 16 << 20 // bytes

	tempPrefix  = ".scanner-fix-"
	tempPattern = `^\.scanner-fix-[0-9a-f]{32}\.tmp$`
)

// Journal tells what an application of fixes was about to do. It is on the disk
// before the first file changes, and is marked when the last has.
type Journal struct {
	// ID is the name of the journal, ".scanner/fixes/<id>.json", and of the
	// patch.
	ID    string       `json:"id"`
	State JournalState `json:"state"`
	// Patch is the path of the patch with all changes, from the root of the
	// repository.
	Patch string        `json:"patch"`
	Files []JournalFile `json:"files"`
}

// JournalState says how far an application got.
type JournalState string

// The states of a journal.
const (
	JournalStarted JournalState = "started" // some of the files may be changed
	JournalDone    JournalState = "done"    // all files are changed
	JournalSettled JournalState = "settled" // it was cut short, and someone was told
)

// JournalFile is a file that was to be changed.
type JournalFile struct {
	Path string `json:"path"`
	// Before and After are the SHA-256 sums of the two contents.
	Before string `json:"before"`
	After  string `json:"after"`
	// Temp is the name, in the same folder, under which the new contents were
	// written before they took the place of the file.
	Temp string `json:"temp"`
	// State is what the file is now. It is not kept in the journal.
	State FileState `json:"-"`
}

// FileState says what a file is, compared with a journal.
type FileState string

// The states of a file.
const (
	FileOld   FileState = "old"   // as it was before
	FileNew   FileState = "new"   // changed as planned
	FileOther FileState = "other" // something else, as when someone edited it, or gone
)

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// Undo returns the command that takes back what was changed, to be run at the
// root of the repository: its name and its arguments. It is nil when no file is
// in its new state. Files in their old state, and those that are something else,
// are left alone.
func (j *Journal) Undo() []string {
	// Lines are taken by the byte, whatever the settings say about blanks at
	// their end.
	args := []string{"git", "apply", "-R", "--whitespace=nowarn"}
	bare := len(args)
	n := 0
	for _, f := range j.Files {
		if f.State == FileNew {
			args = append(args, "--include="+globEscape(f.Path))
			n++
		}
	}
	switch n {
	case 0:
		return nil
	case len(j.Files):
		args = args[:bare]
	}
	return append(args, j.Patch)
}

// globEscape returns a pattern of git that only path matches.
func globEscape(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// UndoCommand returns [Journal.Undo] as a line for a shell; empty when there is
// nothing to undo.
func (j *Journal) UndoCommand() string {
	var quoted []string
	for _, a := range j.Undo() {
		if strings.Trim(a, plainShell) != "" {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		quoted = append(quoted, a)
	}
	return strings.Join(quoted, " ")
}

const plainShell = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@"

// idForm is what names of journals look like: safe on all systems.
const idForm = `^[0-9A-Za-z][0-9A-Za-z._-]{0,99}$`

func checkID(id string) error {
	if !regexp.MustCompile(idForm).MatchString(id) || strings.HasSuffix(id, ".") {
		return fmt.Errorf("bad id %q for fixes: want letters, digits, and . _ - in between, at most 100", id)
	}
	return nil
}

func (j *Journal) marshal() ([]byte, error) {
	data, err := json.MarshalIndent(j, "", "\t")
	return append(data, '\n'), err
}

// write replaces the journal.
func (j *Journal) write(fixes *os.Root) error {
	name := j.ID + journalEnd
	beside := name + ".new"
	if err := fixes.Remove(beside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return journalError(j.ID, cause(err))
	}
	data, err := j.marshal()
	if err == nil {
		err = writeNew(fixes, beside, data, 0o644)
	}
	if err == nil {
		if err = fixes.Rename(beside, name); err != nil {
			_ = fixes.Remove(beside)
		}
	}
	if err == nil {
		err = syncFolder(fixes)
	}
	if err != nil {
		return journalError(j.ID, cause(err))
	}
	return nil
}

func journalError(id string, err error) error {
	return fmt.Errorf("journal %q: %w", fixesPath+"/"+id+journalEnd, err)
}

// Pending returns the journals of applications that were cut short, by a kill
// or a loss of power, with what each of their files is now. [Journal.Undo] takes
// them back; [Settle] ends the matter. While another process applies fixes its
// error wraps [ErrBusy].
//
// Without a folder for fixes there are none. A journal that cannot be read is an
// error that names it; the others are returned all the same.
func Pending(root *os.Root) ([]Journal, error) {
	fixes, err := openFixes(root, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer fixes.Close()
	names, err := journalNames(fixes)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	started, err := startedJournals(fixes, names)
	if len(started) == 0 {
		return nil, err
	}
	// Those of a process that is still at work are not pending. It may also
	// have finished since.
	l, err := lock(fixes)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	pending, err := startedJournals(fixes, names)
	for i := range pending {
		for k := range pending[i].Files {
			pending[i].Files[k].look(root)
		}
	}
	return pending, err
}

// startedJournals reads the journals that are not at their end.
func startedJournals(fixes *os.Root, ids []string) ([]Journal, error) {
	var started []Journal
	var errs []error
	for _, id := range ids {
		j, err := readJournal(fixes, id)
		if err != nil {
			errs = append(errs, journalError(id, err))
		} else if j.State == JournalStarted {
			started = append(started, *j)
		}
	}
	return started, errors.Join(errs...)
}

func journalNames(fixes *os.Root) ([]string, error) {
	d, err := fixes.Open(".")
	if err != nil {
		return nil, folderError(fixesPath, cause(err))
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	if err != nil {
		return nil, folderError(fixesPath, cause(err))
	}
	var ids []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), journalEnd); ok && checkID(id) == nil {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// readJournal reads a journal. The folder may have come with the repository, so
// nothing in it is trusted.
func readJournal(fixes *os.Root, id string) (*Journal, error) {
	f, _, err := openRegular(fixes, id+journalEnd)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxJournal+1))
	if err != nil {
		return nil, cause(err)
	}
	if len(data) > maxJournal {
		return nil, errors.New("is too large")
	}
	var j Journal
	if err := json.Unmarshal(data, &j); err != nil {
		return nil, err
	}
	if j.ID != id || j.Patch != fixesPath+"/"+id+patchEnd {
		return nil, errors.New("does not fit its name")
	}
	temp := regexp.MustCompile(tempPattern)
	for _, f := range j.Files {
		if r := checkName(f.Path); r != nil {
			return nil, errors.New(r.message)
		}
		if !temp.MatchString(f.Temp) {
			return nil, fmt.Errorf("bad name %q of a temporary file", f.Temp)
		}
	}
	return &j, nil
}

// look sets the state of a file.
func (f *JournalFile) look(root *os.Root) {
	f.State = FileOther
	folder, name, err := openParent(root, f.Path)
	if err != nil {
		return
	}
	defer folder.Close()
	file, _, err := openRegular(folder, name)
	if err != nil {
		return
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return
	}
	switch hex.EncodeToString(h.Sum(nil)) {
	case f.Before:
		f.State = FileOld
	case f.After:
		f.State = FileNew
	}
}

// Settle ends the matter of a pending journal: it removes the temporary files
// that were left behind, and marks the journal, so that [Pending] no longer
// returns it. The changed files stay as they are.
func Settle(root *os.Root, id string) error {
	if err := checkID(id); err != nil {
		return err
	}
	fixes, err := openFixes(root, false)
	if err != nil {
		return err
	}
	defer fixes.Close()
	l, err := lock(fixes)
	if err != nil {
		return err
	}
	defer l.Close()
	j, err := readJournal(fixes, id)
	if err != nil {
		return journalError(id, err)
	}
	for _, f := range j.Files {
		if err := removeTemp(root, f.Path, f.Temp); err != nil {
			return fmt.Errorf("temporary file %q beside %q: %w", f.Temp, f.Path, err)
		}
	}
	j.State = JournalSettled
	return j.write(fixes)
}

// removeTemp removes a temporary file if it is there.
func removeTemp(root *os.Root, path, temp string) error {
	folder, _, err := openParent(root, path)
	if errors.Is(err, fs.ErrNotExist) || err != nil && isPlace(err) {
		return nil // then it is not there
	}
	if err != nil {
		return err
	}
	defer folder.Close()
	info, err := folder.Lstat(temp)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return nil
	}
	if err != nil {
		return cause(err)
	}
	return cause(folder.Remove(temp))
}

// isPlace reports whether an error says what is in a place, not that it could
// not be looked at.
func isPlace(err error) bool {
	return errors.Is(err, errLink) || errors.Is(err, errNotFolder) || errors.Is(err, errSubmodule)
}
