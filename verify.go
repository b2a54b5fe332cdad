package scanner

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/internal/extract"
	"github.com/codescan-dev/scanner/internal/prompt"
)

// A request for a second opinion holds at most so many findings, and lines of
// code unless a single chunk has more.
const (
	maxClaims     = 20
	maxClaimLines = 1000
)

// Verification says what a second opinion came to. It is written to reports as
// metadata.verification.
type Verification struct {
	// Checked counts the findings that were asked about, and is the sum of the
	// four below.
	Checked int `json:"checked"`
	Kept    int `json:"kept"`
	// Lowered counts those whose severity or confidence was lowered.
	Lowered int `json:"lowered"`
	// Rejected lists those that were taken out.
	Rejected []Rejection `json:"rejected,omitempty"`
	// Failed counts those that stay because no verdict could be had.
	Failed int `json:"failed"`
}

// Rejection is a finding that a second opinion took out of a report.
type Rejection struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	Location *Location `json:"location,omitempty"`
	Reason   string    `json:"reason"`
}

// origin is the chunk that a finding is from.
type origin struct{ file, chunk int }

// verdict is what the model says of a finding.
type verdict struct {
	Number     int        `json:"number"`
	Verdict    string     `json:"verdict"`
	Severity   Severity   `json:"severity"`
	Confidence Confidence `json:"confidence"`
	Reason     string     `json:"reason"`
}

// verify asks for a second opinion on those findings of a skill that its policy
// lets pass, and returns the findings that are left. Identity and place of a
// finding stay; its severity and confidence can only be lowered. A finding
// without a verdict stays as it is.
//
// Similar findings of one file are judged as one. Those of different files are
// not merged before: a verdict, and whoever wrote the code it rests on, must not
// decide about findings in other files.
func (r *run) verify(ctx context.Context, s *skillRun, report *SkillReport, findings []Finding, origins map[string]origin) []Finding {
	policy := r.opts.Policies[s.skill.Name]
	primaries, members := s.mergeByFile(findings, origins)
	batches := s.batches(primaries, origins, func(f Finding) bool {
		confident := FilterConfidence([]Finding{f}, policy.MinConfidence)
		return len(FilterSeverity(confident, policy.ReportOn)) > 0 || FailsAt(confident, policy.FailOn)
	})
	if len(batches) == 0 {
		return findings
	}
	verdicts := make([]map[int]verdict, len(batches))
	usages := make([]Usage, len(batches))
	g := bounded(chunksPerSlot * min(r.limiter.Size(), len(batches)))
	for i, b := range batches {
		g.Go(func() error {
			verdicts[i], usages[i] = r.judge(ctx, s, primaries, b)
			return nil
		})
	}
	_ = g.Wait()

	var (
		v        Verification
		usage    Usage
		decided  = make(map[string]verdict) // by id
		rejected = make(map[string]bool)
	)
	for i, b := range batches {
		usage = usage.Add(usages[i])
		for n, at := range b.findings {
			f := primaries[at]
			v.Checked++
			verdict, ok := verdicts[i][n+1]
			reject := ok && verdict.Verdict == "reject"
			for _, id := range append([]string{f.ID}, members[f.ID]...) {
				if ok {
					decided[id] = verdict
				}
				rejected[id] = reject
			}
			switch {
			case !ok:
				v.Failed++
			case reject:
				r.redactAll(&verdict.Reason)
				v.Rejected = append(v.Rejected, Rejection{ID: f.ID, Title: f.Title, Location: f.Location, Reason: verdict.Reason})
			case lower(&f, verdict):
				v.Lowered++
			default:
				v.Kept++
			}
		}
	}
	kept := make([]Finding, 0, len(findings))
	for _, f := range findings {
		if rejected[f.ID] {
			continue
		}
		if verdict, ok := decided[f.ID]; ok {
			lower(&f, verdict)
		}
		kept = append(kept, f)
	}
	report.Verification = &v
	if !usage.IsZero() {
		report.addAuxiliary("verification", usage)
	}
	return kept
}

// mergeByFile merges the findings of each file, and returns them with the ids of
// those that were merged into them.
func (s *skillRun) mergeByFile(findings []Finding, origins map[string]origin) (primaries []Finding, members map[string][]string) {
	byFile := make([][]Finding, len(s.plans))
	for _, f := range findings {
		file := origins[f.ID].file
		byFile[file] = append(byFile[file], f)
	}
	members = make(map[string][]string)
	for _, own := range byFile {
		merged, groups := Merge(own)
		primaries = append(primaries, merged...)
		for _, g := range groups {
			for _, m := range g.Merged {
				members[g.Primary] = append(members[g.Primary], m.ID)
			}
		}
	}
	return primaries, members
}

// lower applies a verdict to f and reports whether that changed it.
func lower(f *Finding, v verdict) bool {
	lowered := false
	if v.Severity.Valid() && v.Severity.Rank() > f.Severity.Rank() {
		f.Severity, lowered = v.Severity, true
	}
	// A finding without a confidence always passes the filter, so any said
	// confidence but high is lower.
	if c := v.Confidence; c != "" && c.Valid() && (f.Confidence == "" && c != ConfidenceHigh || f.Confidence != "" && c.Rank() > f.Confidence.Rank()) {
		f.Confidence, lowered = c, true
	}
	return lowered
}

// batch is what goes into one request: findings of one file, by their index, and
// the chunks they are from.
type batch struct {
	findings []int
	chunks   []origin
}

// batches groups the findings that are to be checked by file.
func (s *skillRun) batches(findings []Finding, origins map[string]origin, pass func(Finding) bool) []batch {
	byFile := make(map[int][]int)
	for i := range findings {
		if o, ok := origins[findings[i].ID]; ok && pass(findings[i]) {
			byFile[o.file] = append(byFile[o.file], i)
		}
	}
	var all []batch
	for file := range s.plans {
		// Neighbors go together, so that their code is sent once.
		group := byFile[file]
		slices.SortStableFunc(group, func(a, b int) int {
			return cmp.Compare(origins[findings[a].ID].chunk, origins[findings[b].ID].chunk)
		})
		var b batch
		lines := 0
		for _, i := range group {
			o := origins[findings[i].ID]
			c := &s.plans[o.file].Chunks[o.chunk]
			more := 0
			if !slices.Contains(b.chunks, o) {
				more = c.EndLine - c.StartLine + 1
			}
			if len(b.findings) == maxClaims || len(b.findings) > 0 && lines+more > maxClaimLines {
				all = append(all, b)
				b, lines, more = batch{}, 0, c.EndLine-c.StartLine+1
			}
			b.findings = append(b.findings, i)
			lines += more
			if more > 0 {
				b.chunks = append(b.chunks, o)
			}
		}
		if len(b.findings) > 0 {
			all = append(all, b)
		}
	}
	return all
}

// judge has one batch checked. It returns the verdicts that could be read, by
// the number of the finding in the batch, from 1.
func (r *run) judge(ctx context.Context, s *skillRun, findings []Finding, b batch) (map[int]verdict, Usage) {
	var inputs []prompt.UserInput
	for _, o := range b.chunks {
		chunk := s.plans[o.file].Chunks[o.chunk]
		text, err := chunk.Text()
		if err != nil {
			return nil, Usage{}
		}
		if r.opts.Redact != nil {
			if text, _, err = redactChunk(&chunk, text, r.opts.Redact); err != nil {
				return nil, Usage{}
			}
		}
		inputs = append(inputs, prompt.UserInput{Chunk: &chunk, Text: text, WholeFile: s.plans[o.file].File.Load != nil})
	}
	claims := make([]prompt.Claim, len(b.findings))
	for n, i := range b.findings {
		f := &findings[i]
		claims[n] = prompt.Claim{
			Number: n + 1, Lines: lineRange(f.Location), Severity: string(f.Severity), Confidence: string(f.Confidence),
			Title: f.Title, Description: f.Description,
		}
	}
	system, user := prompt.Verification(inputs, claims)
	req := r.auxiliaryRequest(s, system, user, prompt.VerificationSchema())
	key := r.cacheKey(req, user)
	if raw, ok := r.cached(ctx, key); ok {
		return readVerdicts(raw, len(claims)), Usage{}
	}
	o := b.chunks[0]
	answer, err := r.complete(ctx, job{s, o.file, o.chunk}, cmp.Or(r.opts.Auxiliary, r.opts.Provider), req)
	if err != nil {
		return nil, answer.spent
	}
	got := extract.Findings(answer.Text)
	if got.Err != nil {
		return nil, answer.spent
	}
	verdicts := readVerdicts(got.Findings, len(claims))
	if len(verdicts) == len(claims) {
		r.keep(ctx, key, got.Findings) // an answer that lacks some is worth another try
	}
	return verdicts, answer.spent
}

// readVerdicts reads what can be read. Of two verdicts on a finding the first
// one counts.
func readVerdicts(raw []json.RawMessage, n int) map[int]verdict {
	verdicts := make(map[int]verdict)
	for _, message := range raw {
		var v verdict
		if err := json.Unmarshal(message, &v); err != nil || v.Number < 1 || v.Number > n {
			continue
		}
		v.Verdict = strings.ToLower(strings.TrimSpace(v.Verdict))
		if !slices.Contains([]string{"keep", "lower", "reject"}, v.Verdict) {
			continue
		}
		if _, ok := verdicts[v.Number]; !ok {
			verdicts[v.Number] = v
		}
	}
	return verdicts
}

func lineRange(l *Location) string {
	switch {
	case l == nil:
		return ""
	case l.LastLine() > l.StartLine:
		return fmt.Sprintf("%d-%d", l.StartLine, l.EndLine)
	default:
		return fmt.Sprint(l.StartLine)
	}
}
