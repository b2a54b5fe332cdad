package github

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/internal/hosttest"
)

// requestsFile lets a script hold every kind of request that the tests make
// against the description that the host publishes.
var requestsFile = flag.String("requests", "", "write one request of every shape to this file, as JSON Lines")

var requests hosttest.Recorder

var digits = regexp.MustCompile(`\d+`)

// record keeps a request to the REST API.
func record(req *http.Request) error {
	path := strings.TrimPrefix(req.URL.RequestURI(), "/api/v3")
	if *requestsFile == "" || strings.HasSuffix(path, "/graphql") {
		return nil
	}
	return requests.Add(req, path)
}

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if *requestsFile != "" {
		if err := os.WriteFile(*requestsFile, requests.Lines(), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}
