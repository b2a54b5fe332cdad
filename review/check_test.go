package review

import (
	"strings"
	"testing"

	"github.com/codescan-dev/scanner"
)

func TestConclusion(t *testing.T) {
	a := found("a", "app/db.go", 13, 0)
	tests := []struct {
		name  string
		skill SkillResult
		edit  func(*Result)
		want  Conclusion
	}{
		{"nothing found", skillOf("s"), nil, Success},
		{"findings", skillOf("s", a), nil, Neutral},
		{"failOn reached", skillOf("s", a), func(r *Result) { r.Skills[0].Selection.Fails = true }, Failure},
		{"failOn reached, incomplete", skillOf("s", a), func(r *Result) {
			r.Skills[0].Selection.Fails, r.Skills[0].Report.FailedHunks = true, 1
		}, Failure},
		{"incomplete", skillOf("s"), func(r *Result) { r.Skills[0].Report.FailedExtractions = 1 }, Neutral},
		{"patterns only", skillOf("s"), func(r *Result) { r.Skills[0].Report.PatternsOnly = true }, Neutral},
		{"untrusted", skillOf("s"), func(r *Result) { r.Untrusted = true }, Neutral},
		{"untrusted failure", skillOf("s", a), func(r *Result) { r.Untrusted, r.Skills[0].Selection.Fails = true, true }, Neutral},
		{"hidden", skillOf("s", a), func(r *Result) {
			r.Skills[0].Selection = selection(r.Skills[0].Report, scanner.Policy{ReportOn: scanner.ThresholdHigh})
		}, Success},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := resultOf(t, tt.skill)
			if tt.edit != nil {
				tt.edit(&r)
			}
			if got := render(t, r).Checks[0].Conclusion; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAnnotationLimits(t *testing.T) {
	a := found(strings.Repeat("é", 1000), "app/db.go", 13, 0)
	a.Description = strings.Repeat("x", 100_000) + "\x00"
	got := Annotate(&a, []scanner.Location{*a.Location})[0]
	if got.Path == "" || len([]rune(got.Title)) > 255 || len(got.Message) > 64<<10 {
		t.Errorf("title of %d, message of %d", len(got.Title), len(got.Message))
	}
	for _, f := range []scanner.Finding{found("a", "a\xffb", 1, 0), found("a", "a\x1bb", 1, 0)} {
		if Annotate(&f, []scanner.Location{*f.Location})[0].Path != "" {
			t.Errorf("an annotation for %v", f.Location)
		}
	}
}
