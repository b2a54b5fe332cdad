package redact

import (
	"encoding/base64"
	"strings"
	"testing"
)

// positive is a text with one secret; kind is that of its placeholder. The
// secret is between « and ».
type positive struct{ name, text, kind string }

func positives() []positive {
	g := newGen(1)
	hex, b62, of := func(n int) string { return g.of(hexes16, n-2) + "a7" }, g.b62, g.of
	pem := strings.Join(g.pem("PRIVATE KEY", 3), `\n`)
	basic := base64.StdEncoding.EncodeToString([]byte("deploy:" + b62(16)))
	list := []positive{
		{"aws id in ini", "aws_access_key_id = «AKIA" + of(base32, 16) + "»", "aws-access-key"},
		{"aws id in go", `const id = "«AKIA` + of(base32, 16) + `»"`, "aws-access-key"},
		{"aws temporary id", "export AWS_ACCESS_KEY_ID=«ASIA" + of(base32, 16) + "»", "aws-access-key"},
		{"aws id in escaped text", `"line\n«AKIA` + of(base32, 16) + `»\n"`, "aws-access-key"},
		{"aws secret in ini", "aws_secret_access_key = «" + of(base64s, 38) + "q7»", "aws-secret-key"},
		{"aws secret in env", "AWS_SECRET_ACCESS_KEY=«" + of(base62, 38) + "q7»", "aws-secret-key"},
		{"aws secret in json", `  "SecretAccessKey": "«` + of(base62, 38) + `q7»",`, "aws-secret-key"},
		{"aws secret in java", `new BasicAWSCredentials(id, key); String awsSecretKey = "«` + of(base62, 38) + `q7»";`, "aws-secret-key"},
		{"aws secret in terraform", `  secret_key = "«` + of(base62, 38) + `q7»" # aws`, "secret"},
		{"aws session token", "aws_session_token = «" + of(base64s, 350) + "==»", "token"},
		{"bedrock key", "BEDROCK=«ABSK" + of(base62, 120) + "=»", "aws-bedrock-key"},
		{"mws key", "«amzn.mws." + hex(8) + "-" + hex(4) + "-" + hex(4) + "-" + hex(4) + "-" + hex(12) + "»", "aws-mws-key"},
		{"gcp api key in html", `<script src="https://maps/api/js?key=«AIza` + of(urlSafe, 35) + `»"></script>`, "gcp-api-key"},
		{"gcp api key in kotlin", `val mapsKey = "«AIza` + of(urlSafe, 35) + `»"`, "gcp-api-key"},
		{"gcp service account key id", `  "private_key_id": "«` + hex(40) + `»",`, "gcp-key-id"},
		{"gcp service account in json", `  "private_key": "«` + pem + `»\n",`, "private-key"},
		{"gcp service account in base64", "GCP=«" + base64.StdEncoding.EncodeToString([]byte(`{"type": "service_account", "project_id": "`+b62(80)+`"}`)) + "»", "gcp-service-account-key"},
		{"google oauth token", "Authorization: Bearer «ya29." + of(urlSafe, 60) + "»", "google-oauth-token"},
		{"google oauth secret", `client_secret: "«GOCSPX-` + of(urlSafe, 28) + `»"`, "google-oauth-secret"},
		{"google refresh token", `refresh: '«1//0` + of(urlSafe, 60) + `»'`, "google-refresh-token"},
		{"azure connection string", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=«" + of(base64s, 86) + "==»;EndpointSuffix=x", "azure-storage-key"},
		{"azure service bus", "Endpoint=sb://a.b/;SharedAccessKeyName=Root;SharedAccessKey=«" + of(base64s, 43) + "=»", "azure-shared-access-key"},
		{"azure sas", "https://a.blob.core.windows.net/c/b?sv=2022&se=2030-01-01&sig=«" + of(base62, 41) + "%2Bq7%3D»&sp=r", "azure-sas-signature"},
		{"azure client secret", `$env:ARM = '«` + of(base62, 3) + "8Q~" + of(base62, 34) + `»'`, "azure-client-secret"},
		{"azure storage key alone", "«" + of(base62, 76) + "+ASt" + of(base62, 4) + "==»", "azure-storage-key"},
		{"azure openai key", "api: «" + of(base62, 52) + "JQQJ99" + of(base62, 26) + "»", "azure-api-key"},
		{"azure devops token", "pat «" + of(base62, 76) + "AZDO" + of(base62, 4) + "»", "azure-devops-token"},
		{"github token in yaml", "token: «ghp_" + b62(36) + "»", "github-token"},
		{"github app token", "git clone https://x-access-token:«ghs_" + b62(36) + "»@github.com/a/b", "github-token"},
		{"github oauth token", "«gho_" + b62(36) + "»", "github-token"},
		{"github user token", "<!-- «ghu_" + b62(36) + "» -->", "github-token"},
		{"github refresh token", "('«ghr_" + b62(76) + "»')", "github-token"},
		{"github fine-grained token", "GITHUB_TOKEN=«github_pat_" + b62(22) + "_" + b62(59) + "»", "github-token"},
		{"gitlab token", `CI_TOKEN: "«glpat-` + b62(20) + `»"`, "gitlab-token"},
		{"gitlab runner token", "--token «glrt-" + b62(20) + "»", "gitlab-token"},
		{"bitbucket token", "«ATBB" + b62(32) + "»", "bitbucket-token"},
		{"atlassian token", "curl -u me:«ATATT3" + b62(180) + "»", "atlassian-token"},
		{"npmrc", "//registry.npmjs.org/:_authToken=«npm_" + b62(36) + "»", "npm-token"},
		{"npmrc of another registry", "//r.example/:_authToken=«" + b62(40) + "»", "npm-token"},
		{"pypirc", "password = «pypi-AgEIcHlwaS5vcmc" + of(urlSafe, 120) + "»", "pypi-token"},
		{"rubygems key", ":key: «rubygems_" + hex(48) + "»", "rubygems-key"},
		{"crates token", `token = "«cio` + b62(32) + `»"`, "crates-token"},
		{"docker token", "docker login -u me -p «dckr_pat_" + of(urlSafe, 27) + "»", "docker-token"},
		{"slack bot token", `slack.New("«xoxb-` + of(digits10, 12) + "-" + of(digits10, 12) + "-" + b62(24) + `»")`, "slack-token"},
		{"slack user token", "«xoxp-" + of(digits10, 12) + "-" + of(digits10, 12) + "-" + hex(32) + "»", "slack-token"},
		{"slack app token", "«xapp-1-A" + of(upper36, 10) + "-" + of(digits10, 13) + "-" + hex(64) + "»", "slack-token"},
		{"slack webhook", "https://hooks.slack.com/services/«T" + of(upper36, 8) + "/B" + of(upper36, 8) + "/" + b62(24) + "»", "slack-webhook"},
		{"discord webhook", "https://discord.com/api/webhooks/" + of(digits10, 18) + "/«" + of(urlSafe, 68) + "»", "discord-webhook"},
		{"telegram token", `BOT = "«` + of(digits10, 10) + ":AA" + of(urlSafe, 33) + `»"`, "telegram-token"},
		{"stripe live key", "Stripe.api_key = '«sk_live_" + b62(24) + "»'", "stripe-key"},
		{"stripe restricted key", "«rk_live_" + b62(99) + "»", "stripe-key"},
		{"stripe webhook secret", "endpoint = «whsec_" + b62(32) + "»", "webhook-secret"},
		{"square token", "«sq0atp-" + of(urlSafe, 22) + "»", "square-token"},
		{"shopify token", "X-Shopify-Access-Token: «shpat_" + hex(32) + "»", "shopify-token"},
		{"twilio key", `twilio("AC123", "«SK` + hex(32) + `»")`, "twilio-key"},
		{"sendgrid key", "SENDGRID=«SG." + of(urlSafe, 22) + "." + of(urlSafe, 43) + "»", "sendgrid-key"},
		{"mailgun key", "api:«key-" + hex(32) + "»", "mailgun-key"},
		{"mailchimp key", "«" + hex(32) + "-us14»", "mailchimp-key"},
		{"openai project key", "OPENAI_API_KEY=«sk-proj-" + of(urlSafe, 100) + "q7»", "openai-key"},
		{"openai old key", `openai.api_key = "«sk-` + b62(20) + "T3BlbkFJ" + b62(20) + `»"`, "openai-key"},
		{"deepseek key", `{"key":"«sk-` + hex(32) + `»"}`, "openai-key"},
		{"anthropic key", "x-api-key: «sk-ant-api03-" + of(urlSafe, 93) + "AA»", "anthropic-key"},
		{"openrouter key", "«sk-or-v1-" + hex(64) + "»", "openrouter-key"},
		{"hugging face token", "login(token='«hf_" + of(base62[10:], 34) + "»')", "huggingface-token"},
		{"groq key", "«gsk_" + b62(52) + "»", "groq-key"},
		{"replicate token", "«r8_" + b62(37) + "»", "replicate-token"},
		{"databricks token", "«dapi" + hex(32) + "»", "databricks-token"},
		{"digitalocean token", "«dop_v1_" + hex(64) + "»", "digitalocean-token"},
		{"heroku key", "HEROKU_API_KEY=«" + hex(8) + "-" + hex(4) + "-" + hex(4) + "-" + hex(4) + "-" + hex(12) + "»", "heroku-key"},
		{"vault token", "vault login «hvs." + of(urlSafe, 90) + "»", "vault-token"},
		{"terraform token", `  token = "«` + b62(14) + ".atlasv1." + of(base62, 67) + `»"`, "terraform-token"},
		{"doppler token", "«dp.pt." + b62(43) + "»", "doppler-token"},
		{"grafana token", "«glsa_" + b62(32) + "_" + hex(8) + "»", "grafana-token"},
		{"new relic key", "«NRAK-" + of(upper36, 27) + "»", "newrelic-key"},
		{"tailscale key", "tailscale up --authkey «tskey-auth-" + b62(12) + "-" + b62(32) + "»", "tailscale-key"},
		{"age key", "«AGE-SECRET-KEY-1" + of(upper36, 58) + "»", "age-key"},
		{"jwt", "const t = '«" + g.jwt() + "»'", "jwt"},
		{"jwt in a cookie", "Set-Cookie: session=«" + g.jwt() + "»; HttpOnly", "jwt"},
		{"jwt in a header", "Authorization: Bearer «" + g.jwt() + "»", "jwt"},
		{"private key in base64", "tls.key: «" + base64.StdEncoding.EncodeToString([]byte("-----BEGIN RSA PRIVATE KEY-----\n"+of(base64s, 64)+"\n")) + "»", "private-key"},
		{"private key in one line", "KEY=\"«" + pem + "»\"", "private-key"},

		{"url", "postgres://app:«" + b62(12) + "»@db.internal:5432/app", "url-password"},
		{"url of redis", "redis://:«tr0mbone-Kite»@cache:6379/0", "url-password"},
		{"url in yaml", "url: amqp://svc:«Kite%2Ftr0m!»@mq:5672//", "url-password"},
		{"url with a token", "git+https://«" + b62(32) + "»@git.internal/x.git", "url-password"},
		{"basic header", "Authorization: Basic «" + basic + "»", "basic-auth"},
		{"basic header in code", `req.Header.Set("Authorization", "Basic «` + basic + `»")`, "basic-auth"},
		{"bearer header in curl", "curl -H 'Authorization: Bearer «" + b62(40) + "»' https://x", "bearer-token"},
		{"netrc", "machine git.internal login me password «tr0mbone»", "password"},

		{"password in go", `password := "«Kite!tr0mb9»"`, "password"},
		{"password with a type in go", `var dbPassword string = "«Kite!tr0mb9»"`, "password"},
		{"password in python", `DB_PASSWORD = '«kX9$mQ2!pL»'`, "password"},
		{"password in a call", `os.Setenv("DB_PASSWORD", "«kX9$mQ2!pL»")`, "password"},
		{"password as a default", `os.environ.get("SMTP_PASS", "«kX9$mQ2!pL»")`, "password"},
		{"password in php", `'password' => '«kX9$mQ2!pL»',`, "password"},
		{"password in json", `{"user": "x", "password": "«kX9$mQ2!pL»"}`, "password"},
		{"password in escaped json", `"{\"password\": \"«kX9$mQ2!pL»\"}"`, "password"},
		{"password in yaml", "  password: «kX9mQ2!pL»", "password"},
		{"password in env", "export PGPASSWORD=«" + b62(20) + "»", "password"},
		{"password in xml", "<password>«kX9mQ2!pL8»</password>", "password"},
		{"password in web.config", `<add key="SmtpPassword" value="«kX9mQ2!pL8»" />`, "password"},
		{"password in properties", "spring.datasource.password=«kX9mQ2!pL8»", "password"},
		{"password in rust", `let password: &str = "«kX9$mQ2!pL»";`, "password"},
		{"password in typescript", "private readonly password: string = '«kX9$mQ2!pL»';", "password"},
		{"password in c#", `string Password = @"«kX9$mQ2!pL»";`, "password"},
		{"password in a comparison", `if (password === "«kX9$mQ2!pL»") {`, "password"},
		{"password in connection string", "Server=db;Database=x;User Id=sa;Password=«kX9mQ2!pL8»;Encrypt=true", "password"},
		{"passphrase in ruby", `passphrase = "«kX9$mQ2!pL»"`, "password"},
		{"api key in javascript", "const apiKey = '«" + b62(32) + "»';", "api-key"},
		{"api key of digits and hex", `api_key: "«` + hex(32) + `»"`, "api-key"},
		{"api key in a header", "X-Api-Key: «" + b62(32) + "»", "api-key"},
		{"api key in a query", "https://x/y?api_key=«" + b62(32) + "»&q=1", "api-key"},
		{"signing key", "signingKey: \"«" + of(base64s, 41) + "q7=»\"", "secret-key"},
		{"django", "SECRET_KEY = '«" + b62(50) + "»'", "secret"},
		{"rails", "secret_key_base: «" + hex(128) + "»", "secret"},
		{"client secret", `clientSecret: "«a1B2c3D4e5F6»"`, "secret"},
		{"secret in kubernetes", "  secret: «" + base64.StdEncoding.EncodeToString([]byte(b62(30))) + "»", "secret"},
		{"access token in swift", `let accessToken: String = "«` + b62(40) + `»"`, "token"},
		{"token in a makefile", "TOKEN ?= «" + b62(40) + "»", "token"},
		{"token of hex", `auth_token = "«` + hex(40) + `»"`, "token"},
		{"bytes in go", `secret = []byte("«` + b62(32) + `»")`, "secret"},
		{"docker file", "ENV API_TOKEN=«" + b62(32) + "»", "token"},
		{"known", "x«my own provider key»y", "known-secret"},
	}
	return list
}

func TestPositives(t *testing.T) {
	r := New("my own provider key")
	list := positives()
	if len(list) < 80 {
		t.Errorf("%d cases", len(list))
	}
	for _, tt := range list {
		t.Run(tt.name, func(t *testing.T) {
			before, rest, ok1 := strings.Cut(tt.text, "«")
			secret, after, ok2 := strings.Cut(rest, "»")
			if !ok1 || !ok2 {
				t.Fatal("no secret in the case")
			}
			for _, around := range [][2]string{{"", ""}, {"first\n\t", "\nlast\n"}, {"	", "\r\n"}} {
				text := around[0] + before + secret + after + around[1]
				want := around[0] + before + "[REDACTED:" + tt.kind + "]" + after + around[1]
				got, n := r.Redact(text)
				if got != want || n != 1 {
					t.Errorf("Redact(%q) =\n     %q, %d\nwant %q, 1", text, got, n, want)
				}
				check(t, r, text)
			}
		})
	}
}

// negatives are texts that must stay as they are.
func negatives() []string {
	g := newGen(2)
	hex, b62 := func(n int) string { return g.of(hexes16, n-2) + "a7" }, g.b62
	uuid := hex(8) + "-" + hex(4) + "-" + hex(4) + "-" + hex(4) + "-" + hex(12)
	return []string{
		// Code that handles secrets.
		`password = getenv("X")`,
		`password = os.environ["DB_PASSWORD"]`,
		`password := os.Getenv("DB_PASSWORD_V2")`,
		`const apiKey = process.env.API_KEY_2;`,
		`token = request.headers["X-Auth-Token1"]`,
		`String password = config.getString("db.password2");`,
		`password: String,`,
		`def login(user: str, password: str = "") -> Token:`,
		`if password == other.Password2 {`,
		`secret = base64.b64decode(os.environ["S3_SECRET"])`,
		`tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased-v2")`,
		`tokens := strings.Split(line, ",")`,
		`nextToken = page.NextPageToken2`,
		`this.password = this.form.get('password2').value;`,
		`let secret = Secret::new(std::env::var("APP_SECRET1")?);`,
		`$password = $_POST['password1'];`,
		`password = input("Enter your password: ")`,
		`api_key = "${API_KEY_2}"`,
		`api_key: {{ .Values.apiKey2 | quote }}`,
		`password: ${{ secrets.DB_PASSWORD_2 }}`,
		`password: !vault prod/db1`,
		`password = vault_read("secret/data/prod1/db")`,
		`secretKeyRef: { name: db-credentials-2, key: password1 }`,
		`secretName: my-app-tls-2024`,
		`tokenUrl: "https://auth.internal/oauth2/token"`,
		`<input type="password" name="password2" id="passwordField1">`,
		`<label for="password">Password2</label>`,
		`"password": "Passwort123"`,
		`t("errors.password.too_short_8")`,
		`passwordHash = "$2b$12$` + b62(53) + `"`,
		`password_hash: ` + hex(64),
		`token_sha256 = "` + hex(64) + `"`,
		`publicKey = "` + g.of(base64s, 43) + `="`,
		`public_key: ` + b62(44),
		`api_key_id = "` + b62(20) + `"`,
		`const TOKEN_TYPE = "urn:ietf:params:oauth:token-type:jwt2"`,
		`author = "Kite2024Trombone9"`,
		`compass = "kX9mQ2pL8nR4tV6w"`,
		`monkey = "kX9mQ2pL8nR4tV6w"`,
		`keyboard: "kX9mQ2pL8nR4tV6w"`,
		`secretary = "kX9mQ2pL8nR4tV6w"`,
		`// The password must have 8 characters, one digit (0-9) and one of !@#$`,
		`const passwordRegex = /^(?=.*[A-Z])(?=.*\d)[A-Za-z\d]{8,}$/;`,
		`password_pattern = "^[A-Z0-9]{8}$"`,
		`validatePassword(user.Password1)`,
		`func (c *Client) SetToken(token string) *Client { c.token = token; return c }`,
		`token: abcdefghijklmnop`,
		`INVALID_PASSWORD_ERROR_CODE_4012 = "E4012-INVALID-PASSWORD"`,
		`secret_length = 32`, `FVE_E_NO_TPM_WITH_PASSPHRASE Handle = 0x803100AC`, `const Secret uint64 = 0x9E3779B97F4A7C15`,
		`accessTokenExpiresIn: "15m30s"`,
		`apiKeyHeader = "X-Custom-Api-Key-V2"`,
		`csrf_token_name = "csrf_token_v2"`,
		`TokenAddress = "0x` + hex(40) + `"`,
		// Examples.
		`password = "changeme"`, `password = "changeme123"`,
		`password: "hunter2"`,
		`password: "test1234!"`,
		`api_key = "your-api-key-here"`,
		`api_key = "YOUR_API_KEY_123"`,
		`token = "<your-token-1>"`,
		`secret: "xxxxxxxxxxxxxxxxxxxx"`,
		`secret = "secret123"`,
		`API_KEY=1234567890abcdef`,
		`aws_access_key_id = AKIA` + `IOSFODNN7EXAMPLE`,
		`TOKEN=ghp_` + `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`,
		`TOKEN=ghp_` + strings.Repeat("*", 36),
		`sk-` + `your-key-goes-here-1234`,
		`sk_live_` + `...`,
		`postgres://user:password@localhost:5432/db`,
		`postgres://postgres:postgres@localhost/db`,
		`mysql://root:secret@127.0.0.1/x`,
		`https://user:tr0mbone@api.example.com/x`, `"https://x-access-token:%[1]s@github.com/a/b.git"`,
		`http://foo:bar@bar.com`, `https://me:xxxxx@host/`, `machine HOST login USER password "PASSWORD"`,
		`postgres://$USER:$PASS@host/db`,
		`postgres://{user}:{password}@{host}/db`,
		`f"redis://:%s@%s"`,
		`https://example.com:8080/a@b`,
		`http://localhost:3000/users/@me`,
		`git@github.com:codescan-dev/scanner.git`,
		`ssh://git@github.com:22/x`,
		`mailto:someone@example.com`,
		`import x from "https://esm.sh/react@18.2.0"`,
		`Authorization: Bearer <token>`,
		`"Authorization": "Bearer " + token2`,
		`Authorization: Bearer ${TOKEN_2}`,
		`Authorization: Basic <credentials>`,
		`we use basic authentication here`,
		`bearer tokens are described in RFC6750`,
		// Things that look random.
		`commit ` + hex(40),
		`rev: "` + hex(40) + `"`,
		`index ` + hex(7) + `..` + hex(7) + ` 100644`,
		hex(64) + `  scanner_linux_amd64.tar.gz`,
		`sha256:` + hex(64),
		`FROM golang@sha256:` + hex(64),
		`github.com/a/b v1.2.3 h1:` + g.of(base64s, 43) + `=`,
		`"integrity": "sha512-` + g.of(base64s, 86) + `=="`,
		`id = "` + uuid + `"`,
		`api_key = "` + uuid + `"`,
		`<div class="sk-circle-fade sk-circle-fade-dot-12">`,
		`const hf_dataset_name_for_training_v2 = 1`,
		`npm_config_registry=https://registry.npmjs.org`,
		`npm_package_version`,
		`ssh-rsa AAAAB3NzaC1yc2E` + b62(200) + ` me@host`,
		`ssh-ed25519 AAAAC3NzaC1lZDI1NTE5` + b62(50) + ` me@host`,
		`background: url(data:image/png;base64,iVBORw0KGgo` + b62(100) + `)`,
		`x := []string{"AKIA", "ASIA"}`,
		`regexp.MustCompile("AKIA[A-Z2-7]{16}")`,
		`regexp.MustCompile("ghp_[A-Za-z0-9]{36}")`,
		"if strings.Contains(s, \"-----BEGIN PRIVATE KEY-----\") {\n\treturn\n}\n",
		`re = "-----BEGIN PRIVATE KEY-----(.*?)-----END PRIVATE KEY-----"`,
		`"2024-01-02T15:04:05Z"`, `const Version = "v10.30.6-rc1"`,
		`eyJust.a.word`, `eyJhbGciOiJub3QifQ`,
		`font: 12px/1.5 "Helvetica Neue"`,
		`SG.ModuleName.ClassName`, `dapi.get()`, `glpat-`, `x-us12`,
		`let skip = SKIP_LIST; SKU = "SK0012"`,
		`telegram: 12:AAbb`,
		`[REDACTED:github-token]`, `password = "[REDACTED:password#2]"`,
		"", "\n", " ", "a", "://", "basic ", "bearer ", "password", "password=", `password="`, `secret: '`, "token\n= x",
	}
}

func TestNegatives(t *testing.T) {
	r := New("my own provider key", "short")
	list := negatives()
	if len(list) < 80 {
		t.Errorf("%d cases", len(list))
	}
	for _, text := range list {
		for _, text := range []string{text, "\t" + text + "\n", "x\r\n" + text + "\r\n"} {
			if got, n := r.Redact(text); got != text || n != 0 {
				t.Errorf("Redact(%q) = %q, %d; want it unchanged", text, got, n)
			}
		}
	}
}

// check checks what holds for every text.
func check(t *testing.T, r *Redactor, text string) {
	t.Helper()
	got, n := r.Redact(text)
	if g, w := strings.Count(got, "\n"), strings.Count(text, "\n"); g != w {
		t.Errorf("Redact(%q) = %q: %d lines, want %d", text, got, g+1, w+1)
	}
	if n == 0 && got != text {
		t.Errorf("Redact(%q) = %q, with no replacement", text, got)
	}
	if again, n := r.Redact(got); again != got || n != 0 {
		t.Errorf("Redact(%q) = %q, which becomes %q, %d", text, got, again, n)
	}
	if n > 0 && !HasPlaceholder(got) {
		t.Errorf("Redact(%q) = %q: no placeholder", text, got)
	}
}
