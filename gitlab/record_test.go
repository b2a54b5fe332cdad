package gitlab_test

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/internal/hosttest"
)

// requestsFile lets a script hold every kind of request that the tests make
// against the description that the host publishes.
var requestsFile = flag.String("requests", "", "write one request of every shape to this file, as JSON Lines")

var requests hosttest.Recorder

// record keeps a request.
func record(req *http.Request) error {
	_, path, ok := strings.Cut(req.URL.RequestURI(), "/api/v4/")
	if *requestsFile == "" || !ok {
		return nil
	}
	return requests.Add(req, "/api/v4/"+path)
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
