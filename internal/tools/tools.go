// Package tools gives a model read-only tools over the files of the scanned
// tree: Read, Grep and Glob.
//
// A [Set] is made once for a skill, and a [Session] for each chunk: it answers
// the calls of one conversation and counts them.
//
//	set := tools.New(fsys, skill.AllowedTools, tools.Options{Redact: redact})
//	session := set.Session(prompt)
//	request.Tools = set.Definitions()
//	...
//	answer := session.Call(ctx, call) // the caller must fence it
//
// The calls of a model are untrusted: the code that it reads may have caused them.
// So the only files are those of the skill and those that the fs.FS lists, without those below .git in any
// spelling, those that hold secrets judging by their names, links, binary files and
// very large ones. A path reaches the file system only if it is in that list. All
// results are bounded: lines, bytes, matches, calls.
//
// The results are untrusted as well, since files are. Lines have the form of the
// prompt, "NUMBER |TEXT", with hidden characters made visible, so that no line can
// imitate another. Secrets are replaced before anything else is done with a file,
// so a search does not find them either.
//
// A problem, such as an invalid argument, is described to the model, which can
// correct it. The result is the same for the same tree and the same calls.
package tools

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/provider"
)

// The names of the tools.
const (
	Read = "Read"
	Grep = "Grep"
	Glob = "Glob"
)

// Limits bound what tools do. Zero means the default.
type Limits struct {
	// Calls is the number of calls of a session: 20.
	Calls int
	// Total is the number of bytes that a session returns: 96 KiB.
	Total int
	// Result is the number of bytes of one result: 16 KiB.
	Result int
	// Lines is the number of lines that Read returns: 400.
	Lines int
	// LineLength is the number of bytes that are shown of a line: 1000.
	LineLength int
	// Matches is the number of lines that Grep returns: 100.
	Matches int
	// Names is the number of files that Glob returns: 200.
	Names int
	// FileSize is the size of the largest file that is read, in bytes: 1 MiB.
	FileSize int64
	// Searched is the number of bytes that one Grep reads: 64 MiB.
	Searched int64
	// SearchTime is how long one Grep searches, and how long a glob is matched:
	// 10 seconds.
	SearchTime time.Duration
	// Files is the number of files that are listed, also of a larger tree:
	// 200,000.
	Files int
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Calls:      cmp.Or(l.Calls, 20),
		Total:      cmp.Or(l.Total, 96<<10),
		Result:     cmp.Or(l.Result, 16<<10),
		Lines:      cmp.Or(l.Lines, 400),
		LineLength: cmp.Or(l.LineLength, 1000),
		Matches:    cmp.Or(l.Matches, 100),
		Names:      cmp.Or(l.Names, 200),
		FileSize:   cmp.Or(l.FileSize, 1<<20),
		Searched:   cmp.Or(l.Searched, 64<<20),
		SearchTime: cmp.Or(l.SearchTime, 10*time.Second),
		Files:      cmp.Or(l.Files, 200_000),
	}
}

// Options configure a [Set].
type Options struct {
	Limits Limits
	// Redact replaces the secrets in a text and returns how many there were. It
	// must keep the number of lines. Nil means none.
	Redact func(string) (string, int)
	// SendFiles are globs of credential files that may be read; see
	// [diff.IsCredentialFile].
	SendFiles []string
	// Skill has the texts of the files of the skill by their paths, which begin with
	// skill:/. The tools find them only when they look there, and nothing else.
	Skill map[string]string
}

// Set holds the tools of a skill. It is safe for concurrent use.
type Set struct {
	allowed []string
	limits  Limits
	redact  func(string) (string, int)
	tree    *tree
	// clean has the hashes of texts without secrets. Files are searched often, and
	// finding secrets takes the most time of it.
	clean sync.Map
	// searches holds one value for each search that runs. More at once than there are
	// processors would only reach their time limits.
	searches chan struct{}
}

// New returns the tools that a skill allows, over the files of fsys. Unknown names
// are ignored.
func New(fsys fs.FS, allowed []string, opts Options) *Set {
	s := &Set{limits: opts.Limits.withDefaults(), redact: opts.Redact, searches: make(chan struct{}, runtime.GOMAXPROCS(0))}
	for _, name := range []string{Read, Grep, Glob} {
		if slices.Contains(allowed, name) && fsys != nil {
			s.allowed = append(s.allowed, name)
		}
	}
	if s.redact == nil {
		s.redact = func(text string) (string, int) { return text, 0 }
	}
	s.tree = &tree{fsys: fsys, send: opts.SendFiles, max: s.limits.Files, maxSize: s.limits.FileSize, skill: opts.Skill}
	return s
}

// Stats counts the work of a session.
type Stats struct {
	// Calls is the number of calls, those with an error and those over the limit
	// included.
	Calls int
	// Problems is the number of calls that were answered with a problem.
	Problems int
	// BytesRead counts the contents of files, BytesReturned the results.
	BytesRead, BytesReturned int64
	// Redacted is the number of returned lines in which secrets were replaced.
	Redacted int
}

// Add returns the sums of two Stats.
func (s Stats) Add(t Stats) Stats {
	return Stats{
		Calls:         s.Calls + t.Calls,
		Problems:      s.Problems + t.Problems,
		BytesRead:     s.BytesRead + t.BytesRead,
		BytesReturned: s.BytesReturned + t.BytesReturned,
		Redacted:      s.Redacted + t.Redacted,
	}
}

// Session answers the calls of one conversation. It must not be used
// concurrently.
type Session struct {
	set   *Set
	seen  string // texts with secrets that are replaced in the results, too
	stats Stats
}

// maxSeen is the number of bytes of the texts that are redacted with each result.
const maxSeen = 128 << 10

// Session returns a new session. sent is what the model is sent first, before
// redaction: the secrets that only it reveals are also replaced in the results.
func (s *Set) Session(sent string) *Session {
	n := &Session{set: s}
	n.see(sent)
	return n
}

func (s *Session) see(text string) {
	if len(s.seen)+len(text) > maxSeen {
		return
	}
	if _, n := s.set.redact(text); n > 0 {
		s.seen += text + "\n\n"
	}
}

// redact replaces the secrets in a text.
func (s *Session) redact(text string) string {
	sum := sha256.Sum256([]byte(text))
	if _, ok := s.set.clean.Load(sum); ok && s.seen == "" {
		return text
	}
	all, n := s.set.redact(s.seen + text)
	if n == 0 {
		s.set.clean.Store(sum, nil)
		return text
	}
	for range strings.Count(s.seen, "\n") {
		_, all, _ = strings.Cut(all, "\n")
	}
	return all
}

// Stats returns what the session did so far.
func (s *Session) Stats() Stats { return s.stats }

// Call answers a call. The text is for the model: the result, or why there is
// none. It never ends with a newline, and is empty only if a file is. When ctx
// ends, Call returns soon.
func (s *Session) Call(ctx context.Context, call provider.ToolCall) string {
	s.stats.Calls++
	answer, err := s.call(ctx, call)
	if err != nil {
		s.stats.Problems++
		answer = text.Visible("error: " + text.TruncateBytes(err.Error(), maxProblem))
	} else {
		redacted := s.redact(answer) // the paths: the contents of files are redacted already
		if changed := changedLines(answer, redacted); changed >= 0 {
			answer = redacted
			s.stats.Redacted += changed
		}
	}
	s.stats.BytesReturned += int64(len(answer))
	return answer
}

// maxProblem is the length of a problem, in bytes: it can quote arguments.
const maxProblem = 500

func (s *Session) call(ctx context.Context, call provider.ToolCall) (string, error) {
	l := s.set.limits
	switch {
	case !slices.Contains(s.set.allowed, call.Name):
		return "", fmt.Errorf("there is no tool %q; there are: %s", call.Name, cmp.Or(strings.Join(s.set.allowed, ", "), "none"))
	case s.stats.Calls > l.Calls:
		return "", fmt.Errorf("all %d calls are used up: answer with what you know", l.Calls)
	case s.stats.BytesReturned >= int64(l.Total):
		return "", fmt.Errorf("the tools have returned all they may: answer with what you know")
	case ctx.Err() != nil:
		return "", fmt.Errorf("the run has ended")
	}
	args, err := parse(call.Arguments)
	if err != nil {
		return "", err
	}
	switch {
	case call.Name == Read:
		return s.read(ctx, args)
	case args.Pattern == "":
		return "", errors.New(`"pattern" is missing`)
	case call.Name == Grep:
		return s.grep(ctx, args)
	default:
		return s.glob(ctx, args)
	}
}

// room is the number of bytes that the next result may have.
func (s *Session) room() int {
	return min(s.set.limits.Result, s.set.limits.Total-int(s.stats.BytesReturned))
}

// changedLines returns the number of lines in which two texts differ, or -1 if
// their numbers of lines differ.
func changedLines(a, b string) int {
	if a == b {
		return 0
	}
	before, after := strings.Split(a, "\n"), strings.Split(b, "\n")
	if len(before) != len(after) {
		return -1
	}
	n := 0
	for i := range before {
		if before[i] != after[i] {
			n++
		}
	}
	return n
}
