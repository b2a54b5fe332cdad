package redact

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// A rule finds one kind of secret. To add a rule, add a line to the table.
type rule struct {
	// kind is the name in the placeholder.
	kind string
	// keywords are the texts one of which is in every such secret, separated by
	// spaces, in upper or lower case. They have at least three bytes. The rule
	// is tried only where one of them is.
	keywords string
	// re matches the secret from its first byte. If it has a group, only the
	// group is the secret.
	re string
	// near, if set, is in every match: a cheap check before that of re.
	near string
	// offset is the number of bytes that re matches before the keyword.
	offset int
	// context is set if only the text around the secret gives it away. Rules for
	// secrets with a form then take precedence.
	context bool
	// check, if set, must accept the secret.
	check func(secret string) bool
}

// rules are tried in this order where several have the same keyword. Letters and
// digits must not follow a match; nor precede it, unless re has a group.
var rules = []rule{
	// Clouds.
	{kind: "aws-access-key", keywords: "AKIA ASIA ABIA ACCA", re: `[A-Z]{4}[A-Z2-7]{16}`},
	{kind: "aws-bedrock-key", keywords: "ABSK", re: `ABSK[A-Za-z0-9+/]{100,}={0,2}`},
	{kind: "aws-mws-key", keywords: "amzn.mws.", re: `amzn\.mws\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`},
	{kind: "gcp-api-key", keywords: "AIza", re: `AIza[\w-]{35}`},
	{kind: "gcp-key-id", keywords: "private_key_id", re: `private_key_id\\?["']\s{0,8}:\s{0,8}\\?["']([0-9a-f]{40})`},
	{kind: "google-oauth-token", keywords: "ya29.", re: `ya29\.[\w-]{20,}`},
	{kind: "google-oauth-secret", keywords: "GOCSPX-", re: `GOCSPX-[\w-]{20,}`},
	{kind: "google-refresh-token", keywords: "1//0", re: `1//0[\w-]{40,}`},
	{kind: "azure-storage-key", keywords: "AccountKey=", re: `(?i)AccountKey=([A-Za-z0-9+/]{40,}={0,2})`},
	{kind: "azure-shared-access-key", keywords: "SharedAccessKey=", re: `(?i)SharedAccessKey=([A-Za-z0-9+/]{40,}={0,2})`},
	{kind: "azure-sas-signature", keywords: "sig=", re: `sig=((?:[A-Za-z0-9+/]|%2[BbFf]){40,}(?:%3[Dd]|=){0,2})`, check: looksBase64},
	{kind: "azure-client-secret", keywords: "0Q~ 1Q~ 2Q~ 3Q~ 4Q~ 5Q~ 6Q~ 7Q~ 8Q~ 9Q~", re: `[\w.~-]{3}\dQ~[\w.~-]{31,34}`, offset: 3},
	{kind: "azure-storage-key", keywords: "+ASt", re: `[A-Za-z0-9+/]{76}\+ASt[A-Za-z0-9+/]{4}==`, offset: 76},
	{kind: "azure-api-key", keywords: "JQQJ99", re: `[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}`, offset: 52},
	{kind: "azure-devops-token", keywords: "AZDO", re: `[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}`, offset: 76},
	{kind: "azure-function-key", keywords: "AzFu", re: `[\w-]{44}AzFu[\w-]{5}[AQgw]=`, offset: 44},
	{kind: "azure-search-key", keywords: "AzSe", re: `[A-Za-z0-9]{42}AzSe[A-D][A-Za-z0-9]{5}`, offset: 42},
	{kind: "digitalocean-token", keywords: "doo_v1_ dop_v1_ dor_v1_", re: `do[opr]_v1_[0-9a-f]{64}`},
	{kind: "fly-token", keywords: "fo1_", re: `fo1_[\w-]{43}`},
	{kind: "fly-token", keywords: "fm1r_ fm1a_ fm2_", re: `fm(?:1[ar]|2)_[A-Za-z0-9+/]{80,}={0,3}`},
	{kind: "heroku-key", keywords: "HRKU-", re: `HRKU-[\w-]{30,}`},
	{kind: "heroku-key", keywords: "heroku", re: `(?i)heroku[\w-]{0,20}["']?\s{0,8}[:=]\s{0,8}["']?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})`},
	{kind: "alibaba-access-key", keywords: "LTAI", re: `LTAI[A-Za-z0-9]{16,26}`, check: hasDigit},
	{kind: "databricks-token", keywords: "dapi", re: `dapi[0-9a-f]{32}(?:-\d)?`},
	{kind: "planetscale-token", keywords: "pscale_", re: `pscale_(?:tkn|pw|oauth)_[\w.=-]{32,}`},
	{kind: "supabase-key", keywords: "sbp_", re: `sbp_[0-9a-f]{40}`},
	{kind: "supabase-key", keywords: "sb_secret_", re: `sb_secret_[\w-]{20,}`},
	{kind: "terraform-token", keywords: ".atlasv1.", re: `[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}`, offset: 14},
	{kind: "pulumi-token", keywords: "pul-", re: `pul-[0-9a-f]{40}`},
	{kind: "vault-token", keywords: "hvs. hvb. hvr.", re: `hv[sbr]\.[\w-]{24,}`},
	{kind: "doppler-token", keywords: "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", re: `dp\.[a-z]+\.(?:[a-z0-9_-]+\.)?[A-Za-z0-9]{40,44}`},
	{kind: "tailscale-key", keywords: "tskey-", re: `tskey-[a-z]+-[A-Za-z0-9]+(?:-[A-Za-z0-9]+)+`, check: hasDigit},
	{kind: "dynatrace-token", keywords: "dt0c01. dt0s01.", re: `dt0[cs]01\.[A-Z0-9]{8,24}\.[A-Z0-9]{64}`},
	{kind: "1password-token", keywords: "ops_eyJ", re: `ops_eyJ[\w-]{200,}=*`},

	// Code hosting and packages.
	{kind: "github-token", keywords: "ghp_ gho_ ghu_ ghs_ ghr_", re: `gh[pousr]_\w{36,}(?:[\w.-]*\w)?`},
	{kind: "github-token", keywords: "github_pat_", re: `github_pat_\w{50,}`},
	{kind: "gitlab-token", keywords: "glpat- gloas- gldt- glrt- glcbt- glptt- glft- glimt- glagent- glsoat- glffct-", re: `gl[a-z]+-[\w-]{20,}(?:\.\w+)*`},
	{kind: "gitlab-token", keywords: "GR1348941", re: `GR1348941[\w-]{20,}`},
	{kind: "bitbucket-token", keywords: "ATBB", re: `ATBB[A-Za-z0-9]{32}`},
	{kind: "atlassian-token", keywords: "ATATT3 ATCTT3", re: `AT[AC]TT3[\w=-]{60,}`},
	{kind: "npm-token", keywords: "npm_", re: `npm_[A-Za-z0-9]{36}`},
	{kind: "npm-token", keywords: "_authToken= _password= _auth=", re: `_(?:authToken|password|auth)="?([\w+/.-]{16,}={0,2})`, check: hasDigit},
	{kind: "pypi-token", keywords: "pypi-AgE", re: `pypi-AgE[\w-]{40,}`},
	{kind: "rubygems-key", keywords: "rubygems_", re: `rubygems_[0-9a-f]{48}`},
	{kind: "crates-token", keywords: "cio", re: `cio[A-Za-z0-9]{32}`, check: looksRandom},
	{kind: "nuget-key", keywords: "oy2", re: `oy2[a-z0-9]{43}`},
	{kind: "docker-token", keywords: "dckr_pat_ dckr_oat_", re: `dckr_[po]at_[\w-]{20,}`},
	{kind: "clojars-token", keywords: "CLOJARS_", re: `CLOJARS_[a-z0-9]{60}`},
	{kind: "postman-key", keywords: "PMAK-", re: `PMAK-[0-9a-f]{24}-[0-9a-f]{34}`},
	{kind: "sentry-token", keywords: "sntrys_ sntryu_", re: `sntry[su]_[\w+/=-]{40,}`},
	{kind: "grafana-token", keywords: "glsa_ glc_", re: `gl(?:sa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}|c_[A-Za-z0-9+/=]{32,})`},
	{kind: "newrelic-key", keywords: "NRAK-", re: `NRAK-[A-Z0-9]{27}`},
	{kind: "linear-key", keywords: "lin_api_ lin_oauth_", re: `lin_(?:api|oauth)_[A-Za-z0-9]{32,}`},
	{kind: "notion-token", keywords: "ntn_", re: `ntn_[A-Za-z0-9]{40,}`, check: hasDigit},
	{kind: "figma-token", keywords: "figd_ figo_", re: `fig[do]_[\w-]{36,}`},
	{kind: "airtable-token", keywords: "pat", re: `pat[A-Za-z0-9]{14}\.[0-9a-f]{64}`},

	// Messages and payments.
	{kind: "slack-token", keywords: "xoxa- xoxb- xoxc- xoxd- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs-", re: `xox[a-z](?:\.xox[bp])?-[A-Za-z0-9%+/=-]{10,}`, check: hasDigit},
	{kind: "slack-token", keywords: "xapp-", re: `xapp-\d-[A-Za-z0-9]+-\d+-[A-Za-z0-9]+`},
	{kind: "slack-webhook", keywords: "hooks.slack.com/", re: `hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{20,})`, check: hasDigit},
	{kind: "discord-webhook", keywords: "/api/webhooks/", re: `/api/webhooks/\d{10,}/([\w-]{40,})`},
	{kind: "teams-webhook", keywords: "/webhookb2/", re: `/webhookb2/([0-9a-fA-F-]{36}@[0-9a-fA-F-]{36}/IncomingWebhook/[0-9a-f]{32}/[0-9a-fA-F-]{36}[\w/-]*)`},
	{kind: "telegram-token", keywords: ":AA", re: `\d{10}:AA[\w-]{33}`, offset: 10},
	{kind: "telegram-token", keywords: ":AA", re: `\d{9}:AA[\w-]{33}`, offset: 9},
	{kind: "stripe-key", keywords: "sk_live_ rk_live_ sk_test_ rk_test_", re: `[rs]k_(?:live|test)_[A-Za-z0-9]{16,}`, check: hasDigit},
	{kind: "webhook-secret", keywords: "whsec_", re: `whsec_[A-Za-z0-9+/]{24,}={0,2}`},
	{kind: "square-token", keywords: "sq0atp- sq0csp-", re: `sq0(?:atp|csp)-[\w-]{22,}`},
	{kind: "square-token", keywords: "EAAA", re: `EAAA[\w-]{60}`, check: hasDigit},
	{kind: "shopify-token", keywords: "shpat_ shpca_ shppa_ shpss_", re: `shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}`},
	{kind: "twilio-key", keywords: "SK0 SK1 SK2 SK3 SK4 SK5 SK6 SK7 SK8 SK9 SKa SKb SKc SKd SKe SKf", re: `SK[0-9a-f]{32}`},
	{kind: "sendgrid-key", keywords: "SG.", re: `SG\.[\w-]{16,32}\.[\w-]{16,}`},
	{kind: "mailgun-key", keywords: "key-", re: `key-[0-9a-f]{32}`},
	{kind: "mailchimp-key", keywords: "-us", re: `[0-9a-f]{32}-us\d{1,2}`, offset: 32},
	{kind: "facebook-token", keywords: "EAACEdEose0cBA", re: `EAACEdEose0cBA[A-Za-z0-9]{20,}`},

	// Models.
	{kind: "anthropic-key", keywords: "sk-ant-", re: `sk-ant-[\w-]{20,}`},
	{kind: "openrouter-key", keywords: "sk-or-", re: `sk-or-(?:v\d-)?[0-9a-f]{32,}`},
	{kind: "openai-key", keywords: "sk-proj- sk-svcacct- sk-admin- sk-None-", re: `sk-[A-Za-z]+-[\w-]{20,}`, check: hasDigit},
	{kind: "openai-key", keywords: "sk-", re: `sk-[A-Za-z0-9]{20,}`, check: looksRandomTail},
	{kind: "huggingface-token", keywords: "hf_ api_org_", re: `(?:hf|api_org)_[A-Za-z0-9]{30,}`, check: mixedTail},
	{kind: "groq-key", keywords: "gsk_", re: `gsk_[A-Za-z0-9]{40,}`, check: hasDigit},
	{kind: "xai-key", keywords: "xai-", re: `xai-[A-Za-z0-9]{60,}`},
	{kind: "perplexity-key", keywords: "pplx-", re: `pplx-[A-Za-z0-9]{40,}`, check: hasDigit},
	{kind: "replicate-token", keywords: "r8_", re: `r8_[A-Za-z0-9]{37}`},

	// Other forms.
	{kind: "jwt", keywords: "eyJ", re: `eyJ[\w-]{10,}\.(?:[\w-]{10,}\.[\w-]{10,}|[\w-]*\.[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,})`, check: looksJWT},
	{kind: "age-key", keywords: "AGE-SECRET-KEY-1", re: `AGE-SECRET-KEY-1[0-9A-Z]{58}`},
	{kind: "gcp-service-account-key", keywords: "eyJ0eXBlIjoi eyJ0eXBlIjog ewogICJ0eXBl", re: `(?:eyJ0eXBl|ewogICJ0eXBl)[A-Za-z0-9+/]{100,}={0,2}`, check: looksServiceAccount},
	{kind: kindPrivateKey, keywords: "LS0tLS1CRUdJTi", re: `LS0tLS1CRUdJTi[A-Za-z0-9+/]{40,}={0,2}`, check: looksEncodedKey},

	// Headers and .netrc files.
	{kind: "basic-auth", keywords: "basic", re: `(?i)basic ([A-Za-z0-9+/]{8,}={0,2})`, context: true, check: isBasicAuth},
	{kind: "bearer-token", keywords: "bearer", re: `(?i)bearer ([\w+/=.~-]{16,})`, context: true, check: isBearerToken},
	{kind: kindPassword, keywords: ":5432:", re: `:5432:[^\s:]+:[^\s:]+:(\S+)`, context: true, check: isPassword},
	{kind: kindPassword, keywords: "machine", near: "password", re: `machine [^\n]*? login [^\n]*? password (\S+)`, context: true, check: isPassword},

	// Commands with flags of one letter, and other statements.
	{kind: kindPassword, keywords: "rabbitmqctl", re: `rabbitmqctl \w+ \S+ ["']?([^\s"']+)`, context: true, check: isPassword},
	{kind: kindPassword, keywords: ":thin:", re: `:thin:[^\s/]+/([^\s@"']+)@`, context: true, check: isPassword},
	{kind: kindPassword, keywords: "echo", near: "|", re: `echo (?:-\w+ )?["']?(?:[\w.-]+:)?([^\s"'|]+)["']? *\|[^\n|]*(?:-stdin|--with-token|chpasswd|sudo -S)`, context: true, check: isPassword},
	{kind: kindPassword, keywords: "identified", re: `(?i:identified\s+(?:with\s+\w+\s+)?by\s+(?:password\s+)?)["']?([^"'\s;]+)`, context: true, check: isLiteral},
}

// isLiteral reports whether the literal of a password is one.
func isLiteral(s string) bool {
	return value{quoted: true, announced: true}.isSecret(s, kindPassword)
}

func hasDigit(s string) bool {
	for i := range len(s) {
		if isDigit(s[i]) {
			return true
		}
	}
	return false
}

func looksRandom(s string) bool { return profileOf(s).random() }

// looksRandomTail checks what follows the first dash.
func looksRandomTail(s string) bool {
	_, tail, _ := strings.Cut(s, "-")
	return looksRandom(tail)
}

// mixedTail reports whether what follows the last underscore mixes cases as no
// identifier does.
func mixedTail(s string) bool {
	p := profileOf(s[strings.LastIndexByte(s, '_')+1:])
	return p.lower > 4 && p.upper > 4 && p.entropy > 3.5 || p.random()
}

// looksBase64 distinguishes the signature of a URL from words.
func looksBase64(s string) bool {
	p := profileOf(s)
	return p.digit > 0 && p.upper > 0 && p.lower > 0 && p.entropy > 4 && !p.monotonous()
}

func looksJWT(s string) bool {
	first, _, _ := strings.Cut(s, ".")
	header, err := base64.RawURLEncoding.DecodeString(first)
	return err == nil && strings.Contains(string(header), `"alg"`)
}

func looksServiceAccount(s string) bool { return strings.Contains(decodeHead(s), `service_account`) }

func looksEncodedKey(s string) bool { return strings.Contains(decodeHead(s), "PRIVATE KEY") }

// decodeHead decodes the beginning of a text in base64.
func decodeHead(s string) string {
	s = s[:min(len(s), 128)&^3]
	decoded, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return ""
	}
	return string(decoded)
}

// isBasicAuth reports whether s is a user and a password in base64.
func isBasicAuth(s string) bool {
	decoded, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
	if err != nil || !utf8.Valid(decoded) || strings.ContainsFunc(string(decoded), func(r rune) bool { return r < ' ' }) {
		return false
	}
	_, password, ok := strings.Cut(string(decoded), ":")
	return ok && stripWords(password) != ""
}

func isBearerToken(s string) bool {
	p := profileOf(s)
	return !isUUID(s) && !isFiller(s) && !isReference(s) && (p.random() || p.hexOnly && p.length >= 32 && !p.monotonous())
}
