package gitdiff

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// funcname is git's default rule for the text after the second "@@" of a hunk.
const funcname = "^[A-Za-z_$].*"

// The environment variables with the values of settings: a key can contain an
// equals sign, which git supports only with --config-env.
const (
	emptyVar    = "SCANNER_EMPTY"
	falseVar    = "SCANNER_FALSE"
	funcnameVar = "SCANNER_FUNCNAME"
)

// settingVars must be in the environment of every git command.
var settingVars = []string{emptyVar + "=", falseVar + "=false", funcnameVar + "=" + funcname}

// definedNames returns the sections of the configuration that must be neutralized:
// "filter.<name>" for clean and smudge filters, which are programs, and
// "diff.<name>" for diff drivers with a pattern for the names of functions.
func (g *git) definedNames(ctx context.Context) ([]string, error) {
	out, err := g.output(ctx, nil, "config", "--null", "--name-only", "--get-regexp",
		`^(filter\..*|diff\..*\.x?funcname)$`)
	if ge, ok := errors.AsType[*gitError](err); ok && ge.exitCode == 1 {
		return nil, nil // nothing defined
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for key := range bytes.SplitSeq(out, []byte{0}) {
		if i := bytes.LastIndexByte(key, '.'); i >= 0 && bytes.IndexByte(key[:i], '.') >= 0 {
			names = append(names, string(key[:i]))
		}
	}
	return names, nil
}

// neutralize returns the arguments that turn off what definedNames found.
func neutralize(names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	var args []string
	for _, name := range slices.Compact(names) {
		if strings.HasPrefix(name, "filter.") {
			for _, key := range []string{".clean=", ".smudge=", ".process="} {
				args = append(args, "--config-env="+name+key+emptyVar)
			}
			args = append(args, "--config-env="+name+".required="+falseVar)
			continue
		}
		args = append(args, "--config-env="+name+".xfuncname="+funcnameVar)
	}
	return args
}

// submoduleNames returns the names that the configurations of the submodules in an index
// define. Git looks for changes in a submodule by running itself there, and would run
// its filters. A submodule that is not checked out, or that git fails to read, is left
// out: git fails there later, too.
func (g *git) submoduleNames(ctx context.Context, root string, index []indexEntry) []string {
	var names []string
	for _, e := range index {
		if e.mode != modeSubmodule {
			continue
		}
		dir := filepath.Join(root, filepath.FromSlash(e.path))
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil {
			continue
		}
		sub := g.at(dir)
		defined, err := sub.definedNames(ctx)
		if err != nil {
			continue
		}
		names = append(names, defined...)
		if nested, err := sub.index(ctx); err == nil {
			names = append(names, sub.submoduleNames(ctx, dir, nested)...)
		}
	}
	return names
}
