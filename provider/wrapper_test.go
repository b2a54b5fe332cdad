package provider_test

import (
	"context"
	"testing"

	"github.com/codescan-dev/scanner/provider"
)

// bare has no optional methods, full has all of them.
type bare struct{}

func (bare) Complete(context.Context, provider.Request) (provider.Response, error) {
	return provider.Response{}, nil
}

type full struct{ bare }

func (full) Identity() provider.Identity        { return provider.Identity{Name: "full"} }
func (full) SendsFeatures() bool                { return false }
func (full) Fingerprint(context.Context) string { return "print" }
func (full) ReportsCost() bool                  { return true }
func (full) Price(model string) (provider.Price, bool) {
	return provider.Price{InputPerMTok: 1}, model == "m"
}

// TestWrapper: an embedded Wrapper has the optional methods of the provider that it wraps.
func TestWrapper(t *testing.T) {
	type got struct {
		name, print            string
		features, price, costs bool
	}
	for _, tt := range []struct {
		wrapped provider.Provider
		want    got
	}{
		{nil, got{features: true}},
		{bare{}, got{features: true}},
		{full{}, got{"full", "print", false, true, true}},
		{provider.Wrapper{Provider: full{}}, got{"full", "print", false, true, true}},
	} {
		w := struct{ provider.Wrapper }{provider.Wrapper{Provider: tt.wrapped}}
		_, price := w.Price("m")
		if g := (got{w.Identity().Name, w.Fingerprint(t.Context()), w.SendsFeatures(), price, w.ReportsCost()}); g != tt.want {
			t.Errorf("%T: got %+v, want %+v", tt.wrapped, g, tt.want)
		}
	}
}
