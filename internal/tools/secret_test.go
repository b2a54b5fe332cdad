package tools

import "testing"

func TestForbidden(t *testing.T) {
	for _, name := range []string{
		".git", ".git/config", "a/.git/x", ".GIT/x", ".Git", ".git./x", ".git ", ".git:x", "git~1", "GIT~2/x", "\ufeff.git/x", ".gi\u200dt",
		".env", ".env.local", "a/.env.production", ".envrc", "prod.env", ".ENV", ".env.example",
		".npmrc", "x/.pypirc", ".netrc", "_netrc", ".htpasswd", ".git-credentials", ".docker/config.json", "home/.docker/config.json",
		".aws/credentials", ".AWS/config", "home/.ssh/known_hosts", ".kube/config", "kubeconfig", "dev.kubeconfig", ".config/gcloud/x",
		"id_rsa", "id_ed25519", "deploy_rsa", "keys/ID_RSA", "id_rsa.bak",
		"a.pem", "a.PEM", "server.key", "x.p12", "x.pfx", "x.jks", "x.keystore", "x.kdbx", "x.gpg", "x.ppk",
		"terraform.tfstate", "terraform.tfstate.backup", "prod.tfvars", "prod.auto.tfvars", "prod.tfvars.json",
		"credentials", "credentials.json", "config/credentials.yml.enc", "secrets.yml", "k8s/my-secret.yaml", "db_password.txt", "client_secret_1.json",
		"service-account.json", "service-account-prod.json", "passwords.csv", "secrets.prod.yaml", "config/master.key", "etc/shadow", ".bash_history",
	} {
		if !isForbidden(name) {
			t.Errorf("%q may be read", name)
		}
	}
	for _, name := range []string{
		"main.go", ".gitignore", ".gitattributes", ".github/workflows/ci.yml", ".gitlab-ci.yml", "gitx/a", "digit~1.go",
		"env.go", "environment.ts", "src/env/index.ts", "keys.go", "key.go", "keyboard.json", "monkey.json", "pem.go",
		"credentials.go", "secrets.py", "internal/secrets/secrets.go", "password.tsx", "secret_test.go", "passwords.md", "token.go",
		"id_rsa.pub", "id_ed25519.pub", "history.md", "shadow/x.c", "shadow.css", "kubeconfig/load.go", "docs/config.json", "config/database.yml",
		"package.json", "Dockerfile", "Makefile", "README", "tfstate.go", "secretary.json", "tokenizer.json", "aws/main.tf", "main.tf",
	} {
		if isForbidden(name) {
			t.Errorf("%q must not be read", name)
		}
	}
}
