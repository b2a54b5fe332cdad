package tools

import (
	"path"
	"slices"
	"strings"
)

// isForbidden reports whether a path leads into git's own directory, or to a file
// that is likely to hold secrets.
func isForbidden(name string) bool {
	lower := strings.ToLower(name)
	for e := range strings.SplitSeq(lower, "/") {
		if isForbiddenDir(e) {
			return true
		}
	}
	for _, p := range secretPaths {
		if lower == p || strings.HasSuffix(lower, "/"+p) {
			return true
		}
	}
	return isSecretName(path.Base(lower))
}

// isForbiddenDir reports whether nothing below an element of a path may be read.
func isForbiddenDir(element string) bool {
	element = strings.ToLower(element)
	return isGitDir(element) || slices.Contains(secretDirs, element)
}

// isGitDir reports whether a file system may treat an element, in lower case, as
// ".git": some ignore invisible characters, dots and spaces at the end, or the text
// after a colon, and have short names.
func isGitDir(e string) bool {
	e, _, _ = strings.Cut(e, ":")
	e = strings.Map(func(r rune) rune {
		if r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x206a && r <= 0x206f || r == 0xfeff {
			return -1
		}
		return r
	}, e)
	e = strings.TrimRight(e, ". ")
	return e == ".git" || strings.HasPrefix(e, "git~")
}

// All the names below are in lower case.

var secretDirs = []string{".aws", ".azure", ".ssh", ".gnupg", ".kube", ".password-store", ".secrets", "gcloud"}

// secretPaths are files that hold secrets in these directories.
var secretPaths = []string{
	".docker/config.json", ".m2/settings.xml", ".gem/credentials", ".config/gh/hosts.yml", ".pip/pip.conf", "etc/shadow",
	"etc/gshadow", "config/master.key", "config/database.yml.prod",
}

var secretNames = []string{
	".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".netrc", "_netrc", ".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf", ".htpasswd",
	".dockercfg", ".dockerconfigjson", ".git-credentials", ".gitcredentials", ".vault-token", ".vault_pass", ".vault_pass.txt", ".terraformrc",
	"terraform.rc", ".s3cfg", ".boto", ".databrickscfg", ".esmtprc", ".msmtprc", ".fetchmailrc", "kubeconfig", "env.local",
}

var secretPrefixes = []string{".env", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"}

var secretSuffixes = []string{
	".env", ".pem", ".key", ".p8", ".p12", ".pfx", ".pkcs12", ".jks", ".jceks", ".keystore", ".bks", ".ppk", ".kdb", ".kdbx", ".keychain",
	".keychain-db", ".gpg", ".pgp", ".ovpn", ".agekey", ".tfstate", ".tfstate.backup", ".tfvars", ".tfvars.json", ".mobileprovision",
	".kubeconfig", "_rsa", "_ed25519", "_history",
}

// secretStems are names of data files with secrets. Files of code have such names
// for their topic.
var secretStems = []string{
	"credentials", "credential", "creds", "secrets", "secret", "passwords", "password", "passwd", "apikeys", "api_keys", "api-keys",
	"apikey", "api_key", "api-key", "client_secret", "client-secret", "service-account", "service_account", "serviceaccount", "tokens",
}

var dataExtensions = []string{
	"", ".json", ".yml", ".yaml", ".toml", ".ini", ".csv", ".xml", ".properties", ".txt", ".conf", ".cfg", ".enc", ".db", ".dat", ".bak", ".old",
}

func isSecretName(base string) bool {
	if strings.HasSuffix(base, ".pub") {
		return false // the public half of a key
	}
	switch {
	case slices.Contains(secretNames, base):
		return true
	case slices.ContainsFunc(secretPrefixes, func(p string) bool { return strings.HasPrefix(base, p) }):
		return true
	case slices.ContainsFunc(secretSuffixes, func(x string) bool { return strings.HasSuffix(base, x) }):
		return true
	}
	ext := path.Ext(base)
	if !slices.Contains(dataExtensions, ext) {
		return false
	}
	stem := strings.TrimSuffix(base, ext)
	for _, s := range secretStems {
		before, isLast := strings.CutSuffix(stem, s)
		after, isFirst := strings.CutPrefix(stem, s)
		if isLast && (before == "" || strings.IndexByte(".-_", before[len(before)-1]) >= 0) ||
			isFirst && strings.IndexByte(".-_", after[0]) >= 0 && ext != "" && ext != ".txt" {
			return true
		}
	}
	return false
}
