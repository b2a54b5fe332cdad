package gitdiff

import (
	"context"
	"fmt"
	"net/url"
	"strings"
)

// Clone describes how much of a project a repository has, and where it is from.
type Clone struct {
	// Shallow is set if history is missing, which a merge base may be in.
	Shallow bool
	// Partial is set if contents are missing that no file of the working tree has.
	Partial bool
	// OriginHost is the host of the remote "origin", in lower case; empty if there is no
	// such remote, or if it is a directory.
	OriginHost string
	// Default is the default branch of that remote, such as "origin/main"; empty if this
	// clone does not know it.
	Default string
}

// Clone returns a description of the repository. What git does not report is empty.
func (r *Repo) Clone(ctx context.Context) (Clone, error) {
	var c Clone
	var err error
	if c.Shallow, err = r.isShallow(ctx); err != nil {
		return c, explain(ctx, err)
	}
	out, _ := r.git.output(ctx, nil, "config", "--get-regexp", `^remote\..*\.promisor$`)
	c.Partial = len(out) > 0
	out, _ = r.git.output(ctx, nil, "remote", "get-url", "origin")
	c.OriginHost = remoteHost(strings.TrimSpace(string(out)))
	out, _ = r.git.output(ctx, nil, "rev-parse", "--abbrev-ref", "--verify", "--quiet", "origin/HEAD")
	c.Default = strings.TrimSpace(string(out))
	return c, explain(ctx, ctx.Err())
}

// remoteHost returns the host of the address of a remote: a URL, or "user@host:path".
func remoteHost(remote string) string {
	if strings.Contains(remote, "://") {
		u, err := url.Parse(remote)
		if err != nil {
			return ""
		}
		return strings.ToLower(u.Hostname())
	}
	host, _, ok := strings.Cut(remote, ":")
	if !ok || strings.ContainsAny(host, `/\`) {
		return ""
	}
	return strings.ToLower(host[strings.LastIndex(host, "@")+1:])
}

// Version returns the version of the git binary. The error is an [*Error] of kind
// [GitNotFound] if there is none, or if it is older than 2.31.
func Version(ctx context.Context, opts Options) (string, error) {
	bin, err := lookGit(opts)
	if err != nil {
		return "", err
	}
	g := git{bin: bin, env: cleanEnv(opts.Env)}
	out, err := g.output(ctx, nil, "--version")
	if err != nil {
		return "", explain(ctx, err)
	}
	version := strings.TrimPrefix(strings.TrimSpace(string(out)), "git version ")
	var major, minor int
	if _, err := fmt.Sscanf(version, "%d.%d", &major, &minor); err != nil || major < 2 || major == 2 && minor < 31 {
		return "", &Error{Kind: GitNotFound, Subject: bin, Err: fmt.Errorf("git is too old: its version is %q", version), Hint: hintInstall}
	}
	return version, nil
}
