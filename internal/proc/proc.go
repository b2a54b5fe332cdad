// Package proc ends processes together with what they started, and keeps the end
// of their output.
package proc

import "strings"

// tailSize is how much a Tail keeps, in bytes.
const tailSize = 16 << 10

// Tail keeps the end of what is written to it, up to 16 KiB. The zero value is
// ready to use. It must not be used concurrently.
type Tail struct {
	data []byte
	cut  bool
}

// Write never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.data = append(t.data, p...)
	if over := len(t.data) - tailSize; over > 0 {
		t.data, t.cut = append(t.data[:0], t.data[over:]...), true
	}
	return len(p), nil
}

// String returns the end of what was written. A line without its beginning, which
// could be one half of a secret, is left out if another line follows.
func (t *Tail) String() string {
	text := string(t.data)
	if _, rest, ok := strings.Cut(text, "\n"); t.cut && ok && strings.TrimSpace(rest) != "" {
		return rest
	}
	return text
}
