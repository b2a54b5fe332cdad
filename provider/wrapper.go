package provider

import "context"

// Wrapper is embedded by a provider that takes the requests to another provider: it has
// the optional methods of that one, which an embedded [Provider] would hide.
type Wrapper struct {
	// Provider gets the requests. It must be set for requests; if it is nil, the optional
	// methods answer as for a provider without them.
	Provider
}

var (
	_ Identifier    = Wrapper{}
	_ FeatureSender = Wrapper{}
	_ Fingerprinter = Wrapper{}
	_ Pricer        = Wrapper{}
)

// Identity implements [Identifier].
func (w Wrapper) Identity() Identity { return Identify(w.Provider) }

// SendsFeatures implements [FeatureSender]; it is true if nothing is known.
func (w Wrapper) SendsFeatures() bool {
	p, ok := w.Provider.(FeatureSender)
	return !ok || p.SendsFeatures()
}

// Fingerprint implements [Fingerprinter].
func (w Wrapper) Fingerprint(ctx context.Context) string {
	if p, ok := w.Provider.(Fingerprinter); ok {
		return p.Fingerprint(ctx)
	}
	return ""
}

// Price implements [Pricer].
func (w Wrapper) Price(model string) (price Price, ok bool) {
	if p, isPricer := w.Provider.(Pricer); isPricer {
		return p.Price(model)
	}
	return price, false
}

// ReportsCost implements [Pricer].
func (w Wrapper) ReportsCost() bool {
	p, ok := w.Provider.(Pricer)
	return ok && p.ReportsCost()
}
