package jsonl

import (
	"encoding/json"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/provider"
)

// Metadata is the metadata of a [SkillRecord]. Any program may add to what is in
// a log, so names that are not known here are ignored when a record is read, as
// are values of another form.
type Metadata struct {
	// Chunks is the ledger of the chunks.
	Chunks scanner.ChunkCounts `json:"chunks"`
	// Discarded counts by reason the findings of models that were discarded;
	// Discards holds the texts of the first ones, in logs that were to have them.
	Discarded map[string]int    `json:"discarded,omitempty"`
	Discards  []scanner.Discard `json:"discards,omitempty"`
	// Duplicates are the findings that another skill of the run reports.
	Duplicates []scanner.Duplicate `json:"duplicates,omitempty"`
	// Failures lists the chunks that failed, with reasons.
	Failures []scanner.ChunkFailure `json:"failures,omitempty"`
	// Fixes are the outcomes of suggested fixes.
	Fixes []scanner.FixOutcome `json:"fixes,omitempty"`
	// Hidden counts the findings that the policy hid.
	Hidden scanner.Hidden `json:"hidden,omitzero"`
	// Left lists the chunks that a budget or an interrupt left.
	Left []scanner.ChunkFailure `json:"left,omitempty"`
	// MergeGroups lists the findings that were merged into others.
	MergeGroups []scanner.MergeGroup `json:"mergeGroups,omitempty"`
	// Notable lists the changes that a person should look at.
	Notable []diff.Notable `json:"notable,omitempty"`
	// Places recognize the places of findings in later runs, by id: also of those that
	// were hidden, merged into others, or suppressed.
	Places map[string]scanner.PlaceHash `json:"places,omitempty"`
	// Policy is what was applied to the findings.
	Policy scanner.Policy `json:"policy,omitzero"`
	// Provider is what answered.
	Provider provider.Identity `json:"provider,omitzero"`
	// Redacted counts the secrets that were replaced in what was sent.
	Redacted int `json:"redacted,omitempty"`
	// Rule is the rule that found a finding of the record, by the id of the finding.
	Rule map[string]string `json:"rule,omitempty"`
	// Shard is the part of the run that the record is about, or those that were merged
	// into it.
	Shard scanner.ShardReport `json:"shard,omitzero"`
	// Suppressed are the findings that are not reported, and not counted.
	Suppressed Suppressed `json:"suppressed,omitzero"`
	// Tools counts the use of read-only tools.
	Tools scanner.ToolUse `json:"tools,omitzero"`
	// Verification is the outcome of a second opinion.
	Verification *scanner.Verification `json:"verification,omitempty"`
}

// Suppressed are findings that are not reported, and their numbers by reason.
type Suppressed struct {
	scanner.SuppressedCounts
	Findings []scanner.Suppressed `json:"findings,omitempty"`
}

// IsZero reports whether nothing is suppressed.
func (s Suppressed) IsZero() bool { return len(s.Findings) == 0 }

// UnmarshalJSON reads an object. Of a value that does not have the form that this
// package writes as much is kept as can be read.
func (m *Metadata) UnmarshalJSON(data []byte) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil {
		return err
	}
	m.read(data)
	return nil
}

// read sets what can be read of an object.
func (m *Metadata) read(data []byte) {
	type fields Metadata
	_ = json.Unmarshal(data, (*fields)(m))
}
