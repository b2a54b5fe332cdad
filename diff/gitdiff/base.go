package gitdiff

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/codescan-dev/scanner/internal/nearest"
)

// MergeBase returns the commit that the changes of head since it left base are
// compared with: the best common ancestor of the two, each a reference or a
// commit. Where there are several (criss-cross merges), it is the one that
// "git diff base...head" takes.
//
// The error is the context's, or an [*Error]: one of the two does not resolve,
// the ancestor is not in this shallow clone, or there is none.
func (r *Repo) MergeBase(ctx context.Context, base, head string) (string, error) {
	oid, _, err := r.mergeBase(ctx, base, head)
	return oid, explain(ctx, err)
}

// mergeBase returns the merge base of two references, and the commit that the
// second one names.
func (r *Repo) mergeBase(ctx context.Context, base, head string) (ancestor, tip string, err error) {
	from, err := r.resolveRef(ctx, baseRef, base)
	if err != nil {
		return "", "", err
	}
	name := strconv.Quote(head)
	if head == "HEAD" && r.head != "" {
		name, tip = head, r.head // that of HeadSHA, even if HEAD has moved since
	} else if tip, err = r.resolveRef(ctx, headRef, head); err != nil {
		return "", "", err
	}
	out, err := r.git.output(ctx, nil, "merge-base", from, tip)
	if err == nil {
		return strings.TrimSpace(string(out)), tip, nil
	}
	if ge, ok := errors.AsType[*gitError](err); !ok || ge.exitCode != 1 {
		return "", "", err
	}
	shallow, err := r.isShallow(ctx)
	if err != nil {
		return "", "", err
	}
	if shallow {
		return "", "", &Error{Kind: ShallowBase, Subject: base,
			Hint: "git fetch --unshallow, or git fetch --deepen=100 until there is one" + inWorkflow,
			Err:  fmt.Errorf("this shallow clone does not have the merge base of %q and %s", base, name)}
	}
	return "", "", &Error{Kind: UnrelatedBase, Subject: base, Err: fmt.Errorf("%q and %s have no common history", base, name)}
}

// inWorkflow is the end of hints about what a shallow clone does not have.
const inWorkflow = "; in a workflow, fetch-depth: 0 for actions/checkout, or GIT_DEPTH: 0 for GitLab"

func (r *Repo) isShallow(ctx context.Context) (bool, error) {
	out, err := r.git.output(ctx, nil, "rev-parse", "--is-shallow-repository")
	return strings.TrimSpace(string(out)) == "true", err
}

// role is the purpose of a reference, with which the text of an error begins.
type role string

const (
	baseRef      role = "base "
	headRef      role = "head "
	attributeRef role = "attributes "
	otherRef     role = ""
)

// resolveRef returns the commit that a reference names.
func (r *Repo) resolveRef(ctx context.Context, as role, ref string) (string, error) {
	if ref == "" || strings.HasPrefix(ref, "-") || strings.ContainsAny(ref, "\x00\n") {
		return "", &Error{Kind: BadBase, Subject: ref, Err: fmt.Errorf("%q cannot be a reference", ref)}
	}
	oid, err := r.git.resolve(ctx, ref)
	if ge, ok := errors.AsType[*gitError](err); ok && ge.exitCode == 128 {
		oid, err = "", nil // the status for impossible names, like "a..b"
	}
	if err != nil || oid != "" {
		return oid, err
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
	switch shallow, err := r.isShallow(ctx); {
	case err != nil || !shallow:
	case e.Hint != "":
		e.Hint += inWorkflow
	case as == baseRef && strings.ContainsAny(ref, "^~"): // the clone may lack the parent
		e.Kind, e.Hint = ShallowBase, "git fetch --unshallow"+inWorkflow
	}
	if near := r.nearestRef(ctx, ref); near != "" {
		e.Hint = strings.TrimSuffix(fmt.Sprintf("did you mean %q? Else: %s", near, e.Hint), " Else: ")
	}
	return "", e
}

// nearestRef returns the reference that is most like one that does not exist, with the
// same ~ or ^ after it; empty if none is like it, or only what comes after it is wrong.
func (r *Repo) nearestRef(ctx context.Context, ref string) string {
	name := ref
	if i := strings.IndexAny(ref, "~^"); i >= 0 {
		name = ref[:i]
	}
	refs := r.Refs(ctx)
	if isObjectName(ref) || slices.Contains(refs, name) {
		return ""
	}
	near := nearest.Word(name, refs)
	if near == "" {
		return ""
	}
	return near + ref[len(name):]
}

// Refs returns HEAD and the short names of branches and tags, also of remotes, at most
// 10,000; none if they cannot be read.
func (r *Repo) Refs(ctx context.Context) []string {
	// With %(refname:short) git looks up each name to see whether it is ambiguous.
	out, err := r.git.output(ctx, nil, "for-each-ref", "--count=10000", "--format=%(refname:lstrip=2)", "refs/heads", "refs/remotes", "refs/tags")
	if err != nil {
		return nil
	}
	return append(strings.Fields(string(out)), "HEAD")
}

// isObjectName reports whether ref is the full name of an object.
func isObjectName(ref string) bool {
	return (len(ref) == 40 || len(ref) == 64) && strings.Trim(ref, "0123456789abcdef") == ""
}

// fetchHint returns the git fetch that would bring a reference; empty if ref is
// an expression, or if there is no remote.
func (r *Repo) fetchHint(ctx context.Context, as role, ref string) string {
	out, err := r.git.output(ctx, nil, "remote")
	remotes := strings.Fields(string(out))
	if err != nil || len(remotes) == 0 || shellQuote(ref) != ref || strings.HasPrefix(ref, "+") ||
		strings.Contains(ref, "@{") || strings.Contains(ref, "..") {
		return ""
	}
	for _, remote := range remotes {
		if branch, ok := strings.CutPrefix(ref, remote+"/"); ok && branch != "" {
			return fmt.Sprintf("git fetch %s %s:refs/remotes/%s", shellQuote(remote), branch, ref)
		}
	}
	remote := remotes[0]
	if slices.Contains(remotes, "origin") {
		remote = "origin"
	}
	remote = shellQuote(remote)
	if isObjectName(ref) {
		return fmt.Sprintf("git fetch %s %s", remote, ref)
	}
	if strings.HasPrefix(ref, "refs/") {
		return fmt.Sprintf("git fetch %s %s:%s", remote, ref, ref)
	}
	then := "then use "
	if as == baseRef {
		then = "then --base="
	}
	return fmt.Sprintf("git fetch %s %s:refs/remotes/%s/%s, %s%s/%s", remote, ref, remote, ref, then, remote, ref)
}
