package provider_test

import (
	"testing"

	"github.com/codescan-dev/scanner/provider"
)

func TestIdentity(t *testing.T) {
	for _, tt := range []struct {
		id   provider.Identity
		want string
	}{
		{provider.Identity{}, ""},
		{provider.Identity{Name: "openai", Host: "api.openai.com", Model: "gpt-5-mini"}, "openai, gpt-5-mini at api.openai.com"},
		{provider.Identity{Name: "claude"}, "claude"},
		{provider.Identity{Name: "claude", Model: "opus"}, "claude, opus"},
		{provider.Identity{Model: "m"}, "m"},
	} {
		if got := tt.id.String(); got != tt.want {
			t.Errorf("%#v: got %q, want %q", tt.id, got, tt.want)
		}
	}
}
