package diff

import (
	"fmt"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	tests := []struct {
		name, in string
		max      int
		want     string // pieces separated by |
	}{
		{"nothing", "", 10, ""},
		{"fits", "+aa +bb", 6, "+aa +bb"},
		{"in the middle", "+aa +bb +cc +dd", 6, "+aa +bb|+cc +dd"},
		{"line larger than the limit", "+aa +bbbbbbbbbb +cc", 6, "+aa|+bbbbbbbbbb|+cc"},
		{"only large lines", "+aaaaaa +bbbbbb", 3, "+aaaaaa|+bbbbbb"},
		{"behind a blank line", "+a +b +c + +d +e +f", 10, "+a +b +c +|+d +e +f"},
		{"no blank line too far from the limit", "+a + +b +c +d +e +f +g", 12, "+a + +b +c +d +e|+f +g"},
		{"outer line", "+a +__b +__c +d +__e +__f +__g", 20, "+a +__b +__c|+d +__e +__f +__g"},
		{"not before what closes", "+a +__b +__c +__d +} +__e", 19, "+a +__b +__c +__d +}|+__e"},
		{"not between removed and added", "-a -b -c -d +e +f +g", 8, "-a -b -c|-d +e +f +g"},
		{"the blank line before the outer line", "+a +b + +__c + +d +__e +f +g", 18, "+a +b + +__c +|+d +__e +f +g"},
		{"runes", "+ää +ää +ää", 6, "+ää +ää|+ää"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var lines []Line
			for f := range strings.FieldsSeq(tt.in) {
				lines = append(lines, Line{Op: Op(f[0]), Text: strings.ReplaceAll(f[1:], "_", " ")})
			}
			var pieces []string
			for p := range split(lines, tt.max) {
				var words []string
				for _, l := range p {
					words = append(words, fmt.Sprintf("%c%s", l.Op, strings.ReplaceAll(l.Text, " ", "_")))
				}
				pieces = append(pieces, strings.Join(words, " "))
			}
			if got := strings.Join(pieces, "|"); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
	for range split([]Line{{Text: "a"}, {Text: "b"}}, 1) {
		break // stopping early must not panic
	}
}
