package provider

// listPrice is a row of a list: US dollars per million tokens. Without a price for
// reading or writing the cache, such tokens cost as much as others.
type listPrice struct {
	model                      string
	input, output, read, write float64
}

// Prices of https://developers.openai.com/api/docs/pricing: up to gpt-5.5 as in
// github.com/Wei-Shaw/model-price-repo on 2026-07-24; gpt-5.6 and gpt-6 as in the
// releases of github.com/TheKrush/PromptFuel from 2026-09-07 to 2026-10-01; gpt-6.2
// as in github.com/BerriAI/litellm/discussions/52347 of 2026-11-18.
var openaiPrices = []listPrice{
	{"gpt-6.2-astra", 8, 40, 0, 0},
	{"gpt-6.2-sol", 2, 10, 0, 0},
	{"gpt-6.1-sol", 2, 10, 0.10, 2.50},
	{"gpt-6-astra", 10, 50, 1, 12.50},
	{"gpt-6-sol", 2, 10, 0.20, 2.50},
	{"gpt-6-luna", 0.10, 0.50, 0.01, 0.125},
	{"gpt-5.6", 5, 30, 0.50, 6.25},
	{"gpt-5.6-sol", 5, 30, 0.50, 6.25},
	{"gpt-5.6-terra", 2, 12, 0.20, 2.50},
	{"gpt-5.6-luna", 0.20, 1.20, 0.02, 0.25},
	{"gpt-5.5", 5, 30, 0.50, 0},
	{"gpt-5.5-pro", 30, 180, 3, 0},
	{"gpt-5.4", 2.50, 15, 0.25, 0},
	{"gpt-5.4-mini", 0.75, 4.50, 0.075, 0},
	{"gpt-5.4-nano", 0.20, 1.25, 0.02, 0},
	{"gpt-5.4-pro", 30, 180, 3, 0},
	{"gpt-5.3-chat-latest", 1.75, 14, 0.175, 0},
	{"gpt-5.3-codex", 1.75, 14, 0.175, 0},
	{"gpt-5.2", 1.75, 14, 0.175, 0},
	{"gpt-5.2-chat-latest", 1.75, 14, 0.175, 0},
	{"gpt-5.2-codex", 1.75, 14, 0.175, 0},
	{"gpt-5.2-pro", 21, 168, 0, 0},
	{"gpt-5.1", 1.25, 10, 0.125, 0},
	{"gpt-5.1-chat-latest", 1.25, 10, 0.125, 0},
	{"gpt-5.1-codex", 1.25, 10, 0.125, 0},
	{"gpt-5.1-codex-max", 1.25, 10, 0.125, 0},
	{"gpt-5.1-codex-mini", 0.25, 2, 0.025, 0},
	{"gpt-5", 1.25, 10, 0.125, 0},
	{"gpt-5-chat-latest", 1.25, 10, 0.125, 0},
	{"gpt-5-codex", 1.25, 10, 0.125, 0},
	{"gpt-5-mini", 0.25, 2, 0.025, 0},
	{"gpt-5-nano", 0.05, 0.40, 0.005, 0},
	{"gpt-5-pro", 15, 120, 0, 0},
	{"gpt-4.1", 2, 8, 0.50, 0},
	{"gpt-4.1-mini", 0.40, 1.60, 0.10, 0},
	{"gpt-4.1-nano", 0.10, 0.40, 0.025, 0},
	{"gpt-4o", 2.50, 10, 1.25, 0},
	{"gpt-4o-2024-05-13", 5, 15, 0, 0},
	{"gpt-4o-mini", 0.15, 0.60, 0.075, 0},
	{"o4-mini", 1.10, 4.40, 0.275, 0},
	{"o3", 2, 8, 0.50, 0},
	{"o3-mini", 1.10, 4.40, 0.55, 0},
	{"o3-pro", 20, 80, 0, 0},
	{"o1", 15, 60, 7.50, 0},
	{"o1-pro", 150, 600, 0, 0},
	{"gpt-4-turbo", 10, 30, 0, 0},
	{"gpt-4", 30, 60, 0, 0},
	{"gpt-3.5-turbo", 0.50, 1.50, 0, 0},
}

// Prices of https://platform.claude.com/docs/en/about-claude/pricing and of the
// models' own pages there, as of October 2026, with a cache of five minutes; the cache
// reads of Sonnet 5.5 as in release 1.9.2 of github.com/kurofune/claudit of 2026-10-25.
var anthropicPrices = []listPrice{
	{"claude-fable-5-1", 10, 50, 0.25, 12.50},
	{"claude-fable-5", 10, 50, 1, 12.50},
	{"claude-mythos-5-1", 10, 50, 0.25, 12.50},
	{"claude-mythos-5", 10, 50, 1, 12.50},
	{"claude-opus-5-5", 4, 20, 0.20, 5},
	{"claude-opus-5", 5, 25, 0.50, 6.25},
	{"claude-opus-4-8", 5, 25, 0.50, 6.25},
	{"claude-opus-4-7", 5, 25, 0.50, 6.25},
	{"claude-opus-4-6", 5, 25, 0.50, 6.25},
	{"claude-opus-4-5", 5, 25, 0.50, 6.25},
	{"claude-opus-4-1", 15, 75, 1.50, 18.75},
	{"claude-sonnet-5-5", 2, 10, 0.10, 2.50},
	{"claude-sonnet-5", 2, 10, 0.20, 2.50},
	{"claude-sonnet-4-6", 3, 15, 0.30, 3.75},
	{"claude-sonnet-4-5", 3, 15, 0.30, 3.75},
	{"claude-haiku-5-5", 0.10, 0.50, 0.01, 0.125},
	{"claude-haiku-4-5", 1, 5, 0.10, 1.25},
}

// Prices of https://ai.google.dev/gemini-api/docs/pricing as in
// github.com/Wei-Shaw/model-price-repo on 2026-07-24; 3.7 and 3.8 as in
// github.com/BerriAI/litellm/discussions/36799 and 39357 of September 2026.
var geminiPrices = []listPrice{
	{"gemini-3.8-flash", 1.50, 7.50, 0, 0},
	{"gemini-3.7-flash", 1.50, 7.50, 0, 0},
	{"gemini-3.6-flash", 1.50, 7.50, 0.15, 0},
	{"gemini-3.5-flash", 1.50, 9, 0.15, 0},
	{"gemini-3.5-flash-lite", 0.30, 2.50, 0.03, 0},
	{"gemini-3.1-pro-preview", 2, 12, 0.20, 0},
	{"gemini-3.1-flash-lite", 0.25, 1.50, 0.025, 0},
	{"gemini-3-flash-preview", 0.50, 3, 0.05, 0},
	{"gemini-2.5-pro", 1.25, 10, 0.125, 0},
	{"gemini-2.5-flash", 0.30, 2.50, 0.03, 0},
	{"gemini-2.5-flash-lite", 0.10, 0.40, 0.01, 0},
}

// ListPrices returns a new table with the public list prices of models of OpenAI,
// Anthropic and Google as of November 2026: standard processing, without discounts
// for batches or for a limited time, and without surcharges for very long prompts.
// Prices change; a user's own table takes precedence, see [Prices.Cost].
func ListPrices() Prices {
	p := make(Prices)
	for _, list := range [][]listPrice{openaiPrices, anthropicPrices, geminiPrices} {
		for _, r := range list {
			price := Price{InputPerMTok: r.input, OutputPerMTok: r.output}
			if r.read > 0 {
				price.CacheReadPerMTok = new(r.read)
			}
			if r.write > 0 {
				price.CacheWritePerMTok = new(r.write)
			}
			p[r.model] = price
		}
	}
	return p
}
