package openai

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/internal/httpapi"
	"github.com/codescan-dev/scanner/provider"
	"github.com/codescan-dev/scanner/provider/providertest"
)

// nginx is what a proxy answers when the server behind it is gone.
const nginx = `<html>
<head><title>502 Bad Gateway</title></head>
<body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx/1.25</center></body>
</html>`

func TestCompleteErrorStatus(t *testing.T) {
	const (
		auth    = provider.KindAuth
		rate    = provider.KindRateLimit
		timeout = provider.KindTimeout
		server  = provider.KindServer
		invalid = provider.KindInvalid
		refusal = provider.KindRefusal
		tooLong = provider.KindContextLength
	)
	for _, tt := range []struct {
		name   string
		status int
		body   string
		header map[string]string
		kind   provider.Kind
		text   string // the whole message
		hint   string // a part of it
		wait   time.Duration
	}{
		{name: "bad key", status: 401, body: `{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`,
			kind: auth, text: "HTTP 401 Unauthorized: Incorrect API key provided", hint: "check the API key"},
		{name: "echoed key", status: 401, body: `{"error":{"message":"bad key ` + testKey + `!"}}`,
			kind: auth, text: "HTTP 401 Unauthorized: bad key [redacted]!"},
		{name: "echoed key in plain text", status: 401, body: testKey,
			kind: auth, text: "HTTP 401 Unauthorized: [redacted]"},
		{name: "forbidden", status: 403, body: `{"error":{"message":"Country, region, or territory not supported","code":"unsupported_country_region_territory"}}`,
			kind: auth, text: "HTTP 403 Forbidden: Country, region, or territory not supported", hint: "region"},
		{name: "flagged content", status: 403, body: `{"error":{"code":403,"message":"Your input was flagged"}}`,
			kind: refusal, text: "HTTP 403 Forbidden: Your input was flagged"},
		{name: "bad key with 400", status: 400, body: `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`,
			kind: auth, text: "HTTP 400 Bad Request: API key not valid. Please pass a valid API key.", hint: "check the API key"},
		{name: "no such model", status: 404, body: `{"error":{"message":"The model 'x' does not exist","code":"model_not_found"}}`,
			kind: invalid, text: "HTTP 404 Not Found: The model 'x' does not exist", hint: "check the name of the model"},
		{name: "wrong base URL", status: 404, body: "404 page not found\n",
			kind: invalid, text: "HTTP 404 Not Found: 404 page not found", hint: "/v1"},
		{name: "bad request", status: 400, body: `{"error":"invalid message"}`,
			kind: invalid, text: "HTTP 400 Bad Request: invalid message"},
		{name: "validation error", status: 422, body: `{"detail":[{"loc":["body","messages",0],"msg":"field required"},{"loc":["body"],"msg":"bad"}]}`,
			kind: invalid, text: `HTTP 422 Unprocessable Entity: [{"loc":["body","messages",0],"msg":"field required"},{"loc":["body"],"msg":"bad"}]`},
		{name: "context length by code", status: 400, body: `{"error":{"message":"too big","code":"context_length_exceeded"}}`,
			kind: tooLong, text: "HTTP 400 Bad Request: too big"},
		{name: "context length by text", status: 400, body: `{"object":"error","message":"This model's maximum context length is 4096 tokens.","code":400}`,
			kind: tooLong, text: "HTTP 400 Bad Request: This model's maximum context length is 4096 tokens."},
		{name: "context length of llama.cpp", status: 400, body: `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`,
			kind: tooLong, text: "HTTP 400 Bad Request: the request exceeds the available context size"},
		{name: "body too large", status: 413, body: "", kind: tooLong, text: "HTTP 413 Request Entity Too Large"},
		{name: "content filter", status: 400, body: `{"error":{"message":"The response was filtered","code":"content_filter","status":400}}`,
			kind: refusal, text: "HTTP 400 Bad Request: The response was filtered"},
		{name: "request timeout", status: 408, body: "", kind: timeout, text: "HTTP 408 Request Timeout"},
		{name: "conflict", status: 409, body: "", kind: server, text: "HTTP 409 Conflict"},
		{name: "too early", status: 425, body: "", kind: server, text: "HTTP 425 Too Early"},
		{name: "teapot", status: 418, body: "", kind: invalid, text: "HTTP 418 I'm a teapot"},
		{name: "rate limit", status: 429, body: `{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}`,
			kind: rate, text: "HTTP 429 Too Many Requests: Rate limit reached"},
		{name: "rate limit with seconds", status: 429, body: `{}`, header: map[string]string{"Retry-After": "7"},
			kind: rate, text: "HTTP 429 Too Many Requests: {}", wait: 7 * time.Second},
		{name: "rate limit with milliseconds", status: 429, body: "", header: map[string]string{"Retry-After": "7", "Retry-After-Ms": "1500"},
			kind: rate, text: "HTTP 429 Too Many Requests", wait: 1500 * time.Millisecond},
		{name: "rate limit with a date", status: 429, body: "", header: map[string]string{"Retry-After": "Wed, 21 Oct 2015 07:28:30 GMT", "Date": "Wed, 21 Oct 2015 07:28:00 GMT"},
			kind: rate, text: "HTTP 429 Too Many Requests", wait: 30 * time.Second},
		{name: "request over the limit of tokens", status: 429, body: `{"error":{"message":"Request too large. The input or output tokens must be reduced in order to run successfully.","code":"rate_limit_exceeded"}}`,
			kind: tooLong, text: "HTTP 429 Too Many Requests: Request too large. The input or output tokens must be reduced in order to run successfully."},
		{name: "quota used up", status: 429, body: `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`,
			kind: auth, text: "HTTP 429 Too Many Requests: You exceeded your current quota", hint: "billing"},
		{name: "credit used up", status: 402, body: `{"error":{"message":"Insufficient credits","code":402}}`,
			kind: auth, text: "HTTP 402 Payment Required: Insufficient credits", hint: "billing"},
		{name: "server error", status: 500, body: `{"error":{"message":"boom"}}`, kind: server, text: "HTTP 500 Internal Server Error: boom"},
		{name: "web page", status: 502, body: nginx, kind: server, text: "HTTP 502 Bad Gateway"},
		{name: "web page of another name", status: 502, body: "<!DOCTYPE html><title>\n Oops &amp; sorry </title><p>x", kind: server, text: "HTTP 502 Bad Gateway: Oops & sorry"},
		{name: "unavailable", status: 503, body: "", header: map[string]string{"Retry-After": "2"}, kind: server, text: "HTTP 503 Service Unavailable", wait: 2 * time.Second},
		{name: "gateway timeout", status: 504, body: "", kind: server, text: "HTTP 504 Gateway Timeout"},
		{name: "status without a name", status: 529, body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, kind: server, text: "HTTP 529: Overloaded"},
		{name: "vendor behind a router", status: 400, body: `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":\"bad image\"}"}}}`,
			kind: invalid, text: `HTTP 400 Bad Request: Provider returned error: {"error":"bad image"}`},
		{name: "control characters", status: 500, body: "a\x1b[31m\tb\r\n\x00c\u202e \u2028 d\xff", kind: server, text: "HTTP 500 Internal Server Error: a b c d\uFFFD"},
		{name: "long text", status: 500, body: strings.Repeat("ä", 1000), kind: server, text: "HTTP 500 Internal Server Error: " + strings.Repeat("ä", 400) + "…"},

		{name: "error with 200", status: 200, body: `{"error":{"message":"boom"}}`, kind: server, text: "boom"},
		{name: "error with 200, rate limit", status: 200, body: `{"error":{"message":"slow down","code":429}}`, header: map[string]string{"Retry-After": "3"}, kind: rate, text: "slow down", wait: 3 * time.Second},
		{name: "error with 200, key", status: 200, body: `{"error":{"message":"no","code":"invalid_api_key"}}`, kind: auth, text: "no"},
		{name: "error with 200, quota", status: 200, body: `{"error":{"message":"no","type":"insufficient_quota"}}`, kind: auth, text: "no", hint: "billing"},
		{name: "error with 200, permission", status: 200, body: `{"error":{"message":"no","type":"permission_error"}}`, kind: auth, text: "no"},
		{name: "error with 200, model", status: 200, body: `{"error":{"message":"no such model","type":"not_found_error"}}`, kind: invalid, text: "no such model", hint: "name of the model"},
		{name: "error with 200, timeout", status: 200, body: `{"error":{"message":"slow","type":"timeout_error"}}`, kind: timeout, text: "slow"},
		{name: "error with 200, request", status: 200, body: `{"error":{"message":"bad","type":"invalid_request_error"}}`, kind: invalid, text: "bad"},
		{name: "error with 200, context", status: 200, body: `{"error":{"message":"big","code":"context_length_exceeded"}}`, kind: tooLong, text: "big"},
		{name: "error with 200, as text", status: 200, body: `{"error":"boom"}`, kind: server, text: "boom"},
		{name: "error with 200, without text", status: 200, body: `{"error":{"code":500}}`, kind: server, text: "the answer is an error without a text"},
		{name: "error with 200, and no choices", status: 200, body: `{"choices":[],"error":{"message":"boom"}}`, kind: server, text: "boom"},
		{name: "error with 200, refused", status: 200, body: `{"error":{"message":"no endpoints","code":404}}`, kind: invalid, text: "no endpoints"},
		{name: "JSON not generated", status: 400, body: `{"error":{"message":"Failed to generate JSON.","code":"json_validate_failed"}}`,
			kind: server, text: "HTTP 400 Bad Request: Failed to generate JSON."},
		{name: "error in a stream", status: 200, body: "data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\ndata: {\"error\":{\"message\":\"boom\"}}\n\n", kind: server, text: "boom"},
		{name: "stream without events", status: 200, body: "data: [DONE]\n\n", kind: server, text: "the answer is not JSON", hint: "/v1"},
		{name: "error in the choice", status: 200, body: `{"choices":[{"error":{"code":502,"message":"upstream broke"},"message":{"content":""}}]}`, kind: server, text: "upstream broke"},
		{name: "no body", status: 200, body: "", kind: server, text: "the answer has no body"},
		{name: "blank body", status: 200, body: " \n", kind: server, text: "the answer has no body"},
		{name: "no content", status: 204, body: "", kind: server, text: "the answer has no body"},
		{name: "null", status: 200, body: "null", kind: server, text: "the answer has no choices"},
		{name: "no choices", status: 200, body: `{"id":"x","choices":[]}`, kind: server, text: "the answer has no choices"},
		{name: "cut JSON", status: 200, body: `{"choices":[{"message":{"content":"half`, kind: server, text: "the answer ends in the middle"},
		{name: "not an object", status: 200, body: `"text"`, kind: server, text: "the answer has no choices"},
		{name: "odd types", status: 200, body: `{"choices":"none"}`, kind: server, text: "the answer has no choices"},
		{name: "garbage", status: 200, body: "\x00\xff{", kind: server, text: "the answer is not JSON", hint: "/v1"},
		{name: "web page with 200", status: 200, body: "<html><body>Welcome", kind: server, text: "the answer is a web page", hint: "/v1"},
		{name: "empty text", status: 200, body: `{"choices":[{"message":{"content":""},"finish_reason":"stop"}]}`, kind: server, text: "the answer is empty"},
		{name: "refusal", status: 200, body: `{"choices":[{"message":{"content":null,"refusal":"I'm\nsorry"},"finish_reason":"stop"}]}`, kind: refusal, text: "the model declined: I'm sorry"},
		{name: "filtered answer", status: 200, body: `{"choices":[{"message":{"content":"half"},"finish_reason":"content_filter"}]}`, kind: refusal, text: "the provider's content filter stopped the answer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rule := providertest.Rule{Status: tt.status, Body: &tt.body, Header: tt.header}
			_, err := newClient(t, newServer(t, providertest.Script{Rules: []providertest.Rule{rule}}).URL).Complete(t.Context(), question)
			e, ok := errors.AsType[*provider.Error](err)
			if !ok {
				t.Fatalf("error %v is not a *provider.Error", err)
			}
			if e.Kind != tt.kind {
				t.Errorf("kind %v, want %v", e.Kind, tt.kind)
			}
			if e.Message != tt.text {
				t.Errorf("message %q, want %q", e.Message, tt.text)
			}
			if !strings.Contains(e.Hint, tt.hint) {
				t.Errorf("hint %q, want one with %q", e.Hint, tt.hint)
			}
			if e.RetryAfter != tt.wait {
				t.Errorf("RetryAfter %v, want %v", e.RetryAfter, tt.wait)
			}
			if tt.status >= 300 && e.Status != tt.status {
				t.Errorf("Status %d, want %d", e.Status, tt.status)
			}
		})
	}
}

func TestCompleteFaults(t *testing.T) {
	for _, tt := range []struct {
		fault providertest.Fault
		kind  provider.Kind
		text  string // part of the message
	}{
		{providertest.FaultReset, provider.KindConnection, "127.0.0.1:"},
		{providertest.FaultCut, provider.KindConnection, "the connection ended before the answer was complete"},
		{providertest.FaultEmpty, provider.KindServer, "the answer has no body"},
		{providertest.FaultGarbage, provider.KindServer, "the answer is not JSON"},
	} {
		t.Run(string(tt.fault), func(t *testing.T) {
			server := newServer(t, providertest.Script{Rules: []providertest.Rule{{Fault: tt.fault}}})
			_, err := newClient(t, server.URL).Complete(t.Context(), question)
			if provider.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %v, want a %v with %q", err, tt.kind, tt.text)
			}
			if n := len(server.Requests()); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}

// failWith returns a client whose connections fail with err.
func failWith(t *testing.T, err error) *Client {
	t.Helper()
	c, nerr := New(Config{APIKey: testKey, HTTPClient: &http.Client{
		Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, err }},
	}})
	if nerr != nil {
		t.Fatal(nerr)
	}
	return c
}

func TestCompleteConnection(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	strange := httptest.NewUnstartedServer(nil)
	strange.Config.ErrorLog = log.New(io.Discard, "", 0)
	strange.StartTLS()
	defer strange.Close()
	plain := httptest.NewServer(nil)
	defer plain.Close()

	for _, tt := range []struct {
		name   string
		client *Client
		kind   provider.Kind
		text   string
		hint   string
	}{
		{"refused", newClient(t, closed.URL), provider.KindConnection, "connection refused", ""},
		{"no such host", failWith(t, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "api.openai.com", IsNotFound: true}}),
			provider.KindConnection, "api.openai.com: lookup api.openai.com: no such host", "check the host"},
		{"slow name server", failWith(t, &net.DNSError{Err: "i/o timeout", Name: "api.openai.com", IsTimeout: true}), provider.KindTimeout, "i/o timeout", ""},
		{"end of file", failWith(t, io.EOF), provider.KindConnection, "ended before the answer", ""},
		{"something else", failWith(t, errors.New("no route\nto host")), provider.KindConnection, "no route to host", ""},
		{"certificate", newClient(t, strange.URL), provider.KindInvalid, "certificate", "certificates"},
		{"no TLS", newClient(t, strings.Replace(plain.URL, "http:", "https:", 1)), provider.KindInvalid, "HTTP response to HTTPS client", "base URL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.client.Complete(t.Context(), question)
			e, ok := errors.AsType[*provider.Error](err)
			if !ok || e.Kind != tt.kind || !strings.Contains(e.Message, tt.text) || !strings.Contains(e.Hint, tt.hint) {
				t.Errorf("error %v (%+v), want a %v with %q and the hint %q", err, e, tt.kind, tt.text, tt.hint)
			}
			if ok && strings.Contains(e.Message, "/chat/completions") {
				t.Errorf("the message shows the URL: %q", e.Message)
			}
		})
	}
}

// Neither the key nor the code may travel to where a server points.
func TestCompleteRedirect(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		elsewhere := newServer(t, providertest.Script{})
		body := ""
		rule := providertest.Rule{Status: status, Body: &body, Header: map[string]string{
			"Location": strings.Replace(elsewhere.URL, "http://", "http://user:"+testKey+"@", 1) + "/chat/completions?key=" + testKey,
		}}
		server := newServer(t, providertest.Script{Rules: []providertest.Rule{rule}})
		_, err := newClient(t, server.URL).Complete(t.Context(), question)
		e, ok := errors.AsType[*provider.Error](err)
		if !ok || e.Kind != provider.KindInvalid || e.Status != status || !provider.EndsRun(err) {
			t.Errorf("%d: error %v, want an InvalidRequestError that ends the run", status, err)
			continue
		}
		if want := "make it the base URL: " + elsewhere.URL; !strings.HasSuffix(e.Hint, want) {
			t.Errorf("%d: hint %q, want one that ends in %q", status, e.Hint, want)
		}
		if n := len(elsewhere.Requests()); n != 0 {
			t.Errorf("%d: the redirect was followed", status)
		}
	}
}

func TestCompleteLargeBody(t *testing.T) {
	const limit = httpapi.MaxBody
	for _, tt := range []struct {
		name string
		size int
		kind provider.Kind
	}{
		{"at the limit", limit, provider.KindUnknown},
		{"over the limit", limit + 1, provider.KindServer},
	} {
		t.Run(tt.name, func(t *testing.T) {
			head, tail := `{"choices":[{"message":{"content":"`, `"},"finish_reason":"stop"}]}`
			body := head + strings.Repeat("x", tt.size-len(head)-len(tail)) + tail
			server := newServer(t, providertest.Script{Rules: []providertest.Rule{{Body: &body}}})
			c := newClient(t, server.URL)
			_, err := c.Complete(t.Context(), question)
			if provider.KindOf(err) != tt.kind {
				t.Fatalf("error %v, want kind %v", err, tt.kind)
			}
			if err != nil && !strings.Contains(err.Error(), "larger than 16 MiB") {
				t.Errorf("error %v does not name the limit", err)
			}
		})
	}
}

// pipes connects clients and a server in memory, so that a test can run in a
// bubble of synctest: at its end, every goroutine must have ended.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.done); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// A request ends with its context, also if the server never ends its answer, and
// leaves no goroutine behind.
func TestCompleteHangs(t *testing.T) {
	hang := func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}
	stall := func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, `{"choices":[{"message":`)
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	endless := func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		for {
			io.WriteString(w, " ")
			http.NewResponseController(w).Flush()
			select {
			case <-time.After(time.Second):
			case <-r.Context().Done():
				return
			}
		}
	}
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
	}{{"no answer", hang}, {"half an answer", stall}, {"an answer without end", endless}} {
		for _, how := range []struct {
			name  string
			start func(parent context.Context) (context.Context, context.CancelFunc)
			limit time.Duration // of the http.Client
			is    error
			kind  provider.Kind
		}{
			{"canceled", func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(ctx)
				time.AfterFunc(time.Minute, cancel)
				return ctx, cancel
			}, 0, context.Canceled, provider.KindUnknown},
			{"deadline", func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeout(ctx, time.Minute)
			}, 0, context.DeadlineExceeded, provider.KindUnknown},
			{"timeout of the client", context.WithCancel, time.Minute, nil, provider.KindTimeout},
		} {
			t.Run(tt.name+"/"+how.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := newPipes()
					server := &http.Server{Handler: tt.handler}
					go server.Serve(p)
					defer server.Close()
					client := &http.Client{Timeout: how.limit, Transport: &http.Transport{DialContext: p.dial}}
					defer client.CloseIdleConnections()
					c, err := New(Config{BaseURL: "http://127.0.0.1/v1", HTTPClient: client})
					if err != nil {
						t.Fatal(err)
					}
					ctx, cancel := how.start(t.Context())
					defer cancel()
					start := time.Now()
					_, err = c.Complete(ctx, question)
					if how.is != nil && err != how.is {
						t.Errorf("error %v, want %v itself", err, how.is)
					}
					if got := provider.KindOf(err); got != how.kind {
						t.Errorf("error %v is of kind %v, want %v", err, got, how.kind)
					}
					if d := time.Since(start); d != time.Minute {
						t.Errorf("returned after %v, want 1m", d)
					}
				})
			})
		}
	}
}

// Any answer that is an error is classified, short, one line, and does not show the
// key.
func FuzzFailure(f *testing.F) {
	for _, body := range []string{
		"", "null", "{}", "[]", `[[]]`, `{"error":null}`, `{"error":true,"message":"x"}`, `{"error":{"message":["a",{"msg":"b"}]}}`,
		`{"error":{"message":{"detail":[{"loc":["body",1.5,null],"msg":null}]}}}`, `{"errors":[]}`, `{"detail":[1,null,[]]}`,
		`{"error":{"message":"` + testKey + `","code":1e400}}`, testKey, "sk-test-\x1b[0m0123456789", nginx, "<title>", "\xff\xfe",
		"data: {\"choices\":[{\"delta\":{\"content\":[{\"index\":0},{\"index\":0,\"a\":{}},1],\"x\":\"y\"}},{\"delta\":{\"content\":\"z\",\"x\":{}}}]}\n", "data: {}\ndata: {\"error\":1}",
		`{"choices":[{"error":{"message":"x"}}]}`, `{"choices":[{"message":{"content":"<think>x</think>"}}]}`,
		`{"choices":[{"message":{"content":[{"type":"text","text":"x"}]}}],"usage":{"prompt_tokens":-1,"cost":-1}}`,
	} {
		f.Add(200, body)
		f.Add(400, body)
		f.Add(429, body)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 200 || status > 599 {
			t.Skip()
		}
		c, err := New(Config{BaseURL: "http://localhost/v1", APIKey: testKey, HTTPClient: &http.Client{
			Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
			}),
		}})
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.Complete(t.Context(), question)
		if u := resp.Usage; u.InputTokens < 0 || u.OutputTokens < 0 || u.CacheReadInputTokens < 0 || u.CostUSD != nil && *u.CostUSD < 0 {
			t.Errorf("usage %+v", u)
		}
		if err == nil {
			if status >= 300 || resp.Text == "" && len(resp.ToolCalls) == 0 && resp.Stop != provider.StopLength {
				t.Errorf("status %d, body %q: answer %+v", status, body, resp)
			}
			return
		}
		e, ok := errors.AsType[*provider.Error](err)
		if !ok || e.Kind == provider.KindUnknown || e.Message == "" {
			t.Fatalf("status %d, body %q: error %#v", status, body, err)
		}
		for _, text := range []string{e.Error(), e.Hint} {
			if strings.Contains(text, testKey) || strings.ContainsFunc(text, unicode.IsControl) || !utf8.ValidString(text) || utf8.RuneCountInString(text) > 550 {
				t.Errorf("status %d, body %q: %q is not fit to be shown", status, body, text)
			}
		}
	})
}
