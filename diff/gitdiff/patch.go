package gitdiff

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/diff"
)

// maxSection is the size up to which a file's section of a patch is kept: both
// sides at their largest, every line a byte long and so doubled by its marker.
const maxSection = 4*diff.MaxSkippedSize + 64<<10

const sectionPrefix = "diff --git "

// patch returns what changed between against and the working tree or index, with
// hunks. No file that pathspecs match may be too large.
func (g *git) patch(ctx context.Context, against, pathspecs []string) ([]change, error) {
	few := *g
	// Ahead of time, git would compare every path of the index with the pathspecs.
	few.config = append(slices.Clip(g.config), "-c", "core.preloadIndex=false")
	var files []change
	_, err := few.stream(ctx, func(br *bufio.Reader) (err error) {
		files, err = readPatch(br)
		return err
	}, diffArgs(patchForm, against, pathspecs)...)
	return files, err
}

// readPatch reads the output of git diff --patch-with-raw -z.
func readPatch(br *bufio.Reader) ([]change, error) {
	records, err := readRecords(br)
	if err != nil {
		return nil, err
	}
	var files []change
	s := sections{br: br}
	if err := s.next(); err != nil {
		return nil, err
	}
	for i := range records {
		r := &records[i]
		header := []byte(sectionPrefix + diff.QuotePath("a/"+cmp.Or(r.oldPath, r.path)) + " " + diff.QuotePath("b/"+r.path) + "\n")
		switch found := bytes.HasPrefix(s.text, header); {
		case r.status == 'U':
			f := r.change()
			f.Skip = diff.ReasonUnreadable
			files = append(files, f)
			continue
		case !found && r.status == 'M' && r.oldMode == r.newMode && r.newOID == "":
			continue // only its stat differs
		case !found:
			return nil, fmt.Errorf("the patch has no section for the changed file %q", r.path)
		}
		parts := r.split()
		for j := range parts {
			f := parts[j].change()
			if !bytes.HasPrefix(s.text, header) {
				return nil, fmt.Errorf("the patch has too few sections for the changed file %q", r.path)
			}
			if err := s.fill(&f); err != nil {
				return nil, err
			}
			files = append(files, f)
			if err := s.next(); err != nil {
				return nil, err
			}
		}
	}
	if len(s.text) > 0 {
		line, _, _ := bytes.Cut(s.text, []byte("\n"))
		return nil, fmt.Errorf("the patch has a section without a record: %q", line)
	}
	return files, nil
}

// split returns r itself, or, for a change of type, the deletion and the
// creation that it consists of.
func (r *record) split() []record {
	if r.status != 'T' {
		return []record{*r}
	}
	del, add := *r, *r
	del.status, del.newMode, del.newOID = 'D', 0, ""
	add.status, add.oldMode, add.oldOID = 'A', 0, ""
	return []record{del, add}
}

// change returns what is known from the record alone.
func (r *record) change() change {
	f := change{oid: r.newOID}
	f.Path, f.OldPath, f.OldMode, f.Mode = r.path, r.oldPath, r.oldMode, r.newMode
	switch r.status {
	case 'A':
		f.Status = diff.Added
	case 'D':
		f.Status = diff.Deleted
	case 'R':
		f.Status = diff.Renamed
	}
	mode := r.newMode
	if r.status == 'D' {
		mode = r.oldMode
	}
	switch mode {
	case modeSubmodule:
		f.Skip = diff.ReasonSubmodule
	case modeLink:
		f.Skip = diff.ReasonLink
	}
	return f
}

// sections cuts a patch into the sections of its files.
type sections struct {
	br   *bufio.Reader
	text []byte // the current section, valid until the next one is read; empty at the end
	over bool   // the section was longer than maxSection, and is cut off
}

// next reads a section. A line of contents always begins with its marker, so
// one that begins with the prefix is a header.
func (s *sections) next() error {
	s.text, s.over = s.text[:0], false
	for {
		p, err := s.br.Peek(len(sectionPrefix))
		if len(p) == 0 {
			if err == io.EOF {
				return nil
			}
			return err
		}
		isHeader := string(p) == sectionPrefix
		if isHeader && len(s.text) > 0 {
			return nil
		}
		if !isHeader && len(s.text) == 0 && !strings.HasPrefix(string(p), "* Unmerged ") {
			return fmt.Errorf("the patch begins with %q", p)
		}
		if err := s.line(isHeader || len(s.text) > 0); err != nil {
			return err
		}
	}
}

// line reads the next line, and keeps it if keep is set.
func (s *sections) line(keep bool) error {
	for {
		frag, err := s.br.ReadSlice('\n')
		if keep && len(s.text)+len(frag) <= maxSection {
			s.text = append(s.text, frag...)
		} else if keep {
			s.over = true
		}
		switch {
		case err == nil:
			return nil
		case errors.Is(err, bufio.ErrBufferFull):
		case err == io.EOF:
			return io.ErrUnexpectedEOF
		default:
			return err
		}
	}
}

// fill adds the contents of the current section.
func (s *sections) fill(f *change) error {
	switch {
	case s.over:
		f.Skip = diff.ReasonTooLarge // it grew since its size was read
	default:
		hunks, err := diff.ParseHunks(s.text)
		if err != nil {
			return fmt.Errorf("the patch of %q: %w", f.Path, err)
		}
		f.Hunks = hunks
		f.MarkBinary(nil)
	}
	return nil
}

// The arguments of a command are limited, to 32 KiB on one system.
const (
	maxArgBytes = 24 << 10
	maxListed   = 256 // more pathspecs than that make git slow
)

// patchPathspecs returns the pathspecs for the calls of git diff that together
// show the files of keep and none of drop. limit are the pathspecs of the whole
// scan.
func patchPathspecs(limit, keep, drop []string) [][]string {
	switch {
	case len(keep) == 0:
		return nil
	case len(keep) <= maxListed && fits(keep):
		if specs := directories(keep); len(limit)+len(drop) == 0 && 4*len(specs) <= len(keep) {
			return [][]string{specs}
		}
		return [][]string{exactly("top,glob", keep)}
	case len(drop) <= maxListed && fits(drop):
		return [][]string{append(slices.Clip(limit), exactly("exclude,top,glob", drop)...)}
	}
	var batches [][]string
	for len(keep) > 0 {
		n := 1
		for n < len(keep) && n < maxListed && fits(keep[:n+1]) {
			n++
		}
		batches = append(batches, exactly("top,glob", keep[:n]))
		keep = keep[n:]
	}
	return batches
}

var globEscaper = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)

// exactly returns pathspecs that match the given files alone. A literal pathspec
// also matches everything in a directory of that name, and where a directory took
// the place of a file there is one. A pattern does not; a backslash makes it one,
// at the end, since git searches only the directories that lead to the first. The
// magic must have "top", or git for Windows reads the backslash as a separator.
func exactly(magic string, paths []string) []string {
	specs := make([]string, len(paths))
	for i, p := range paths {
		_, last := utf8.DecodeLastRuneInString(p)
		end := len(p) - last
		specs[i] = ":(" + magic + ")" + globEscaper.Replace(p[:end]) + `\` + p[end:]
	}
	return specs
}

// directories returns pathspecs that match what is directly in the directories of the
// given files. Git compares the whole index with each pathspec.
func directories(paths []string) []string {
	specs := make([]string, len(paths))
	for i, p := range paths {
		dir, _ := path.Split(p)
		specs[i] = ":(top,glob)" + globEscaper.Replace(dir) + "*"
	}
	slices.Sort(specs)
	return slices.Compact(specs)
}

// literal returns the pathspecs that match the paths, and what is below them, as
// they are.
func literal(paths []string) []string {
	specs := make([]string, len(paths))
	for i, p := range paths {
		specs[i] = ":(literal)" + p
	}
	return specs
}

func fits(paths []string) bool {
	n := 0
	for _, p := range paths {
		n += len(p) + 24
	}
	return n <= maxArgBytes
}
