package provider

// Usage counts what requests consumed. The zero Usage is that of no request. It
// marshals to the usage objects of reports and logs.
type Usage struct {
	// InputTokens counts all tokens read, those served from a cache included.
	InputTokens int64 `json:"inputTokens"`
	// OutputTokens counts all tokens written, reasoning included.
	OutputTokens int64 `json:"outputTokens"`
	// CacheReadInputTokens counts the input tokens served from a prompt cache.
	CacheReadInputTokens int64 `json:"cacheReadInputTokens,omitempty"`
	// CacheCreationInputTokens counts the input tokens written to a prompt cache.
	CacheCreationInputTokens int64 `json:"cacheCreationInputTokens,omitempty"`
	// CostUSD is the price in US dollars. Nil means unknown, which is different
	// from free.
	CostUSD *float64 `json:"costUSD,omitempty"`
	// Unreported is set when a provider did not report the usage of an answer:
	// the counts are then too low, and the cost is not known.
	Unreported bool `json:"-"`
}

// IsZero reports whether nothing was consumed.
func (u Usage) IsZero() bool {
	return u == Usage{}
}

// Add returns the sum of u and v. The cost of the sum is known only when both
// costs are; a zero Usage adds nothing and costs nothing.
func (u Usage) Add(v Usage) Usage {
	switch {
	case v.IsZero():
		return u
	case u.IsZero():
		return v
	}
	sum := Usage{
		InputTokens:              u.InputTokens + v.InputTokens,
		OutputTokens:             u.OutputTokens + v.OutputTokens,
		CacheReadInputTokens:     u.CacheReadInputTokens + v.CacheReadInputTokens,
		CacheCreationInputTokens: u.CacheCreationInputTokens + v.CacheCreationInputTokens,
		Unreported:               u.Unreported || v.Unreported,
	}
	if u.CostUSD != nil && v.CostUSD != nil {
		sum.CostUSD = new(*u.CostUSD + *v.CostUSD)
	}
	return sum
}

// ExpectedUsage returns what a request of a size in bytes is expected to use as long as
// nothing is known of the model: a token for 4 bytes, and 2,000 tokens of output.
func ExpectedUsage(bytes int) Usage {
	return Usage{InputTokens: int64(bytes) / 4, OutputTokens: 2000}
}
