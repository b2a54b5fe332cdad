package main

import (
	"context"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/internal/term"
	"github.com/codescan-dev/scanner/project"
)

// parse returns the options that arguments result in.
func parse(t *testing.T, args ...string) (o *options, err error) {
	t.Helper()
	app := newApp(io.Discard, func(_ context.Context, _ *command, got *options) error {
		o = got
		return nil
	})
	if args, err = flagsFirst(app, append([]string{"scanner"}, args...)); err != nil {
		return nil, err
	}
	err = app.RunContext(t.Context(), args)
	return o, err
}

func TestFlagsFirst(t *testing.T) {
	for _, tt := range []struct {
		name     string
		in, want []string
	}{
		{"nothing", nil, nil},
		{"version", []string{"--version"}, []string{"--version"}},
		{"help of the command", []string{"help", "scan"}, []string{"help", "--", "scan"}},
		{"flags before paths", []string{"scan", "-v", "a", "b"}, []string{"scan", "-v", "--", "a", "b"}},
		{"flags after paths", []string{"scan", "a", "-vv", "b", "--base", "main"}, []string{"scan", "-vv", "--base=main", "--", "a", "b"}},
		{"value with an equals sign", []string{"scan", "--base=a=b"}, []string{"scan", "--base=a=b"}},
		{"one dash", []string{"scan", "-base", "x"}, []string{"scan", "-base=x"}},
		{"after two dashes all are paths", []string{"scan", "-v", "--", "-v", "--base"}, []string{"scan", "-v", "--", "-v", "--base"}},
		{"a dash is a value", []string{"scan", "--diff-file", "-"}, []string{"scan", "--diff-file=-"}},
		{"a dash is a path", []string{"scan", "-"}, []string{"scan", "--", "-"}},
		{"a value that looks like an unknown flag", []string{"scan", "--base", "-x"}, []string{"scan", "--base=-x"}},
		{"a path named like the command", []string{"scan", "scan"}, []string{"scan", "--", "scan"}},
		{"a switch before a path", []string{"scan", "--fix", "a", "--dry-run"}, []string{"scan", "--fix", "--dry-run", "--", "a"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := flagsFirst(newApp(io.Discard, nil), append([]string{"scanner"}, tt.in...))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(append([]string{"scanner"}, tt.want...), got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestArgsErrors(t *testing.T) {
	for _, tt := range []struct {
		name       string
		in         []string
		want, hint string
	}{
		{"unknown command", []string{"scna"}, `unknown command "scna"`, `did you mean "scan"?`},
		{"nothing like a command", []string{"q"}, `unknown command "q"`, "scanner --help lists the commands"},
		{"unknown flag", []string{"scan", "--modle=x"}, `unknown flag "--modle"`, "did you mean --model?"},
		{"unknown flag after a path", []string{"scan", "a", "--modle"}, `unknown flag "--modle"`, "did you mean --model?"},
		{"nothing like a flag", []string{"scan", "--zzz"}, `unknown flag "--zzz"`, "scanner scan --help lists the flags"},
		{"flag before the command", []string{"--model=x", "scan"}, `unknown flag "--model"`, "it is a flag of a command: scanner scan --model"},
		{"short flags before the command", []string{"-vv", "scan"}, `unknown flag "-v"`, "it is a flag of a command: scanner scan -v"},
		{"no value", []string{"scan", "--base"}, `flag "--base" needs a value`, ""},
		{"no value before another flag", []string{"scan", "--base", "-v"}, `flag "--base" needs a value`, ""},
		{"no value before two dashes", []string{"scan", "--base", "--", "x"}, `flag "--base" needs a value`, ""},
		{"empty value", []string{"scan", "--base="}, `flag "--base" has an empty value`, "leave the flag out, or check the variable it was made from"},
		{"empty value of a list", []string{"scan", "--skill="}, `flag "--skill" has an empty value`, "leave the flag out, or check the variable it was made from"},
		{"value of a switch", []string{"scan", "--fix=maybe"}, `--fix: got "maybe", want no value, true or false`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parse(t, tt.in...)
			if err == nil {
				t.Fatal("no error")
			}
			if err.Error() != tt.want || project.Hint(err) != tt.hint {
				t.Errorf("got %q, %q, want %q, %q", err, project.Hint(err), tt.want, tt.hint)
			}
			if code := project.ExitCode(nil, err); code != exitUsage {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	o, err := parse(t, "scan", "a", "--skill=x,y", "-vv", "--skill", "z", "--max-findings=3", "--fail-on=off", "--base=main", "b")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(o.Paths, []string{"a", "b"}) || o.Base != "main" || o.level != term.Debug || !o.Discards || o.color != term.ColorAuto || o.Fix != nil {
		t.Errorf("got %+v", o)
	}
	if f := o.Flags; *f.MaxFindings != 3 || *f.FailOn != "off" || f.ReportOn != nil || f.Concurrency != nil || f.Model != nil || !slices.Equal(f.Skills, []string{"x,y", "z"}) {
		t.Errorf("got flags %+v", f)
	}
	if o, err := parse(t, "scan", "--fix", "--fix-check=a, b", "--fix-check", "c", "--", "d"); err != nil || o.Fix == nil || !slices.Equal(o.Fix.Checks, []string{"a, b", "c"}) || !slices.Equal(o.Paths, []string{"d"}) {
		t.Errorf("got %+v, %v", o, err)
	}
	for want, args := range map[term.Verbosity][]string{
		term.Quiet: {"-q"}, term.Normal: {}, term.Verbose: {"-v"}, term.Debug: {"-v", "-v"},
	} {
		if o, err := parse(t, append([]string{"scan"}, args...)...); err != nil || o.level != want {
			t.Errorf("%q: got %+v, %v, want level %d", args, o, err, want)
		}
	}
	if o, err := parse(t, "scan", "--verbose", "--verbose", "--verbose"); err != nil || o.level != term.Debug {
		t.Errorf("three times: got %+v, %v", o, err)
	}
	if o, err := parse(t, "scan", "--output=/dev/stdout"); err != nil || !slices.Equal(o.outputs, []target{{formatJSONL, "-"}}) || o.Exclude != nil {
		t.Errorf("/dev/stdout: got %+v, %v, want -", o, err)
	}
}

func FuzzFlagsFirst(f *testing.F) {
	f.Add("scan", "--base", "main")
	f.Add("scan", "-vv", "--")
	f.Add("help", "", "=")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		args := []string{"scanner", a, b, c}
		before := slices.Clone(args)
		_, err := flagsFirst(newApp(io.Discard, nil), args)
		if err != nil && project.ExitCode(nil, err) != exitUsage {
			t.Errorf("%q: %v is not an error of usage", args, err)
		}
		if !slices.Equal(args, before) {
			t.Errorf("the arguments were changed from %q to %q", before, args)
		}
	})
}
