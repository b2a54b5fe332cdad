package term

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/internal/format"
	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/provider"
)

const (
	// progressInterval is the time between two lines of progress in a log.
	progressInterval = 30 * time.Second
	// latestFindings is how many findings the live area shows.
	latestFindings = 3
	// shortestWait is the shortest wait that is shown: all others end before they are read.
	shortestWait = time.Second

	separator = " · "
	spinner   = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
)

// progress is the state of a run.
type progress struct {
	done, total int // chunks
	findings    int
	usage       scanner.Usage
	latest      []scanner.Finding      // the last ones, the newest last
	active      []scanner.EventRequest // requests without an answer, in the order of their start
	retries     []pendingRetry
	remaining   remaining
}

// pendingRetry is a wait before another attempt.
type pendingRetry struct {
	chunk scanner.ChunkRef
	at    time.Time
	err   error
}

// event adds what happened.
func (p *progress) event(e scanner.Event, now time.Time) {
	switch e := e.(type) {
	case scanner.EventRequest:
		p.idle(e.Chunk)
		p.active = append(p.active, e)
		p.remaining.start(now)
	case scanner.EventExchange:
		p.idle(e.Chunk)
	case scanner.EventRetry:
		p.idle(e.Chunk)
		p.retries = append(p.retries, pendingRetry{e.Chunk, now.Add(e.Delay), e.Err})
	case scanner.EventChunk:
		p.idle(e.Chunk)
		p.done++
		p.findings += len(e.Findings)
		p.usage = p.usage.Add(e.Usage)
		p.latest = append(p.latest, e.Findings...)
		p.latest = slices.Clone(p.latest[max(0, len(p.latest)-latestFindings):])
		if !e.Usage.IsZero() {
			p.remaining.sent(now, len(p.active), p.total-p.done)
		}
	}
}

// idle removes a chunk from those that have a request.
func (p *progress) idle(c scanner.ChunkRef) {
	p.active = slices.DeleteFunc(p.active, func(e scanner.EventRequest) bool { return e.Chunk == c })
	p.retries = slices.DeleteFunc(p.retries, func(r pendingRetry) bool { return r.chunk == c })
}

// wait describes why no request, or not all of them, can be made now. limited is how long
// none can start.
func (p *progress) wait(now time.Time, limited time.Duration) string {
	reason := "rate limited"
	if limited < shortestWait {
		if len(p.retries) == 0 {
			return ""
		}
		next := slices.MinFunc(p.retries, func(a, b pendingRetry) int { return a.at.Compare(b.at) })
		if limited = next.at.Sub(now); limited < shortestWait {
			return ""
		}
		if provider.KindOf(next.err) != provider.KindRateLimit {
			reason = errorName(next.err)
		}
	}
	return fmt.Sprintf("%s, next try in %d s", reason, (limited+time.Second-1)/time.Second)
}

// parts returns the numbers of the run. While no request can start for as long as limited,
// the time left is unknown.
func (p *progress) parts(now time.Time, elapsed, limited time.Duration) []string {
	parts := []string{
		fmt.Sprintf("%d of %d chunks", p.done, p.total),
		format.Count(p.findings, "finding", "findings"),
	}
	if !p.usage.IsZero() {
		parts = append(parts,
			format.Tokens(p.usage.InputTokens)+" in / "+format.Tokens(p.usage.OutputTokens)+" out",
			format.Cost(p.usage.CostUSD))
	}
	parts = append(parts, wholeSeconds(elapsed))
	if left := p.remaining.text(now); left != "" && limited < shortestWait {
		parts = append(parts, left)
	}
	return parts
}

// files returns the files of the requests that have no answer.
func (p *progress) files(show func(path string) string) string {
	var names []string
	for _, e := range p.active {
		name := cleanPath(show(e.Chunk.Path))
		if e.Role == "verify" {
			name += " (second opinion)"
		}
		names = append(names, name)
	}
	return strings.Join(format.Distinct(names), ", ")
}

// wholeSeconds writes a duration without tenths, which would only flicker.
func wholeSeconds(d time.Duration) string {
	if d = d.Truncate(time.Second); d >= time.Minute {
		return format.Duration(d)
	}
	return fmt.Sprintf("%ds", d/time.Second)
}

// minSent is the least number of chunks that an estimate is made from.
const minSent = 5

// remaining estimates how long a run still takes: from the chunks that were sent, since
// the others take no time.
type remaining struct {
	begun time.Time // when the first request was made
	n     int       // chunks that were sent
	end   time.Time // of the run; zero if it cannot be estimated
	shown time.Duration
}

func (r *remaining) start(now time.Time) {
	if r.begun.IsZero() {
		r.begun = now
	}
}

// sent records the end of a chunk that was sent. Of the others, active have a request.
// With fewer results than requests at a time, the rate would be too low.
func (r *remaining) sent(now time.Time, active, left int) {
	if r.n++; r.n >= max(minSent, active) && !r.begun.IsZero() {
		r.end = now.Add(now.Sub(r.begun) * time.Duration(left) / time.Duration(r.n))
	}
}

// text returns the estimate, empty if there is none or its time has passed. It is coarse,
// and grows only if it was clearly too low, so that it does not go back and forth.
func (r *remaining) text(now time.Time) string {
	left := r.end.Sub(now)
	if left <= 0 {
		return ""
	}
	step := time.Minute
	if left <= time.Minute {
		step = 10 * time.Second
	}
	if rounded := (left + step - 1).Truncate(step); r.shown == 0 || rounded < r.shown || left > r.shown+step/2 {
		r.shown = rounded
	}
	if r.shown >= time.Minute {
		return fmt.Sprintf("about %dm left", r.shown/time.Minute)
	}
	return fmt.Sprintf("about %ds left", r.shown/time.Second)
}

// area returns the lines of the live area, which leaves half of the terminal to what was
// printed: the parts of the status, and what the run does, as far as there is room. The
// last column stays free.
func (c *Console) area(elapsed time.Duration, parts []string) []string {
	columns, rows := c.size()
	if columns <= 0 {
		columns = defaultWidth
	}
	frames := []rune(spinner)
	first, width, room := string(frames[int(elapsed/redrawInterval)%len(frames)])+" ", columns-1-len(indent), rows/2
	r := c.view.(*rich)
	if room < 2 {
		return []string{first + areaLine(strings.Join(c.withWait(parts), separator), width)}
	}
	var lines []string
	for _, line := range pack(parts, width) {
		lines = append(lines, areaLine(line, width))
	}
	if wait := c.progress.wait(c.now(), c.limited()); wait != "" {
		lines = append(lines, r.paint(yellow, areaLine(wait, width)))
	}
	short := func(file string) string {
		if file = r.relative(file); displaywidth.String(file) > width/2 {
			return "…/" + path.Base(file)
		}
		return file
	}
	if files := c.progress.files(short); files != "" {
		lines = append(lines, r.paint(dim, areaLine(files, width)))
	}
	latest := c.progress.latest
	for _, f := range latest[max(0, len(latest)-max(0, room-len(lines))):] {
		line := badge(f.Severity) + " "
		if l := f.Location; l != nil {
			line += startOf(scanner.Location{Path: short(l.Path), StartLine: l.StartLine}) + ": "
		}
		line = areaLine(line+cleanWords(f.Title), width)
		end := min(len(badge(f.Severity)), len(line))
		lines = append(lines, r.paint(severityStyle(f.Severity), line[:end])+line[end:])
	}
	lines = lines[:min(len(lines), room)]
	for i := range lines {
		lines[i] = first + lines[i]
		first = indent
	}
	return lines
}

// withWait returns the parts of a status with what the run waits for.
func (c *Console) withWait(parts []string) []string {
	if wait := c.progress.wait(c.now(), c.limited()); wait != "" {
		return append([]string{wait}, parts...)
	}
	return parts
}

// areaLine returns text that fits on a line of the live area.
func areaLine(s string, width int) string { return truncate(text.BreakCommands(s), width) }

// pack joins parts to lines of at most width columns.
func pack(parts []string, width int) []string {
	var lines []string
	for _, part := range parts {
		if last := len(lines) - 1; last >= 0 && displaywidth.String(lines[last]+separator+part) <= width {
			lines[last] += separator + part
		} else {
			lines = append(lines, part)
		}
	}
	return lines
}
