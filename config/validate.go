package config

import (
	"errors"
	"io/fs"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/go-playground/validator/v10"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/nearest"
	"github.com/codescan-dev/scanner/internal/text"
)

// validate returns what is wrong with the values of a file whose keys and types
// are right.
func validate(f *File) []defect {
	v := validation()
	defects := f.index.invalid(v.Struct(f), "")
	// The validator writes the key of a map as it is, so that a path with it
	// cannot be read back; prices are validated one by one instead.
	if prices := f.index.root.byName["provider"].get("prices"); prices != nil {
		for _, n := range prices.nodes {
			price, ok := f.Provider.Prices[n.name]
			if !ok {
				continue
			}
			sub := &index{root: n}
			defects = append(defects, sub.invalid(v.Struct(price), "provider.prices.<name>.")...)
		}
	}
	return defects
}

// get returns a child, or nil.
func (n *node) get(name string) *node {
	if n == nil {
		return nil
	}
	return n.byName[name]
}

// invalid translates the validator's errors. The root of x is the validated
// table, whose keys have prefix in the schema.
func (x *index) invalid(err error, prefix string) []defect {
	if err == nil {
		return nil
	}
	errs, ok := errors.AsType[validator.ValidationErrors](err)
	if !ok {
		return []defect{{text: printable(err.Error())}}
	}
	var defects []defect
	for _, e := range errs {
		_, below, _ := strings.Cut(e.Namespace(), ".") // less the type's name
		n, found := x.find(below)
		d := defect{node: n, missing: !found, offset: n.value, path: n.path()}
		if !found {
			d.path = strings.TrimPrefix(x.root.path()+"."+below, ".")
		}
		want := fileSchema().wanted(prefix + indexes.ReplaceAllString(below, "[]"))
		d.text, d.hint = explain(e, n, found, want)
		defects = append(defects, d)
	}
	return defects
}

var indexes = regexp.MustCompile(`\[[0-9]+\]`)

// explain says in words what the validator found at n, or above it if the value
// is not there.
func explain(e validator.FieldError, n *node, found bool, want string) (message, hint string) {
	text := string(n.raw)
	switch {
	case e.Tag() == "duplicate":
		return "Duplicate skill names: " + printable(text), "names must be unique"
	case e.Tag() == "schedulepaths":
		return "paths is required for skills with schedule triggers", ""
	case e.Tag() == "scheduleactions":
		return "actions are for pull_request triggers only", ""
	case e.Namespace() == "File.version" && !found:
		return "`version = 1` is required", "make it the first line of the file"
	case e.Namespace() == "File.version":
		return "got " + text + ", want the number 1: `version = 1` is required", ""
	case !found:
		return "missing, want " + want, ""
	case e.Tag() == "baseurl": // it may hold a password
		return "want " + want, ""
	case n.isArray() || n.isTable():
		return "want " + want, ""
	}
	message = "got " + text + ", want " + want
	if e.Kind() == reflect.String {
		message = "got " + quote(text) + ", want " + want
		if err := diff.ValidatePattern(text); e.Tag() == "glob" && err != nil {
			message = err.Error()
		}
		if e.Tag() == "oneof" {
			if text == "critical" {
				hint = "critical findings count as high"
			} else if word := nearest.Word(text, strings.Fields(e.Param())); word != "" {
				hint = "did you mean " + quote(word) + "?"
			}
		}
	}
	return message, hint
}

// validation returns the one validator. It is safe for concurrent use.
var validation = sync.OnceValue(func() *validator.Validate {
	v := validator.New(validator.WithRequiredStructEnabled())
	v.RegisterTagNameFunc(func(f reflect.StructField) string { return f.Tag.Get("toml") })
	for tag, valid := range map[string]func(string) bool{
		"glob":      func(s string) bool { return diff.ValidatePattern(s) == nil },
		"skillname": validSkillName,
		"repopath":  validFolder,
		"word":      validWord,
		"baseurl":   validBaseURL,
	} {
		// It fails for an empty tag and for the names of built-in aliases only.
		_ = v.RegisterValidation(tag, func(fl validator.FieldLevel) bool { return valid(fl.Field().String()) })
	}
	v.RegisterStructValidation(validateNames, File{})
	v.RegisterStructValidation(validateTriggers, Skill{})
	return v
})

// validateNames reports each name that several skills have, once.
func validateNames(sl validator.StructLevel) {
	f := sl.Current().Interface().(File)
	seen := make(map[string]int)
	for i, s := range f.Skills {
		seen[s.Name]++
		if seen[s.Name] == 2 && s.Name != "" {
			name := "skills[" + strconv.Itoa(i) + "].name"
			sl.ReportError(s.Name, name, name, "duplicate", "")
		}
	}
}

// validateTriggers holds the rules between a skill and its triggers.
func validateTriggers(sl validator.StructLevel) {
	s := sl.Current().Interface().(Skill)
	scheduled := false
	for i, t := range s.Triggers {
		if t.Type != TriggerSchedule {
			continue
		}
		scheduled = true
		if len(t.Actions) > 0 { // an empty array is an error anyway
			name := "triggers[" + strconv.Itoa(i) + "].actions"
			sl.ReportError(t.Actions, name, name, "scheduleactions", "")
		}
	}
	if scheduled && len(s.Paths) == 0 {
		sl.ReportError(s.Paths, "paths", "Paths", "schedulepaths", "")
	}
}

func validSkillName(name string) bool {
	return validWord(name) && name != "." && name != ".." && !strings.ContainsAny(name, `/\`)
}

// validFolder reports whether s is a folder below the root of the repository, on
// every operating system.
func validFolder(s string) bool {
	return fs.ValidPath(s) && s != "." && !strings.ContainsAny(s, `\:`) && !strings.ContainsFunc(s, unicode.IsControl)
}

// validWord reports whether s says something and is one line without white
// space around it.
func validWord(s string) bool {
	return s != "" && strings.TrimSpace(s) == s && !strings.ContainsFunc(s, func(r rune) bool {
		return text.Hidden(r) || r == unicode.ReplacementChar
	})
}

func validBaseURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil && u.Fragment == ""
}
