package scanner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/extract"
	"github.com/codescan-dev/scanner/internal/prompt"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/provider"
)

// extractionAttempts is how often a model is requested to extract the findings of
// an answer that could not be read.
const extractionAttempts = 5

// The methods of extraction in addition to those of package extract; see
// [EventExtracted].
const (
	methodModel = "model"
	methodNone  = "none"
)

// extract reads the findings of an answer: by pattern, then with a model (rule
// 10). With an error it returns those that are whole in an answer that breaks off, and
// those of an answer of which none is valid.
func (a *analysis) extract(ctx context.Context, resp provider.Response, task provider.Task) ([]json.RawMessage, error) {
	got := extract.Findings(resp.Text)
	emit := func(method string, n int) {
		a.emit(EventExtracted{Chunk: a.ref(), Method: method, Findings: n})
	}
	if got.Err == nil && unreadable(got.Findings) {
		got.Err = errUnreadable
	}
	switch cut := resp.Stop == provider.StopLength; {
	case got.Err == nil && !got.Truncated:
		emit(got.Method, len(got.Findings))
		return got.Findings, nil
	case got.Truncated, cut:
		// No model can extract what is missing.
		emit(cmp.Or(got.Method, methodNone), len(got.Findings))
		why := "the answer breaks off"
		if cut {
			why = "the answer was cut off by the token limit"
		}
		a.setUnread(resp.Text)
		return got.Findings, fmt.Errorf("%w: %s; %d whole findings were kept", ErrExtraction, why, len(got.Findings))
	}

	last := got.Err
	system, user := prompt.Extraction(resp.Text)
	req := a.auxiliaryRequest(a.s, system, user, prompt.ExtractionSchema())
	req.Task = task
	req.Task.Role = roleExtract
	for range extractionAttempts {
		answer, err := a.complete(ctx, a.job, a.auxiliary, req)
		a.extraction = a.extraction.Add(answer.spent)
		if err != nil {
			if isStop(err) || ctx.Err() != nil {
				return nil, err
			}
			last = err
			continue
		}
		got := extract.Findings(answer.Text)
		if got.Err == nil && unreadable(got.Findings) {
			got.Err = errUnreadable
		}
		if got.Err == nil && !got.Truncated {
			emit(methodModel, len(got.Findings))
			return got.Findings, nil
		}
		if last = cmp.Or(got.Err, extract.ErrTruncated); errors.Is(got.Err, extract.ErrUnstated) {
			break // there is nothing in the answer, and another attempt does not change that
		}
	}
	emit(methodNone, 0)
	a.setUnread(resp.Text)
	return got.Findings, fmt.Errorf("%w: %w", ErrExtraction, last) // to be discarded, if there are any
}

// maxUnread is how many characters of an answer that could not be read are shown.
const maxUnread = 200

// setUnread keeps the beginning of an answer. A secret that is cut is not found any more,
// so they are replaced before.
func (a *analysis) setUnread(answer string) {
	a.redactAll(&answer)
	a.unread = text.Truncate(text.OneLine(answer), maxUnread)
}

var errUnreadable = errors.New("none of the answer's findings has a title, a description and a known severity")

// unreadable reports whether there are findings, of which none is valid. The answer
// reports problems then, so it is not one without findings.
func unreadable(findings []json.RawMessage) bool {
	return len(findings) > 0 && !slices.ContainsFunc(findings, func(message json.RawMessage) bool {
		d, err := extract.Decode(message)
		return err == nil && new(Severity).UnmarshalText([]byte(d.Severity)) == nil
	})
}

// resolveFindings turns an answer about the chunk into findings in it:
// path, then quote, then rule 8 of the processing rules, then the suggested fix.
// text is the chunk as the model saw it; original is the same before secrets were
// replaced.
func (a *analysis) resolveFindings(from *answer, text, original diff.Text) {
	if len(from.findings) == 0 {
		return
	}
	chunk := a.diffChunk()
	shown := NewAnchor(chunk, text)
	for _, message := range from.findings {
		discard := func(reason, format string, args ...any) {
			d := Discard{Reason: reason, Detail: fmt.Sprintf(format, args...), Raw: string(message)}
			a.redactAll(&d.Detail, &d.Raw)
			a.discards.add(d)
		}
		d, err := extract.Decode(message)
		if err != nil {
			discard(discardInvalid, "%v", err)
			continue
		}
		from.move(&d, func(path string) bool { return a.knownPath(path, chunk) == chunk.Path })
		f := Finding{
			Title:        d.Title,
			Description:  d.Description,
			Verification: d.Verification,
		}
		a.redactAll(&f.Title, &f.Description, &f.Verification)
		if err := f.Severity.UnmarshalText([]byte(d.Severity)); err != nil {
			discard(discardInvalid, "%v", err)
			continue
		}
		if err := f.Confidence.UnmarshalText([]byte(d.Confidence)); err != nil {
			f.Confidence = "" // as if there were none
		}
		if known := a.knownPath(d.Path, chunk); known != "" && known != chunk.Path {
			discard(discardPath, "it is about the chunk of %q and names %q", chunk.Path, d.Path)
			continue
		}
		first, last, how := shown.locate(d.Quote, d.StartLine, d.EndLine)
		if how == "" {
			discard(discardQuote, "the code that it quotes is not in the chunk")
			continue
		}
		if first > 0 {
			f.Location = &Location{Path: chunk.Path, StartLine: first}
			if last > first {
				f.Location.EndLine = last
			}
		}
		if len(FilterHunk([]Finding{f}, chunk.StartLine, chunk.EndLine)) == 0 {
			discard(discardOutside, "line %d is not in the chunk, lines %d to %d", first, chunk.StartLine, chunk.EndLine)
			continue
		}
		related := newPlaces(f)
		for _, l := range d.Additional {
			if p := a.knownPath(l.Path, chunk); p != "" && l.StartLine > 0 && (l.EndLine == 0 || l.EndLine >= l.StartLine) {
				related.add(Location{Path: p, StartLine: l.StartLine, EndLine: l.EndLine})
			} else {
				discard(discardLocation, "the additional location %q, line %d, is not in a scanned file", l.Path, l.StartLine)
			}
		}
		f.AdditionalLocations = related.list
		if d.Fix != nil {
			f.SuggestedFix, d.FixErr = a.suggestedFix(&f, d.Fix, text, original)
		}
		if d.FixErr != nil {
			discard(discardFix, "%v", d.FixErr)
		}
		a.found = append(a.found, located{
			Finding: f, PlaceText: shown.Text(first), fromModel: true, how: how, raw: message,
		})
	}
}

// knownPath returns the file of the scan that a path in an answer means; empty if
// it is none. No path means the chunk's own file. Odd paths are quoted in prompts.
func (r *run) knownPath(name string, chunk *diff.Chunk) string {
	if unquoted, err := diff.UnquotePath(name); err == nil {
		name = unquoted
	}
	switch clean := cleanPath(name); {
	case name == "":
		return chunk.Path
	case r.paths[name]:
		return name
	case r.paths[clean]:
		return clean
	}
	return ""
}

// cleanPath undoes what models do to paths they copy from a diff.
func cleanPath(name string) string {
	if after, ok := strings.CutPrefix(name, "b/"); ok {
		name = after
	} else if after, ok := strings.CutPrefix(name, "a/"); ok {
		name = after
	}
	return path.Clean(name)
}
