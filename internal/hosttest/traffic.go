package hosttest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// Traffic lists the requests that a host gets, and makes some go wrong. Its lock is held
// while a request is answered; its fields may be used while no request is under way, by
// its hooks, and in [Traffic.Do].
type Traffic struct {
	sync.Mutex

	// Fault returns how request n, counted from 1, goes wrong; nil means that none
	// does.
	Fault func(req *http.Request, n int) Fault
	// OnRequest is called before a request is answered; it may be nil.
	OnRequest func(req *http.Request)
	// RetryAfter is what [Secondary] asks for, in seconds.
	RetryAfter string

	// Requests are the method and path, with the query, of all requests, below the root
	// of the API.
	Requests []string
	// Writes are the method and path of those that ask for a change; of a GraphQL API it
	// is the text. Refused ones are among them.
	Writes []string
	// Problems are requests that no correct client makes.
	Problems []string

	// IsWrite reports whether a request asks for a change; nil means by its method.
	IsWrite func(req *http.Request) bool

	ids int64
}

// Do calls f while no request is answered.
func (t *Traffic) Do(f func()) {
	t.Lock()
	defer t.Unlock()
	f()
}

// NextID returns an id that nothing has. Like those of real hosts it has more than 32
// bits.
func (t *Traffic) NextID() int64 {
	t.ids++
	return 3_000_000_000 + t.ids
}

// Problem adds a problem.
func (t *Traffic) Problem(format string, args ...any) {
	t.Problems = append(t.Problems, fmt.Sprintf(format, args...))
}

// Before lets f be called before request n from now.
func (t *Traffic) Before(n int, f func()) {
	before, n := t.OnRequest, n+len(t.Requests)
	t.OnRequest = func(req *http.Request) {
		if before != nil {
			before(req)
		}
		if len(t.Requests) == n {
			f()
		}
	}
}

// FailWrite lets the n-th write from now on go wrong, counted from 1, and all after it
// when there is a [Primary] limit.
func (t *Traffic) FailWrite(n int, f Fault) {
	t.Fault = func(req *http.Request, _ int) Fault {
		if t.IsWrite != nil && !t.IsWrite(req) || t.IsWrite == nil && req.Method == http.MethodGet {
			return NoFault
		}
		if n--; n == 0 || n < 0 && f == Primary {
			return f
		}
		return NoFault
	}
}

// Record adds a request to the list.
func (t *Traffic) Record(req *http.Request, uri string) {
	t.Requests = append(t.Requests, req.Method+" "+uri)
	if t.OnRequest != nil {
		t.OnRequest(req)
	}
}

// Answer answers a request by serve, unless it goes wrong: then by fail, which has the
// answers of a host for the faults but those without an answer.
func (t *Traffic) Answer(req *http.Request, fail func(Fault) *Answer, serve func() *Answer) *Answer {
	fault := NoFault
	if t.Fault != nil {
		fault = t.Fault(req, len(t.Requests))
	}
	switch fault {
	case NoFault:
		return serve()
	case BadGatewayDone:
		serve()
		return fail(BadGateway)
	case CutDone:
		serve()
		return &Answer{Cut: true}
	case Cut:
		return &Answer{Cut: true}
	}
	return fail(fault)
}

// RoundTrip returns an answer as a client without a network sees it.
func RoundTrip(req *http.Request, answer func(*http.Request) *Answer) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	return answer(req).Response(req)
}

// Matches reports whether a path has the form of a pattern, in which "*" is any element
// and "N" a number.
func Matches(parts []string, pattern string, number int) bool {
	want := strings.Split(pattern, "/")
	if len(want) != len(parts) {
		return false
	}
	for i, w := range want {
		if w == "N" {
			w = strconv.Itoa(number)
		}
		if w != "*" && w != parts[i] {
			return false
		}
	}
	return true
}

// Indent writes the lines of a text to a dump.
func Indent(b *strings.Builder, text string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\n"); line != "" {
			line = "  " + line
		}
		b.WriteString(line + "\n")
	}
}
