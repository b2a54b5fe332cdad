// Package deploy publishes builds.
package deploy

import (
	"database/sql"
	"fmt"
	"net/http"
	"os"
)

const (
	// ruleid: hardcoded-secret
	awsAccessKey = "AKIA3XQ7TLP5ZGJW4RVN"
	// ruleid: hardcoded-secret
	awsSecretKey = "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"
	// ok: hardcoded-secret
	docsAccessKey = "AKIAIOSFODNN7EXAMPLE"
	// ok: hardcoded-secret
	secretKeyHeader = "X-Secret-Key"
	// ok: hardcoded-secret
	tokenEnvironment = "DEPLOY_API_TOKEN"
)

type Config struct {
	APIToken string `json:"api_token"`
	Password string
}

func Default() Config {
	return Config{
		// ok: hardcoded-secret
		APIToken: os.Getenv(tokenEnvironment),
		// ok: hardcoded-secret
		Password: "changeme",
	}
}

func open() (*sql.DB, error) {
	// ruleid: hardcoded-secret
	return sql.Open("postgres", "postgres://deploy:Vb7-kQz29xPw@db.prod.internal:5432/builds?sslmode=require")
}

func openFromEnvironment() (*sql.DB, error) {
	// ok: hardcoded-secret
	return sql.Open("postgres", fmt.Sprintf("postgres://deploy:%s@db.prod.internal:5432/builds", os.Getenv("PGPASSWORD")))
}

func publish(req *http.Request) {
	// ruleid: hardcoded-secret
	req.Header.Set("Authorization", "Bearer ghp_Zk3tQ9wLx7VbN2mRc8YfJd5HsGp1Au04TeXo")
}

func publishWith(req *http.Request, token string) {
	// ok: hardcoded-secret
	req.Header.Set("Authorization", "Bearer "+token)
}

// ruleid: hardcoded-secret
var signingKey = []byte("9f2c81e07ab35d64c1f8e92b70d3a65e")

// ruleid: hardcoded-secret
var deployKey = `-----BEGIN RSA PRIVATE KEY-----
MIIBOgIBAAJBAKx8Qm3vZpT7wYd1LrN5uHkFsJc0bXgE2aVtO9iSfRzWn6DpKqCy
hGvU4lMx8oTjB3eAIdYw7sPkZr1XnLfQ5uJcCAwEAAQJAWb0tHgE9mVaOziSRfKxn
-----END RSA PRIVATE KEY-----`

// ok: hardcoded-secret
var trustedKey = `-----BEGIN PUBLIC KEY-----
MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAKx8Qm3vZpT7wYd1LrN5uHkFsJc0bXgE
-----END PUBLIC KEY-----`
