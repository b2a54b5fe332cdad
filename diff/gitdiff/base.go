package gitdiff

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// mergeBase returns the merge base of a reference and HEAD.
func (r *Repo) mergeBase(ctx context.Context, ref string) (string, error) {
	if err := checkRef(ref); err != nil {
		return "", err
	}
	if r.head == "" {
		return "", &Error{Kind: UnrelatedBase, Subject: ref, Hint: "commit first, or scan without a base",
			Err: fmt.Errorf("base reference %q: HEAD has no commits", ref)}
	}
	base, err := r.resolveRef(ctx, ref)
	if err != nil {
		return "", err
	}
	out, err := r.git.output(ctx, nil, "merge-base", base, r.head)
	if err == nil {
		return strings.TrimSpace(string(out)), nil
	}
	var ge *GitError
	if !errors.As(err, &ge) || ge.ExitCode != 1 {
		return "", gitFailure(err)
	}
	out, err = r.git.output(ctx, nil, "rev-parse", "--is-shallow-repository")
	if err != nil {
		return "", gitFailure(err)
	}
	if strings.TrimSpace(string(out)) == "true" {
		return "", &Error{Kind: ShallowBase, Subject: ref,
			Hint: "git fetch --unshallow, or git fetch --deepen=100 until there is one",
			Err:  fmt.Errorf("this shallow clone does not have the merge base of %q and HEAD", ref)}
	}
	return "", &Error{Kind: UnrelatedBase, Subject: ref,
		Err: fmt.Errorf("%q and HEAD have no common history", ref)}
}

// resolveRef returns the commit that a reference names.
func (r *Repo) resolveRef(ctx context.Context, ref string) (string, error) {
	oid, err := r.git.resolve(ctx, ref)
	var ge *GitError
	if errors.As(err, &ge) && ge.ExitCode == 128 {
		oid, err = "", nil // what git says about impossible names, like "a..b"
	}
	if err == nil && oid == "" {
		err = &Error{Kind: UnresolvedBase, Subject: ref, Hint: r.fetchHint(ctx, ref),
			Err: fmt.Errorf("reference %q does not resolve", ref)}
	}
	return oid, err
}

// checkRef refuses what cannot be a reference, or would be taken for an option.
func checkRef(ref string) error {
	if ref == "" || strings.HasPrefix(ref, "-") || strings.ContainsAny(ref, "\x00\n") {
		return &Error{Kind: BadBase, Subject: ref, Err: fmt.Errorf("%q cannot be a reference", ref)}
	}
	return nil
}

// fetchHint returns the git fetch that would bring a reference, if there is
// one.
func (r *Repo) fetchHint(ctx context.Context, ref string) string {
	out, err := r.git.output(ctx, nil, "remote")
	remotes := strings.Fields(string(out))
	if err != nil || len(remotes) == 0 || shellQuote(ref) != ref || strings.HasPrefix(ref, "+") {
		return ""
	}
	for _, remote := range remotes {
		if branch, ok := strings.CutPrefix(ref, remote+"/"); ok && branch != "" && plain(branch) {
			return fmt.Sprintf("git fetch %s %s:refs/remotes/%s", shellQuote(remote), branch, ref)
		}
	}
	remote := remotes[0]
	for _, name := range remotes {
		if name == "origin" {
			remote = name
		}
	}
	switch {
	case len(ref) >= 40 && strings.Trim(ref, "0123456789abcdef") == "":
		return fmt.Sprintf("git fetch %s %s", shellQuote(remote), ref)
	case strings.HasPrefix(ref, "refs/") && plain(ref):
		return fmt.Sprintf("git fetch %s %s:%s", shellQuote(remote), ref, ref)
	case plain(ref):
		return fmt.Sprintf("git fetch %s %s:refs/remotes/%s/%s, then --base=%s/%s",
			shellQuote(remote), ref, shellQuote(remote), ref, shellQuote(remote), ref)
	}
	return ""
}

// plain says whether ref is a name alone, without git's revision syntax.
func plain(ref string) bool { return !strings.Contains(ref, "@{") && !strings.Contains(ref, "..") }
