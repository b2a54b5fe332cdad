package termtest

import "testing"

func TestScreen(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"lines", "one\r\ntwo", "one\ntwo\n"},
		{"line feed alone", "one\ntwo", "one\ntwo\n"},
		{"overwritten", "twelve\rone", "onelve\n"},
		{"rest of the line erased", "twelve\rone\x1b[K", "one\n"},
		{"rest of the screen erased", "one\r\ntwo\r\nthree\x1b[2A\r\x1b[J", "\n"},
		{"wrapped", "123456789", "12345678\n9\n"},
		{"not wrapped at the last column", "12345678\r\nx", "12345678\nx\n"},
		{"wide character wrapped", "1234567漢", "1234567\n漢\n"},
		{"cut", "\x1b[?7l123456789\x1b[?7h\r\nx", "12345679\nx\n"},
		{"colors", "\x1b[1;31mred\x1b[0m", "red\n"},
		{"scrolled, and not above the screen", "1\r\n2\r\n3\r\n4\x1b[9A\rx", "1\nx\n3\n4\n"},
	} {
		for _, size := range []int{len(tt.in), 1} {
			s := New(8, 3)
			for in := tt.in; in != ""; in = in[min(size, len(in)):] {
				s.Write([]byte(in[:min(size, len(in))]))
			}
			if got := s.Text(); got != tt.want || s.Err() != nil {
				t.Errorf("%s, %d bytes at a time: got %q (%v), want %q", tt.name, size, got, s.Err(), tt.want)
			}
		}
	}
	s := New(8, 3)
	s.Write([]byte("1234567\r\n漢字漢字\r\x1b[1A"))
	s.Resize(5, 3)
	s.Write([]byte("x"))
	if got, want := s.Text(), "x2345\n67\n漢字\n漢字\n"; got != want {
		t.Errorf("resized: got %q, want %q", got, want)
	}
	s = New(8, 3)
	s.Write([]byte("1\r\n2\r\n3\r\n4\x1b[2J"))
	if got, want := s.Visible(), "2\n3\n4\n"; got != want || s.Err() == nil {
		t.Errorf("got %q (%v), want %q and an error", got, s.Err(), want)
	}
}
