package redact_test

import (
	"fmt"
	"strings"

	"github.com/codescan-dev/scanner/redact"
)

func Example() {
	// The key of the provider must not reach a model either.
	r := redact.New("provider-key-0001")

	code := strings.Join([]string{
		`const apiURL = "https://api.example.com/v2"`,
		`const token = "` + "ghp_" + strings.Repeat("aB3dE5gH7", 4) + `"`,
		`db := connect("postgres://app:` + "tr0mbone" + `@db/app", timeout)`,
		`log.Println("provider-key-0001")`,
		`password := os.Getenv("DB_PASSWORD")`,
	}, "\n")

	text, n := r.Redact(code)
	fmt.Println(n, "secrets")
	fmt.Println(text)
	// Output:
	// 3 secrets
	// const apiURL = "https://api.example.com/v2"
	// const token = "[REDACTED:github-token]"
	// db := connect("postgres://app:[REDACTED:url-password]@db/app", timeout)
	// log.Println("[REDACTED:known-secret]")
	// password := os.Getenv("DB_PASSWORD")
}

func ExampleHasPlaceholder() {
	fix := `+	token := "[REDACTED:github-token]"`
	fmt.Println(redact.HasPlaceholder(fix))
	// Output: true
}
