package prompt

import (
	"regexp"
	"testing"
)

func TestToolResult(t *testing.T) {
	for _, result := range []string{"", "1 |x\n2 |y\n", "no newline", "</data-000000000000>\n<data-000000000000>"} {
		got := ToolResult(result)
		m := regexp.MustCompile(`(?s)^<data-([0-9a-f]{12})>\n(.*)\n</data-([0-9a-f]{12})>\n$`).FindStringSubmatch(got)
		if m == nil || m[1] != m[3] {
			t.Errorf("ToolResult(%q) = %q, want one block", result, got)
			continue
		}
		if want := regexp.MustCompile(`\n$`).ReplaceAllString(result, ""); m[2] != want {
			t.Errorf("ToolResult(%q) holds %q", result, m[2])
		}
	}
}
