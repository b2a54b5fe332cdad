// Package hosttest is what the code hosts for tests share: the ways in which a request
// goes wrong, and answers that need no network.
package hosttest

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Fault is a way in which a request goes wrong.
type Fault string

// The faults. Those named "done" change the state before they fail.
const (
	// NoFault lets a request succeed.
	NoFault Fault = ""
	// BadGateway is an answer 502 and no change.
	BadGateway Fault = "502"
	// BadGatewayDone is an answer 502 although the change was made.
	BadGatewayDone Fault = "502 done"
	// Cut ends the connection without an answer and without a change.
	Cut Fault = "cut"
	// CutDone ends it although the change was made.
	CutDone Fault = "cut done"
	// Secondary is a rate limit with Retry-After.
	Secondary Fault = "secondary"
	// Primary is a rate limit that lasts very long.
	Primary Fault = "primary"
	// Forbidden is what a token gets that lacks a permission.
	Forbidden Fault = "forbidden"
	// Unauthorized is what a wrong token gets.
	Unauthorized Fault = "unauthorized"
)

// Answer is what a request gets. With Cut it gets nothing.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	Cut    bool
}

// Reply returns an answer with a value in JSON, and with pairs of names and values of
// its header.
func Reply(status int, v any, header ...string) *Answer {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // a host answers with what can be marshaled
	}
	a := &Answer{Status: status, Body: body, Header: http.Header{"Content-Type": {"application/json"}}}
	for i := 0; i+1 < len(header); i += 2 {
		a.Header.Set(header[i], header[i+1])
	}
	return a
}

// Write writes the answer.
func (a *Answer) Write(w http.ResponseWriter) {
	if a.Cut {
		panic(http.ErrAbortHandler)
	}
	for k, v := range a.Header {
		w.Header()[k] = v
	}
	w.WriteHeader(a.Status)
	w.Write(a.Body)
}

// Response returns the answer as a client sees it.
func (a *Answer) Response(req *http.Request) (*http.Response, error) {
	if a.Cut {
		return nil, errors.New("connection reset by peer")
	}
	return &http.Response{
		StatusCode: a.Status, Status: strconv.Itoa(a.Status) + " " + http.StatusText(a.Status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.Header, Body: io.NopCloser(strings.NewReader(string(a.Body))), ContentLength: int64(len(a.Body)), Request: req,
	}, nil
}

// Page returns the page of a list that the query of a request asks for, its number and
// that of the next one; 0 if it is the last.
func Page[T any](req *http.Request, list []T, size int) (page []T, n, next int) {
	q := req.URL.Query()
	if s, err := strconv.Atoi(q.Get("per_page")); err == nil && s > 0 {
		size = s
	}
	n, _ = strconv.Atoi(q.Get("page"))
	size, n = min(size, 100), max(n, 1)
	from := min((n-1)*size, len(list))
	to := min(from+size, len(list))
	if to < len(list) {
		next = n + 1
	}
	return append([]T{}, list[from:to]...), n, next
}
