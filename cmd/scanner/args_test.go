package main

import (
	"context"
	"io"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/codescan-dev/scanner/internal/term"
)

func TestArrangeArgs(t *testing.T) {
	for _, tt := range []struct {
		name     string
		in, want []string
	}{
		{"nothing", []string{}, []string{}},
		{"version", []string{"--version"}, []string{"--version"}},
		{"help of the command", []string{"help", "scan"}, []string{"help", "scan"}},
		{"flags before paths", []string{"scan", "-v", "a", "b"}, []string{"scan", "-v", "--", "a", "b"}},
		{"flags after paths", []string{"scan", "a", "-v", "b", "--base", "main"}, []string{"scan", "-v", "--base=main", "--", "a", "b"}},
		{"value with an equals sign", []string{"scan", "--base=a=b"}, []string{"scan", "--base=a=b"}},
		{"one dash", []string{"scan", "-base", "x"}, []string{"scan", "--base=x"}},
		{"short flags together", []string{"scan", "a", "-vv"}, []string{"scan", "-v", "-v", "--", "a"}},
		{"after two dashes all are paths", []string{"scan", "-v", "--", "-v", "--base"}, []string{"scan", "-v", "--", "-v", "--base"}},
		{"a dash is a value", []string{"scan", "--diff-file", "-"}, []string{"scan", "--diff-file=-"}},
		{"a dash is a path", []string{"scan", "-"}, []string{"scan", "--", "-"}},
		{"a value that looks like an unknown flag", []string{"scan", "--base", "-x"}, []string{"scan", "--base=-x"}},
		{"a path named like the command", []string{"scan", "scan"}, []string{"scan", "--", "scan"}},
		{"a path after a flag without a value", []string{"scan", "--fix", "a", "--dry-run"}, []string{"scan", "--fix", "--dry-run", "--", "a"}},
		{"switches with a value", []string{"scan", "--staged=false"}, []string{"scan", "--staged=false"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := arrangeArgs(newApp(io.Discard, nil), append([]string{"scanner"}, tt.in...))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(append([]string{"scanner"}, tt.want...), got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestArrangeArgsErrors(t *testing.T) {
	for _, tt := range []struct {
		name       string
		in         []string
		want, hint string
	}{
		{"unknown command", []string{"scna"}, `unknown command "scna"`, `did you mean "scan"?`},
		{"nothing like a command", []string{"q"}, `unknown command "q"`, "scanner --help lists the commands"},
		{"unknown flag", []string{"scan", "--modle=x"}, `unknown flag "--modle"`, "did you mean --model?"},
		{"nothing like a flag", []string{"scan", "--zzz"}, `unknown flag "--zzz"`, "scanner scan --help lists the flags"},
		{"short flags with an unknown one", []string{"scan", "-vx"}, `unknown flag "-vx"`, "scanner scan --help lists the flags"},
		{"flag before the command", []string{"-vv", "scan"}, `unknown flag "-vv"`, "it is a flag of a command: scanner scan -vv"},
		{"no value", []string{"scan", "--base"}, `flag "--base" needs a value`, ""},
		{"no value before another flag", []string{"scan", "--base", "-v"}, `flag "--base" needs a value`, ""},
		{"no value before two dashes", []string{"scan", "--base", "--", "x"}, `flag "--base" needs a value`, ""},
		{"empty value", []string{"scan", "--base="}, `flag "--base" has an empty value`, "leave the flag out, or check the variable it was made from"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := arrangeArgs(newApp(io.Discard, nil), append([]string{"scanner"}, tt.in...))
			if err == nil {
				t.Fatal("no error")
			}
			if err.Error() != tt.want || hintOf(err) != tt.hint {
				t.Errorf("got %q, %q, want %q, %q", err, hintOf(err), tt.want, tt.hint)
			}
			if code := exitCode(outcome{err: err}); code != exitUsage {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

func TestScanOptions(t *testing.T) {
	parse := func(args ...string) (o scanOptions, err error) {
		app := newApp(io.Discard, func(_ context.Context, _ string, got scanOptions) error {
			o = got
			return nil
		})
		if args, err = arrangeArgs(app, append([]string{"scanner", "scan"}, args...)); err != nil {
			return o, err
		}
		err = app.RunContext(t.Context(), args)
		return o, err
	}

	o, err := parse("a", "--skill=x,y", "-vv", "--skill", "z", "--max-findings=3", "--fail-on=off", "--base=main", "b")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(o.paths, []string{"a", "b"}) || o.base != "main" || o.level != term.Debug || o.color != term.ColorAuto {
		t.Errorf("got %+v", o)
	}
	if f := o.flags; *f.MaxFindings != 3 || *f.FailOn != "off" || f.ReportOn != nil || f.Concurrency != nil || f.Model != nil {
		t.Errorf("got flags %+v", f)
	}

	if o, err := parse("--fix", "--fix-check=a, b", "--fix-check", "c", "--", "d"); err != nil || !slices.Equal(o.checks, []string{"a, b", "c"}) || !slices.Equal(o.paths, []string{"d"}) {
		t.Errorf("checks %q, paths %q, %v", o.checks, o.paths, err)
	}

	for want, args := range map[term.Verbosity][]string{
		term.Quiet: {"-q"}, term.Normal: {}, term.Verbose: {"-v"}, term.Debug: {"-v", "-v"},
	} {
		if o, err := parse(args...); err != nil || o.level != want {
			t.Errorf("%q: level %d, %v, want %d", args, o.level, err, want)
		}
	}
	if o, err := parse("--verbose", "--verbose", "--verbose"); err != nil || o.level != term.Debug {
		t.Errorf("three times: level %d, %v", o.level, err)
	}
	if o, err := parse("--output=/dev/stdout"); err != nil || o.output != "-" {
		t.Errorf("/dev/stdout: output %q, %v, want -", o.output, err)
	}
}

func FuzzArrangeArgs(f *testing.F) {
	f.Add("scan", "--base", "main")
	f.Add("scan", "-vv", "--")
	f.Add("scan", "--fix", "--fix=true")
	f.Add("help", "", "=")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		args := []string{"scanner", a, b, c}
		before := slices.Clone(args)
		_, err := arrangeArgs(newApp(io.Discard, nil), args)
		if err != nil && exitCode(outcome{err: err}) != exitUsage {
			t.Errorf("%q: %v is no error of usage", args, err)
		}
		if !slices.Equal(args, before) {
			t.Errorf("the arguments were changed from %q to %q", before, args)
		}
	})
}
