package gitdiff

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// MergeBase returns the commit that the changes of head since it left base are
// compared with: the best common ancestor of the two, each a reference or a
// commit. Where there are several (criss-cross merges), it is the one that
// "git diff base...head" takes.
//
// The error is the context's, or an [*Error]: one of the two does not resolve,
// the ancestor is not in this shallow clone, or there is none.
func (r *Repo) MergeBase(ctx context.Context, base, head string) (string, error) {
	oid, _, err := r.between(ctx, base, head)
	return oid, contextError(ctx, err)
}

// between returns the merge base of two references, and the commit that the
// second one names.
func (r *Repo) between(ctx context.Context, base, head string) (ancestor, tip string, err error) {
	from, err := r.resolveRef(ctx, baseRef, base)
	if err != nil {
		return "", "", err
	}
	if tip, err = r.resolveRef(ctx, headRef, head); err != nil {
		return "", "", err
	}
	ancestor, err = r.commonAncestor(ctx, base, from, fmt.Sprintf("%q", head), tip)
	return ancestor, tip, err
}

// mergeBase returns the merge base of a reference and HEAD.
func (r *Repo) mergeBase(ctx context.Context, ref string) (string, error) {
	if err := checkRef(ref); err != nil {
		return "", err
	}
	if r.head == "" {
		return "", &Error{Kind: UnrelatedBase, Subject: ref, Hint: "commit first, or scan without a base",
			Err: fmt.Errorf("base reference %q: HEAD has no commits", ref)}
	}
	base, err := r.resolveRef(ctx, baseRef, ref)
	if err != nil {
		return "", err
	}
	return r.commonAncestor(ctx, ref, base, "HEAD", r.head)
}

// commonAncestor returns the merge base of two commits, which errors call by the
// given names.
func (r *Repo) commonAncestor(ctx context.Context, ref, base, headName, head string) (string, error) {
	out, err := r.git.output(ctx, nil, "merge-base", base, head)
	if err == nil {
		return strings.TrimSpace(string(out)), nil
	}
	if ge, ok := errors.AsType[*GitError](err); !ok || ge.ExitCode != 1 {
		return "", gitFailure(err)
	}
	shallow, err := r.isShallow(ctx)
	if err != nil {
		return "", gitFailure(err)
	}
	if shallow {
		return "", &Error{Kind: ShallowBase, Subject: ref,
			Hint: "git fetch --unshallow, or git fetch --deepen=100 until there is one" + inWorkflow,
			Err:  fmt.Errorf("this shallow clone does not have the merge base of %q and %s", ref, headName)}
	}
	return "", &Error{Kind: UnrelatedBase, Subject: ref,
		Err: fmt.Errorf("%q and %s have no common history", ref, headName)}
}

// inWorkflow is the end of hints about what a shallow clone does not have.
const inWorkflow = "; in a workflow, fetch-depth: 0 for actions/checkout"

func (r *Repo) isShallow(ctx context.Context) (bool, error) {
	out, err := r.git.output(ctx, nil, "rev-parse", "--is-shallow-repository")
	return strings.TrimSpace(string(out)) == "true", err
}

// role is what a reference is given for, as it begins the text of an error.
type role string

const (
	baseRef      role = "base "
	headRef      role = "head "
	attributeRef role = "attributes "
	someRef      role = ""
)

// resolveRef returns the commit that a reference names.
func (r *Repo) resolveRef(ctx context.Context, as role, ref string) (string, error) {
	if err := checkRef(ref); err != nil {
		return "", err
	}
	oid, err := r.git.resolve(ctx, ref)
	if ge, ok := errors.AsType[*GitError](err); ok && ge.ExitCode == 128 {
		oid, err = "", nil // what git says about impossible names, like "a..b"
	}
	if err != nil || oid != "" {
		return oid, gitFailure(err)
	}
	e := &Error{Kind: UnresolvedRevision, Subject: ref, Hint: r.fetchHint(ctx, as, ref)}
	if as == baseRef {
		e.Kind = UnresolvedBase
	}
	if isObjectName(ref) {
		e.Err = fmt.Errorf("%scommit %s is not in this clone", as, ref)
	} else {
		e.Err = fmt.Errorf("%sreference %q does not resolve", as, ref)
	}
	if shallow, err := r.isShallow(ctx); err == nil && shallow && e.Hint != "" {
		e.Hint += inWorkflow
	}
	return "", e
}

// isObjectName says whether ref is the full name of an object.
func isObjectName(ref string) bool {
	return (len(ref) == 40 || len(ref) == 64) && strings.Trim(ref, "0123456789abcdef") == ""
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
func (r *Repo) fetchHint(ctx context.Context, as role, ref string) string {
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
	case isObjectName(ref):
		return fmt.Sprintf("git fetch %s %s", shellQuote(remote), ref)
	case strings.HasPrefix(ref, "refs/") && plain(ref):
		return fmt.Sprintf("git fetch %s %s:%s", shellQuote(remote), ref, ref)
	case plain(ref):
		then := "then use "
		if as == baseRef {
			then = "then --base="
		}
		return fmt.Sprintf("git fetch %s %s:refs/remotes/%s/%s, %s%s/%s",
			shellQuote(remote), ref, shellQuote(remote), ref, then, shellQuote(remote), ref)
	}
	return ""
}

// plain says whether ref is a name alone, without git's revision syntax.
func plain(ref string) bool { return !strings.Contains(ref, "@{") && !strings.Contains(ref, "..") }
