package providertest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func start(t *testing.T, s Script) *Server {
	server := NewServer(s)
	t.Cleanup(server.Close)
	return server
}

// answer is an answer as a client gets it.
type answer struct {
	Status  int
	Body    string
	Content string // of the first choice
	Finish  string
	Header  http.Header
	Err     error
}

// post sends a request with text as its only message.
func post(t *testing.T, s *Server, text string) answer {
	t.Helper()
	body, err := json.Marshal(map[string]any{"model": "m", "messages": []Message{{Role: "user", Content: text}}})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer sk-1")
	return do(req)
}

func do(req *http.Request) answer {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return answer{Err: err}
	}
	defer resp.Body.Close()
	a := answer{Status: resp.StatusCode, Header: resp.Header}
	data, err := io.ReadAll(resp.Body)
	a.Body, a.Err = string(data), err
	var completion struct {
		Choices []struct {
			Message struct{ Content string }
			Finish  string `json:"finish_reason"`
		}
	}
	if json.Unmarshal(data, &completion) == nil && len(completion.Choices) > 0 {
		a.Content, a.Finish = completion.Choices[0].Message.Content, completion.Choices[0].Finish
	}
	return a
}

func TestServerRules(t *testing.T) {
	s := start(t, Script{Rules: []Rule{
		{Match: "a.go", Times: 2, Status: 503, Header: map[string]string{"Retry-After": "1"}},
		{Match: "a.go", Findings: json.RawMessage(`[{"title":"x"}]`)},
		{Model: "other", Content: new("never")},
		{Match: "b.go", Content: new("")},
		{Match: "c.go", Content: new("half"), Finish: "length"},
		{RequestBody: `"role":"user","content":"d`, ToolCalls: []ToolCall{{ID: "1", Name: "read", Arguments: "{}"}}},
	}})
	for i, tt := range []struct {
		text    string
		status  int
		content string
		finish  string
	}{
		{"look at a.go", 503, "", ""},
		{"look at a.go", 503, "", ""},
		{"look at a.go", 200, `{"findings":[{"title":"x"}]}`, "stop"},
		{"look at a.go", 200, `{"findings":[{"title":"x"}]}`, "stop"},
		{"look at b.go", 200, "", "stop"},
		{"look at c.go", 200, "half", "length"},
		{"d", 200, "", "tool_calls"},
		{"something else", 400, "", ""},
	} {
		a := post(t, s, tt.text)
		if a.Err != nil || a.Status != tt.status || a.Content != tt.content || a.Finish != tt.finish {
			t.Errorf("%d: %s: got %+v, want %+v", i, tt.text, a, tt)
		}
		if want := map[int]string{503: "1"}[tt.status]; a.Header.Get("Retry-After") != want {
			t.Errorf("%d: Retry-After is %q, want %q", i, a.Header.Get("Retry-After"), want)
		}
	}
	if n := len(s.Requests()); n != 8 {
		t.Errorf("%d requests were kept, want 8", n)
	}
	unmatched := s.Unmatched()
	if len(unmatched) != 1 || unmatched[0].Messages[0].Content != "something else" {
		t.Errorf("unmatched are %+v", unmatched)
	}
	if got, want := s.Requests()[0].Messages, []Message{{"user", "look at a.go"}}; !cmp.Equal(got, want) {
		t.Errorf("messages %+v, want %+v", got, want)
	}
}

func TestServerZeroScript(t *testing.T) {
	if a := post(t, start(t, Script{}), "x"); a.Content != `{"findings":[]}` || a.Err != nil {
		t.Errorf("got %+v, want no findings", a)
	}
}

func TestServerReply(t *testing.T) {
	s := start(t, Script{
		Reply: func(r Request) (Rule, bool) {
			text := r.Messages[0].Content
			return Rule{Content: &text}, text != "rule"
		},
		Rules: []Rule{{Match: "rule", Content: new("from a rule")}},
	})
	for text, want := range map[string]string{"echo": "echo", "rule": "from a rule"} {
		if a := post(t, s, text); a.Content != want {
			t.Errorf("%s: got %+v, want %q", text, a, want)
		}
	}
}

func TestServerRefuses(t *testing.T) {
	s := start(t, Script{Key: "sk-2", Rules: []Rule{{Times: 1}}})
	if a := post(t, s, "x"); a.Status != 401 {
		t.Errorf("wrong key: status %d, want 401", a.Status)
	}
	for _, tt := range []struct {
		method, path, body string
		status             int
	}{
		{"GET", "/chat/completions", "", 404},
		{"POST", "/completions", "{}", 404},
		{"POST", "/chat/completions", "{", 400},
		{"POST", "/chat/completions", `{"messages": 1}`, 400},
		{"POST", "/chat/completions", `{}`, 200}, // the rule is not used up by the others
	} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, s.URL+tt.path, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer sk-2")
		if a := do(req); a.Status != tt.status {
			t.Errorf("%s %s %s: status %d, want %d", tt.method, tt.path, tt.body, a.Status, tt.status)
		}
	}
}

func TestServerFaults(t *testing.T) {
	for _, tt := range []struct {
		fault Fault
		check func(a answer) bool
	}{
		{FaultReset, func(a answer) bool { return errors.Is(a.Err, syscall.ECONNRESET) }},
		{FaultCut, func(a answer) bool { return errors.Is(a.Err, io.ErrUnexpectedEOF) && len(a.Body) > 50 }},
		{FaultEmpty, func(a answer) bool { return a.Err == nil && a.Status == 200 && a.Body == "" }},
		{FaultGarbage, func(a answer) bool { return a.Err == nil && a.Status == 200 && !json.Valid([]byte(a.Body)) }},
	} {
		t.Run(string(tt.fault), func(t *testing.T) {
			if a := post(t, start(t, Script{Rules: []Rule{{Fault: tt.fault}}}), "x"); !tt.check(a) {
				t.Errorf("got %+v", a)
			}
		})
	}
}

// Answers that hang end with the server.
func TestServerClose(t *testing.T) {
	for _, rule := range []Rule{{Fault: FaultHang}, {Fault: FaultStall}, {DelayMs: 3_600_000}} {
		var once sync.Once
		arrived := make(chan struct{})
		s := NewServer(Script{Reply: func(Request) (Rule, bool) {
			once.Do(func() { close(arrived) })
			return rule, true
		}})
		done := make(chan answer)
		go func() { done <- post(t, s, "x") }()
		<-arrived
		s.Close()
		s.Close()
		if a := <-done; a.Err == nil && a.Content != "" {
			t.Errorf("%+v: answered %+v", rule, a)
		}
	}
}

func TestServerMostAtOnce(t *testing.T) {
	const n = 5
	var all sync.WaitGroup
	all.Add(n)
	s := start(t, Script{Reply: func(Request) (Rule, bool) {
		all.Done()
		all.Wait()
		return Rule{DelayMs: 1}, true
	}})
	var clients sync.WaitGroup
	begin := time.Now()
	for range n {
		clients.Go(func() { post(t, s, "x") })
	}
	clients.Wait()
	if got := s.MostAtOnce(); got != n {
		t.Errorf("MostAtOnce() = %d, want %d", got, n)
	}
	if time.Since(begin) < time.Millisecond {
		t.Error("the answers had no delay")
	}
}
