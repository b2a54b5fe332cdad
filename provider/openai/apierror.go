package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/codescan-dev/scanner/internal/text"
	"github.com/codescan-dev/scanner/provider"
)

// apiError is what a server says about a request that it did not answer.
type apiError struct {
	status int    // 0 if it came with status 200
	code   string // a word, or a status as a number
	typ    string
	param  string
	text   string
}

func (e *apiError) Error() string { return e.text }

// mentions reports whether e says one of the words, in its text or its fields.
func (e *apiError) mentions(words ...string) bool {
	all := strings.ToLower(e.code + "\n" + e.typ + "\n" + e.param + "\n" + e.text)
	for _, w := range words {
		if strings.Contains(all, w) {
			return true
		}
	}
	return false
}

// is reports whether the code or the type of e is one of the words.
func (e *apiError) is(words ...string) bool {
	for _, w := range words {
		if strings.EqualFold(e.code, w) || strings.EqualFold(e.typ, w) {
			return true
		}
	}
	return false
}

// refusesRequest reports whether e may be about how the request was put. Some
// servers have status 500 for a parameter they do not know.
func (e *apiError) refusesRequest(kind provider.Kind) bool {
	return kind == provider.KindInvalid ||
		e.status == http.StatusInternalServerError || e.status == http.StatusNotImplemented
}

// classify makes an error of e by what the caller has to do. It shows of the
// server's text what is fit to be shown.
//
// Some decisions deserve a reason. Quota or credit that is used up has the kind
// of a bad key, although servers send it with status 429: waiting does not help,
// nobody is served until a person acts on the account, and that ends a run
// instead of failing its chunks one by one. A request that is too large for the
// limit of tokens per minute will never fit: it has the kind of a prompt that is
// too long. A 403 is about the key unless it says that the content was flagged.
func (c *Client) classify(e apiError) *provider.Error {
	e.text = c.redact(text.OneLine(e.text))
	status := e.status
	if status == 0 {
		status = e.impliedStatus()
	}
	out := &provider.Error{Kind: kindOfStatus(status), Status: e.status, Err: &e}
	out.Message = statusLine(status)
	switch {
	case e.status == 0 && e.text != "":
		out.Message = shorten(e.text, maxText)
	case e.status == 0:
		out.Message = "the answer is an error without a text"
	case e.text != "" && !strings.Contains(strings.ToLower(out.Message), strings.ToLower(e.text)):
		out.Message += ": " + shorten(e.text, maxText)
	}

	switch {
	case e.tooLong(status):
		out.Kind = provider.KindContextLength
	case e.is("content_filter", "content_policy_violation", "moderation_blocked") ||
		status == http.StatusForbidden && e.mentions("flagged", "moderation"):
		out.Kind = provider.KindRefusal
	case status == http.StatusPaymentRequired ||
		e.is("insufficient_quota", "billing_hard_limit_reached", "billing_not_active") ||
		status == http.StatusTooManyRequests && e.mentions("exceeded your current quota", "insufficient balance", "insufficient credit"):
		out.Kind = provider.KindAuth
		out.Hint = "the account has no quota or credit left: check its plan and billing"
	case e.is("invalid_api_key", "authentication_error") ||
		status == http.StatusBadRequest && e.mentions("api key not valid", "invalid api key", "incorrect api key"):
		out.Kind = provider.KindAuth
	}

	switch {
	case out.Hint != "":
	case out.Kind == provider.KindAuth && status == http.StatusForbidden:
		out.Hint = "check what the API key may be used for: model, project, region"
	case out.Kind == provider.KindAuth:
		out.Hint = "check the API key, and that it belongs to " + c.base.host()
	case status == http.StatusNotFound && e.mentions("model", "deployment"):
		out.Hint = "check the name of the model"
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		out.Hint = "check the base URL: many end in /v1, this one is " + c.clean(c.base.prefix)
	}
	return out
}

// kindOfStatus returns the kind of an error of which only the status is known.
func kindOfStatus(status int) provider.Kind {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return provider.KindAuth
	case http.StatusRequestTimeout:
		return provider.KindTimeout
	case http.StatusConflict, http.StatusTooEarly:
		return provider.KindServer
	case http.StatusRequestEntityTooLarge:
		return provider.KindContextLength
	case http.StatusTooManyRequests:
		return provider.KindRateLimit
	}
	if status >= 500 || status < 300 {
		return provider.KindServer
	}
	return provider.KindInvalid
}

// impliedStatus returns the status that an error without one would have.
func (e *apiError) impliedStatus() int {
	if n, err := strconv.Atoi(e.code); err == nil && n >= 400 && n < 600 {
		return n
	}
	switch {
	case e.is("rate_limit_exceeded", "rate_limit_error", "too_many_requests", "insufficient_quota"):
		return http.StatusTooManyRequests
	case e.is("invalid_api_key", "authentication_error"):
		return http.StatusUnauthorized
	case e.is("permission_error", "permission_denied"):
		return http.StatusForbidden
	case e.is("model_not_found", "not_found_error"):
		return http.StatusNotFound
	case e.is("timeout", "timeout_error"):
		return http.StatusRequestTimeout
	case e.is("invalid_request_error", "invalid_request", "context_length_exceeded", "content_filter"):
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// tooLong reports whether e says that the request has too many tokens.
func (e *apiError) tooLong(status int) bool {
	if e.is("context_length_exceeded", "exceed_context_size_error", "string_above_max_length") {
		return true
	}
	switch status {
	case http.StatusTooManyRequests:
		return e.mentions("must be reduced")
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusInternalServerError:
		return e.mentions("context length", "context_length", "context window", "context size", "maximum context",
			"prompt is too long", "input is too long", "prompt too long", "too many tokens", "reduce the length",
			"input token count", "exceeds the model's context")
	}
	return false
}

// parseError reads the body of an answer with an error status, in any of the
// forms that servers have.
func parseError(body []byte) apiError {
	if e, ok := parseObject(body); ok {
		return e
	}
	if looksLikeHTML(body) {
		return apiError{text: pageTitle(body)}
	}
	return apiError{text: string(body)}
}

// parseObject reads an error object: {"error": {...}}, {"error": "text"}, the
// object without the outer one, or a list of these. It reports false for
// anything else, also for a JSON null.
func parseObject(body []byte) (apiError, bool) {
	var v any
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return apiError{}, false
	}
	if list, ok := v.([]any); ok && len(list) > 0 {
		v = list[0]
	}
	obj, ok := v.(map[string]any)
	if !ok {
		return apiError{}, false
	}
	if text, ok := obj["error"].(string); ok && text != "" {
		more := fieldText(obj, "message", "detail")
		if more != "" {
			text += ": " + more
		}
		return apiError{code: scalar(obj["code"]), text: text}, true
	}
	if inner, ok := obj["error"].(map[string]any); ok {
		obj = inner
	}
	e := apiError{
		code:  scalar(obj["code"]),
		typ:   scalar(obj["type"]),
		param: scalar(obj["param"]),
		text:  fieldText(obj, "message", "detail", "msg", "errors", "title"),
	}
	// Routers hide what the vendor said.
	if meta, ok := obj["metadata"].(map[string]any); ok {
		if raw := fieldText(meta, "raw"); raw != "" {
			e.text += ": " + raw
		}
	}
	return e, e.text != "" || e.code != "" || e.typ != ""
}

// fieldText returns the first of the fields that says something, as text.
func fieldText(obj map[string]any, names ...string) string {
	for _, name := range names {
		switch v := obj[name].(type) {
		case nil:
		case string:
			if v != "" {
				return v
			}
		case []any:
			return listText(v)
		default:
			return compact(v)
		}
	}
	return ""
}

// listText joins the texts of a list: strings, or what validators write, such as
// {"loc": ["body", "response_format"], "msg": "extra fields not permitted"}.
func listText(list []any) string {
	var texts []string
	for _, item := range list {
		text, ok := item.(string)
		if obj, isObject := item.(map[string]any); isObject {
			text, ok = fieldText(obj, "msg", "message", "detail"), true
			var loc []string
			if path, isList := obj["loc"].([]any); isList {
				for _, step := range path {
					loc = append(loc, scalar(step))
				}
				text = strings.Join(loc, ".") + ": " + text
			}
		}
		if !ok {
			text = compact(item)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

// scalar returns a string or number as text, and anything else as nothing.
func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

func compact(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

func looksLikeHTML(body []byte) bool {
	head := bytes.ToLower(bytes.TrimSpace(body[:min(len(body), 1024)]))
	return bytes.HasPrefix(head, []byte("<!doctype html")) || bytes.HasPrefix(head, []byte("<html")) ||
		bytes.Contains(head, []byte("<head>")) || bytes.Contains(head, []byte("<body"))
}

var titleTag = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// pageTitle returns the title of a web page, or nothing.
func pageTitle(body []byte) string {
	if m := titleTag.FindSubmatch(body[:min(len(body), 64<<10)]); m != nil {
		return html.UnescapeString(string(m[1]))
	}
	return ""
}
