package github

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/codescan-dev/scanner/review"
)

// Repo names a repository on the host.
type Repo struct{ Owner, Name string }

// ParseRepo reads "owner/name".
func ParseRepo(s string) (Repo, error) {
	owner, name, _ := strings.Cut(s, "/")
	r := Repo{owner, name}
	return r, r.validate()
}

func (r Repo) String() string { return r.Owner + "/" + r.Name }

// repoName matches names that do not change the meaning of a URL.
var repoName = regexp.MustCompile(`^[A-Za-z0-9_.-]*[A-Za-z0-9_-][A-Za-z0-9_.-]*$`)

func (r Repo) validate() error {
	if !repoName.MatchString(r.Owner) || !repoName.MatchString(r.Name) {
		return fmt.Errorf("repository %q is not of the form owner/name", r)
	}
	return nil
}

// Flavor returns how GitHub writes links to a repository, and suggestions. web is
// the address of its pages; empty means https://github.com.
func Flavor(web string, repo Repo) review.Flavor {
	if web = strings.TrimRight(web, "/"); web == "" {
		web = "https://github.com"
	}
	base := web + "/" + repo.String()
	return review.Flavor{
		FileURL: func(commit, path string, start, end int) string {
			segments := strings.Split(path, "/")
			for i, s := range segments {
				segments[i] = url.PathEscape(s)
			}
			u := base + "/blob/" + commit + "/" + strings.Join(segments, "/")
			switch {
			case start > 0 && end > start:
				u += fmt.Sprintf("#L%d-L%d", start, end)
			case start > 0:
				u += fmt.Sprintf("#L%d", start)
			}
			return u
		},
		CommitURL:  func(commit string) string { return base + "/commit/" + commit },
		ChangeURL:  func(number int) string { return fmt.Sprintf("%s/pull/%d", base, number) },
		Suggestion: func(int) string { return "suggestion" },
	}
}
