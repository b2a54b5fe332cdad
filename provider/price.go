package provider

import (
	"regexp"
	"strings"
)

// Price is what a model costs, in US dollars per million tokens.
type Price struct {
	InputPerMTok  float64
	OutputPerMTok float64
	// CacheReadPerMTok and CacheWritePerMTok are the prices of input tokens
	// that are read from and written to a prompt cache. Nil means InputPerMTok.
	CacheReadPerMTok  *float64
	CacheWritePerMTok *float64
}

// Cost returns what u costs in US dollars.
func (p Price) Cost(u Usage) float64 {
	read, write := p.InputPerMTok, p.InputPerMTok
	if p.CacheReadPerMTok != nil {
		read = *p.CacheReadPerMTok
	}
	if p.CacheWritePerMTok != nil {
		write = *p.CacheWritePerMTok
	}
	plain := max(u.InputTokens-u.CacheReadInputTokens-u.CacheCreationInputTokens, 0)
	return (float64(plain)*p.InputPerMTok +
		float64(u.CacheReadInputTokens)*read +
		float64(u.CacheCreationInputTokens)*write +
		float64(u.OutputTokens)*p.OutputPerMTok) / 1e6
}

// Prices maps names of models to prices. A name that is not in the table is looked
// up again without the date of a snapshot at its end ("gpt-4o-2024-08-06"), then
// without the vendor before it ("openai/gpt-4o"), then without both. A variant such
// as "some/model:free" has its own price or none.
type Prices map[string]Price

// Cost returns what u costs in US dollars, by the price of the first of the models
// that has one in p, or else in [ListPrices]. Nil means that it is not known: also
// for a zero Usage, which is what a provider has that reports none.
func (p Prices) Cost(u Usage, models ...string) *float64 {
	if u.IsZero() {
		return nil
	}
	for _, table := range []Prices{p, ListPrices()} {
		for _, model := range models {
			if price, ok := table.lookup(model); ok {
				return new(price.Cost(u))
			}
		}
	}
	return nil
}

// lookup returns the price of a model.
func (p Prices) lookup(model string) (Price, bool) {
	bare := model[strings.LastIndexByte(model, '/')+1:]
	for _, name := range []string{model, undated(model), bare, undated(bare)} {
		if price, ok := p[name]; ok {
			return price, true
		}
	}
	return Price{}, false
}

// snapshot is the date at the end of a model's name.
var snapshot = regexp.MustCompile(`-20[0-9]{2}-?[0-1][0-9]-?[0-3][0-9]$`)

func undated(model string) string { return snapshot.ReplaceAllString(model, "") }

// ListPrices returns a new table with the public list prices of models of
// OpenAI as of April 2026: standard processing, without discounts for
// batches and surcharges for very long contexts. Prices change; a user's own
// table takes precedence, see [Prices.Cost].
func ListPrices() Prices {
	p := make(Prices)
	for _, r := range []struct {
		model                    string
		input, cacheRead, output float64
	}{
		{"gpt-5.5", 5.00, 0.50, 30.00},
		{"gpt-5.4", 2.50, 0.25, 15.00},
		{"gpt-5.4-mini", 0.75, 0.075, 4.50},
		{"gpt-5.4-nano", 0.20, 0.02, 1.25},
		{"gpt-5.4-pro", 30.00, 30.00, 180.00},
		{"gpt-5.2", 1.75, 0.175, 14.00},
		{"gpt-5.2-chat-latest", 1.75, 0.175, 14.00},
		{"gpt-5.2-codex", 1.75, 0.175, 14.00},
		{"gpt-5.2-pro", 21.00, 21.00, 168.00},
		{"gpt-5.1", 1.25, 0.125, 10.00},
		{"gpt-5.1-chat-latest", 1.25, 0.125, 10.00},
		{"gpt-5.1-codex", 1.25, 0.125, 10.00},
		{"gpt-5.1-codex-max", 1.25, 0.125, 10.00},
		{"gpt-5.1-codex-mini", 0.25, 0.025, 2.00},
		{"gpt-5", 1.25, 0.125, 10.00},
		{"gpt-5-chat-latest", 1.25, 0.125, 10.00},
		{"gpt-5-codex", 1.25, 0.125, 10.00},
		{"gpt-5-mini", 0.25, 0.025, 2.00},
		{"gpt-5-nano", 0.05, 0.005, 0.40},
		{"gpt-5-pro", 15.00, 15.00, 120.00},
		{"gpt-4.1", 2.00, 0.50, 8.00},
		{"gpt-4.1-mini", 0.40, 0.10, 1.60},
		{"gpt-4.1-nano", 0.10, 0.025, 0.40},
		{"gpt-4o", 2.50, 1.25, 10.00},
		{"gpt-4o-2024-05-13", 5.00, 5.00, 15.00},
		{"gpt-4o-mini", 0.15, 0.075, 0.60},
		{"o4-mini", 1.10, 0.275, 4.40},
		{"o3", 2.00, 0.50, 8.00},
		{"o3-mini", 1.10, 0.55, 4.40},
		{"o3-pro", 20.00, 20.00, 80.00},
		{"o1", 15.00, 7.50, 60.00},
		{"o1-mini", 1.10, 0.55, 4.40},
		{"o1-pro", 150.00, 150.00, 600.00},
		{"gpt-4-turbo", 10.00, 10.00, 30.00},
		{"gpt-4", 30.00, 30.00, 60.00},
		{"gpt-3.5-turbo", 0.50, 0.50, 1.50},
	} {
		p[r.model] = Price{InputPerMTok: r.input, OutputPerMTok: r.output, CacheReadPerMTok: new(r.cacheRead)}
	}
	return p
}
