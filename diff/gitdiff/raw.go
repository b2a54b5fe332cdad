package gitdiff

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/codescan-dev/scanner/diff"
)

// Git's file modes.
const (
	modeTypeMask  = 0o170000
	modeRegular   = 0o100000
	modeFile      = 0o100644
	modeExec      = 0o100755
	modeLink      = 0o120000
	modeSubmodule = 0o160000
)

func isRegular(mode uint32) bool { return mode&modeTypeMask == modeRegular }

// record is one of git's raw records: a changed path and its two sides.
type record struct {
	oldMode, newMode uint32
	oldOID, newOID   string // "" where absent, or, on the new side, not hashed
	status           byte   // A, D, M, T, U, R
	oldPath, path    string // oldPath is set for R alone
}

// readRecords reads NUL-separated raw records up to the empty field that
// separates them from a patch, or to the end.
func readRecords(br *bufio.Reader) ([]record, error) {
	var records []record
	for {
		if _, err := br.Peek(1); err == io.EOF {
			return records, nil
		}
		head, err := field(br)
		if err != nil || head == "" {
			return records, err
		}
		r, err := parseRecord(head)
		if err != nil {
			return nil, err
		}
		if r.status == 'R' {
			if r.oldPath, err = field(br); err != nil {
				return nil, err
			}
		}
		if r.path, err = field(br); err != nil {
			return nil, err
		}
		if r.path == "" {
			return nil, fmt.Errorf("raw record %q has no path", head)
		}
		records = append(records, r)
	}
}

// field reads up to the next NUL.
func field(br *bufio.Reader) (string, error) {
	s, err := br.ReadString(0)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return strings.TrimSuffix(s, "\x00"), err
}

// parseRecord parses ":<mode> <mode> <oid> <oid> <status>[<score>]".
func parseRecord(s string) (record, error) {
	var r record
	bad := fmt.Errorf("unexpected raw record %q", s)
	rest, ok := strings.CutPrefix(s, ":")
	f := strings.Split(rest, " ")
	if !ok || len(f) != 5 || f[4] == "" {
		return r, bad
	}
	oldMode, err1 := strconv.ParseUint(f[0], 8, 32)
	newMode, err2 := strconv.ParseUint(f[1], 8, 32)
	if errors.Join(err1, err2) != nil || !strings.ContainsRune("ADMTUR", rune(f[4][0])) {
		return r, bad
	}
	r.oldMode, r.newMode = uint32(oldMode), uint32(newMode)
	r.oldOID, r.newOID = nonZero(f[2]), nonZero(f[3])
	r.status = f[4][0]
	return r, nil
}

// nonZero returns oid, or "" for the one that represents no object.
func nonZero(oid string) string {
	if strings.Trim(oid, "0") == "" {
		return ""
	}
	return oid
}

// diffFlags make the output of git diff independent of the configuration.
// Everything that shapes it is set, also where it is the default.
var diffFlags = []string{
	"diff", "-z", "--no-abbrev", "--no-color", "--no-ext-diff", "--no-textconv",
	"--no-relative", "--ignore-submodules=none", "-O/dev/null",
}

// rawForm lists what changed without looking for renames, which would read
// files of any size. The flags of patchForm must not be here: -U implies a patch.
var rawForm = []string{"--raw", "--no-renames"}

var patchForm = []string{
	"--patch-with-raw", "-M", "-l1000", "-U3", "--text", "--full-index", "--no-color-moved",
	"--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "--inter-hunk-context=0",
	"--diff-algorithm=histogram", "--indent-heuristic",
}

// diffArgs returns the arguments of a git diff. against ends the options: a
// tree, and --cached before it for the index.
func diffArgs(form []string, against, pathspecs []string) []string {
	args := make([]string, 0, len(diffFlags)+len(form)+len(against)+1+len(pathspecs))
	args = append(args, diffFlags...)
	args = append(args, form...)
	args = append(args, against...)
	args = append(args, "--")
	return append(args, pathspecs...)
}

// rawDiff lists what changed.
func (g *git) rawDiff(ctx context.Context, against, pathspecs []string) (records []record, err error) {
	_, err = g.stream(ctx, func(br *bufio.Reader) (err error) {
		records, err = readRecords(br)
		return err
	}, diffArgs(rawForm, against, pathspecs)...)
	return records, err
}

// indexEntry is an entry of the index, or of a tree.
type indexEntry struct {
	mode     uint32
	oid      string
	path     string
	conflict bool // one of the stages of an unmerged file in the index
}

// index lists the index in its order.
func (g *git) index(ctx context.Context, pathspecs ...string) ([]indexEntry, error) {
	out, err := g.output(ctx, nil, append([]string{"ls-files", "--stage", "-z", "--full-name", "--"}, pathspecs...)...)
	if err != nil {
		return nil, err
	}
	return parseEntries(out, fromIndex)
}

// tree lists the files of a tree or commit.
func (g *git) tree(ctx context.Context, oid string) ([]indexEntry, error) {
	out, err := g.output(ctx, nil, "ls-tree", "-r", "-z", "--full-tree", oid)
	if err != nil {
		return nil, err
	}
	return parseEntries(out, fromTree)
}

// parseEntries parses entries that are ended by a NUL each.
func parseEntries(out []byte, entry func([]string) indexEntry) ([]indexEntry, error) {
	var entries []indexEntry
	for line := range bytes.SplitSeq(out, []byte{0}) {
		if len(line) == 0 {
			continue
		}
		e, err := parseEntry(line, entry)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// parseEntry parses "<mode> <field> <field>\t<path>". entry makes an entry of the three
// fields.
func parseEntry(line []byte, entry func([]string) indexEntry) (indexEntry, error) {
	info, path, ok := bytes.Cut(line, []byte{'\t'})
	f := strings.Fields(string(info)) // a path must not keep it in memory
	if !ok || len(f) != 3 {
		return indexEntry{}, fmt.Errorf("unexpected entry %q in the list of files", line)
	}
	mode, err := strconv.ParseUint(f[0], 8, 32)
	if err != nil {
		return indexEntry{}, fmt.Errorf("unexpected entry %q in the list of files", line)
	}
	e := entry(f)
	e.mode, e.path = uint32(mode), string(path)
	return e, nil
}

func fromTree(f []string) indexEntry { return indexEntry{oid: f[2]} }

func fromIndex(f []string) indexEntry { return indexEntry{oid: f[1], conflict: f[2] != "0"} }

// list lists the entries of the index whose mode in octal begins with prefix, in their
// order, and the files that are neither tracked nor ignored. A repository inside of this
// one is listed as a submodule, and a directory that git could not open as unreadable, so
// that its files are not skipped in silence.
func (g *git) list(ctx context.Context, prefix string, pathspecs []string) (index []indexEntry, untracked []diff.File, err error) {
	stderr, err := g.stream(ctx, func(br *bufio.Reader) error {
		for {
			line, err := br.ReadSlice(0) // without a copy: most entries may be of no use
			if err == io.EOF && len(line) == 0 {
				return nil
			}
			if err != nil {
				return err
			}
			tag, line, _ := bytes.Cut(line[:len(line)-1], []byte{' '})
			switch {
			case string(tag) == "?":
				p := string(line)
				f := diff.File{Path: strings.TrimSuffix(p, "/"), Status: diff.Added, Untracked: true}
				if f.Path != p {
					f.Mode, f.Skip = modeSubmodule, diff.ReasonSubmodule
				}
				untracked = append(untracked, f)
			case bytes.HasPrefix(line, []byte(prefix)):
				e, err := parseEntry(line, fromIndex)
				if err != nil {
					return err
				}
				index = append(index, e)
			}
		}
	}, append([]string{"ls-files", "-t", "--stage", "--others", "--exclude-standard", "-z", "--full-name", "--"}, pathspecs...)...)
	if err != nil {
		return nil, nil, err
	}
	for line := range strings.Lines(stderr) {
		if p, ok := strings.CutPrefix(line, "warning: could not open directory '"); ok {
			if i := strings.LastIndex(p, "/'"); i > 0 {
				untracked = append(untracked, diff.File{Path: p[:i], Status: diff.Added, Untracked: true, Skip: diff.ReasonUnreadable})
			}
		}
	}
	return index, untracked, nil
}
