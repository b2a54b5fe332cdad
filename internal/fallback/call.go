package fallback

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/codescan-dev/scanner/provider"
)

// Call is one request with all its attempts. It must not be used concurrently.
type Call struct {
	forms *Forms
	model *model
	req   provider.Request
	want  form // that of req

	sent     int   // requests
	sentAll  bool  // one of them had all features
	moved    bool  // the call has its own form, at
	at       form  // that is tried next
	refused  form  // the first that was refused, if moved
	reason   error // that refusal
	failures int   // of the server
	gaveUp   bool  // all forms failed: the server is down
}

// Send makes one request.
type Send func(context.Context, provider.Request) (provider.Response, error)

// Begin returns the call of a request. While it is not known which form works, one
// call finds out, and the others wait here: before they have a slot of the Limiter.
func (f *Forms) Begin(ctx context.Context, req provider.Request) *Call {
	c := &Call{forms: f, model: f.model(ctx, req.Model), req: req, want: formOf(req)}
	if f.plain {
		c.want = plain
	}
	timer := time.NewTimer(maxWait)
	defer timer.Stop()
	for {
		found, wait := c.find()
		if !wait {
			return c
		}
		select {
		case <-found:
		case <-timer.C:
			return c
		case <-ctx.Done():
			return c
		}
	}
}

// find makes c the call that finds out, if nothing is known and no other does.
func (c *Call) find() (found <-chan struct{}, wait bool) {
	c.forms.mu.Lock()
	defer c.forms.mu.Unlock()
	m := c.model
	switch {
	case !c.forms.waits || m.known(c.want) || c.answersTools():
		return nil, false
	case m.finder == nil:
		m.finder, m.found, m.trial = c, make(chan struct{}), c.want
		return nil, false
	}
	return m.found, true
}

// answersTools reports whether the request returns results of tools. It then cannot
// do without them.
func (c *Call) answersTools() bool {
	return slices.ContainsFunc(c.req.Messages, func(m provider.Message) bool { return m.Role == provider.RoleTool })
}

// End must be called when no more attempts are made.
func (c *Call) End() {
	c.forms.mu.Lock()
	defer c.forms.mu.Unlock()
	c.model.release(c)
}

// Try makes one attempt: it sends the request in the form that is accepted as far as
// is known. If that is refused, it sends it without the tools and then without the
// response format. An error that is not a refusal ends the attempt, and the next one
// goes on with the same form. So the first failure of a server is repeated as it is,
// and only the second is treated as a refusal.
//
// A request that left out from the start what others were refused for is sent with
// all its features at last.
//
// The error is final when the plainest form was refused and no request to the
// model succeeded before, unless a tiny request shows that it was only this one.
func (c *Call) Try(ctx context.Context, send Send) (provider.Response, error) {
	for {
		f := c.form()
		c.sent++
		c.sentAll = c.sentAll || f == c.want
		resp, err := send(ctx, f.of(c.req))
		if err == nil || isAnswer(err) {
			c.confirm(ctx, send)
			c.accepted(ctx, f)
			return resp, err
		}
		if ctx.Err() != nil || !c.refuses(f, err) {
			if c.failures == 0 {
				c.End() // the wait for the next attempt is only for this request
			}
			return resp, err
		}
		next, ok := lesser(f, err)
		if !ok || c.answersTools() {
			if !c.sentAll && isRefusal(err) {
				// What was found out may be wrong by now.
				if resp, err := send(ctx, c.req); err == nil {
					c.accepted(ctx, c.want)
					return resp, nil
				}
			}
			return resp, c.exhausted(ctx, err, send)
		}
		c.move(f, next, err)
	}
}

// form returns the form that is to be sent.
func (c *Call) form() form {
	c.forms.mu.Lock()
	defer c.forms.mu.Unlock()
	m := c.model
	switch dropped := m.dropped; {
	case c.moved:
		return c.at
	case c.answersTools():
		return c.want &^ (dropped &^ tools)
	case !m.known(c.want) && m.finder != nil && m.finder != c:
		return c.want & m.trial // c has waited long enough: it is being answered
	default:
		return c.want &^ dropped
	}
}

// refuses reports whether err may be about the form f of the request: it was refused
// as wrong, or the server failed again.
func (c *Call) refuses(f form, err error) bool {
	e, _ := errors.AsType[*provider.Error](err)
	switch {
	case isRefusal(err):
		return true
	case e == nil || e.Kind != provider.KindServer || c.gaveUp:
		return false
	case e.Status == 400:
		c.works(f) // the model was at work, and failed
	case e.Status != 500:
		return false
	}
	c.failures++
	return c.failures > 1
}

// isAnswer reports whether err is what the model answered: that it declines.
func isAnswer(err error) bool {
	e, ok := errors.AsType[*provider.Error](err)
	return ok && e.Kind == provider.KindRefusal && e.Status == 0
}

// isRefusal reports whether a request was refused as wrong.
func isRefusal(err error) bool {
	e, ok := errors.AsType[*provider.Error](err)
	return ok && e.Kind == provider.KindInvalid &&
		slices.Contains([]int{400, 404, 422}, e.Status)
}

// lesser returns the form to try after f was refused.
func lesser(f form, err error) (form, bool) {
	switch {
	case f == all && namesFormat(err):
		return tools, true
	case f.has(tools):
		return f &^ tools, true
	default:
		return plain, f != plain
	}
}

// namesFormat reports whether a refusal names the response format and not the tools,
// which are then kept. It only decides what is tried first.
func namesFormat(err error) bool {
	text := strings.ToLower(err.Error())
	return strings.Contains(text, "response_format") && !strings.Contains(text, "tool")
}

// move makes next the form of the call, since f was refused with err.
func (c *Call) move(f, next form, err error) {
	if !c.moved {
		c.moved, c.refused, c.reason = true, f, err
	}
	c.at = next
	c.forms.mu.Lock()
	defer c.forms.mu.Unlock()
	if c.model.finder == c {
		c.model.trial = next
	}
}

// accepted records that the request succeeded in the form f. If it was refused in a
// fuller one, other requests leave out the difference, unless one of them was
// accepted in that form: then the refusal was about the content.
func (c *Call) accepted(ctx context.Context, f form) {
	if lesser := c.learn(ctx, f); lesser != (Lesser{}) && c.forms.onLesser != nil {
		c.forms.onLesser(lesser)
	}
}

func (c *Call) learn(ctx context.Context, f form) (l Lesser) {
	c.forms.mu.Lock()
	defer c.forms.mu.Unlock()
	m := c.model
	before := m.dropped
	m.worked[f] = true
	switch {
	case f.has(m.refused):
		m.dropped, m.fleeting = plain, false
	case c.moved && !m.succeeded(c.refused):
		m.dropped, m.refused, m.fleeting = before|c.refused&^f, c.refused, c.failures > 0
	}
	if c.forms.store != nil && !m.fleeting && (m.dropped != before || !m.stored.has(c.want)) {
		m.stored |= c.want
		if value, err := json.Marshal(entry{m.stored, m.dropped, time.Now()}); err == nil {
			c.forms.store.Put(ctx, storeKey(m.name), value)
		}
	}
	m.release(c)
	if more := m.dropped &^ m.reported; more != plain {
		m.reported |= more
		l = Lesser{Model: m.name, Tools: more.has(tools), Format: more.has(format), Err: c.reason}
	}
	return l
}

// confirm finds out with a third request whether the server refused the form of the
// first or its content: one chunk must not cost the others their tools. After more
// requests, there were two refusals already.
func (c *Call) confirm(ctx context.Context, send Send) {
	if !c.moved || c.sent != 2 || c.succeeded(c.refused) {
		return
	}
	if _, err := send(ctx, c.refused.of(c.probe())); err == nil {
		c.works(c.refused)
	}
}

// probe returns a tiny request with the features of the call. Only its form, a wrong
// model or a wrong path can be the reason to refuse it.
func (c *Call) probe() provider.Request {
	req := c.req
	req.Task = provider.Task{Role: req.Task.Role} // it is not about the chunk
	req.System, req.Messages = "", []provider.Message{{Role: provider.RoleUser, Text: "This is a test of the connection. Answer with OK."}}
	return req
}

// works records that f is a form that the server accepts.
func (c *Call) works(f form) {
	c.forms.mu.Lock()
	defer c.forms.mu.Unlock()
	c.model.worked[f] = true
}

// exhausted returns the error for a request that was refused in its plainest form.
func (c *Call) exhausted(ctx context.Context, err error, send Send) error {
	if !isRefusal(err) {
		// The server is down. The other attempts are for its return.
		c.gaveUp, c.moved = true, false
		return err
	}
	if c.answersTools() || c.succeeded(plain) {
		return err
	}
	e, _ := errors.AsType[*provider.Error](err)
	if e.Status != 404 { // which is never about the content
		_, probed := send(ctx, plain.of(c.probe()))
		if probed == nil {
			c.works(plain)
		}
		if !isRefusal(probed) {
			return err
		}
	}
	final := *e
	final.Final = true
	return &final
}

// succeeded reports whether a request of this run succeeded that had all the features
// of f.
func (c *Call) succeeded(f form) bool {
	c.forms.mu.Lock()
	defer c.forms.mu.Unlock()
	return c.model.succeeded(f)
}
