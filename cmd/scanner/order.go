package main

import (
	"fmt"

	"github.com/codescan-dev/scanner"
)

// order puts the chunks of a run, which end in any order, back into the order of
// the plan: a file is released when it and all before it, of this skill and of
// earlier ones, are done.
type order struct {
	files []*orderedFile
	next  int // the first file that was not released
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
	file  int  // counts the skill's files from 0, of files
	files int
	path  string
	// chunks has a place for every chunk; those that never came stay nil.
	chunks []*scanner.EventChunk
	missed int // chunks that have not come
}

func newOrder(plan scanner.EventPlanned) *order {
	o := &order{index: make(map[fileKey]*orderedFile)}
	for _, skill := range plan.Skills {
		for i, f := range skill.Files {
			of := &orderedFile{
				skill: skill.Name, first: i == 0, file: i, files: len(skill.Files), path: f.Path,
				chunks: make([]*scanner.EventChunk, f.Chunks), missed: f.Chunks,
			}
			o.files = append(o.files, of)
			o.index[fileKey{skill.Name, i}] = of
		}
	}
	return o
}

// add takes a chunk and returns the files that can be shown now.
func (o *order) add(e scanner.EventChunk) []*orderedFile {
	of := o.index[fileKey{e.Chunk.Skill, e.Chunk.File}]
	if of == nil || e.Chunk.Index < 0 || e.Chunk.Index >= len(of.chunks) || of.chunks[e.Chunk.Index] != nil {
		return nil
	}
	of.chunks[e.Chunk.Index] = &e
	of.missed--
	start := o.next
	for o.next < len(o.files) && o.files[o.next].missed == 0 {
		o.next++
	}
	return o.files[start:o.next]
}

// rest returns the files that were not released although the run is over.
func (o *order) rest() []*orderedFile {
	start := o.next
	o.next = len(o.files)
	return o.files[start:]
}

func (f *orderedFile) title() string {
	return fmt.Sprintf("[%d/%d] %s", f.file+1, f.files, cleanPath(f.path))
}

// lines returns a line for each chunk that came.
func (f *orderedFile) lines() []string {
	var lines []string
	for i, e := range f.chunks {
		if e != nil {
			lines = append(lines, fmt.Sprintf("[%d/%d] L%d-%d → %s",
				i+1, len(f.chunks), e.Chunk.StartLine, e.Chunk.EndLine, result(e)))
		}
	}
	return lines
}

// result says what became of a chunk.
func result(e *scanner.EventChunk) string {
	findings := plural(len(e.Findings), "finding")
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
