package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/codescan-dev/scanner/provider"
)

// header is the first line of a record.
const header = "scanner exchange 1"

// hashOf is in front of the name of a part of the request.
const hashOf = "hash of "

// key is what a record is looked up by.
type key struct{ skill, role, chunk string }

// record is an exchange. Its date and usage are for readers.
type record struct {
	key
	file        string // that it was read from
	path        string
	first, last int // lines of the chunk
	date        time.Time
	model       string // that was requested; empty if unknown
	hashes      map[string]string
	sent        []string // what the model had not seen before
	resp        provider.Response
	failure     *provider.Error // in place of resp
}

// answerPart is the name of the hash of the answer, by which an edited one is recognized.
const answerPart = "answer"

// encode returns the text of a record. Secrets in what was sent and answered are
// replaced.
func (r *record) encode(redact func(string) (string, int)) []byte {
	w := writer{[]byte(header + "\n"), redact}
	w.add("skill", r.skill)
	w.add("role", r.role)
	w.addForeign("path", r.path)
	w.add("lines", fmt.Sprintf("%d-%d", r.first, r.last))
	w.add("chunk", r.chunk)
	w.add("date", r.date.UTC().Format(time.RFC3339))
	w.add("requested", r.model)
	for _, p := range parts {
		w.add(hashOf+p.name, r.hashes[p.name])
	}
	answer := r.encodeAnswer(redact)
	w.add(hashOf+answerPart, hash(string(answer)))
	for _, text := range r.sent {
		w.addForeign("sent", text)
	}
	return append(w.text, answer...)
}

// encodeAnswer returns the end of the text of a record, which is what the model answered.
func (r *record) encodeAnswer(redact func(string) (string, int)) []byte {
	w := writer{redact: redact}
	if f := r.failure; f != nil {
		w.add("failure", f.Kind.String())
		w.add("status", strconv.Itoa(f.Status))
		w.addForeign("message", f.Message)
		return w.text
	}
	w.addForeign("model", r.resp.Model)
	w.add("stop", string(r.resp.Stop))
	if usage, err := json.Marshal(r.resp.Usage); err == nil { // a cost that is not a number is an error
		w.add("usage", string(usage))
	}
	w.addForeign("answer", r.resp.Text)
	for _, c := range r.resp.ToolCalls {
		w.addForeign("call", c.ID)
		w.addForeign("tool", c.Name)
		w.addForeign("arguments", c.Arguments)
	}
	return w.text
}

// writer collects the fields of a record.
type writer struct {
	text   []byte
	redact func(string) (string, int) // may be nil
}

func (w *writer) add(name, text string) {
	if text != "" || name == "call" { // which begins the fields of a call
		w.text = appendField(w.text, name, text)
	}
}

// addForeign adds a text that may hold secrets.
func (w *writer) addForeign(name, text string) {
	if w.redact != nil {
		text, _ = w.redact(text)
	}
	w.add(name, text)
}

// appendField writes a text behind its name, or, if it has several lines, below it with
// '|' before each. A line that does not look like what it holds is quoted as in Go.
func appendField(b []byte, name, text string) []byte {
	lines := strings.Split(text, "\n")
	if len(lines) == 1 && text != "" && isPlain(text) {
		return append(b, name+": "+text+"\n"...)
	}
	b = append(b, name+":\n"...)
	for _, l := range lines {
		switch {
		case l == "":
			b = append(b, '|')
		case isPlain(l):
			b = append(b, "| "+l...)
		default:
			b = strconv.AppendQuote(b, l)
		}
		b = append(b, '\n')
	}
	return b
}

// isPlain reports whether an editor, git and a terminal show a line as it is, and keep
// it so.
func isPlain(line string) bool {
	for _, r := range line {
		if r != '\t' && !strconv.IsPrint(r) {
			return false
		}
	}
	return utf8.ValidString(line) && strings.TrimRight(line, " \t") == line
}

// decode reads a record. Its errors begin with the number of the line.
func decode(data []byte) (*record, error) {
	first, rest, _ := strings.Cut(string(data), "\n")
	if strings.TrimSuffix(first, "\r") != header {
		return nil, fmt.Errorf("1: not a record of this version, which begins with %q", header)
	}
	r := &record{hashes: make(map[string]string)}
	var name string // of the last field
	var lines []string
	begin := 0
	for i, line := range append(strings.Split(rest, "\n"), ":") { // which ends the last field
		line = strings.TrimSuffix(line, "\r") // git adds it on Windows
		next, text, ok := strings.Cut(line, ":")
		switch {
		case line == "":
		case line[0] == '|' && begin > 0:
			lines = append(lines, strings.TrimPrefix(line[1:], " "))
		case line[0] == '"' && begin > 0:
			text, err := strconv.Unquote(line)
			if err != nil {
				return nil, fmt.Errorf("%d: the quoted line is damaged", i+2)
			}
			lines = append(lines, text)
		case !ok:
			return nil, fmt.Errorf("%d: the line has neither a name nor '|' before it", i+2)
		default:
			if begin > 0 {
				if err := r.set(name, strings.Join(lines, "\n")); err != nil {
					return nil, fmt.Errorf("%d: %q: %w", begin, name, err)
				}
			}
			name, lines, begin = next, nil, i+2
			if text != "" {
				lines = []string{strings.TrimPrefix(text, " ")}
			}
		}
	}
	if r.skill == "" || r.role == "" || r.chunk == "" || r.first == 0 {
		return nil, errors.New("1: the skill, the role, the chunk or its lines are missing")
	}
	if r.failure == nil && strings.TrimSpace(r.resp.Text) == "" && len(r.resp.ToolCalls) == 0 {
		return nil, fmt.Errorf("%d: the record ends without an answer", 2+strings.Count(strings.TrimSpace(rest), "\n"))
	}
	return r, nil
}

// IsRecord reports whether the whole text of a file is a record.
func IsRecord(data []byte) bool {
	_, err := decode(data)
	return err == nil
}

// set sets the field with a name.
func (r *record) set(name, text string) (err error) {
	texts := map[string]*string{
		"skill": &r.skill, "role": &r.role, "chunk": &r.chunk, "path": &r.path, "requested": &r.model,
		"model": &r.resp.Model, "stop": (*string)(&r.resp.Stop), "answer": &r.resp.Text,
	}
	if n := len(r.resp.ToolCalls); n > 0 {
		texts["tool"], texts["arguments"] = &r.resp.ToolCalls[n-1].Name, &r.resp.ToolCalls[n-1].Arguments
	}
	if r.failure != nil {
		texts["message"] = &r.failure.Message
	}
	if to := texts[name]; to != nil {
		*to = text
		return nil
	}
	if part, ok := strings.CutPrefix(name, hashOf); ok {
		r.hashes[part] = text
		return nil
	}
	switch name {
	case "lines":
		if n, _ := fmt.Sscanf(text, "%d-%d", &r.first, &r.last); n != 2 || r.first < 1 || r.first > math.MaxInt32 {
			return fmt.Errorf("got %q, want two numbers, such as 3-9", text)
		}
	case "date":
		r.date, err = time.Parse(time.RFC3339, text)
	case "sent":
		r.sent = append(r.sent, text)
	case "usage":
		err = json.Unmarshal([]byte(text), &r.resp.Usage)
	case "call":
		r.resp.ToolCalls = append(r.resp.ToolCalls, provider.ToolCall{ID: text})
	case "failure":
		i := slices.IndexFunc(recorded, func(k provider.Kind) bool { return k.String() == text })
		if i < 0 {
			return fmt.Errorf("got %q, which is not a failure that is recorded", text)
		}
		r.failure = &provider.Error{Kind: recorded[i]}
	case "status":
		if r.failure == nil {
			return errors.New("there is no failure before it")
		}
		r.failure.Status, err = strconv.Atoi(text)
	default:
		return errors.New("there is no such field here")
	}
	return err
}
