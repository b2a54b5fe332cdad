package gitdiff

import (
	"bytes"
	"context"
	"fmt"

	"github.com/codescan-dev/scanner/diff"
)

// markGenerated sets Generated where the attribute linguist-generated is set.
// The attributes are those of the working tree, or of the index.
func (g *git) markGenerated(ctx context.Context, files []diff.File, cached bool) error {
	paths := make([]string, 0, len(files))
	for i := range files {
		if f := &files[i]; f.Skip == "" && f.Status != diff.Deleted {
			paths = append(paths, f.Path)
		}
	}
	values, err := g.attribute(ctx, "linguist-generated", paths, cached)
	if err != nil {
		return err
	}
	for i := range files {
		switch values[files[i].Path] {
		case "set", "true":
			files[i].Generated = true
		}
	}
	return nil
}

// attribute returns the values of an attribute by path.
func (g *git) attribute(ctx context.Context, name string, paths []string, cached bool) (map[string]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	var stdin bytes.Buffer
	for _, p := range paths {
		stdin.WriteString(p)
		stdin.WriteByte(0)
	}
	args := []string{"check-attr", "-z", "--stdin"}
	if cached {
		args = append(args, "--cached")
	}
	out, err := g.output(ctx, stdin.Bytes(), append(args, name)...)
	if err != nil {
		return nil, err
	}
	fields := bytes.Split(bytes.TrimSuffix(out, []byte{0}), []byte{0})
	if len(fields) != 3*len(paths) {
		return nil, fmt.Errorf("git check-attr: %d values for %d paths", len(fields)/3, len(paths))
	}
	values := make(map[string]string, len(paths))
	for i := 0; i < len(fields); i += 3 {
		values[string(fields[i])] = string(fields[i+2])
	}
	return values, nil
}
