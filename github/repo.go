package github

import (
	"fmt"
	"net/url"
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

// validate refuses names that could change the meaning of a URL.
func (r Repo) validate() error {
	for _, name := range []string{r.Owner, r.Name} {
		other := strings.ContainsFunc(name, func(c rune) bool {
			return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("-_.", c)
		})
		if other || name == "" || name == "." || name == ".." {
			return fmt.Errorf("repository %q is not of the form owner/name", r)
		}
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
