package config

import "strings"

// Env are the environment variables that scanner reads.
type Env struct {
	Model    string // SCANNER_MODEL
	Provider string // SCANNER_PROVIDER
	Agent    string // SCANNER_AGENT
	BaseURL  string // SCANNER_PROVIDER_BASE_URL
	APIKey   Secret // SCANNER_PROVIDER_API_KEY
	// The cache of a team.
	CacheURL   string // SCANNER_CACHE_URL
	CacheKey   Secret // SCANNER_CACHE_KEY
	CacheToken Secret // SCANNER_CACHE_TOKEN
	// Vendors are the variables that the vendors' own programs read. They are
	// ignored unless the vendor was chosen.
	Vendors []Vendor
}

// Vendor is what the environment holds for a vendor of models.
type Vendor struct {
	Kind    string // as in provider.kind
	Key     Secret
	KeyName string // the variable of Key
	baseURL string
	// baseURLName is the variable of baseURL, and path what its value lacks of a
	// base URL.
	baseURLName, path string
}

const (
	envModel    = "SCANNER_MODEL"
	envProvider = "SCANNER_PROVIDER"
	envAgent    = "SCANNER_AGENT"
	envBaseURL  = "SCANNER_PROVIDER_BASE_URL"
	envAPIKey   = "SCANNER_PROVIDER_API_KEY"
	envCacheURL = "SCANNER_CACHE_URL"
)

// ReadEnv reads the variables with getenv, which is [os.Getenv] or a fake. White
// space around a value is removed; an empty variable is like one that is not set.
// Values are checked by [Resolve].
func ReadEnv(getenv func(string) string) Env {
	get := func(name string) string { return strings.TrimSpace(getenv(name)) }
	env := Env{
		Model:    get(envModel),
		Provider: get(envProvider),
		Agent:    get(envAgent),
		BaseURL:  get(envBaseURL),
		APIKey:   newSecret(get(envAPIKey)),

		CacheURL: get(envCacheURL), CacheKey: newSecret(get("SCANNER_CACHE_KEY")), CacheToken: newSecret(get("SCANNER_CACHE_TOKEN")),

		Vendors: []Vendor{
			{Kind: "openai", KeyName: "OPENAI_API_KEY", baseURLName: "OPENAI_BASE_URL"},
			{Kind: "anthropic", KeyName: "ANTHROPIC_API_KEY", baseURLName: "ANTHROPIC_BASE_URL"},
			{Kind: "gemini", KeyName: "GEMINI_API_KEY", baseURLName: "GOOGLE_GEMINI_BASE_URL", path: "/v1beta/openai"},
		},
	}
	for i := range env.Vendors {
		v := &env.Vendors[i]
		v.Key, v.baseURL = newSecret(get(v.KeyName)), get(v.baseURLName)
		if v.baseURL != "" {
			v.baseURL = strings.TrimRight(v.baseURL, "/") + v.path
		}
	}
	return env
}
