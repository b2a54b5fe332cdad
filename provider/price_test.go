package provider

import (
	"math"
	"testing"
)

func TestPriceCost(t *testing.T) {
	full := Price{InputPerMTok: 2, OutputPerMTok: 10, CacheReadPerMTok: new(0.5), CacheWritePerMTok: new(2.5)}
	plain := Price{InputPerMTok: 2, OutputPerMTok: 10}
	for _, tt := range []struct {
		name  string
		price Price
		usage Usage
		want  float64
	}{
		{"nothing", full, Usage{}, 0},
		{"free", Price{}, Usage{InputTokens: 5, OutputTokens: 5}, 0},
		{"input", full, Usage{InputTokens: 1_000_000}, 2},
		{"output", full, Usage{OutputTokens: 500_000}, 5},
		{"cached input counts once", full, Usage{InputTokens: 1_000_000, CacheReadInputTokens: 400_000, CacheCreationInputTokens: 100_000}, 1 + 0.2 + 0.25},
		{"cache without a price", plain, Usage{InputTokens: 1_000_000, CacheReadInputTokens: 400_000, CacheCreationInputTokens: 100_000}, 2},
		{"more cached than read", full, Usage{InputTokens: 10, CacheReadInputTokens: 1_000_000}, 0.5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.price.Cost(tt.usage); math.Abs(got-tt.want) > 1e-12 {
				t.Errorf("Cost(%+v) = %v, want %v", tt.usage, got, tt.want)
			}
		})
	}
}

func TestPricesLookup(t *testing.T) {
	p := Prices{
		"m":            {InputPerMTok: 1},
		"m-2024-05-13": {InputPerMTok: 2},
		"vendor/m":     {InputPerMTok: 3},
		"n":            {InputPerMTok: 4},
	}
	for _, tt := range []struct {
		model string
		want  float64 // of the input; 0 is unknown
	}{
		{"m", 1},
		{"m-2024-05-13", 2},
		{"m-2025-01-01", 1},
		{"m-20250101", 1},
		{"vendor/m", 3},
		{"vendor/m-2025-01-01", 3},
		{"other/m", 1},
		{"other/m-2024-05-13", 2},
		{"other/n-2024-05-13", 4},
		{"a/b/n", 4},
		{"n:free", 0},
		{"other/n:free", 0},
		{"m-preview", 0},
		{"m-2024", 0},
		{"M", 0},
		{"", 0},
		{"/", 0},
	} {
		got, ok := p.lookup(tt.model)
		if got.InputPerMTok != tt.want || ok != (tt.want != 0) {
			t.Errorf("lookup(%q) = %v, %t; want %v", tt.model, got.InputPerMTok, ok, tt.want)
		}
	}
	if _, ok := Prices(nil).lookup("m"); ok {
		t.Error("the nil table knows a price")
	}
}

func TestPricesCost(t *testing.T) {
	own := Prices{"a": {InputPerMTok: 1}, "gpt-4o": {InputPerMTok: 2}}
	mtok := Usage{InputTokens: 1_000_000}
	for _, tt := range []struct {
		name   string
		usage  Usage
		models []string
		want   float64 // -1 means unknown
	}{
		{"own price", mtok, []string{"a"}, 1},
		{"own price before the list", mtok, []string{"gpt-4o-2024-08-06"}, 2},
		{"list price", mtok, []string{"gpt-5-mini"}, 0.25},
		{"of the second model", mtok, []string{"alias", "a"}, 1},
		{"own price of the second model before the list", mtok, []string{"gpt-5-mini", "a"}, 1},
		{"no price", mtok, []string{"b", ""}, -1},
		{"no usage", Usage{}, []string{"a"}, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := own.Cost(tt.usage, tt.models...)
			if got == nil && tt.want >= 0 || got != nil && *got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// Every row of the table must look like a price.
func TestListPrices(t *testing.T) {
	p := ListPrices()
	for name, price := range p {
		if price.InputPerMTok <= 0 || price.OutputPerMTok < price.InputPerMTok {
			t.Errorf("%s: input %v, output %v", name, price.InputPerMTok, price.OutputPerMTok)
		}
		if c := price.CacheReadPerMTok; c != nil && *c >= price.InputPerMTok {
			t.Errorf("%s: price of cached input is wrong", name)
		}
		if c := price.CacheWritePerMTok; c != nil && *c <= price.InputPerMTok {
			t.Errorf("%s: price of writing the cache is wrong", name)
		}
	}
	// The default models, and other forms of names.
	for _, model := range []string{"gpt-5-mini", "claude-haiku-5-5", "gemini-3.5-flash-lite",
		"openai/gpt-5-mini-2025-08-07", "claude-haiku-4-5-20251001", "models/gemini-2.5-flash"} {
		if _, ok := p.lookup(model); !ok {
			t.Errorf("no price for %s", model)
		}
	}
	p["gpt-5"] = Price{}
	if q := ListPrices()["gpt-5"]; q.InputPerMTok == 0 {
		t.Error("a caller can change the list prices")
	}
}
