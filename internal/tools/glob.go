package tools

import (
	"context"
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner/diff"
	"github.com/codescan-dev/scanner/internal/text"
)

// files returns the listed files that an argument selects.
func (s *Session) files(ctx context.Context, where string) ([]string, error) {
	where = strings.TrimPrefix(where, "./")
	all, err := s.set.tree.list(ctx, where)
	if err != nil {
		return nil, err
	}
	if where == "" || where == "." || where == "/" {
		return all, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.set.limits.SearchTime)
	defer cancel()
	globs := []string{where}
	if !strings.ContainsAny(where, `*?[{\`) {
		name, err := s.set.tree.cleanPath(where)
		if err != nil {
			return nil, err
		}
		if name == "." {
			return all, nil
		}
		// First the path itself, then the name anywhere.
		globs = []string{"/" + name, name}
	}
	for _, g := range globs {
		if err := diff.ValidatePattern(g); err != nil {
			return nil, fmt.Errorf("the path is not valid: %w", err)
		}
		var selected []string
		for i, name := range all {
			if i%64 == 63 && ctx.Err() != nil {
				return nil, fmt.Errorf("it took too long to match %q", where)
			}
			if diff.Match(g, name) {
				selected = append(selected, name)
			}
		}
		if len(selected) > 0 {
			return selected, nil
		}
	}
	return nil, fmt.Errorf("no file matches %q", where)
}

// glob answers a call of Glob.
func (s *Session) glob(ctx context.Context, args arguments) (string, error) {
	files, err := s.files(ctx, args.Pattern)
	if err != nil {
		return "", err
	}
	a := &answer{room: s.room()}
	for i, name := range files {
		if i < s.set.limits.Names && a.add(text.Visible(name)) {
			continue
		}
		a.note(fmt.Sprintf("(%d more files)", len(files)-i))
		break
	}
	if s.set.tree.more {
		a.note(fmt.Sprintf("(the repository has more than %d files; the others cannot be found)", s.set.limits.Files))
	}
	return a.b.String(), nil
}
