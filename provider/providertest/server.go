package providertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"
)

// Request is a request that a [Server] got.
type Request struct {
	Header http.Header
	// Path is the path of the URL, with its query.
	Path string
	// Body is the unchanged body. The fields below are from it.
	Body     []byte
	Model    string
	Messages []Message
	// ResponseFormat is the type of the response format: "json_schema",
	// "json_object" or "". In Anthropic's API it is that of output_config.
	ResponseFormat string
	// Tools is the number of tools that are listed, and NoToolCalls is set if the
	// model must not call them.
	Tools       int
	NoToolCalls bool
}

// Message is a message of a [Request]. The system prompt of Anthropic's API is one,
// too, and Content is the text of all blocks.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Server is an API on the loopback that follows a [Script]: compatible with that of
// OpenAI (POST /v1/chat/completions), and with the messages API of Anthropic (POST
// /v1/messages). It is safe for concurrent use.
type Server struct {
	// URL is the base URL for a client; it ends in "/v1".
	URL string

	http   *httptest.Server
	script Script
	done   chan struct{} // closed by Close
	close  sync.Once

	mu        sync.Mutex
	used      []int // how often each rule was applied
	requests  []Request
	unmatched []Request
	running   int
	most      int
}

// NewServer starts a Server. The caller must call its Close.
func NewServer(script Script) *Server {
	s := &Server{
		script: script,
		done:   make(chan struct{}),
		used:   make([]int, len(script.Rules)),
	}
	s.http = httptest.NewServer(s)
	s.URL = s.http.URL + "/v1"
	return s
}

// Close ends the server and all answers that hang.
func (s *Server) Close() {
	s.close.Do(func() {
		close(s.done)
		s.http.Close()
	})
}

// Requests returns the requests so far, in the order of arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Unmatched returns the requests that no rule matched.
func (s *Server) Unmatched() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.unmatched)
}

// MostAtOnce returns the largest number of requests that were being answered at
// the same time.
func (s *Server) MostAtOnce() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q, err := readRequest(r)
	s.enter(q)
	defer s.leave()
	var rule Rule
	messages := strings.HasSuffix(r.URL.Path, "/messages")
	key := r.Header.Get("Authorization")
	if messages {
		key = "Bearer " + r.Header.Get("X-Api-Key")
	}
	switch {
	case r.Method != http.MethodPost || !messages && !strings.HasSuffix(r.URL.Path, "/chat/completions"):
		rule = Rule{Status: http.StatusNotFound, Message: fmt.Sprintf("no such endpoint: %s %s", r.Method, r.URL.Path)}
	case err != nil:
		rule = Rule{Status: http.StatusBadRequest, Message: err.Error()}
	case messages && r.Header.Get("Anthropic-Version") == "":
		rule = Rule{Status: http.StatusBadRequest, Message: "anthropic-version: header is required"}
	case s.script.Key != "" && key != "Bearer "+s.script.Key:
		rule = Rule{Status: http.StatusUnauthorized, Code: "invalid_api_key", Message: "Incorrect API key provided"}
	default:
		rule = s.pick(q)
	}
	if rule.DelayMs > 0 && !s.wait(r, time.Duration(rule.DelayMs)*time.Millisecond) {
		return
	}
	body := rule.body(q.Model)
	if messages {
		body = rule.messagesBody(q.Model)
	}
	s.answer(w, r, rule, body)
}

// answer writes the answer of rule, with its fault; body is that without it.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, rule Rule, body []byte) {
	contentType := "application/json"
	switch rule.Fault {
	case FaultHang:
		s.wait(r, 0)
		return
	case FaultReset:
		reset(w)
		return
	case FaultEmpty:
		body = nil
	case FaultGarbage:
		contentType, body = "application/octet-stream", []byte("\x00\xff\x1b[31m{]garbage\r\n")
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	for name, value := range rule.Header {
		w.Header().Set(name, value)
	}
	if rule.Fault == FaultCut || rule.Fault == FaultStall {
		body = body[:len(body)/2]
	}
	w.WriteHeader(rule.status())
	w.Write(body) // fails if the client has disconnected
	if rule.Fault == FaultStall {
		http.NewResponseController(w).Flush()
		s.wait(r, 0)
	}
}

// enter records a request.
func (s *Server) enter(q Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, q)
	s.running++
	s.most = max(s.most, s.running)
}

func (s *Server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
}

// pick returns the rule that answers a request.
func (s *Server) pick(q Request) Rule {
	if s.script.Reply != nil {
		if rule, ok := s.script.Reply(q); ok {
			return rule
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, rule := range s.script.Rules {
		if rule.matches(q) && (rule.Times == 0 || s.used[i] < rule.Times) {
			s.used[i]++
			return rule
		}
	}
	if s.script.Reply == nil && len(s.script.Rules) == 0 {
		return Rule{}
	}
	s.unmatched = append(s.unmatched, q)
	return Rule{Status: http.StatusBadRequest, Message: "the script has no rule for this request"}
}

// wait waits for d, or without end if d is 0. It reports false when the client
// disconnected or the server was closed before.
func (s *Server) wait(r *http.Request, d time.Duration) bool {
	var over <-chan time.Time
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-over:
		return true
	case <-r.Context().Done():
	case <-s.done:
	}
	return false
}

// reset ends the connection so that the client sees a reset.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2; the server ends the stream
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	conn.Close()
}

// readRequest reads what a client sent.
func readRequest(r *http.Request) (Request, error) {
	q := Request{Header: r.Header.Clone(), Path: r.URL.RequestURI()}
	var err error
	if q.Body, err = io.ReadAll(r.Body); err != nil {
		return q, err
	}
	type format struct {
		Type string `json:"type"`
	}
	type content struct {
		Role    string  `json:"role"`
		Content flatten `json:"content"`
	}
	var body struct {
		Model          string    `json:"model"`
		System         flatten   `json:"system"`
		Messages       []content `json:"messages"`
		ResponseFormat format    `json:"response_format"`
		OutputConfig   struct {
			Format format `json:"format"`
		} `json:"output_config"`
		Tools      []json.RawMessage `json:"tools"`
		ToolChoice json.RawMessage   `json:"tool_choice"`
	}
	if len(q.Body) > 0 {
		if err := json.Unmarshal(q.Body, &body); err != nil {
			return q, fmt.Errorf("the body is not a request: %w", err)
		}
	}
	q.Model, q.ResponseFormat = body.Model, body.ResponseFormat.Type+body.OutputConfig.Format.Type
	q.Tools, q.NoToolCalls = len(body.Tools), bytes.Contains(body.ToolChoice, []byte(`"none"`))
	if body.System != "" {
		q.Messages = append(q.Messages, Message{"system", string(body.System)})
	}
	for _, m := range body.Messages {
		q.Messages = append(q.Messages, Message{m.Role, string(m.Content)})
	}
	return q, nil
}

// flatten is a text, or the texts of a list of blocks.
type flatten string

// UnmarshalJSON implements [json.Unmarshaler].
func (f *flatten) UnmarshalJSON(data []byte) error {
	if !bytes.HasPrefix(data, []byte("[")) {
		return json.Unmarshal(data, (*string)(f))
	}
	var blocks []struct {
		Text    string  `json:"text"`
		Content flatten `json:"content"`
	}
	if err := json.Unmarshal(data, &blocks); err != nil {
		return err
	}
	for _, b := range blocks {
		*f += flatten(b.Text) + b.Content
	}
	return nil
}
