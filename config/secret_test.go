package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

func TestSecretIsNotPrinted(t *testing.T) {
	const text = "hunter2"
	type holder struct {
		Public  Secret
		private Secret
		Pointer *Secret
		List    []Secret
		Any     any
	}
	s := newSecret(text)
	var settings Settings
	settings.Provider.APIKey = s
	values := []any{s, &s, []Secret{s}, map[string]Secret{"a": s}, map[Secret]int{s: 1},
		holder{s, s, &s, []Secret{s}, s}, &holder{s, s, &s, []Secret{s}, s}, &settings,
		Input{Env: Env{APIKey: s}}, fmt.Errorf("error with %v", s)}
	leaks := func(out string) bool {
		return strings.Contains(out, text) || strings.Contains(strings.ToLower(out), fmt.Sprintf("%x", text))
	}
	for i, v := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%10s", "%-10q", "%p"} {
			if out := fmt.Sprintf(verb, v); leaks(out) {
				t.Errorf("value %d with %s: got %s", i, verb, out)
			}
		}
		if out, err := json.Marshal(v); err == nil && leaks(string(out)) {
			t.Errorf("value %d as JSON: got %s", i, out)
		}
		if out, err := toml.Marshal(v); err == nil && leaks(string(out)) {
			t.Errorf("value %d as TOML: got %s", i, out)
		}
		for _, handler := range []func(*bytes.Buffer) slog.Handler{
			func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
			func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
		} {
			var b bytes.Buffer
			slog.New(handler(&b)).Info("x", "v", v)
			if leaks(b.String()) {
				t.Errorf("value %d in a log: got %s", i, b.String())
			}
		}
	}
	if got := s.Reveal(); got != text {
		t.Errorf("got %q, want %q", got, text)
	}
	if got, want := fmt.Sprintf("%v|%#v|%s", s, s, newSecret("")), "[redacted]|[redacted]|"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if newSecret("") != (Secret{}) || (Secret{}).Reveal() != "" {
		t.Error("an empty Secret is not the zero Secret")
	}
}
