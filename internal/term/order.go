package term

import (
	"fmt"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/format"
)

// order restores the order of the plan, since chunks are done in any order: a file
// is released when it and all files before it, of this skill and of earlier ones,
// are done.
type order struct {
	files []*orderedFile
	next  int // index of the first file that was not released
	index map[fileKey]*orderedFile
}

type fileKey struct {
	skill string
	file  int
}

// orderedFile collects the chunks of one file of one skill.
type orderedFile struct {
	skill string
	first bool // of its skill
	file  int  // index in the skill's files
	files int  // number of the skill's files
	path  string
	// chunks has an entry for every chunk, nil until the chunk is done.
	chunks  []*scanner.EventChunk
	missing int // chunks that are not done
}

func newOrder(plan scanner.EventPlanned) *order {
	o := &order{index: make(map[fileKey]*orderedFile)}
	for _, skill := range plan.Skills {
		for i, f := range skill.Files {
			of := &orderedFile{
				skill: skill.Name, first: i == 0, file: i, files: len(skill.Files), path: f.Path,
				chunks: make([]*scanner.EventChunk, f.Chunks), missing: f.Chunks,
			}
			o.files = append(o.files, of)
			o.index[fileKey{skill.Name, i}] = of
		}
	}
	return o
}

// add records a chunk and returns the files that it releases.
func (o *order) add(e scanner.EventChunk) []*orderedFile {
	of := o.index[fileKey{e.Chunk.Skill, e.Chunk.File}]
	if of == nil || e.Chunk.Index < 0 || e.Chunk.Index >= len(of.chunks) || of.chunks[e.Chunk.Index] != nil {
		return nil
	}
	of.chunks[e.Chunk.Index] = &e
	of.missing--
	start := o.next
	for o.next < len(o.files) && o.files[o.next].missing == 0 {
		o.next++
	}
	return o.files[start:o.next]
}

// rest releases the remaining files at the end of the run.
func (o *order) rest() []*orderedFile {
	start := o.next
	o.next = len(o.files)
	return o.files[start:]
}

func (f *orderedFile) title() string {
	return fmt.Sprintf("[%d/%d] %s", f.file+1, f.files, cleanPath(f.path))
}

// lines returns a line for each chunk that is done.
func (f *orderedFile) lines() []string {
	var lines []string
	for i, e := range f.chunks {
		if e != nil {
			lines = append(lines, fmt.Sprintf("[%d/%d] L%d-%d → %s",
				i+1, len(f.chunks), e.Chunk.StartLine, e.Chunk.EndLine, chunkResult(e)))
		}
	}
	return lines
}

// chunkResult describes the outcome of a chunk.
func chunkResult(e *scanner.EventChunk) string {
	findings := format.Count(len(e.Findings), "finding", "findings")
	switch e.Outcome {
	case scanner.OutcomeCached:
		return findings + " (cached)"
	case scanner.OutcomeNotAnalyzed:
		return "not analyzed"
	case scanner.OutcomeFailed:
		s := "failed (" + errorName(e.Err) + ")"
		if len(e.Findings) > 0 { // those of patterns
			s = findings + ", " + s
		}
		return s
	default:
		return findings
	}
}
