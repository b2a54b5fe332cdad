package provider

import (
	"regexp"
	"strings"
	"sync"
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

// Cost returns what u costs in US dollars, by the price that [Prices.Find] returns. Nil
// means that it is not known: also for a zero Usage, which is what a provider has that
// reports none.
func (p Prices) Cost(u Usage, models ...string) *float64 {
	price, ok := p.Find(models...)
	if !ok || u.IsZero() {
		return nil
	}
	return new(price.Cost(u))
}

// knownPrices is ListPrices, made once.
var knownPrices = sync.OnceValue(ListPrices)

// Find returns the price of the first of the models that has one in p, or else in
// [ListPrices].
func (p Prices) Find(models ...string) (price Price, ok bool) {
	for _, table := range []Prices{p, knownPrices()} {
		for _, model := range models {
			if price, ok := table.lookup(model); ok {
				return price, true
			}
		}
	}
	return Price{}, false
}

// Pricer is implemented by providers that know before a request what it costs.
type Pricer interface {
	Provider
	// Price returns the price of a model; the empty name means the provider's
	// default. ok is false if it is not known.
	Price(model string) (price Price, ok bool)
	// ReportsCost reports whether answers come with their cost, so that no price is
	// needed.
	ReportsCost() bool
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
