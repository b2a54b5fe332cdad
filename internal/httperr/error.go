package httperr

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strconv"
)

// Error is what an API reports about a request that it did not answer. All of it
// is untrusted.
type Error struct {
	// Status is the HTTP status; 0 if there is none.
	Status int
	// Code is a word of the API, or a status as a number.
	Code string
	// Type is the API's class of errors.
	Type string
	// Param is the parameter of the request that is wrong.
	Param string
	// Text is for people. It may be empty, or long.
	Text string
}

var _ error = (*Error)(nil)

// Error returns the text.
func (e *Error) Error() string { return e.Text }

// Parse reads the body of an answer with an error status, in any of the forms
// that servers have: an error object, a web page of a proxy, or text.
func Parse(status int, body []byte) *Error {
	e, ok := ParseObject(body)
	switch {
	case ok:
	case IsHTML(body):
		e = &Error{Text: pageTitle(body)}
	default:
		e = &Error{Text: string(body)}
	}
	e.Status = status
	return e
}

// ParseObject reads an error object: {"error": {...}}, {"error": "text"}, the
// object without the outer one, or a list of these. It reports false for
// anything else, also for a JSON null. The status is the code, if that is one.
func ParseObject(body []byte) (*Error, bool) {
	var v any
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return nil, false
	}
	if list, ok := v.([]any); ok && len(list) > 0 {
		v = list[0]
	}
	obj, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	if text, ok := obj["error"].(string); ok && text != "" {
		if more := fieldText(obj, "message", "detail"); more != "" {
			text += ": " + more
		}
		return newError(Error{Code: scalar(obj["code"]), Text: text}), true
	}
	inner, nested := obj["error"].(map[string]any)
	if nested {
		obj = inner
	}
	e := Error{
		Code:  scalar(obj["code"]),
		Type:  scalar(obj["type"]),
		Param: scalar(obj["param"]),
		Text:  fieldText(obj, "message", "detail", "msg", "errors", "title"),
	}
	if nested && e.Type == "" {
		e.Type = scalar(obj["status"]) // Google's name for it
	}
	if details, ok := obj["details"].(map[string]any); ok && e.Code == "" {
		e.Code = scalar(details["error_code"])
	}
	// Routers wrap the error of the vendor.
	if meta, ok := obj["metadata"].(map[string]any); ok {
		if raw := fieldText(meta, "raw"); raw != "" {
			e.Text += ": " + raw
		}
	}
	return newError(e), e.Text != "" || e.Code != "" || e.Type != ""
}

// newError sets the status if the code is one.
func newError(e Error) *Error {
	if n, err := strconv.Atoi(e.Code); err == nil && n >= 400 && n < 600 {
		e.Status = n
	}
	return &e
}

// fieldText returns the first of the fields that is not empty, as text.
func fieldText(obj map[string]any, names ...string) string {
	for _, name := range names {
		switch v := obj[name].(type) {
		case nil:
		case string:
			if v != "" {
				return v
			}
		default:
			return compact(v)
		}
	}
	return ""
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

// IsHTML reports whether the body of an answer looks like a web page.
func IsHTML(body []byte) bool {
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
