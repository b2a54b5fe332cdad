// Package httperr reads the errors of HTTP APIs: their fields ([Parse]), what the
// caller can do about them ([Error.Kind]), how long to wait ([RetryAfter]), and the
// text that is safe to show ([Cleaner]). Every adapter of package provider uses it,
// also the one for agent CLIs, which print the errors of the APIs behind them.
package httperr

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/codescan-dev/scanner/provider"
)

// StatusLine names an HTTP status, for instance "HTTP 404 Not Found".
func StatusLine(status int) string {
	return strings.TrimSpace(fmt.Sprintf("HTTP %d %s", status, http.StatusText(status)))
}

// maxRetryAfter bounds what is read, so that no header overflows a duration.
const maxRetryAfter = 24 * time.Hour

// RetryAfter returns how long the server requests to wait, or zero. A date is
// relative to the server's own, so that clocks need not agree.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil {
		return Seconds(ms / 1000)
	}
	value := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return Seconds(s)
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	return min(max(until.Sub(now), 0), maxRetryAfter)
}

// Seconds returns s seconds as a duration between zero and a day; NaN is zero.
func Seconds(s float64) time.Duration {
	switch {
	case !(s > 0):
		return 0
	case s >= maxRetryAfter.Seconds():
		return maxRetryAfter
	}
	return time.Duration(s * float64(time.Second))
}

// ProxyOp is the operation of a [net.OpError] about a proxy.
const ProxyOp = "proxyconnect"

// Connection returns the error for a connection to host that failed with err,
// before or during the answer.
func (c Cleaner) Connection(host string, err error) *provider.Error {
	var timeout net.Error
	isTimeout := errors.As(err, &timeout) && timeout.Timeout()
	// The text of a url.Error shows the whole URL, that of an OpError addresses.
	// Neither helps.
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	out := &provider.Error{Kind: provider.KindConnection, Err: err}
	via := ""
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Err != nil {
		err = op.Err
		if op.Op == ProxyOp {
			via = "the proxy cannot be used: "
			out.Hint = "check HTTPS_PROXY, and NO_PROXY for hosts that need none"
		}
	}
	out.Message = host + ": " + via + c.Clean(err.Error())

	_, badCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, noTLS := errors.AsType[tls.RecordHeaderError](err)
	_, dns := errors.AsType[*net.DNSError](err)
	switch {
	case badCertificate:
		out.Kind = provider.KindInvalid
		out.Hint = "the server's certificate is not trusted: check the base URL, and the certificates and clock of this machine"
	case noTLS || errors.Is(err, http.ErrSchemeMismatch):
		out.Kind = provider.KindInvalid
		out.Hint = "the server does not speak https: check the base URL"
	case isTimeout:
		out.Kind = provider.KindTimeout
	case via != "":
	case errors.Is(err, syscall.ECONNREFUSED):
		out.Hint = "nothing answers there: check the base URL, and that the server runs"
	case dns:
		out.Hint = "check the host of the base URL, and the network"
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		out.Message = host + ": the connection ended before the answer was complete"
	}
	return out
}
