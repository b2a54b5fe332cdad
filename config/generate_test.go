package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/internal/tomlfile"
)

// TestGenerated checks that the schemas and docs/configuration.md describe the keys as
// they are.
func TestGenerated(t *testing.T) {
	described := describeKeys(t)
	for _, k := range schema().All() {
		if k.Name != "" && described[k.Path] == "" {
			t.Errorf("%s has no comment", k.Path)
		}
	}
	for in, file := range map[scope]string{inProject: "schema.json", inUser: "user-schema.json"} {
		s := keySchema(schema(), in, described, reflect.ValueOf(contents{Settings: builtIn()}))
		s.Schema = "http://json-schema.org/draft-07/schema#" // the latest that the plugins of editors know
		s.ID = "https://raw.githubusercontent.com/codescan-dev/scanner/main/config/" + file
		s.Description = map[scope]string{
			inProject: "scanner.toml, at the root of a repository", inUser: "The user's own configuration of scanner, config.toml",
		}[in]
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(s); err != nil {
			t.Fatal(err)
		}
		checkGenerated(t, file, b.String())
	}

	name := filepath.Join("..", "docs", "configuration.md")
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	written, _, ok := strings.Cut(string(page), generatedMark)
	if !ok {
		t.Fatalf("%s lacks the line %q", name, generatedMark)
	}
	checkGenerated(t, name, written+generatedMark+reference(t, described))
}

// generatedMark begins the generated part of docs/configuration.md.
const generatedMark = "<!-- `go generate ./config` writes what follows. -->\n"

func checkGenerated(t *testing.T, name, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is out of date: go generate ./config", name)
	}
}

// describeKeys returns the first paragraph of the comment of each field, by the path of
// its key. Names of fields are replaced by those of their keys.
func describeKeys(t *testing.T) map[string]string {
	t.Helper()
	types := make(map[string]*ast.StructType)
	keyOf := make(map[string]string) // by name of the field
	tag := func(f *ast.Field) string {
		if f.Tag == nil {
			return ""
		}
		return reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("toml")
	}
	for _, name := range []string{"config.go", "settings.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok {
					types[n.Name.Name] = s
				}
			case *ast.Field:
				if key := tag(n); key != "" {
					keyOf[n.Names[0].Name] = key
				}
			}
			return true
		})
	}
	described := make(map[string]string)
	word := regexp.MustCompile(`"?\b[A-Z][A-Za-z0-9]+\b`)
	var walk func(path string, e ast.Expr)
	walk = func(path string, e ast.Expr) {
		switch e := e.(type) {
		case *ast.Ident:
			if s := types[e.Name]; s != nil {
				walk(path, s)
			}
		case *ast.ArrayType:
			walk(path+"[]", e.Elt)
		case *ast.MapType:
			walk(path+".<name>", e.Value)
		case *ast.StructType:
			for _, f := range e.Fields.List {
				key := tag(f)
				if len(f.Names) == 0 { // embedded
					walk(path, f.Type)
				} else if key != "" {
					at := strings.TrimPrefix(path+"."+key, ".")
					text, _, _ := strings.Cut(f.Doc.Text(), "\n\n")
					text = strings.Join(strings.Fields(text), " ")
					described[at] = word.ReplaceAllStringFunc(text, func(w string) string {
						if key := keyOf[w]; key != "" {
							return "`" + key + "`"
						}
						return w
					})
					walk(at, f.Type)
				}
			}
		}
	}
	walk("", types["contents"])
	return described
}

// jsonSchema is a part of a schema, in the order in which it is written.
type jsonSchema struct {
	Schema      string          `json:"$schema,omitempty"`
	ID          string          `json:"$id,omitempty"`
	Description string          `json:"description,omitempty"`
	Type        string          `json:"type"`
	Const       json.RawMessage `json:"const,omitempty"`
	Enum        []string        `json:"enum,omitempty"`
	Minimum     json.RawMessage `json:"minimum,omitempty"`
	Above       json.RawMessage `json:"exclusiveMinimum,omitempty"`
	Maximum     json.RawMessage `json:"maximum,omitempty"`
	MinItems    json.RawMessage `json:"minItems,omitempty"`
	Pattern     string          `json:"pattern,omitempty"`
	Default     any             `json:"default,omitempty"`
	Items       *jsonSchema     `json:"items,omitempty"`
	Required    []string        `json:"required,omitempty"`
	Properties  properties      `json:"properties,omitempty"`
	Additional  any             `json:"additionalProperties,omitempty"`
}

type properties []property

type property struct {
	name   string
	schema *jsonSchema
}

// MarshalJSON returns an object with the properties in their order.
func (p properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for i, c := range p {
		b.WriteString(map[bool]string{true: "{", false: ","}[i == 0])
		fmt.Fprintf(&b, "%q:", c.name)
		if err := e.Encode(c.schema); err != nil {
			return nil, err
		}
	}
	b.WriteString("}")
	return b.Bytes(), nil
}

// keySchema returns the schema of a key of a file. value is the built-in one, which only
// settings outside of arrays have.
func keySchema(k *tomlfile.Key, in scope, described map[string]string, value reflect.Value) *jsonSchema {
	s := &jsonSchema{Description: described[k.Path]}
	for rule := range strings.SplitSeq(k.Rule, ",") {
		name, param, _ := strings.Cut(rule, "=")
		raw := json.RawMessage(param)
		switch name {
		case "eq":
			s.Const = raw
		case "oneof":
			s.Enum = strings.Fields(param)
		case "gte":
			s.Minimum = raw
		case "gt":
			s.Above = raw
		case "lte":
			s.Maximum = raw
		case "min":
			s.MinItems = raw
		default:
			s.Pattern = textRules[name].pattern
		}
	}
	switch k.Type.Kind() {
	case reflect.Struct:
		s.Type, s.Additional = "object", false
		for _, c := range k.Keys {
			if message, _ := in.checkKey(c.Name, c); message != "" {
				continue
			}
			var v reflect.Value
			if value.IsValid() {
				v = c.Field(value)
			}
			s.Properties = append(s.Properties, property{c.Name, keySchema(c, in, described, v)})
			if c.Required {
				s.Required = append(s.Required, c.Name)
			}
		}
		return s
	case reflect.Map:
		s.Type, s.Additional = "object", keySchema(k.Elem, in, described, reflect.Value{})
		return s
	case reflect.Slice:
		s.Type, s.Items = "array", keySchema(k.Elem, in, described, reflect.Value{})
		return s
	case reflect.String:
		s.Type = "string"
	case reflect.Bool:
		s.Type = "boolean"
	case reflect.Float64:
		s.Type = "number"
	default:
		s.Type = "integer"
	}
	if hasDefault(k, value) {
		s.Default = value.Interface()
	}
	return s
}

// hasDefault reports whether the built-in value of a key is one. That of a switch is
// one, too, if it is off.
func hasDefault(k *tomlfile.Key, value reflect.Value) bool {
	return value.IsValid() && !k.Required && (value.Kind() == reflect.Bool || !value.IsZero())
}

// reference returns the part of docs/configuration.md about the keys.
func reference(t *testing.T, described map[string]string) string {
	t.Helper()
	overrides := make(map[string][]string) // flags and variables by key
	for _, o := range options(Flags{}, Env{}) {
		overrides[o.key] = append(overrides[o.key], "`"+o.name+"`")
	}
	var examples []*File
	texts := []string{example, userExample}
	for i, in := range []scope{inProject, inUser} {
		texts[i] = commentedKey.ReplaceAllString(texts[i], "$1")
		f, err := parse("example", []byte(texts[i]), in)
		if err != nil {
			t.Fatal(err)
		}
		examples = append(examples, f)
	}
	var b strings.Builder
	var walk func(table *tomlfile.Key, value reflect.Value, in scope)
	walk = func(table *tomlfile.Key, value reflect.Value, in scope) {
		var tables []func()
		for _, k := range table.Keys {
			var v reflect.Value
			if value.IsValid() {
				v = k.Field(value)
			}
			in := cmp.Or(scope(k.Tag.Get("in")), in)
			sub, header := k, "["+k.Path+"]"
			if k.Elem != nil {
				sub, v = k.Elem, reflect.Value{}
				header = "[[" + strings.ReplaceAll(k.Path, "[]", "") + "]]"
				if k.Type.Kind() == reflect.Map {
					header = "[" + k.Elem.Path + "]"
				}
			}
			if len(sub.Keys) > 0 {
				tables = append(tables, func() {
					fmt.Fprintf(&b, "\n## `%s`\n\n%s\n", header, described[k.Path])
					walk(sub, v, in)
				})
				continue
			}
			fmt.Fprintf(&b, "\n### `%s`\n\n%s\n\n- Value: %s\n", k.Path, described[k.Path], k.Want)
			over, inherited := overrides[k.Path], ""
			if strings.HasPrefix(k.Path, "skills[].") {
				inherited = inheritedKey(k.Name)
				over = overrides[inherited]
			}
			switch {
			case k.Required:
				b.WriteString("- Required\n")
			case hasDefault(k, v):
				fmt.Fprintf(&b, "- Default: `%s`\n", literal(v))
			case strings.HasPrefix(k.Path, "skills[].triggers[].") && schema().Find("skills[]."+k.Name) != nil:
				b.WriteString("- Default: that of the skill\n")
			case inherited != "" && schema().Find(inherited) != nil:
				fmt.Fprintf(&b, "- Default: that of `%s`\n", inherited)
			}
			fmt.Fprintf(&b, "- In: %s\n", map[scope]string{"": "scanner.toml, the user's file", inProject: "scanner.toml", inUser: "the user's file"}[in])
			if len(over) > 0 {
				fmt.Fprintf(&b, "- Overridden by: %s\n", strings.Join(over, ", "))
			}
			fmt.Fprintf(&b, "- Example: `%s`\n", exampleOf(t, k, examples, texts))
		}
		for _, table := range tables {
			table()
		}
	}
	walk(schema(), reflect.ValueOf(contents{Settings: builtIn()}), "")
	return b.String()
}

func literal(v reflect.Value) string {
	if v.Kind() == reflect.String {
		return tomlfile.Quote(v.String())
	}
	return fmt.Sprint(v)
}

// exampleOf returns the line of the examples that sets a key, without its comment.
func exampleOf(t *testing.T, k *tomlfile.Key, files []*File, texts []string) string {
	t.Helper()
	path := strings.NewReplacer("skills[].", "skills[1].", "[]", "[0]", "<name>", "qwen3-coder").Replace(k.Path)
	for i, f := range files {
		if !f.doc.Value(path).IsValid() {
			continue
		}
		line := strings.Split(texts[i], "\n")[f.doc.Line(path)-1]
		line, _, _ = strings.Cut(line, "#")
		return strings.TrimSpace(line)
	}
	t.Errorf("no example has %s", path)
	return ""
}
