package scanner

import (
	"slices"
	"time"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/prompt"
	"github.com/codescan-dev/scanner/provider"
)

// Event is something that happens during a run. The set of events is closed;
// receivers switch on the type and ignore those they do not know.
type Event interface{ event() }

// EventPlanned comes first: what is going to be analyzed.
type EventPlanned struct {
	// Files lists the distinct files that have at least one chunk for any
	// skill, in the order they were given.
	Files []PlannedFile
	// Skipped lists the files that no skill looks at.
	Skipped []SkippedFile
	// Notable lists the changes that a person should look at, skipped files
	// included.
	Notable []diff.Notable
	// Chunks counts the distinct chunks of Files.
	Chunks int
	// Skills names the skills that have something to look at, in order, with
	// the number of chunks of each.
	Skills []PlannedSkill
}

// PlannedFile is a file that is going to be analyzed.
type PlannedFile struct {
	Path   string
	Status diff.Status
	// Kind is what the file is for.
	Kind   diff.Kind
	Chunks int
}

// PlannedSkill is a skill that is going to run.
type PlannedSkill struct {
	Name string
	// Files are what ChunkRef.File counts. A file that changes several times,
	// in a series of patches, is repeated.
	Files  []PlannedFile
	Chunks int
	// Provider is what its chunks are sent to; zero if no model is used. Tools are those
	// that are offered to it; nil if there are none.
	Provider provider.Identity
	Tools    []provider.Tool
}

// ChunkRef names a chunk of a skill in events.
type ChunkRef struct {
	Skill string
	Path  string
	// File counts the skill's files from 0, of Files; Index counts the file's
	// chunks from 0, of Chunks.
	File, Files   int
	Index, Chunks int
	StartLine     int
	EndLine       int
}

// EventPrompt reports the size of a prompt before it is sent.
type EventPrompt struct {
	Chunk ChunkRef
	// SystemChars and UserChars count the characters (runes) of the two texts.
	SystemChars, UserChars int
	// Large is set above the limit of 100,000 characters. Nothing is blocked.
	Large bool
}

// EventRequest comes when a request about a chunk is made, for each attempt.
type EventRequest struct {
	Chunk ChunkRef
	// Role is what the request is for: "analyze", "turn 2" and so on after calls of
	// tools, "extract" or "verify".
	Role string
}

// EventRetry comes before the wait for another attempt.
type EventRetry struct {
	Chunk ChunkRef
	// Attempt counts the retries from 1, of Max.
	Attempt, Max int
	Delay        time.Duration
	Err          error
}

// EventFallback comes when requests to a model leave out from then on what its
// provider refuses.
type EventFallback struct {
	Model         string
	Tools, Format bool  // what is left out: the tools, the response format
	Err           error // the refusal; nil if an earlier run got it
}

// EventExtracted reports how findings were read from an answer.
type EventExtracted struct {
	Chunk ChunkRef
	// Method is "json", "salvaged" or "model", or "none" when it failed.
	Method   string
	Findings int
}

// EventExchange comes when a request about a chunk has ended, with all its attempts, and
// when the cache had the answer to one. It refers to what was sent and answered; its
// methods make copies.
type EventExchange struct {
	Chunk ChunkRef
	// Role is what the request is for: "analyze", "turn 2" and so on after calls of
	// tools, "extract" or "verify".
	Role string
	// System is the system prompt; empty if Cached is set.
	System string
	// Cached is set if nothing was sent.
	Cached bool
	// Err is why there is no answer.
	Err error

	run    *run
	sent   []provider.Message
	answer provider.Message
	stored []byte // in place of the others, if Cached is set
}

// Sent returns the messages that were sent for the first time, in order: the text about
// the chunk, or the calls of the answer before and their results.
func (e EventExchange) Sent() []provider.Message {
	sent := slices.Clone(e.sent)
	for i := len(sent) - 1; i >= 0; i-- {
		if sent[i].Role == provider.RoleAssistant {
			sent = sent[i:]
			break
		}
	}
	for i := range sent {
		// The other texts had their secrets replaced before they were sent.
		if sent[i].Role != provider.RoleUser || e.Role == roleExtract {
			sent[i] = e.redacted(sent[i])
		}
	}
	return sent
}

// Answer returns the answer as the model wrote it, or as it was stored, with its secrets
// replaced as Options.Redact does.
func (e EventExchange) Answer() provider.Message {
	if e.Cached {
		return e.redacted(provider.Message{Role: provider.RoleAssistant, Text: string(e.stored)})
	}
	return e.redacted(e.answer)
}

func (e EventExchange) redacted(m provider.Message) provider.Message {
	m.Raw, m.ToolCalls = nil, slices.Clone(m.ToolCalls)
	e.run.redactAll(&m.Text)
	for i := range m.ToolCalls {
		e.run.redactAll(&m.ToolCalls[i].Name, &m.ToolCalls[i].Arguments)
	}
	return m
}

// Outcome is how the analysis of a chunk ended.
type Outcome int

// The outcomes. They match the counts of [ChunkCounts].
const (
	OutcomeAnalyzed Outcome = iota
	OutcomeCached
	OutcomeFailed
	OutcomeNotAnalyzed
)

// EventChunk comes when a chunk is done, in the order of completion.
type EventChunk struct {
	Chunk   ChunkRef
	Outcome Outcome
	// Findings are those of this chunk, located and validated, before anything
	// that looks beyond the chunk (ids, merging, filters). They must not be
	// changed.
	Findings []Finding
	// Discards are the findings, or parts of findings, of the answer that were
	// not taken over, with their text: at most 100.
	Discards []Discard
	// Usage is all that was spent on the chunk, helper requests included.
	Usage    Usage
	Duration time.Duration
	// Retries counts the attempts after the first of the chunk's own request.
	Retries int
	// Err is why the chunk was not, or not wholly, analyzed.
	Err error
	// Unread is the beginning of an answer that could not be read, at most 200 characters
	// on one line, with its secrets replaced. It is set with [ErrExtraction].
	Unread string
	// Rules counts the rules of the skill that were for the file, Redacted the secrets
	// that were replaced in what was sent.
	Rules, Redacted int

	run    *run
	job    job
	result result
}

// Request returns the texts of the first request about the chunk, as they are sent unless
// there is a stored answer. They are empty if no model is used.
func (e EventChunk) Request() (system, user string) {
	if e.result.in == nil {
		return "", ""
	}
	return e.job.s.template.System, prompt.User(*e.result.in)
}

// Source returns what the model wrote about Findings[i], with its secrets replaced, and
// how that led to its line, such as "the quote as it is". They are empty if only a rule
// found it. An index out of range panics.
func (e EventChunk) Source(i int) (raw, how string) {
	raw = string(e.result.found[i].raw)
	e.run.redactAll(&raw)
	return raw, e.result.found[i].how
}

// EventSkill comes when a skill and all skills before it are done, in the order
// of the skills. The report does not change afterwards.
type EventSkill struct {
	Report *SkillReport
}

// EventStopped comes when a run ends early, once, with RunReport.Stopped.
type EventStopped struct {
	Err error
}

func (EventPlanned) event()   {}
func (EventPrompt) event()    {}
func (EventRequest) event()   {}
func (EventRetry) event()     {}
func (EventFallback) event()  {}
func (EventExtracted) event() {}
func (EventExchange) event()  {}
func (EventChunk) event()     {}
func (EventSkill) event()     {}
func (EventStopped) event()   {}
