package provider

import "time"

const (
	// probeAfter is the number of requests without a refusal after which a
	// Limiter tries a little more. One refused probe then costs at most a tenth
	// of the throughput.
	probeAfter = 10
	// maxHold is the longest wait after a refusal that names none.
	maxHold = 30 * time.Second
	// patience is how long after the last success a refusal still means that the
	// server is busy, and not that it refuses everything.
	patience = 2 * time.Minute
)

// learned is what a [Limiter] knows of the limits of a server.
type learned struct {
	limit  int  // in flight; 0 means Size
	worked int  // most that were in flight at a success, since limit was lowered
	grows  bool // limit grows with every success

	above   time.Time // when one request more than limit may start; zero for never
	isAbove bool      // it has started, and was not refused

	rate     bool          // the server limits the rate, not the number in flight
	gap      time.Duration // between two starts, then
	paced    time.Time     // when the next may start for that
	probed   time.Duration // gap before the last probe
	finer    int           // how often the step of a probe is halved
	emptied  time.Time     // when the server had nothing left
	accepted int           // requests started since then, and not refused
	limited  time.Time     // when a refusal changed gap, or began a wait

	hold       time.Duration // the last wait after a refusal, since the last success
	clean      int           // requests since the last refusal or probe
	refusals   int           // since the last success
	succeeded  time.Time     // when a request did so last
	refusedAt  time.Time     // when a request was refused last
	retryAfter time.Duration // of that refusal
}

// mayProbe reports whether the last refusal is long enough ago to try more.
func (l *Limiter) mayProbe(now time.Time) bool {
	return l.clean >= probeAfter && now.Sub(l.refusedAt) >= probeAfter*l.retryAfter
}

// pace sets the time of the next start after one at now.
func (l *Limiter) pace(now time.Time) {
	if l.clean++; l.mayProbe(now) {
		if l.probed > 0 {
			l.finer = max(l.finer-1, 0) // the probe before was not refused
		}
		l.probed, l.gap, l.clean = l.gap, l.gap-l.gap/10>>l.finer, 0
		if l.gap < time.Millisecond {
			l.rate = false
		}
	}
	l.paced = now.Add(l.gap)
}

// success records that the server accepted a request, which still holds its slot.
func (l *Limiter) success() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.succeeded = time.Now()
	l.refusals = 0
	l.worked = max(l.worked, l.running)
	if l.isAbove {
		l.rate, l.gap, l.limit = true, 0, 0
	}
	l.above, l.isAbove, l.hold = time.Time{}, false, 0
	if l.rate || l.limit == 0 || l.running < l.limit && !l.grows {
		return
	}
	if l.clean++; l.grows || l.mayProbe(l.succeeded) {
		l.limit, l.clean = l.limit+1, 0
		if l.limit >= l.Size() {
			l.limit = 0
		}
	}
}

// refused records that the server refused a request, which still holds its slot,
// because of a limit of its rate, and that it wants a pause of retryAfter. It
// reports whether the server is only busy: it has served others lately, so the
// request can be repeated as often as it takes.
func (l *Limiter) refused(start time.Time, retryAfter time.Duration) (busy bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.wait(retryAfter)
	defer func() { l.refusedAt, l.retryAfter = now, retryAfter }()
	l.accepted = max(l.accepted-1, 0)
	l.refusals++
	l.clean = 0
	others := l.running - 1
	served := !l.succeeded.IsZero()
	switch {
	case others == 0 && !served:
		l.limit = 0 // nothing is known yet
	case l.rate:
		if start.After(l.limited) { // else the Limiter has reacted to one that started with it
			l.limitRate(now, retryAfter)
		}
	case l.isAbove:
		l.hold = min(2*l.hold, maxHold)
		l.above, l.isAbove = now.Add(l.hold), false
	case l.refusals == 1 && l.running <= l.worked && retryAfter == 0:
		// As many were accepted a moment ago: the server may be slow to notice
		// that one has ended. The request is repeated at once.
	case others > 0:
		if l.limit == 0 { // the first of those that started together
			l.hold = defaultInitialDelay
			l.above = now.Add(l.hold)
			l.emptied, l.accepted = now, 0
		}
		l.limit, l.worked, l.grows = min(l.inFlight(), others), 0, false
	default:
		l.limitRate(now, retryAfter)
	}
	return served && now.Sub(l.succeeded) <= max(patience, retryAfter)
}

// limitRate adapts the distance between two starts after a refusal, and waits. The
// server has nothing left now, and had nothing left at the refusal before: what it
// accepted in between is its rate. Half a request more, since without a Retry-After
// the wait was longer than needed.
func (l *Limiter) limitRate(now time.Time, retryAfter time.Duration) {
	l.limited = now
	switch {
	case l.emptied.IsZero():
		l.emptied, l.accepted = now, 0
	case l.probed > 0:
		l.gap, l.probed = l.probed, 0
		l.finer = min(l.finer+1, 3)
		l.emptied, l.accepted = now, 0
	case l.accepted > 0:
		l.gap = 2 * now.Sub(l.emptied) / time.Duration(2*l.accepted+1)
		if retryAfter > 0 {
			l.gap = now.Sub(l.emptied) / time.Duration(l.accepted)
		}
		l.emptied, l.accepted = now, 0
		l.rate, l.limit = true, 0 // the distance limits them
	}
	if !l.rate {
		l.limit, l.grows = 1, true
	}
	switch {
	case retryAfter > 0:
		return
	case l.hold > 0:
		l.hold = min(2*l.hold, maxHold)
	case l.gap > 0:
		l.hold = l.gap / 10
	default:
		l.hold = defaultInitialDelay
	}
	l.wait(l.hold)
}
