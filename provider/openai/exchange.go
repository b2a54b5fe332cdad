package openai

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// maxBody is the largest body that is read: a hundred times the longest answer
// that a model gives.
const maxBody = 16 << 20

// errBodyTooLarge ends the reading of a body.
var errBodyTooLarge = errors.New("the answer is too large")

// exchange makes one HTTP request for go-openai and keeps the answer. The library
// drops the body, which holds the cost and the errors with status 200, and the
// difference between a failed connection and a bad body.
type exchange struct {
	client *http.Client
	base   endpoint
	key    string
	limit  int64 // of the body, in bytes

	status int // of the answer; zero if none came
	header http.Header
	body   []byte
	err    error // of the connection, or of reading the body
}

var _ openai.HTTPDoer = (*exchange)(nil)

// Do implements [openai.HTTPDoer].
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	req.URL.RawQuery = x.base.url.RawQuery
	req.Header.Set("User-Agent", "scanner")
	if x.base.azure() && x.key != "" {
		req.Header.Del("Authorization")
		req.Header.Set(openai.AzureAPIKeyHeader, x.key)
	}
	resp, err := x.client.Do(req)
	if err != nil {
		x.err = err
		return nil, err
	}
	defer resp.Body.Close()
	x.status, x.header = resp.StatusCode, resp.Header
	x.body, x.err = io.ReadAll(io.LimitReader(resp.Body, x.limit+1))
	if x.err == nil && int64(len(x.body)) > x.limit {
		x.err = errBodyTooLarge
	}
	if x.err != nil {
		return nil, x.err
	}
	resp.Body = io.NopCloser(bytes.NewReader(x.body))
	return resp, nil
}

// httpClient returns the client for cfg. It follows no redirect: that would turn
// the request into a GET, or carry the key and the code to another host.
func httpClient(cfg Config) *http.Client {
	var client http.Client
	if cfg.HTTPClient != nil {
		client = *cfg.HTTPClient
	} else {
		client.Transport = &http.Transport{
			Proxy:                 cfg.Proxy,
			DialContext:           (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			ForceAttemptHTTP2:     true,
			MaxIdleConnsPerHost:   64, // as many as requests may be in flight
			IdleConnTimeout:       90 * time.Second,
			TLSHandshakeTimeout:   30 * time.Second,
			ExpectContinueTimeout: time.Second,
		}
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}
