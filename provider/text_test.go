package provider

import "testing"

func TestOneLine(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", ""},
		{"  two\n\n lines\t here ", "two lines here"},
		{"\x1b[31mred\x1b[0m", "red"},
		{"\x1b]0;title\x07text", "text"},
		{"\x1b]8;;http://x\x1b\\link", "link"},
		{"\u009b1mbold", "bold"},
		{"\x1b[", ""},
		{"bell\x07 null\x00 rtl\u202e zero\u200bwidth", "bell null rtl zerowidth"},
		{"bad \xff byte", "bad \uFFFD byte"},
		{"é 日本", "é 日本"},
	}
	for _, tt := range tests {
		if got := OneLine(tt.in); got != tt.want {
			t.Errorf("OneLine(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}
