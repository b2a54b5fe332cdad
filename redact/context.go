package redact

import "strings"

// The kinds of values that only the text around them gives away.
const (
	kindURLPassword = "url-password"
	kindPassword    = "password"
	kindSecret      = "secret"
	kindToken       = "token"
	kindAPIKey      = "api-key"
	kindSecretKey   = "secret-key"
	kindAWSSecret   = "aws-secret-key"
)

// word is a part of a name that sounds like the name of a secret.
type word struct {
	// text is the word, or several with "|" in between. A byte that is not part of
	// it can follow a short one.
	text string
	kind string
	// alone forbids letters right before it: "pass" is not in "bypass".
	alone bool
	// after, if set, are the words one of which must be before it.
	after []string
}

var words = []word{
	{text: "password|passwd|passphrase|passcode|pwd|bindpw|mnemonic", kind: kindPassword},
	{text: "pass|psk|pw=|pw:|pw |pw\"|pw'|pw,", kind: kindPassword, alone: true},
	{text: "pass", kind: kindPassword, after: []string{"db", "key", "require", "root", "store", "user"}},
	{text: "phrase", kind: kindPassword, after: []string{"seed", "recovery", "backup"}},
	// The words of other languages.
	{text: "passwort|kennwort|contraseña|contrasena|contrasenya|mot_de_passe|mot de passe|motdepasse|wachtwoord|lösenord|losenord|passord|adgangskode|" +
		"salasana|parool|hasło|jelszó|lozinka|zaporka|slaptažodis|κωδικός|пароль|Пароль|ПАРОЛЬ|şifre|mật khẩu|kata sandi|סיסמה|كلمة المرور|" +
		"密码|密碼|口令|パスワード|暗証番号|비밀번호|암호|รหัสผ่าน|पासवर्ड", kind: kindPassword},
	{text: "senha|clave|mdp|parola|haslo|heslo|geslo|jelszo|sifre", kind: kindPassword, alone: true},
	{text: "geheimnis|segredo|secreto|секрет|токен|ключ|令牌|密钥|トークン|秘密鍵", kind: kindSecret},
	{text: "secret|credential", kind: kindSecret},
	{text: "token", kind: kindToken},
	{text: "jwt", kind: kindToken, alone: true},
	{text: "key", kind: kindAPIKey, after: []string{
		"api", "app", "application", "subscription", "service", "license", "openai", "anthropic", "stripe", "sendgrid",
		"mailgun", "datadog", "dd", "client", "consumer", "rest", "bot", "access", "auth", "account", "session",
	}},
	{text: "key", kind: kindSecretKey, after: []string{
		"private", "priv", "functions", "encryption", "encrypt", "signing", "sign", "master", "storage", "shared", "secret", "server", "admin",
		"host", "function", "hmac", "jwt", "crypto", "cipher", "aes", "deploy", "webhook",
	}},
}

// notSecret are parts of names of values that are not secret, although another
// part sounds so: "password_hash", "tokenURL".
var notSecret = setOf(
	"hash", "sha", "digest", "checksum", "md5", "crc", "etag", "fingerprint", "public", "pub", "sum", "integrity",
	"id", "ids", "name", "names", "url", "uri", "path", "file", "dir", "type", "kind", "length", "len", "size", "count", "min",
	"max", "expiry", "expires", "ttl", "regex", "regexp", "pattern", "label", "placeholder", "prompt", "hint", "message",
	"field", "header", "param", "version", "index", "limit", "page", "next", "prev", "cursor", "continuation", "endpoint",
	"arn", "ref", "format", "prefix", "suffix", "selector", "column", "class", "style", "title", "description", "error",
	"policy", "rule", "test", "example", "alg", "algorithm", "nonce", "address", "mint", "contract", "commit", "revision", "icon")

func setOf(words ...string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range words {
		set[w] = true
	}
	return set
}

// maxName is the length of what is read of a name before and after a word.
const maxName = 48

// match finds the value that belongs to a name with the word at i.
func (w word) match(sc *scan, i int) []span {
	text := sc.text
	end := i + len(w.text)
	// The cheap checks come first: most words are not in a name that something
	// is assigned to.
	if !wordEnds(text, end) || !w.begins(text, i) {
		return nil
	}
	last := end
	for last < len(text) && last-end < maxName && isNameByte(text[last]) {
		last++
	}
	first := i
	for first > 0 && i-first < maxName && isNameByte(text[first-1]) {
		first--
	}
	phrase := strings.HasSuffix(w.text, "phrase") || w.text == "mnemonic"
	tail := strings.Trim(lowerASCII(text[end:last]), "s0123456789_")
	if strings.HasSuffix(text[:first], "://") || strings.HasSuffix(text[:first], "[REDACTED:") {
		return nil
	}
	announced := tail == "" || w.kind == kindSecret && strings.HasPrefix(tail, "key")
	spans := sc.near(first, last, w.kind, announced, false)
	v := readValue(text, first, last, phrase)
	if v.parts == nil || isHarmless(text[first:i]) || isHarmless(text[end:last]) {
		return spans
	}
	v.phrase, v.announced = phrase, announced
	if len(v.parts) > 1 && !v.isSecret(v.text(text), w.kind) {
		v.parts = v.parts[:1]
	}
	value, kind := v.text(text), w.kind
	if !v.isSecret(value, kind) {
		return spans
	}
	name := lowerASCII(text[first:last])
	if len(value) == 40 && (strings.Contains(name, "aws") || strings.Contains(name, "secretaccesskey") || strings.Contains(name, "secret_access_key")) {
		kind = kindAWSSecret
	}
	for n, p := range v.parts {
		spans = append(spans, span{start: p.start, end: p.end, kind: kind, rank: rankContext, more: n > 0})
	}
	return spans
}

// begins reports whether the word can begin at i.
func (w word) begins(text string, i int) bool {
	if w.alone && i > 0 && isAlnum(text[i-1]) && (isLower(text[i]) || isUpper(text[i-1])) {
		return false
	}
	if w.after == nil {
		return true
	}
	if i > 0 && (text[i-1] == '_' || text[i-1] == '-' || text[i-1] == '.') {
		i--
	}
	if i == 0 || !isAlnum(text[i-1]) {
		return false
	}
	for _, a := range w.after {
		if at := i - len(a); at < 0 || !strings.EqualFold(text[at:i], a) {
			continue
		} else if at == 0 || !isAlnum(text[at-1]) || isUpper(text[at]) && !isUpper(text[at-1]) {
			return true
		}
	}
	return false
}

func isNameByte(c byte) bool { return isAlnum(c) || c == '_' || c == '-' || c == '.' }

// wordEnds reports whether no further letters of the same word follow, except for
// the plural.
func wordEnds(text string, end int) bool {
	if end < len(text) && text[end]|0x20 == 's' {
		end++
	}
	if end >= len(text) {
		return true
	}
	c := text[end]
	return !isLower(c) && (!isUpper(c) || isLower(text[end-1]))
}

// isHarmless reports whether a part of a name, split into its words, has one of
// notSecret.
func isHarmless(part string) bool {
	from := 0
	for i := range len(part) + 1 {
		if i < len(part) && isAlnum(part[i]) && (i == from || !isUpper(part[i]) || isUpper(part[i-1])) {
			continue
		}
		w := strings.ToLower(strings.Trim(part[from:i], "_-."))
		if notSecret[w] || notSecret[strings.TrimRight(w, "0123456789")] {
			return true
		}
		from = i
	}
	return false
}

// matchURL finds the password in scheme://user:password@host, and a token that
// is there instead of both.
func matchURL(sc *scan, i int) []span {
	text, start := sc.text, i+len("://")
	if i == 0 || !isAlnum(text[i-1]) {
		return nil
	}
	rest := text[start:min(len(text), start+512)]
	if n := strings.IndexAny(rest, "\"'`\\ \t\r\n"); n >= 0 {
		rest = rest[:n]
	}
	// A slash must be escaped in a password, and otherwise ends the search: a port
	// and a path look the same. So do other characters, unless the password looks
	// like one.
	userinfo := rest
	if n := strings.IndexAny(rest, "/?<>"); n >= 0 {
		userinfo = rest[:n]
	}
	at := strings.LastIndexByte(userinfo, '@')
	if at < 0 {
		at = strings.LastIndexByte(rest, '@')
		_, password, ok := strings.Cut(rest[:max(at, 0)], ":")
		if !ok || !profileOf(password).strong() || isNameLike(password) {
			return nil
		}
	}
	end := start + at
	if !strings.Contains(text[start:end], ":") {
		if user := text[start:end]; looksRandom(user) && !isReference(user) {
			return []span{{start: start, end: end, kind: kindURLPassword, rank: rankContext}}
		}
		return nil
	}
	return userPassword(text, start, end)
}

// matchDSN finds the password in user:password@tcp(host).
func matchDSN(sc *scan, i int) []span {
	from := max(0, i-128)
	return userPassword(sc.text, from+strings.LastIndexAny(sc.text[from:i], "\"'`= \t\r\n")+1, i)
}

// userPassword finds the password in user:password, before the @ at end.
func userPassword(text string, start, end int) []span {
	user, password, ok := strings.Cut(text[start:end], ":")
	if !ok || strings.EqualFold(user, password) || !isPassword(password) || isExampleHost(text[end+1:]) {
		return nil
	}
	return []span{{start: end - len(password), end: end, kind: kindURLPassword, rank: rankContext}}
}

// isPassword reports whether a password is neither a variable nor one that
// examples have.
func isPassword(s string) bool {
	return len(s) >= 4 && !isReference(s) && strings.Trim(strings.ToLower(stripWords(s)), "0123456789*.-_!x\"'") != ""
}

// isExampleHost reports whether text begins with a host that is reserved for
// examples.
func isExampleHost(text string) bool {
	n := 0
	for n < len(text) && n < 256 && (isAlnum(text[n]) || text[n] == '.' || text[n] == '-') {
		n++
	}
	for _, d := range []string{"example.com", "example.org", "example.net", ".example", ".test", ".invalid"} {
		if strings.HasSuffix(text[:n], d) {
			return true
		}
	}
	return false
}
