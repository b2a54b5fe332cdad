package httpapi_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/codescan-dev/scanner/internal/httpapi"
	"github.com/codescan-dev/scanner/provider"
)

// TestProxyErrors shows that the error of a proxy is not taken for that of the API.
func TestProxyErrors(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	defer proxy.Close()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free.Close()
	for address, want := range map[string]string{
		proxy.URL:                        "the proxy cannot be used: HTTP 407 Proxy Authentication Required",
		"http://" + free.Addr().String(): "the proxy cannot be used: ",
	} {
		e, err := httpapi.ParseEndpoint("https://api.example.com/v1", "", "/chat")
		if err != nil {
			t.Fatal(err)
		}
		c, err := httpapi.NewClient(e, "sk-key", nil, func(*http.Request) (*url.URL, error) { return url.Parse(address) })
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, e.Prefix(), nil)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := c.Decode(c.Do(req), nil).(*provider.Error)
		if !ok || got.Kind != provider.KindConnection || !strings.HasPrefix(got.Message, "api.example.com: "+want) || !strings.Contains(got.Hint, "HTTPS_PROXY") {
			t.Errorf("%s: got %v", address, got)
		}
	}
}
