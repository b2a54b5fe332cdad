package gitlab

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/codescan-dev/scanner/review"
)

// Project names a project on the host: by the path of its groups and its own, or by
// its number.
type Project struct{ name string }

// projectPath matches paths that do not change the meaning of a URL.
var projectPath = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)+$`)

// ParseProject reads "group/project", with any number of subgroups, or a number.
func ParseProject(s string) (Project, error) {
	p := Project{s}
	if p.number() == 0 && !projectPath.MatchString(s) {
		return Project{}, fmt.Errorf("project %q is neither of the form group/project nor a number", s)
	}
	return p, nil
}

func (p Project) String() string { return p.name }

// number returns the number of a project that is named by it, otherwise 0.
func (p Project) number() int64 {
	n, err := strconv.ParseInt(p.name, 10, 64)
	if err != nil || n < 1 {
		return 0
	}
	return n
}

// page returns the address of the project's page. By number, it leads to a redirect.
func (p Project) page(web string) string {
	if p.number() > 0 {
		return web + "/projects/" + p.name
	}
	return web + "/" + p.name
}

// Flavor returns how GitLab writes links to a project, and suggestions. web is the
// address of its pages; empty means https://gitlab.com.
func Flavor(web string, project Project) review.Flavor {
	if web = strings.TrimRight(web, "/"); web == "" {
		web = "https://gitlab.com"
	}
	base := project.page(web) + "/-"
	return review.Flavor{
		Change: "merge request", Run: "job",
		FileURL: func(commit, path string, start, end int) string {
			segments := strings.Split(path, "/")
			for i, s := range segments {
				segments[i] = url.PathEscape(s)
			}
			u := base + "/blob/" + commit + "/" + strings.Join(segments, "/")
			switch {
			case start > 0 && end > start:
				u += fmt.Sprintf("#L%d-%d", start, end)
			case start > 0:
				u += fmt.Sprintf("#L%d", start)
			}
			return u
		},
		CommitURL: func(commit string) string { return base + "/commit/" + commit },
		ChangeURL: func(number int) string { return fmt.Sprintf("%s/merge_requests/%d", base, number) },
		Suggestion: func(n int) string {
			if n > maxSuggestion {
				return ""
			}
			return fmt.Sprintf("suggestion:-%d+0", n-1) // the comment is on the last line
		},
	}
}

// maxSuggestion is the number of lines that a suggestion can replace: the line of the
// comment and 100 above it.
const maxSuggestion = 101
