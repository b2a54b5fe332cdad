package provider

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUsageAdd(t *testing.T) {
	priced := Usage{InputTokens: 10, OutputTokens: 2, CacheReadInputTokens: 4, CacheCreationInputTokens: 1, CostUSD: new(0.5)}
	unpriced := Usage{InputTokens: 1}
	free := Usage{OutputTokens: 1, CostUSD: new(0.0)}
	for _, tt := range []struct {
		name       string
		u, v, want Usage
	}{
		{"nothing", Usage{}, Usage{}, Usage{}},
		{"nothing and something", Usage{}, priced, priced},
		{"known costs", priced, priced, Usage{InputTokens: 20, OutputTokens: 4, CacheReadInputTokens: 8, CacheCreationInputTokens: 2, CostUSD: new(1.0)}},
		{"known and free", priced, free, Usage{InputTokens: 10, OutputTokens: 3, CacheReadInputTokens: 4, CacheCreationInputTokens: 1, CostUSD: new(0.5)}},
		{"known and unknown cost", priced, unpriced, Usage{InputTokens: 11, OutputTokens: 2, CacheReadInputTokens: 4, CacheCreationInputTokens: 1}},
		{"unknown costs", unpriced, unpriced, Usage{InputTokens: 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.u.Add(tt.v)); diff != "" {
				t.Errorf("sum (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, tt.v.Add(tt.u)); diff != "" {
				t.Errorf("sum the other way round (-want +got):\n%s", diff)
			}
		})
	}
	if *priced.CostUSD != 0.5 {
		t.Errorf("Add changed its argument: cost %v", *priced.CostUSD)
	}
}

func TestUsageJSON(t *testing.T) {
	for _, tt := range []struct {
		name string
		u    Usage
		want string
	}{
		{"zero", Usage{}, `{"inputTokens":0,"outputTokens":0}`},
		{"free", Usage{InputTokens: 1, CostUSD: new(0.0)}, `{"inputTokens":1,"outputTokens":0,"costUSD":0}`},
		{"full", Usage{InputTokens: 1, OutputTokens: 2, CacheReadInputTokens: 3, CacheCreationInputTokens: 4, CostUSD: new(0.25)},
			`{"inputTokens":1,"outputTokens":2,"cacheReadInputTokens":3,"cacheCreationInputTokens":4,"costUSD":0.25}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			data, err := json.Marshal(tt.u)
			if err != nil || string(data) != tt.want {
				t.Errorf("Marshal = %s, %v; want %s", data, err, tt.want)
			}
			var back Usage
			if err := json.Unmarshal(data, &back); err != nil || !cmp.Equal(back, tt.u) {
				t.Errorf("Unmarshal = %+v, %v; want %+v", back, err, tt.u)
			}
		})
	}
}
