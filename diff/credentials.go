package diff

import (
	"path"
	"slices"
	"strings"
)

// IsCredentialFile reports whether a path names a file that usually holds
// passwords, tokens or private keys: ".env", "id_rsa", "server.key",
// ".aws/credentials" and the like, in any case. Only the name decides. Public
// keys, source code about credentials ("credentials.go") and templates without
// values (".env.example") are not credential files. A backup of a credential file
// (".netrc~", "server.key.bak") is one.
//
// The contents of such a file must not leave the machine.
func IsCredentialFile(name string) bool {
	name = withoutBackup(strings.ToLower(name))
	dir, base := path.Split(name)
	ext := path.Ext(base)
	if ext == base { // ".secrets"
		ext = ""
	}
	isData := slices.Contains(dataExtensions, ext)
	if ext == ".pub" || !isData && slices.Contains(sourceExtensions, ext) || isTemplate(base, isData || ext == ".env") {
		return false
	}
	for e := range strings.SplitSeq(dir, "/") {
		if slices.Contains(credentialDirs, e) {
			return true
		}
	}
	return slices.Contains(credentialNames, base) ||
		slices.ContainsFunc(credentialPaths, func(p string) bool { return name == p || strings.HasSuffix(name, "/"+p) }) ||
		slices.ContainsFunc(credentialPrefixes, func(p string) bool { return strings.HasPrefix(base, p) }) ||
		slices.ContainsFunc(credentialSuffixes, func(s string) bool { return strings.HasSuffix(base, s) }) ||
		isData && !isWorkflow(dir) && hasCredentialStem(strings.TrimSuffix(base, ext), ext)
}

// withoutBackup returns a name without what editors and people append to that of a
// file to keep its old contents.
func withoutBackup(name string) string {
	for {
		ext := path.Ext(name)
		trimmed := strings.TrimSuffix(name, "~")
		if slices.Contains(backupExtensions, ext) || len(ext) > 1 && strings.Trim(ext, ".0123456789") == "" {
			trimmed = strings.TrimSuffix(name, ext)
		}
		if trimmed == name {
			return name
		}
		name = trimmed
	}
}

// isWorkflow reports whether files in a directory are workflows or templates of
// charts. These only refer to credentials, and hold what will be run.
func isWorkflow(dir string) bool {
	return strings.Contains("/"+dir, "/.github/") || strings.HasSuffix("/"+dir, "/templates/")
}

// isTemplate reports whether a name is that of an example: its last word, or the
// one before the extension if that is an extension of data, is such as "example".
// The first label of "example.com.key" does not make it one.
func isTemplate(base string, isData bool) bool {
	words := strings.FieldsFunc(base, func(r rune) bool { return strings.ContainsRune(".-_", r) })
	n := len(words)
	return n > 0 && slices.Contains(templateWords, words[n-1]) ||
		n > 1 && isData && slices.Contains(templateWords, words[n-2])
}

// hasCredentialStem reports whether the name of a data file, without its
// extension, begins or ends with a word for credentials.
func hasCredentialStem(stem, ext string) bool {
	for _, s := range credentialStems {
		if strings.HasPrefix(s, "service") && ext != ".json" {
			continue // an account of a cluster, without its key
		}
		before, isLast := strings.CutSuffix(stem, s)
		after, isFirst := strings.CutPrefix(stem, s)
		if isLast && (before == "" || strings.IndexByte(".-_ ", before[len(before)-1]) >= 0) ||
			isFirst && strings.IndexByte(".-_ ", after[0]) >= 0 && ext != "" && ext != ".txt" {
			return true
		}
	}
	return false
}

// All the names below are in lower case.

var credentialDirs = []string{".aws", ".azure", ".ssh", ".gnupg", ".kube", ".oci", ".password-store", ".secrets", "gcloud"}

// credentialPaths are files whose names alone do not mark them.
var credentialPaths = []string{
	".docker/config.json", ".m2/settings.xml", ".gem/credentials", ".config/gh/hosts.yml", ".config/glab-cli/config.yml",
	".config/doctl/config.yaml", ".config/rclone/rclone.conf", ".config/hub", ".aliyun/config.json", ".composer/auth.json",
	".codex/auth.json", ".pip/pip.conf", "etc/shadow", "etc/gshadow", "config/database.yml.prod",
}

var credentialNames = []string{
	".env", ".envrc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".netrc", "_netrc", ".pgpass", "pgpass.conf", ".my.cnf",
	".mylogin.cnf", ".htpasswd", ".dockercfg", ".dockerconfigjson", ".git-credentials", ".gitcredentials", ".vault-token",
	".vault_pass", ".vault_pass.txt", ".terraformrc", "terraform.rc", ".s3cfg", ".boto", ".databrickscfg", ".esmtprc",
	".msmtprc", ".fetchmailrc", "kubeconfig", "env.local", ".dev.vars", ".sentryclirc", ".flaskenv", "key.properties",
}

var credentialPrefixes = []string{".env.", ".env-", ".env_", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "ssh_host_"}

var credentialSuffixes = []string{
	".env", ".pem", ".key", ".p8", ".p12", ".pfx", ".pkcs12", ".jks", ".jceks", ".keystore", ".bks", ".ppk", ".kdb", ".kdbx",
	".keychain", ".keychain-db", ".gpg", ".pgp", ".ovpn", ".agekey", ".tfstate", ".tfvars", ".tfvars.json",
	".tfrc.json", ".mobileprovision", ".kubeconfig", "_rsa", "_ed25519", "_history", "-key.json", "_key.json",
}

// credentialStems name credentials in a file of data. In a file of code they
// name what the code is about.
var credentialStems = []string{
	"credentials", "credential", "creds", "secrets", "secret", "passwords", "password", "passwd", "apikeys", "api_keys", "api-keys",
	"apikey", "api_key", "api-key", "client_secret", "client-secret", "service-account", "service_account", "serviceaccount", "tokens",
}

var dataExtensions = []string{
	"", ".json", ".yml", ".yaml", ".toml", ".ini", ".csv", ".xml", ".properties", ".txt", ".conf", ".cfg", ".enc", ".db", ".dat",
}

var backupExtensions = []string{".bak", ".backup", ".old", ".orig", ".save", ".sav", ".swp", ".swo", ".copy"}

var templateWords = []string{"example", "examples", "sample", "template", "tmpl", "tpl", "dist", "schema", "defaults"}
