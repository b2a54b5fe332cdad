package tools

import "testing"

func TestForbidden(t *testing.T) {
	tree := &tree{send: []string{"dev/.env"}}
	for _, name := range []string{
		".git", ".git/config", "a/.git/x", ".GIT/x", ".Git", ".git./x", ".git ", ".git:x", "git~1", "GIT~2/x", "\ufeff.git/x", ".gi\u200dt",
		".env", "a/.aws/credentials", "server.key",
	} {
		if !tree.isForbidden(name) {
			t.Errorf("%q may be read", name)
		}
	}
	for _, name := range []string{"main.go", ".gitignore", "digit~1.go", "dev/.env", ".env.example"} {
		if tree.isForbidden(name) {
			t.Errorf("%q must not be read", name)
		}
	}
}
