package extract

import (
	"bytes"
	"encoding/json"
	"strings"
)

// kind says what a JSON value has to do with findings.
type kind int

const (
	saysNothing  kind = iota
	saysFindings      // a list under "findings"
	saysList          // a list under another name, or a bare one
	saysOne           // a finding on its own
	saysNull          // null in place of the list
)

// said is what a value says. The findings may be empty, for lists.
type said struct {
	kind     kind
	findings []json.RawMessage
	clean    bool // they stood in valid JSON
}

// Names of keys are compared by [fold].
const listKey = "findings"

var listAliases = []string{"issues", "results", "problems", "bugs", "vulnerabilities"}

// interpret says what a value of the text has to do with findings.
func interpret(text string, v value, encoded int) said {
	if v.sketch || !v.named && !v.aliased && !v.titled && !(v.bare && len(v.json) <= len("[]")) {
		return said{}
	}
	in := interpreter{whole: v.state == whole, encoded: encoded}
	raw := json.RawMessage(v.json)
	if in.whole {
		if b := []byte(text[v.start:v.end]); json.Valid(b) {
			raw, in.clean = b, true
		}
	}
	s := in.value(bytes.Clone(raw), maxWrap)
	s.clean = in.clean
	if !in.whole && (s.kind == saysOne || s.kind == saysList && len(s.findings) == 0) {
		return said{}
	}
	return s
}

// maxWrap is how deep a list of findings is looked for in other objects.
const maxWrap = 3

type interpreter struct {
	whole   bool // nothing of the value is missing
	clean   bool
	encoded int
}

func (in *interpreter) value(raw json.RawMessage, depth int) said {
	switch {
	case depth < 0 || len(raw) == 0:
		return said{}
	case raw[0] == '[':
		return in.array(raw, depth)
	case raw[0] == '{':
		return in.object(raw, depth)
	}
	return said{}
}

func (in *interpreter) array(raw json.RawMessage, depth int) said {
	elems := elements(raw)
	if len(elems) == 0 || anyFinding(elems) {
		return said{kind: saysList, findings: elems}
	}
	var s said
	for _, e := range elems {
		if inner := in.value(e, depth-1); inner.kind == saysFindings {
			s.kind = saysFindings
			s.findings = append(s.findings, inner.findings...)
		}
	}
	return s
}

func (in *interpreter) object(raw json.RawMessage, depth int) said {
	fields, err := members(raw)
	if err != nil {
		return said{}
	}
	if list, ok := last(fields, listKey); ok {
		return in.list(list)
	}
	if isFinding(fields) {
		return said{kind: saysOne, findings: []json.RawMessage{raw}}
	}
	for _, name := range listAliases {
		list, ok := last(fields, name)
		if !ok || list[0] != '[' {
			continue
		}
		if elems := elements(list); len(elems) == 0 || anyFinding(elems) {
			return said{kind: saysList, findings: elems}
		}
	}
	for _, f := range fields {
		if f.value[0] != '{' {
			continue
		}
		if s := in.value(f.value, depth-1); s.kind != saysNothing {
			return s
		}
	}
	return said{}
}

// list reads what stands under "findings".
func (in *interpreter) list(raw json.RawMessage) said {
	s := said{kind: saysFindings}
	switch raw[0] {
	case '[':
		s.findings = elements(raw)
		return s
	case 'n':
		return said{kind: saysNull}
	case '"':
		// The list may be JSON in a string; anything else in a string is prose.
		var inner string
		if json.Unmarshal(raw, &inner) != nil || in.encoded >= maxEncoded {
			return said{}
		}
		if inner = strings.TrimSpace(inner); inner == "" || inner[0] != '[' && inner[0] != '{' {
			return said{}
		}
		r := find(inner, in.encoded+1)
		if r.Err != nil {
			return said{}
		}
		in.clean = false
		s.findings = r.Findings
		return s
	case '{':
		// One finding, or findings by name.
		if !in.whole {
			return said{}
		}
		fields, err := members(raw)
		if err != nil || len(fields) == 0 {
			return said{}
		}
		if isFinding(fields) {
			s.findings = []json.RawMessage{raw}
			return s
		}
		for _, f := range fields {
			s.findings = append(s.findings, f.value)
		}
		if anyFinding(s.findings) {
			return s
		}
	}
	return said{}
}

func anyFinding(elems []json.RawMessage) bool {
	for _, e := range elems {
		if e[0] != '{' {
			continue
		}
		if fields, err := members(e); err == nil && isFinding(fields) {
			return true
		}
	}
	return false
}

// isFinding reports whether an object looks like a finding, a whole one or one
// that lacks something.
func isFinding(fields []member) bool {
	if _, ok := last(fields, "title"); !ok {
		return false
	}
	for _, name := range []string{"severity", "description"} {
		if _, ok := last(fields, name); ok {
			return true
		}
	}
	return false
}

// member is a member of a JSON object, its name folded.
type member struct {
	name  string
	value json.RawMessage
}

// members returns the members of a JSON object in their order.
func members(raw json.RawMessage) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var fields []member
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		key, _ := name.(string)
		m := member{name: fold(key)}
		if err := dec.Decode(&m.value); err != nil {
			return nil, err
		}
		fields = append(fields, m)
	}
	return fields, nil
}

// last returns the last member of that name, as JSON has it for names that stand
// twice.
func last(fields []member, name string) (json.RawMessage, bool) {
	for i := len(fields) - 1; i >= 0; i-- {
		if fields[i].name == name {
			return fields[i].value, true
		}
	}
	return nil, false
}

func elements(raw json.RawMessage) []json.RawMessage {
	var elems []json.RawMessage
	if json.Unmarshal(raw, &elems) != nil {
		return nil
	}
	return elems
}

// fold makes the spellings of a key alike: startLine, start_line, Start-Line.
func fold(key string) string {
	plain := true
	for i := range len(key) {
		plain = plain && 'a' <= key[i] && key[i] <= 'z'
	}
	if plain {
		return key
	}
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(key))
}
