package diff

import "testing"

var quoteTests = []struct{ path, quoted string }{
	{"plain.go", "plain.go"},
	{"with space.go", "with space.go"},
	{"a\tb", `"a\tb"`},
	{"a\nb", `"a\nb"`},
	{"\a\b\v\f\r", `"\a\b\v\f\r"`},
	{`a"b`, `"a\"b"`},
	{`a\b`, `"a\\b"`},
	{"tüst", `"t\303\274st"`},
	{"\x01\x7f\xff", `"\001\177\377"`},
	{"", ""},
}

func TestQuotePath(t *testing.T) {
	for _, tt := range quoteTests {
		if got := QuotePath(tt.path); got != tt.quoted {
			t.Errorf("QuotePath(%q) = %s, want %s", tt.path, got, tt.quoted)
		}
	}
}

func TestUnquotePath(t *testing.T) {
	for _, tt := range quoteTests {
		got, err := UnquotePath(tt.quoted)
		if err != nil || got != tt.path {
			t.Errorf("UnquotePath(%s) = %q, %v, want %q", tt.quoted, got, err, tt.path)
		}
	}
	for _, bad := range []string{`"`, `"a`, `"a\"`, `"a\`, `"\9"`, `"\400"`, `"\12"`, `"\x41"`, `"a"b`, `"a" `} {
		if got, err := UnquotePath(bad); err == nil {
			t.Errorf("UnquotePath(%s) = %q, want an error", bad, got)
		}
	}
}

func FuzzQuotePath(f *testing.F) {
	for _, tt := range quoteTests {
		f.Add(tt.path)
		f.Add(tt.quoted)
	}
	f.Fuzz(func(t *testing.T, path string) {
		quoted := QuotePath(path)
		for _, c := range []byte(quoted) {
			if c < ' ' || c >= 0x7f {
				t.Fatalf("QuotePath(%q) = %q holds the byte %#x", path, quoted, c)
			}
		}
		got, err := UnquotePath(quoted)
		if err != nil || got != path {
			t.Fatalf("UnquotePath(%s) = %q, %v, want %q", quoted, got, err, path)
		}
		if again, err := UnquotePath(path); err == nil && len(again) > len(path) {
			t.Fatalf("UnquotePath(%q) = %q is longer", path, again)
		}
	})
}
