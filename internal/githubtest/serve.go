package githubtest

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/codescan-dev/scanner/internal/hosttest"
)

var (
	_ http.Handler      = (*Host)(nil)
	_ http.RoundTripper = (*Host)(nil)
)

func message(status int, text string, header ...string) *hosttest.Answer {
	return hosttest.Reply(status, map[string]any{"message": text}, header...)
}

// ServeHTTP answers a request.
func (h *Host) ServeHTTP(w http.ResponseWriter, req *http.Request) { h.answer(req).Write(w) }

// RoundTrip answers a request without a network.
func (h *Host) RoundTrip(req *http.Request) (*http.Response, error) {
	return hosttest.RoundTrip(req, h.answer)
}

// answer answers a request, or does what the test wants instead.
func (h *Host) answer(req *http.Request) *hosttest.Answer {
	h.Lock()
	defer h.Unlock()
	uri := strings.TrimPrefix(strings.TrimPrefix(req.URL.RequestURI(), "/"), "api/v3/")
	h.Record(req, uri)
	switch token, ok := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer "); {
	case !ok || token == "":
		h.Problem("%s %s: no token", req.Method, uri)
		return message(401, "Requires authentication")
	case h.Token != "" && token != h.Token:
		h.Problem("%s %s: wrong token", req.Method, uri)
		return message(401, "Bad credentials")
	}
	return h.Answer(req, h.fail, func() *hosttest.Answer { return h.serve(req) })
}

// fail returns the answer to a request that goes wrong.
func (h *Host) fail(fault hosttest.Fault) *hosttest.Answer {
	switch fault {
	case hosttest.BadGateway:
		return message(502, "Server Error")
	case hosttest.Secondary:
		return hosttest.Reply(403, map[string]any{
			"message":           "You have exceeded a secondary rate limit",
			"documentation_url": "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits",
		}, "Retry-After", h.RetryAfter)
	case hosttest.Primary:
		return message(403, "API rate limit exceeded", "X-RateLimit-Remaining", "0", "X-RateLimit-Limit", "1000", "X-RateLimit-Reset", "99999999999")
	case hosttest.Forbidden:
		return message(403, "Resource not accessible by integration")
	default:
		return message(401, "Bad credentials")
	}
}

// refusal is how the parts of the host refuse a request.
type refusal struct {
	status int
	msg    string
	header []string
}

// call is a request that is being answered.
type call struct {
	req   *http.Request
	parts []string // of the path
	body  map[string]any
	// next is the address of the next page, if there is one.
	next string
}

func (h *Host) serve(req *http.Request) (a *hosttest.Answer) {
	defer func() {
		if e := recover(); e != nil {
			r, ok := e.(refusal)
			if !ok {
				panic(e)
			}
			if a = message(r.status, r.msg, r.header...); r.status != http.StatusForbidden {
				a = hosttest.Reply(r.status, map[string]any{"message": http.StatusText(r.status), "errors": []string{r.msg}})
			}
		}
	}()
	c := &call{req: req, parts: strings.Split(route(req), "/")}
	if req.Body != nil {
		data, err := io.ReadAll(req.Body)
		if err == nil && len(data) > 0 {
			err = json.Unmarshal(data, &c.body)
		}
		if err != nil {
			h.Problem("%s %s: %v", req.Method, route(req), err)
			panic(refusal{status: 400, msg: "Problems parsing JSON"})
		}
	}
	if h.Refuse != nil {
		if msg := h.Refuse(req); msg != "" {
			return message(403, msg)
		}
	}
	if isGraphQL(req) {
		return hosttest.Reply(200, h.graphQL(c.body))
	}
	if route(req) == "user" {
		if h.isBot() {
			panic(refusal{403, "Resource not accessible by integration", nil})
		}
		return hosttest.Reply(200, user(h.Account))
	}
	if req.Method != http.MethodGet {
		h.Writes = append(h.Writes, req.Method+" "+route(req))
	}
	// The path after the repository.
	p := c.parts
	if owner, name, _ := strings.Cut(h.Repo, "/"); len(p) > 3 && p[0] == "repos" && strings.EqualFold(p[1], owner) && strings.EqualFold(p[2], name) {
		c.parts = p[3:]
	} else {
		panic(refusal{status: 404, msg: "no such repository"})
	}
	if req.Method == http.MethodGet {
		out := h.read(c)
		if c.next != "" {
			return hosttest.Reply(200, out, "Link", "<"+c.next+`>; rel="next"`)
		}
		return hosttest.Reply(200, out)
	}
	status, out := h.write(c)
	return hosttest.Reply(status, out)
}

// is reports whether a request has this method and path, in which "*" is any
// element and "N" the number of the pull request.
func (h *Host) is(c *call, method, pattern string) bool {
	return c.req.Method == method && hosttest.Matches(c.parts, pattern, h.Number)
}

func (c *call) id(i int) int64 {
	n, err := strconv.ParseInt(c.parts[i], 10, 64)
	if err != nil {
		panic(refusal{status: 404, msg: "not found"})
	}
	return n
}

// page returns the page of a list that a request asks for.
func page[T any](c *call, list []T) []T {
	out, _, next := hosttest.Page(c.req, list, 30)
	if next > 0 {
		u := *c.req.URL
		q := u.Query()
		q.Set("page", strconv.Itoa(next))
		u.RawQuery = q.Encode()
		c.next = u.String()
	}
	return out
}

// need refuses a request when the token lacks a permission, and names those that are
// accepted: that one, or as given.
func (h *Host) need(permission string, accepted ...string) {
	if len(accepted) == 0 {
		accepted = []string{strings.NewReplacer("-", "_", ": ", "=").Replace(permission)}
	}
	if h.Deny[permission] {
		panic(refusal{403, "Resource not accessible by integration", []string{"X-Accepted-GitHub-Permissions", accepted[0]}})
	}
}

func (h *Host) isBot() bool { return strings.HasSuffix(h.Account, "[bot]") }

func (h *Host) check(id int64) *Check {
	i := slices.IndexFunc(h.Checks, func(c *Check) bool { return c.ID == id })
	if i < 0 {
		panic(refusal{status: 404, msg: "no such check run"})
	}
	return h.Checks[i]
}
