package skill

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/codescan-dev/scanner"
	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/dotdir"
	"github.com/codescan-dev/scanner/internal/text"
)

const (
	maxResources     = 100
	maxResourceSize  = 64 << 10
	maxResourcesSize = 1 << 20 // of all
	maxVisited       = 2000    // files and directories
	maxLeftOut       = 5       // in a warning
)

var errNotText = errors.New("not text")

// loadResources returns the resources of the skill in dir.
func loadResources(fsys fs.FS, dir, label, instructions string) (resources []scanner.Resource, warnings []Warning) {
	sub, err := fs.Sub(fsys, dir)
	if err != nil {
		return nil, nil // dir is valid, so this does not happen
	}
	named, others, err := findResources(sub, fileNames(instructions))
	var leftOut []string
	if err != nil {
		leftOut = append(leftOut, err.Error())
	}
	size := 0
	for i, name := range slices.Concat(named, others) {
		text, err := readResource(sub, name)
		if size += len(text); err == nil && (len(resources) == maxResources || size > maxResourcesSize) {
			err = errors.New("more than 100 files or 1 MiB in all")
		}
		if err == nil {
			resources = append(resources, scanner.Resource{Name: name, Text: text})
		} else if i < len(named) || err != errNotText {
			leftOut = append(leftOut, fmt.Sprintf("%s (%v)", printable(name), err))
		}
	}
	if n := len(leftOut); n > maxLeftOut {
		leftOut = append(leftOut[:maxLeftOut], fmt.Sprintf("and %d more", n-maxLeftOut))
	}
	if len(leftOut) > 0 {
		warnings = []Warning{{File: label, Message: "left out of its resources: " + strings.Join(leftOut, ", ")}}
	}
	return resources, warnings
}

// readResource returns the text of a resource; empty for a script, or with an error.
func readResource(sub fs.FS, name string) (string, error) {
	if strings.HasPrefix(strings.ToLower(name), "scripts/") {
		return "", nil
	}
	data, err := dotdir.ReadRegular(sub, name, maxResourceSize)
	if err != nil {
		return "", err
	}
	shown := text.Clean(string(plainText(data))) // what a reader does not see is not sent
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 || strings.TrimSpace(shown) == "" {
		return "", errNotText
	}
	return shown, nil
}

// findResources returns the files that can be resources: those that the instructions name,
// and the others. Links are not followed: nothing must be sent that is kept elsewhere.
func findResources(sub fs.FS, names []string) (named, others []string, err error) {
	visited := 0
	err = fs.WalkDir(sub, ".", func(name string, d fs.DirEntry, err error) error {
		if visited++; err != nil || name == "." {
			return err
		}
		if visited > maxVisited {
			return fmt.Errorf("all after %d files", maxVisited)
		}
		lower := strings.ToLower(name)
		if d.IsDir() {
			lower += "/"
		}
		i, isNamed := slices.BinarySearch(names, lower)
		isNamed = isNamed || d.IsDir() && i < len(names) && strings.HasPrefix(names[i], lower)
		top, _, _ := strings.Cut(lower, "/")
		usual := top == "references" || top == "assets" || top == "scripts"
		never := path.Base(name)[0] == '.' || top == "tests"
		switch {
		case d.IsDir() && (never || !isNamed && !usual): // also to stay fast in a large directory
			return fs.SkipDir
		case d.IsDir(), never, !d.Type().IsRegular(), name == skillMD, name == patternsTOML, !fs.ValidPath(name), diff.IsCredentialFile(name):
		case isNamed:
			named = append(named, name)
		case usual:
			others = append(others, name)
		}
		return nil
	})
	return named, others, err
}

// fileNames returns the words of a text that can be names of files, sorted: in lower case,
// since authors write REFERENCE.md for reference.md, and without a slash in front, which
// follows a placeholder for the directory of the skill.
func fileNames(text string) (names []string) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.N) && !strings.ContainsRune("_-./", r)
	}) {
		names = append(names, strings.TrimLeft(path.Clean(strings.TrimRight(word, ".")), "/"))
	}
	slices.Sort(names)
	return names
}
