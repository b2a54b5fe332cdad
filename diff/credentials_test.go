package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/diff"
)

func TestIsCredentialFile(t *testing.T) {
	for _, name := range []string{
		".env", ".env.local", "a/.env.production", ".envrc", "prod.env", ".ENV", ".env.development.local", "env.local",
		".npmrc", "x/.pypirc", ".netrc", "_netrc", ".htpasswd", ".pgpass", ".git-credentials", ".docker/config.json", "home/.docker/config.json",
		".aws/credentials", ".AWS/config", "home/.ssh/known_hosts", ".kube/config", "kubeconfig", "dev.kubeconfig", ".config/gcloud/x", ".azure/accessTokens.json",
		"application_default_credentials.json", "gcp-key.json", ".terraform.d/credentials.tfrc.json", ".cargo/credentials.toml", ".config/gh/hosts.yml",
		"id_rsa", "id_ed25519", "deploy_rsa", "keys/ID_RSA", "id_rsa.bak", "id_ecdsa_sk", "ssh_host_rsa_key",
		"a.pem", "a.PEM", "server.key", "example.com.key", "example.pem", "x.p12", "x.pfx", "x.jks", "x.keystore", "x.kdbx", "x.gpg", "x.ppk",
		"terraform.tfstate", "terraform.tfstate.backup", "prod.tfvars", "prod.auto.tfvars", "prod.tfvars.json",
		"credentials", "credentials.json", "config/credentials.yml.enc", "secrets.yml", "k8s/my-secret.yaml", "db_password.txt", "client_secret_1.json",
		"service-account.json", "service-account-prod.json", "passwords.csv", "secrets.prod.yaml", "config/master.key", "etc/shadow", ".bash_history",
		".netrc~", ".npmrc.bak", "server.key.old", "server.pem.orig", "prod.tfvars.bak", ".pgpass.swp", ".env~", "prod.env.bak", "secrets.json.1",
		"terraform.tfstate.1700000000.backup", ".secrets", ".api-key", "my secrets.json", ".dev.vars", "android/key.properties", ".github/.env",

		"token", "token.txt", ".token", "access_token", "github_token.txt", "GITHUB_TOKEN", "token.json", "tokens.json", "ngrok.yml", "auth.json",
		"deploy_key", "private_key.txt", "signingKey.txt", "APIKey.json", "apikey.txt", "accessKeys.csv", "rootkey.csv", "AWSAccessKeys.csv", "DBPassword.txt",
		"env", "env.production", "x.env.local", ".envrc.local", ".env/prod", ".env ", ".env copy", ".env (1)", ".env.json", "a.env.txt",
		"kube/config", ".kube/cache/x.yaml", "k8s/kubeconfig.yaml", "kubeconfig-dev", ".aws/config", ".aws/sso/cache/0f.json", ".azure/msal_token_cache.json",
		"x-firebase-adminsdk-fbsvc-0123.json", "gha-creds-0123abcdef.json", "client_secret_1-a.apps.googleusercontent.com.json", "credentials (1).csv", "token_2.txt",
		"my.cnf", "users.htpasswd", "vault_pass", "wg0.conf", "ipsec.secrets", "etc/ppp/chap-secrets", "Secrets.plist", "Secrets.xcconfig", "db.pwd",
		"secrets/db.yaml", "config/secrets/prod.json", "docker/secrets/db", "secret-tls.yaml", ".vscode/sftp.json", ".local/share/opencode/auth.json",
		".claude/.credentials.json", ".gemini/oauth_creds.json", ".cache/huggingface/token", ".streamlit/secrets.toml", ".smbcredentials", "recovery-codes.txt",
		"#.env#", "a/#id_rsa#", "npmrc", "twine.pypirc", ".rclone.conf", "k3s.yaml", "private-key.asc", "sftp-config.json", ".idea/webServers.xml",
		".m2/settings-security.xml", ".subversion/auth/svn.simple/0f", "firebase-adminsdk.json", ".runtimeconfig.json", "bitwarden_export_2024.json",
		"1Password-export.csv", ".config/configstore/snyk.json", ".config/stripe/config.toml",
		".envs/.local/.postgres", "playwright/.auth/user.json", "deployer-keypair.json", "UTC--2020-01-01--0f", ".config/github-copilot/apps.json",
	} {
		if !diff.IsCredentialFile(name) {
			t.Errorf("%q is not a credential file", name)
		}
	}
	for _, name := range []string{
		"", ".env.example", "a/.env.sample", ".env-template", ".env.dist", "example.env", "terraform.tfvars.example", "secrets.example.yaml",
		"main.go", ".gitignore", ".gitattributes", ".github/workflows/ci.yml", ".gitlab-ci.yml", "gitx/a", "digit~1.go",
		"env.go", ".env.d.ts", ".environment", "environment.ts", "src/env/index.ts", "keys.go", "key.go", "api.key.ts", "keyboard.json", "monkey.json", "pem.go",
		"credentials.go", "secrets.py", "internal/secrets/secrets.go", "password.tsx", "secret_test.go", "passwords.md", "token.go", "id_rsa_test.go",
		"id_rsa.pub", "id_ed25519.pub", "history.md", "shadow/x.c", "shadow.css", "kubeconfig/load.go", "docs/config.json", "config/database.yml", "gcloud/main.tf",
		"package.json", "Dockerfile", "Makefile", "README", "tfstate.go", "secretary.json", "tokenizer.json", "aws/main.tf", "main.tf",
		"credentials.go.bak", ".env.example.bak", "id_rsa.pub~", "1.2", "a~", ".bak", "~", ".github/workflows/rotate-secrets.yml",
		"charts/x/templates/secret.yaml", "rbac/service-account.yaml", "templates/serviceaccount.yml",

		"locales/en/passwords.json", "lang/en/auth.json", "i18n/de/password.json", ".azure/pipelines.yml", ".aws/template.yml", ".aws/task-definition.json",
		"release_history", "design-tokens.json", "special_tokens_map.json", "tokens/colors.json", "token-list.json", "tokens.css", "token.proto",
		"bin/rotate-secrets", "scripts/get-token", "hack/update-secrets", "secrets.sh", "auth.ts", "auth.yaml", "lib/secrets.ex", "contracts/token.abi",
		".env.sample", ".env.template", "env.template", ".env.local.example", "secrets.yml.dist", "credentials.sample.json", "example-secrets.yaml",
		"env.yml", "env.json", "env.mjs", "password-policy.json", "password_reset_form.json", "token.schema.json", "schemas/credentials.json", "public_key.txt",
		"primary-key.json", "src/credentials/package.json", "internal/secrets/testdata/a.json", "secrets/README.md", "secrets/README", "secrets/main.tf",
		"#", "##", "#main.go#", "book/chapter.asc", "npmrc.js", "webServers.go", "src/export.csv", "secrets/.gitkeep", "secrets/kustomization.yaml", "ca.crt", ".config/nextest.toml", "keymap.json", "author.json", ".secrets.baseline", "kube/deploy.yaml",
	} {
		if diff.IsCredentialFile(name) {
			t.Errorf("%q is a credential file", name)
		}
	}
}

func TestMayBePublic(t *testing.T) {
	for name, want := range map[string]bool{
		".npmrc": true, "web/.yarnrc.yml": true, ".envrc~": true, "certs/CA.PEM": true, "keys/apt.gpg": true, ".ssh/known_hosts": true,
		".env": false, "id_rsa": false, "server.key": false, "prod.tfvars": false, ".netrc": false,
	} {
		if got := diff.MayBePublic(name); got != want {
			t.Errorf("%q: got %v, want %v", name, got, want)
		}
		if !diff.IsCredentialFile(name) {
			t.Errorf("%q is not a credential file", name)
		}
	}
}

func TestPlanCredentialFiles(t *testing.T) {
	hunks := []diff.Hunk{{NewStart: 1, NewLines: 1, Body: "+x\n"}}
	script := []diff.Hunk{{NewStart: 1, NewLines: 1, Body: "+#!/bin/sh\n"}}
	tests := []struct {
		name   string
		c      diff.Chunking
		f      diff.File
		reason diff.Reason // empty: analyzed
	}{
		{"by name", diff.Chunking{}, diff.File{Path: ".env", Hunks: hunks}, diff.ReasonSecret},
		{"whole file", diff.Chunking{}, diff.File{Path: "id_rsa", Load: func() ([]byte, error) { return []byte("x\n"), nil }}, diff.ReasonSecret},
		{"renamed to something else", diff.Chunking{}, diff.File{Path: "settings", OldPath: ".env", Status: diff.Renamed, Hunks: hunks}, diff.ReasonSecret},
		{"words", diff.Chunking{}, diff.File{Path: "x/get-token", Hunks: hunks}, diff.ReasonSecret},
		{"script", diff.Chunking{}, diff.File{Path: "x/get-token", Hunks: script}, ""},
		{"whole script", diff.Chunking{}, diff.File{Path: "x/get-token", Load: func() ([]byte, error) { return []byte("#!/bin/sh\n"), nil }}, ""},
		{"script of a tool", diff.Chunking{}, diff.File{Path: ".envrc", Hunks: script}, diff.ReasonSecret},
		{"no script", diff.Chunking{}, diff.File{Path: "secrets.yaml", Hunks: script}, diff.ReasonSecret},
		{"deleted", diff.Chunking{}, diff.File{Path: ".env", Status: diff.Deleted, Hunks: hunks}, diff.ReasonDeleted},
		{"patterns of the project do not send it", diff.Chunking{FilePatterns: []diff.FilePattern{{Pattern: "**", Mode: diff.ModePerChunk}}},
			diff.File{Path: ".env", Hunks: hunks}, diff.ReasonSecret},
		{"skipped by a pattern", diff.Chunking{FilePatterns: []diff.FilePattern{{Pattern: ".env"}}}, diff.File{Path: ".env", Hunks: hunks}, diff.ReasonPattern},
		{"ignored", diff.Chunking{IgnorePaths: []string{"*.env"}}, diff.File{Path: ".env", Hunks: hunks}, diff.ReasonIgnored},
		{"sent", diff.Chunking{SendFiles: []string{"dev/.env"}}, diff.File{Path: "dev/.env", Hunks: hunks}, ""},
		{"another is sent", diff.Chunking{SendFiles: []string{"dev/.env"}}, diff.File{Path: ".env", Hunks: hunks}, diff.ReasonSecret},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := tt.c.Plan(tt.f, nil)
			var got diff.Reason
			if p.Skip != nil {
				got = p.Skip.Reason
			}
			if got != tt.reason || len(p.Chunks) > 0 != (tt.reason == "") {
				t.Errorf("got reason %q and %d chunks, want reason %q", got, len(p.Chunks), tt.reason)
			}
		})
	}
	if err := (diff.Chunking{SendFiles: []string{"["}}).Validate(); err == nil || !strings.Contains(err.Error(), "sendFiles[0]") {
		t.Errorf("got error %v, want one about sendFiles[0]", err)
	}
}

// Rules run on files that are skipped by the names and marks that tools give to
// their text files, and on credential files; not on others.
func TestPlanUnsent(t *testing.T) {
	added := func(path, body string) diff.File {
		return diff.File{Path: path, Status: diff.Added, Hunks: []diff.Hunk{{NewStart: 1, NewLines: strings.Count(body, "\n"), Body: body}}}
	}
	twice := diff.File{Path: "yarn.lock", Hunks: []diff.Hunk{
		{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 1, Body: "-a\n+b\n"}, {OldStart: 3, NewStart: 3, NewLines: 1, Body: "+c\n"},
	}}
	unread := func(f diff.File, reason diff.Reason) diff.File {
		f.Hunks, f.Skip = nil, reason
		return f
	}
	long := strings.Repeat("x", 2<<20)
	generated, binary, deleted := added("a.go", "+x\n"), added("x.p12", ""), added(".env", "+x\n")
	generated.Generated, binary.Binary, deleted.Status = true, true, diff.Deleted
	tests := []struct {
		name string
		c    diff.Chunking
		f    diff.File
		want string // the added lines, with the ranges of the chunks
	}{
		{"lock file", diff.Chunking{}, twice, "1-1: b\n3-3: c\n"},
		{"minified file", diff.Chunking{}, added("dist/a.min.js", "+x\n"), "1-1: x\n"},
		{"generated name", diff.Chunking{}, added("a.pb.go", "+x\n"), "1-1: x\n"},
		{"generated by an attribute", diff.Chunking{}, generated, "1-1: x\n"},
		{"credential file", diff.Chunking{}, added(".env", "+x\n+y\n"), "1-2: x y\n"},
		{"binary credential file", diff.Chunking{}, binary, "1-1:\n"},
		{"whole file", diff.Chunking{}, diff.File{Path: ".env", Load: func() ([]byte, error) { return []byte("x\ny\n"), nil }}, "1-2: x y\n"},
		{"empty credential file", diff.Chunking{}, diff.File{Path: ".env", Status: diff.Added}, ""},
		{"deleted credential file", diff.Chunking{}, deleted, ""},
		{"lock file with a NUL", diff.Chunking{}, added("yarn.lock", "+a\x00\n"), "1-1: a\x00\n"},
		{"whole lock file with a NUL", diff.Chunking{}, diff.File{Path: "yarn.lock", Load: func() ([]byte, error) { return []byte("a\x00\n"), nil }}, "1-1: a\x00\n"},
		{"credential file with a NUL", diff.Chunking{}, added(".env", "+a\x00\n"), "1-1: a\x00\n"},
		{"large minified file", diff.Chunking{}, added("a.min.js", "+"+long+"\n"), "1-1: " + long + "\n"},
		{"whole large file", diff.Chunking{}, diff.File{Path: "a.min.js", Load: func() ([]byte, error) { return []byte(long), nil }}, "1-1: " + long + "\n"},
		{"lock file that is too large", diff.Chunking{}, unread(added("yarn.lock", ""), diff.ReasonTooLarge), ""},
		{"credential file that is too large", diff.Chunking{}, unread(added(".env", ""), diff.ReasonTooLarge), "1-1:\n"},
		{"link", diff.Chunking{}, unread(added(".env", ""), diff.ReasonLink), ""},
		{"image", diff.Chunking{}, added("a.png", "+x\n"), ""},
		{"vendored file", diff.Chunking{}, added("vendor/a.go", "+x\n"), ""},
		{"pattern", diff.Chunking{FilePatterns: []diff.FilePattern{{Pattern: "*"}}}, added("yarn.lock", "+x\n"), ""},
		{"ignored", diff.Chunking{IgnorePaths: []string{"*"}}, added("yarn.lock", "+x\n"), ""},
		{"analyzed", diff.Chunking{}, added("a.go", "+x\n"), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got strings.Builder
			tt.f.MarkBinary(nil)
			p := tt.c.Plan(tt.f, nil)
			for i := range p.Unsent {
				text, err := p.Unsent[i].Text()
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&got, "%d-%d:", p.Unsent[i].StartLine, p.Unsent[i].EndLine)
				for l := range text.Added() {
					got.WriteString(" " + l.Text)
				}
				got.WriteString("\n")
			}
			if got.String() != tt.want {
				t.Errorf("got %q, want %q", got.String(), tt.want)
			}
			if len(p.Unsent) > 0 && (p.Skip == nil || len(p.Chunks) > 0) {
				t.Errorf("got %d chunks, skip %v", len(p.Chunks), p.Skip)
			}
		})
	}
}

// A file whose contents rules cannot read is skipped for that.
func TestPlanUnread(t *testing.T) {
	for name, tt := range map[string]struct {
		f    diff.File
		want diff.Reason
	}{
		"lock file":                   {diff.File{Path: "go.sum", Skip: diff.ReasonTooLarge}, diff.ReasonTooLarge},
		"generated":                   {diff.File{Path: "a.pb.go", Skip: diff.ReasonUnreadable}, diff.ReasonUnreadable},
		"lock file, not in the patch": {diff.File{Path: "go.sum", Binary: true}, diff.ReasonBinary},
		"nothing new":                 {diff.File{Path: "go.sum", Status: diff.Renamed, OldPath: "a"}, diff.ReasonBuiltin},
		"vendored":                    {diff.File{Path: "vendor/a.go", Skip: diff.ReasonTooLarge}, diff.ReasonBuiltin},
		"credentials":                 {diff.File{Path: ".env", Skip: diff.ReasonTooLarge}, diff.ReasonSecret},
	} {
		if p := (diff.Chunking{}).Plan(tt.f, nil); p.Skip == nil || p.Skip.Reason != tt.want {
			t.Errorf("%s: got %+v, want %q", name, p.Skip, tt.want)
		}
	}
}
