package scanner

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/internal/extract"
	"github.com/codescan-dev/scanner/internal/prompt"
	"github.com/codescan-dev/scanner/provider"
)

// A request for a second opinion holds at most so many findings, and so many lines
// of code unless a single chunk has more.
const (
	maxClaims     = 20
	maxClaimLines = 1000
)

// Verification is the outcome of a second opinion.
type Verification struct {
	// Checked counts the findings that were checked. It is the sum of the four
	// below.
	Checked int `json:"checked"`
	Kept    int `json:"kept"`
	// Lowered counts those whose severity or confidence was lowered, the refuted ones
	// included.
	Lowered int `json:"lowered"`
	// Refuted lists the findings of rules that were rejected: they stay, one severity
	// lower, with the reason in their description.
	Refuted []Rejection `json:"refuted,omitempty"`
	// Rejected lists those that were taken out.
	Rejected []Rejection `json:"rejected,omitempty"`
	// Failed counts those that stay because there was no verdict.
	Failed int `json:"failed"`
}

// Rejection is a finding that a second opinion did not agree with.
type Rejection struct {
	ID string `json:"id"`
	// Rule is that of the finding.
	Rule     string    `json:"rule,omitempty"`
	Title    string    `json:"title"`
	Location *Location `json:"location,omitempty"`
	Reason   string    `json:"reason"`
}

// verdict is what the model answers about a finding.
type verdict struct {
	Number     int        `json:"number"`
	Verdict    string     `json:"verdict"`
	Severity   Severity   `json:"severity"`
	Confidence Confidence `json:"confidence"`
	Reason     string     `json:"reason"`
}

// verify gets a second opinion on those findings of a skill that its policy lets
// pass, and returns the findings that are left; v is nil if none was checked. A model
// can take out what a model found. What a rule found is on the line for everybody to
// see, so it stays.
// Identity and place of a finding stay; its severity and confidence can only be
// lowered. A finding without a verdict stays as it is. origins are the chunks of
// the findings, by id.
func (r *run) verify(ctx context.Context, s *skillRun, findings []Finding, origins map[string]origin) (kept []Finding, v *Verification, spent Usage) {
	batches, members := s.batches(findings, origins, r.opts.Policies[s.skill.Name])
	if len(batches) == 0 {
		return findings, nil, Usage{}
	}
	verdicts := make([]map[int]verdict, len(batches))
	usages := make([]Usage, len(batches))
	g := r.bounded(chunksPerSlot * min(r.limiter.Size(), len(batches)))
	for i, b := range batches {
		g.Go(func() {
			verdicts[i], usages[i] = r.judge(ctx, s, b)
		})
	}
	g.Wait()

	v = new(Verification)
	decided := make(map[string]verdict) // by id
	for i, b := range batches {
		spent = spent.Add(usages[i])
		for n, f := range b.findings {
			v.Checked++
			verdict, ok := verdicts[i][n+1]
			if !ok {
				v.Failed++
				continue
			}
			if verdict.Verdict == "reject" {
				r.redactAll(&verdict.Reason)
			}
			for _, id := range append([]string{f.ID}, members[f.ID]...) {
				decided[id] = verdict
			}
			switch {
			case verdict.Verdict == "reject" && f.Rule != "":
				v.Lowered++
			case verdict.Verdict == "reject":
				v.Rejected = append(v.Rejected, Rejection{ID: f.ID, Title: f.Title, Location: f.Location, Reason: verdict.Reason})
			case lower(&f, verdict):
				v.Lowered++
			default:
				v.Kept++
			}
		}
	}
	for _, f := range findings {
		switch verdict, ok := decided[f.ID]; {
		case !ok:
		case verdict.Verdict != "reject":
			lower(&f, verdict)
		case f.Rule == "":
			continue
		default:
			v.Refuted = append(v.Refuted, Rejection{ID: f.ID, Rule: f.Rule, Title: f.Title, Location: f.Location, Reason: verdict.Reason})
			f.Severity = f.Severity.lower()
			f.Description += "\n\nThe second opinion disagrees, so the severity is one lower: " + verdict.Reason
		}
		kept = append(kept, f)
	}
	return kept, v, spent
}

// lower applies a verdict to f and reports whether that changed it.
func lower(f *Finding, v verdict) bool {
	lowered := false
	if v.Severity.Valid() && v.Severity.Rank() > f.Severity.Rank() {
		f.Severity, lowered = v.Severity, true
	}
	// A finding without a confidence always passes the filter, so any confidence
	// but high is lower.
	if c := v.Confidence; c != "" && c.Valid() && (f.Confidence == "" && c != ConfidenceHigh || f.Confidence != "" && c.Rank() > f.Confidence.Rank()) {
		f.Confidence, lowered = c, true
	}
	return lowered
}

// batch is what goes into one request: findings of one file, and the chunks they
// are from.
type batch struct {
	findings []Finding
	chunks   []origin
}

// batches groups the findings to be checked by file. Similar findings of one file
// are checked as one; members are the ids of those that another one represents.
// Those of different files are not merged before: a verdict, which the author of
// the code may have influenced, must not decide about findings in other files.
func (s *skillRun) batches(findings []Finding, origins map[string]origin, policy Policy) (all []batch, members map[string][]string) {
	byFile := make([][]Finding, len(s.plans))
	for _, f := range findings {
		file := origins[f.ID].file
		byFile[file] = append(byFile[file], f)
	}
	members = make(map[string][]string)
	for _, own := range byFile {
		merged, groups := Merge(own)
		for _, g := range groups {
			for _, m := range g.Merged {
				members[g.Primary] = append(members[g.Primary], m.ID)
			}
		}
		// Neighbors go together, so that their code is sent once.
		slices.SortStableFunc(merged, func(a, b Finding) int {
			return cmp.Compare(origins[a.ID].chunk, origins[b.ID].chunk)
		})
		var b batch
		lines := 0
		for _, f := range merged {
			confident := FilterConfidence([]Finding{f}, policy.MinConfidence)
			if len(FilterSeverity(confident, policy.ReportOn)) == 0 && !FailsAt(confident, policy.FailOn) {
				continue
			}
			o := origins[f.ID]
			c := &s.plans[o.file].Chunks[o.chunk]
			size := c.EndLine - c.StartLine + 1
			known := slices.Contains(b.chunks, o)
			if len(b.findings) == maxClaims || len(b.findings) > 0 && !known && lines+size > maxClaimLines {
				all = append(all, b)
				b, lines, known = batch{}, 0, false
			}
			b.findings = append(b.findings, f)
			if !known {
				b.chunks = append(b.chunks, o)
				lines += size
			}
		}
		if len(b.findings) > 0 {
			all = append(all, b)
		}
	}
	return all, members
}

// judge has the findings of one batch checked. It returns the verdicts that could
// be read, by the number of the finding in the batch, from 1.
func (r *run) judge(ctx context.Context, s *skillRun, b batch) (map[int]verdict, Usage) {
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
	for n, f := range b.findings {
		claims[n] = prompt.Claim{
			Number: n + 1, StartLine: place(&f).StartLine, EndLine: place(&f).EndLine,
			Severity: string(f.Severity), Confidence: string(f.Confidence),
			Title: f.Title, Description: f.Description,
		}
	}
	q := r.verifyQuestion(ctx, s, inputs, claims)
	j := job{s: s, file: b.chunks[0].file, chunk: b.chunks[0].chunk}
	if known, stored, ok := r.lookUp(ctx, q, verdictMovable); ok {
		r.emitCached(j, q, stored)
		return readVerdicts(known.findings, len(claims)), Usage{}
	}
	answer, err := r.complete(ctx, j, r.auxiliary, q.Request)
	if err != nil {
		return nil, answer.spent
	}
	got := extract.Findings(answer.Text)
	if got.Err != nil {
		return nil, answer.spent
	}
	verdicts := readVerdicts(got.Findings, len(claims))
	if len(verdicts) == len(claims) {
		r.keep(ctx, q, stored{Findings: got.Findings}) // an answer that lacks some is not kept, so that the next run can try again
	}
	return verdicts, answer.spent
}

// verifyQuestion returns the question about claims. Its lines move together.
func (r *run) verifyQuestion(ctx context.Context, s *skillRun, inputs []prompt.UserInput, claims []prompt.Claim) question {
	var q question
	q.first, q.last = inputs[0].Shown()
	for _, in := range inputs[1:] {
		first, last := in.Shown()
		q.first, q.last = min(q.first, first), max(q.last, last)
	}
	system, user := prompt.Verification(inputs, claims, 0)
	_, relative := prompt.Verification(inputs, claims, q.first-1)
	q.Request = r.auxiliaryRequest(s, system, user, prompt.VerificationSchema())
	bare := q.Request
	bare.Messages = nil
	q.Task = provider.Task{
		Role: roleVerify, Skill: s.skill.Name, Path: inputs[0].Chunk.Path,
		StartLine: inputs[0].Chunk.StartLine, EndLine: inputs[len(inputs)-1].Chunk.EndLine,
	}
	setHashes(&q.Request, r.auxiliary.requestHash(ctx, bare), relative)
	return q
}

// verdictMovable reports whether a verdict mentions no line.
func verdictMovable(a *answer, message json.RawMessage) bool {
	var v verdict
	return json.Unmarshal(message, &v) != nil || !a.mentions(v.Reason)
}

// readVerdicts reads what can be read. Of several verdicts on a finding it returns
// the first.
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
