package api

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/web"
)

// A bill is what a request is charged to.
type bill struct {
	meter   *quota.Meter // nil charges nothing
	subject quota.Subject
	limits  account.Limits
	left    int // requests left after a charge; -1 before
}

// bill makes the bill of a caller: the account's, or else the address's.
func (a *API) bill(w http.ResponseWriter, c Caller) *bill {
	b := &bill{limits: c.Plan.Limits(), left: -1}
	if a.meter == nil || b.limits.Daily == 0 {
		return b
	}
	b.meter = a.meter
	if c.Account != "" {
		b.subject = a.meter.Account(c.Account)
	} else {
		b.subject = a.meter.Address(web.ClientAddr(w))
	}
	return b
}

// exhausted reports whether the quota is known to be used up.
func (b *bill) exhausted() bool {
	return b.meter != nil && b.meter.Exhausted(b.subject, b.limits.Daily)
}

// charge counts the request and reports whether it is within the quota.
func (b *bill) charge(r *http.Request) bool {
	if b.meter == nil {
		return true
	}
	d := b.meter.Charge(r.Context(), b.subject, b.limits.Daily)
	b.left = d.Remaining
	return d.Allowed
}

// show sets the headers that tell a key holder where they stand. Anonymous answers
// have none: they are shared by caches.
func (b *bill) show(h http.Header) {
	if b.limits.Tier == "" {
		return
	}
	h["X-RateLimit-Tier"] = []string{b.limits.Tier} // as the interface writes it, not as Go would
	if b.meter == nil {
		return // there is no number to count down
	}
	h["X-RateLimit-Reset"] = []string{b.subject.Reset().Format(time.RFC3339)}
	if b.left >= 0 {
		h["X-RateLimit-Remaining"] = []string{strconv.Itoa(b.left)}
	}
}

// refusal is the answer to a request over its quota.
func (b *bill) refusal(now time.Time) error {
	b.left = 0
	way := "a free API key raises it to " + thousands(account.Developer.Limits().Daily) + " a day"
	if b.limits.Tier != "" {
		way = "the Pro plan has no limit"
	}
	e := web.Errorf(http.StatusTooManyRequests, "daily quota of %s requests reached: it resets at 00:00 UTC; %s", thousands(b.limits.Daily), way)
	// Rounded up, so that whoever waits as told is not early; 1 for a request that
	// midnight overtook.
	wait := max((b.subject.Reset().Sub(now)+time.Second-1)/time.Second, 1)
	e.Header = http.Header{"Retry-After": {strconv.FormatInt(int64(wait), 10)}}
	return e
}

func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
