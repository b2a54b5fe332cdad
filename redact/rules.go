package redact

import (
	"encoding/base64"
	"regexp"
	"strings"
	"sync"
)

// A rule finds secrets that have a form of their own.
//
// It has a text, the lead, that stands in each of them at the same place, and is
// tried only where that stands: a text without secrets is looked through once,
// for all rules together, and nothing else is done with it.
type rule struct {
	kind  string
	leads []string
	// re matches from the first byte of the secret on. With a group, that is the
	// secret, and what is before it tells that it is one.
	re string
	// back is the number of bytes before the lead.
	back int
	// fold ignores the case of the lead.
	fold bool
	// exact forbids that a letter or digit follows.
	exact bool
	// inside allows that a letter or digit stands before.
	inside bool
	// check, if set, has the last word.
	check func(secret string) bool
}

// The rules, the more special before the more general.
var rules = []rule{
	// Clouds.
	{kind: "aws-access-key", leads: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, re: `[A-Z]{4}[A-Z2-7]{16}`, exact: true},
	{kind: "aws-bedrock-key", leads: []string{"ABSK"}, re: `ABSK[A-Za-z0-9+/]{100,}={0,2}`},
	{kind: "aws-mws-key", leads: []string{"amzn.mws."}, re: `amzn\.mws\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`, exact: true},
	{kind: "gcp-api-key", leads: []string{"AIza"}, re: `AIza[\w-]{35}`, exact: true},
	{kind: "gcp-key-id", leads: []string{"private_key_id"}, re: `private_key_id\\?["']\s{0,8}:\s{0,8}\\?["']([0-9a-f]{40})`, exact: true},
	{kind: "google-oauth-token", leads: []string{"ya29."}, re: `ya29\.[\w-]{20,}`},
	{kind: "google-oauth-secret", leads: []string{"GOCSPX-"}, re: `GOCSPX-[\w-]{20,}`},
	{kind: "google-refresh-token", leads: []string{"1//0"}, re: `1//0[\w-]{40,}`},
	{kind: "azure-storage-key", leads: []string{"AccountKey="}, re: `(?i)AccountKey=([A-Za-z0-9+/]{40,}={0,2})`, fold: true},
	{kind: "azure-shared-access-key", leads: []string{"SharedAccessKey="}, re: `(?i)SharedAccessKey=([A-Za-z0-9+/]{40,}={0,2})`, fold: true},
	{kind: "azure-sas-signature", leads: []string{"sig="}, re: `sig=((?:[A-Za-z0-9+/]|%2[BbFf]){40,}(?:%3[Dd]|=){0,2})`, check: looksBase64},
	{kind: "azure-client-secret", leads: digits("%sQ~"), back: 3, re: `[\w.~-]{3}\dQ~[\w.~-]{31,34}`, exact: true},
	{kind: "azure-storage-key", leads: []string{"+ASt"}, back: 76, re: `[A-Za-z0-9+/]{76}\+ASt[A-Za-z0-9+/]{4}==`},
	{kind: "azure-api-key", leads: []string{"JQQJ99"}, back: 52, re: `[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{26}`, exact: true},
	{kind: "azure-devops-token", leads: []string{"AZDO"}, back: 76, re: `[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}`, exact: true},
	{kind: "azure-function-key", leads: []string{"AzFu"}, back: 44, re: `[\w-]{44}AzFu[\w-]{5}[AQgw]=`},
	{kind: "azure-search-key", leads: []string{"AzSe"}, back: 42, re: `[A-Za-z0-9]{42}AzSe[A-D][A-Za-z0-9]{5}`, exact: true},
	{kind: "digitalocean-token", leads: []string{"doo_v1_", "dop_v1_", "dor_v1_"}, re: `do[opr]_v1_[0-9a-f]{64}`, exact: true},
	{kind: "fly-token", leads: []string{"fo1_"}, re: `fo1_[\w-]{43}`, exact: true},
	{kind: "fly-token", leads: []string{"fm1r_", "fm1a_", "fm2_"}, re: `fm(?:1[ar]|2)_[A-Za-z0-9+/]{80,}={0,3}`},
	{kind: "heroku-key", leads: []string{"HRKU-"}, re: `HRKU-[\w-]{30,}`},
	{kind: "heroku-key", leads: []string{"heroku"}, fold: true, inside: true, re: `(?i)heroku[\w-]{0,20}["']?\s{0,8}[:=]\s{0,8}["']?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})`, exact: true},
	{kind: "alibaba-access-key", leads: []string{"LTAI"}, re: `LTAI[A-Za-z0-9]{16,26}`, exact: true, check: hasDigit},
	{kind: "databricks-token", leads: []string{"dapi"}, re: `dapi[0-9a-f]{32}(?:-\d)?`, exact: true},
	{kind: "planetscale-token", leads: []string{"pscale_"}, re: `pscale_(?:tkn|pw|oauth)_[\w.=-]{32,}`},
	{kind: "supabase-key", leads: []string{"sbp_"}, re: `sbp_[0-9a-f]{40}`, exact: true},
	{kind: "supabase-key", leads: []string{"sb_secret_"}, re: `sb_secret_[\w-]{20,}`},
	{kind: "terraform-token", leads: []string{".atlasv1."}, back: 14, re: `[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}`},
	{kind: "pulumi-token", leads: []string{"pul-"}, re: `pul-[0-9a-f]{40}`, exact: true},
	{kind: "vault-token", leads: []string{"hvs.", "hvb.", "hvr."}, re: `hv[sbr]\.[\w-]{24,}`},
	{kind: "doppler-token", leads: []string{"dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."}, re: `dp\.[a-z]+\.(?:[a-z0-9_-]+\.)?[A-Za-z0-9]{40,44}`, exact: true},
	{kind: "tailscale-key", leads: []string{"tskey-"}, re: `tskey-[a-z]+-[A-Za-z0-9]+(?:-[A-Za-z0-9]+)+`, check: hasDigit},
	{kind: "dynatrace-token", leads: []string{"dt0c01.", "dt0s01."}, re: `dt0[cs]01\.[A-Z0-9]{8,24}\.[A-Z0-9]{64}`, exact: true},
	{kind: "1password-token", leads: []string{"ops_eyJ"}, re: `ops_eyJ[\w-]{200,}=*`},

	// Code hosting and packages.
	{kind: "github-token", leads: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, re: `gh[pousr]_\w{36,}(?:[\w.-]*\w)?`},
	{kind: "github-token", leads: []string{"github_pat_"}, re: `github_pat_\w{50,}`},
	{kind: "gitlab-token", leads: []string{"glpat-", "gloas-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "glsoat-", "glffct-"}, re: `gl[a-z]+-[\w-]{20,}(?:\.\w+)*`},
	{kind: "gitlab-token", leads: []string{"GR1348941"}, re: `GR1348941[\w-]{20,}`},
	{kind: "bitbucket-token", leads: []string{"ATBB"}, re: `ATBB[A-Za-z0-9]{32}`, exact: true},
	{kind: "atlassian-token", leads: []string{"ATATT3", "ATCTT3"}, re: `AT[AC]TT3[\w=-]{60,}`},
	{kind: "npm-token", leads: []string{"npm_"}, re: `npm_[A-Za-z0-9]{36}`, exact: true},
	{kind: "npm-token", leads: []string{"_authToken=", "_password=", "_auth="}, inside: true, re: `_(?:authToken|password|auth)="?([\w+/.-]{16,}={0,2})`, check: hasDigit},
	{kind: "pypi-token", leads: []string{"pypi-AgE"}, re: `pypi-AgE[\w-]{40,}`},
	{kind: "rubygems-key", leads: []string{"rubygems_"}, re: `rubygems_[0-9a-f]{48}`, exact: true},
	{kind: "crates-token", leads: []string{"cio"}, re: `cio[A-Za-z0-9]{32}`, exact: true, check: looksRandom},
	{kind: "nuget-key", leads: []string{"oy2"}, re: `oy2[a-z0-9]{43}`, exact: true},
	{kind: "docker-token", leads: []string{"dckr_pat_", "dckr_oat_"}, re: `dckr_[po]at_[\w-]{20,}`},
	{kind: "clojars-token", leads: []string{"CLOJARS_"}, re: `CLOJARS_[a-z0-9]{60}`, exact: true},
	{kind: "postman-key", leads: []string{"PMAK-"}, re: `PMAK-[0-9a-f]{24}-[0-9a-f]{34}`, exact: true},
	{kind: "sentry-token", leads: []string{"sntrys_", "sntryu_"}, re: `sntry[su]_[\w+/=-]{40,}`},
	{kind: "grafana-token", leads: []string{"glsa_", "glc_"}, re: `gl(?:sa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}|c_[A-Za-z0-9+/=]{32,})`},
	{kind: "newrelic-key", leads: []string{"NRAK-"}, re: `NRAK-[A-Z0-9]{27}`, exact: true},
	{kind: "linear-key", leads: []string{"lin_api_", "lin_oauth_"}, re: `lin_(?:api|oauth)_[A-Za-z0-9]{32,}`},
	{kind: "notion-token", leads: []string{"ntn_"}, re: `ntn_[A-Za-z0-9]{40,}`, check: hasDigit},
	{kind: "figma-token", leads: []string{"figd_", "figo_"}, re: `fig[do]_[\w-]{36,}`},
	{kind: "airtable-token", leads: []string{"pat"}, re: `pat[A-Za-z0-9]{14}\.[0-9a-f]{64}`, exact: true},

	// Messages and payments.
	{kind: "slack-token", leads: []string{"xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-"}, re: `xox[a-z](?:\.xox[bp])?-[A-Za-z0-9%+/=-]{10,}`, check: hasDigit},
	{kind: "slack-token", leads: []string{"xapp-"}, re: `xapp-\d-[A-Za-z0-9]+-\d+-[A-Za-z0-9]+`},
	{kind: "slack-webhook", leads: []string{"hooks.slack.com/"}, re: `hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{20,})`, check: hasDigit},
	{kind: "discord-webhook", leads: []string{"/api/webhooks/"}, inside: true, re: `/api/webhooks/\d{10,}/([\w-]{40,})`},
	{kind: "teams-webhook", leads: []string{"/webhookb2/"}, inside: true, re: `/webhookb2/([0-9a-fA-F-]{36}@[0-9a-fA-F-]{36}/IncomingWebhook/[0-9a-f]{32}/[0-9a-fA-F-]{36}[\w/-]*)`},
	{kind: "telegram-token", leads: []string{":AA"}, back: 10, re: `\d{10}:AA[\w-]{33}`, exact: true},
	{kind: "telegram-token", leads: []string{":AA"}, back: 9, re: `\d{9}:AA[\w-]{33}`, exact: true},
	{kind: "stripe-key", leads: []string{"sk_live_", "rk_live_", "sk_test_", "rk_test_"}, re: `[rs]k_(?:live|test)_[A-Za-z0-9]{16,}`, check: hasDigit},
	{kind: "webhook-secret", leads: []string{"whsec_"}, re: `whsec_[A-Za-z0-9+/]{24,}={0,2}`},
	{kind: "square-token", leads: []string{"sq0atp-", "sq0csp-"}, re: `sq0(?:atp|csp)-[\w-]{22,43}`},
	{kind: "square-token", leads: []string{"EAAA"}, re: `EAAA[\w-]{60}`, exact: true, check: hasDigit},
	{kind: "shopify-token", leads: []string{"shpat_", "shpca_", "shppa_", "shpss_"}, re: `shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}`, exact: true},
	{kind: "twilio-key", leads: hexes("SK%s"), re: `SK[0-9a-f]{32}`, exact: true},
	{kind: "sendgrid-key", leads: []string{"SG."}, re: `SG\.[\w-]{16,32}\.[\w-]{16,64}`},
	{kind: "mailgun-key", leads: []string{"key-"}, re: `key-[0-9a-f]{32}`, exact: true},
	{kind: "mailchimp-key", leads: []string{"-us"}, back: 32, re: `[0-9a-f]{32}-us\d{1,2}`, exact: true},
	{kind: "facebook-token", leads: []string{"EAACEdEose0cBA"}, re: `EAACEdEose0cBA[A-Za-z0-9]{20,}`},

	// Models.
	{kind: "anthropic-key", leads: []string{"sk-ant-"}, re: `sk-ant-[\w-]{20,}`},
	{kind: "openrouter-key", leads: []string{"sk-or-"}, re: `sk-or-(?:v\d-)?[0-9a-f]{32,}`},
	{kind: "openai-key", leads: []string{"sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"}, re: `sk-[A-Za-z]+-[\w-]{20,}`, check: hasDigit},
	{kind: "openai-key", leads: []string{"sk-"}, re: `sk-[A-Za-z0-9]{20,}`, check: looksRandomTail},
	{kind: "huggingface-token", leads: []string{"hf_", "api_org_"}, re: `(?:hf|api_org)_[A-Za-z0-9]{30,}`, check: mixedTail},
	{kind: "groq-key", leads: []string{"gsk_"}, re: `gsk_[A-Za-z0-9]{40,}`, check: hasDigit},
	{kind: "xai-key", leads: []string{"xai-"}, re: `xai-[A-Za-z0-9]{60,}`},
	{kind: "perplexity-key", leads: []string{"pplx-"}, re: `pplx-[A-Za-z0-9]{40,}`, check: hasDigit},
	{kind: "replicate-token", leads: []string{"r8_"}, re: `r8_[A-Za-z0-9]{37}`, exact: true},

	// Anything else with a form.
	{kind: "jwt", leads: []string{"eyJ"}, re: `eyJ[\w-]{10,}\.(?:[\w-]{10,}\.[\w-]{10,}|[\w-]*\.[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,})`, check: looksJWT},
	{kind: "age-key", leads: []string{"AGE-SECRET-KEY-1"}, re: `AGE-SECRET-KEY-1[0-9A-Z]{58}`, exact: true},
	{kind: "gcp-service-account-key", leads: []string{"eyJ0eXBlIjoi", "eyJ0eXBlIjog", "ewogICJ0eXBl"}, re: `(?:eyJ0eXBl|ewogICJ0eXBl)[A-Za-z0-9+/]{100,}={0,2}`, check: looksServiceAccount},
	{kind: kindPrivateKey, leads: []string{"LS0tLS1CRUdJTi"}, re: `LS0tLS1CRUdJTi[A-Za-z0-9+/]{40,}={0,2}`, check: looksEncodedKey},
}

// digits returns format for each decimal digit in the place of %s.
func digits(format string) []string { return each(format, "0123456789") }

// hexes returns format for each hexadecimal digit in the place of %s.
func hexes(format string) []string { return each(format, "0123456789abcdef") }

func each(format, chars string) []string {
	var all []string
	for _, c := range chars {
		all = append(all, strings.Replace(format, "%s", string(c), 1))
	}
	return all
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

func looksRandom(s string) bool { return profileOf(s).random() }

// looksRandomTail looks at what follows the first dash.
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

// looksBase64 tells the signature of a URL from a text.
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

// ruleIndex finds the rules to try at a place.
type ruleIndex struct {
	// first holds for each hash of three bytes the first of leads, plus one.
	first [headSize]uint16
	leads []lead
}

// lead is a text to look for.
type lead struct {
	text string
	fold bool
	next uint16 // the next lead with the same hash, plus one
	try  matcher
}

// matcher returns the secret that a lead at i announces.
type matcher func(sc *scan, i int) (span, bool)

// compiled makes the index when it is first needed: a program that redacts
// nothing does not pay for it.
var compiled = sync.OnceValue(func() *ruleIndex {
	x := new(ruleIndex)
	last := make(map[uint]int)
	add := func(l lead) {
		x.leads = append(x.leads, l)
		h, n := head(l.text, 0), len(x.leads)
		if p := last[h]; p > 0 {
			x.leads[p-1].next = uint16(n)
		} else {
			x.first[h] = uint16(n)
		}
		last[h] = n
	}
	for i, r := range rules {
		try := r.matcher(i, regexp.MustCompile(`^(?:`+r.re+`)`))
		for _, l := range r.leads {
			add(lead{text: l, fold: r.fold, try: try})
		}
	}
	add(lead{text: "://", try: matchURL})
	add(lead{text: "basic ", fold: true, try: matchBasic})
	add(lead{text: "bearer ", fold: true, try: matchBearer})
	add(lead{text: "machine ", try: matchNetrc})
	for _, w := range words {
		add(lead{text: w.text, fold: true, try: w.match})
	}
	return x
})

// window is how much of a text a rule is shown. A secret that is longer is
// followed to its end.
const window = 1024

// matcher returns the matcher of the rule of this number.
func (r rule) matcher(number int, re *regexp.Regexp) matcher {
	return func(sc *scan, i int) (span, bool) {
		text, start := sc.text, i-r.back
		if start < sc.dead[number] || !r.inside && !sc.boundary(start) {
			return span{}, false
		}
		cut := min(len(text), start+window)
		m := re.FindStringSubmatchIndex(text[start:cut])
		if m == nil {
			return span{}, false
		}
		group := m[len(m)-2:]
		s := span{start: start + group[0], end: start + group[1], kind: r.kind, rank: rankShape}
		secret := text[s.start:s.end]
		if r.exact && s.end < len(text) && isAlnum(text[s.end]) || isFiller(secret) || r.check != nil && !r.check(secret) {
			sc.dead[number] = s.end // one that begins within it is no better
			return span{}, false
		}
		if s.end == cut {
			for s.end < len(text) && (isBase64(text[s.end]) || text[s.end] == '-' || text[s.end] == '_') {
				s.end++
			}
		}
		return s, true
	}
}
