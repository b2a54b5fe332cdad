package httperr_test

import (
	"math"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/internal/httperr"
	"github.com/codescan-dev/scanner/provider"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       httperr.Error
	}{
		{"OpenAI", `{"error":{"message":"bad key","type":"invalid_request_error","param":"model","code":"invalid_api_key"}}`,
			httperr.Error{Code: "invalid_api_key", Type: "invalid_request_error", Param: "model", Text: "bad key"}},
		{"Anthropic", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}`,
			httperr.Error{Type: "overloaded_error", Text: "Overloaded"}},
		{"Google", `[{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED"}}]`,
			httperr.Error{Code: "429", Type: "RESOURCE_EXHAUSTED", Text: "Quota exceeded"}},
		{"text with details", `{"error":"invalid","message":"no such field"}`, httperr.Error{Text: "invalid: no such field"}},
		{"without an outer object", `{"object":"error","message":"too long","code":400}`, httperr.Error{Code: "400", Text: "too long"}},
		{"validators", `{"detail":[{"loc":["body","messages",0],"msg":"field required"},"bad"]}`,
			httperr.Error{Text: `[{"loc":["body","messages",0],"msg":"field required"},"bad"]`}},
		{"router", `{"error":{"message":"Provider returned error","metadata":{"raw":"overloaded"}}}`, httperr.Error{Text: "Provider returned error: overloaded"}},
		{"web page", "<!DOCTYPE html><title>Oops &amp; sorry</title><p>x", httperr.Error{Text: "Oops & sorry"}},
		{"web page without a title", "<html><body>Welcome", httperr.Error{}},
		{"text", "upstream timed out", httperr.Error{Text: "upstream timed out"}},
		{"no error in it", `{"choices":[]}`, httperr.Error{Text: `{"choices":[]}`}},
		{"empty", "", httperr.Error{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Status = 503
			if d := cmp.Diff(tt.want, *httperr.Parse(503, []byte(tt.body))); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// Without a status of HTTP, that in the object is taken.
func TestParseObjectStatus(t *testing.T) {
	e, ok := httperr.ParseObject([]byte(`{"error":{"code":"429","message":"slow down"}}`))
	if !ok || e.Status != 429 {
		t.Errorf("got %+v, %t", e, ok)
	}
}

func TestKind(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  httperr.Error
		want provider.Kind
	}{
		{"no sign", httperr.Error{}, provider.KindServer},
		{"status alone", httperr.Error{Status: 418}, provider.KindInvalid},
		{"a limit that names the page for billing", httperr.Error{Status: 429, Text: "Rate limit reached. Add a payment method at https://platform.openai.com/account/billing"}, provider.KindRateLimit},
		{"no credit", httperr.Error{Status: 400, Text: "Your credit balance is too low to access the API."}, provider.KindAuth},
		{"limit of tokens", httperr.Error{Status: 429, Text: "Too many tokens, please wait before trying again."}, provider.KindRateLimit},
		{"over any limit of tokens", httperr.Error{Status: 429, Text: "Request too large. The tokens must be reduced."}, provider.KindContextLength},
		{"too long", httperr.Error{Status: 400, Text: "prompt is too long: 208310 tokens > 200000 maximum"}, provider.KindContextLength},
		{"schema", httperr.Error{Status: 400, Text: "the schema violates strict mode"}, provider.KindInvalid},
		{"flagged", httperr.Error{Status: 403, Text: "Your input was flagged"}, provider.KindRefusal},
		{"bad key with another status", httperr.Error{Status: 400, Text: "API key not valid."}, provider.KindAuth},
		{"a status overrides loose words", httperr.Error{Status: 503, Text: "authentication is temporarily unavailable"}, provider.KindServer},
		{"words without a status", httperr.Error{Text: "authentication failed"}, provider.KindAuth},
		{"code without a status", httperr.Error{Type: "rate_limit_error"}, provider.KindRateLimit},
		{"refused connection", httperr.Error{Text: "connect ECONNREFUSED 127.0.0.1:1"}, provider.KindConnection},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.err.Kind(); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestNoCredit(t *testing.T) {
	for _, tt := range []struct {
		err  httperr.Error
		want bool
	}{
		{httperr.Error{Status: 402}, true},
		{httperr.Error{Status: 429, Type: "insufficient_quota"}, true},
		{httperr.Error{Status: 401}, false},
	} {
		if got := tt.err.NoCredit(); got != tt.want {
			t.Errorf("NoCredit of %+v is %t", tt.err, got)
		}
	}
}

func TestCleaner(t *testing.T) {
	c := httperr.NewCleaner("topsecret-1", "topsecret-1-longer", "abc")
	for _, tt := range []struct{ name, in, want, end string }{
		{"secret", "key topsecret-1!", "key [redacted]!", ""},
		{"secret that contains another", "key topsecret-1-longer!", "key [redacted]!", ""},
		{"too short to be secret", "an abc", "an abc", ""},
		{"secret with an escape in it", "top\x1b[0msecret-1", "[redacted]", ""},
		{"keys of others", "sk-ant-api03-AbCdEfGhIjK and sk-proj-12345678", "[redacted] and [redacted]", ""},
		{"lines", "a\n\tb\u202e", "a b", ""},
		{"long", strings.Repeat("ä", 400) + "bc", strings.Repeat("ä", 400) + "…", "…" + strings.Repeat("ä", 398) + "bc"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := c.Clean(tt.in); got != tt.want {
				t.Errorf("Clean(%q) = %q, want %q", tt.in, got, tt.want)
			}
			if tt.end == "" {
				tt.end = tt.want
			}
			if got := c.CleanEnd(tt.in); got != tt.end {
				t.Errorf("CleanEnd(%q) = %q, want %q", tt.in, got, tt.end)
			}
		})
	}
}

// Any body can be read and classified, and is safe to show after it was cleaned.
func FuzzParse(f *testing.F) {
	for _, body := range []string{
		"", "null", "{}", "[]", `[[]]`, `{"error":null}`, `{"error":true,"message":"x"}`, `{"error":{"message":["a",{"msg":"b"}]}}`,
		`{"error":{"message":{"detail":[{"loc":["body",1.5,null],"msg":null}]}}}`, `{"errors":[]}`, `{"detail":[1,null,[]]}`,
		`{"error":{"message":"topsecret-1","code":1e400}}`, "<title>", "\xff\xfe", "top\x1b[0msecret-1",
	} {
		f.Add(0, body)
		f.Add(429, body)
	}
	c := httperr.NewCleaner("topsecret-1")
	f.Fuzz(func(t *testing.T, status int, body string) {
		e := httperr.Parse(status, []byte(body))
		if e.Kind() == provider.KindUnknown {
			t.Errorf("status %d, body %q: unknown kind", status, body)
		}
		if s := c.Clean(e.Text); strings.Contains(s, "topsecret-1") || strings.ContainsFunc(s, unicode.IsControl) || !utf8.ValidString(s) || utf8.RuneCountInString(s) > 401 {
			t.Errorf("status %d, body %q: %q is not safe to show", status, body, s)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2015, 10, 21, 7, 28, 0, 0, time.UTC)
	for _, tt := range []struct {
		value, ms, date string
		want            time.Duration
	}{
		{"", "", "", 0},
		{"0", "", "", 0},
		{"1", "", "", time.Second},
		{" 12 ", "", "", 12 * time.Second},
		{"0.25", "", "", 250 * time.Millisecond},
		{"-5", "", "", 0},
		{"1e30", "", "", 24 * time.Hour},
		{"NaN", "", "", 0},
		{"Inf", "", "", 24 * time.Hour},
		{"soon", "", "", 0},
		{"Wed, 21 Oct 2015 07:28:09 GMT", "", "", 9 * time.Second},
		{"Wed, 21 Oct 2015 07:27:00 GMT", "", "", 0},
		{"Wed, 21 Oct 2037 07:28:00 GMT", "", "", 24 * time.Hour},
		{"Wed, 21 Oct 2020 07:28:09 GMT", "", "Wed, 21 Oct 2020 07:28:00 GMT", 9 * time.Second},
		{"5", "250", "", 250 * time.Millisecond},
		{"5", "x", "", 5 * time.Second},
	} {
		h := http.Header{}
		h.Set("Retry-After", tt.value)
		h.Set("Retry-After-Ms", tt.ms)
		h.Set("Date", tt.date)
		if got := httperr.RetryAfter(h, now); got != tt.want {
			t.Errorf("RetryAfter(%q, ms %q, date %q) = %v, want %v", tt.value, tt.ms, tt.date, got, tt.want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for _, s := range []float64{math.Inf(-1), math.NaN(), -0.1, 0} {
		if got := httperr.Seconds(s); got != 0 {
			t.Errorf("Seconds(%v) = %v, want 0", s, got)
		}
	}
}
