package api

import (
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/web"
)

// A charger charges requests to the quotas of their callers and makes the X-RateLimit headers.
type charger struct {
	meter *quota.Meter // nil charges nothing
	usage *quota.Usage // nil counts nothing
	now   func() time.Time
	over  []*web.Error  // by plan: the quota error
	tiers [][]web.Field // by plan: X-RateLimit-Tier, none for anonymous callers
	reset atomic.Pointer[resetField]
}

// A resetField is the header X-RateLimit-Reset, kept because it changes once a day.
type resetField struct {
	at    time.Time
	field web.Field
}

func newCharger(
	meter *quota.Meter, usage *quota.Usage, now func() time.Time, baseURL string, closed bool,
) *charger {
	c := &charger{meter: meter, usage: usage, now: now}
	for _, plan := range account.Plans() {
		c.over = append(c.over, quotaError(plan, baseURL, closed))
		var tier []web.Field
		if name := plan.Limits().Tier; name != "" {
			tier = []web.Field{web.NewField("X-RateLimit-Tier", name)}
		}
		c.tiers = append(c.tiers, tier)
	}
	return c
}

// quotaError returns the 429 for requests over the quota of a plan.
func quotaError(plan account.Plan, baseURL string, closed bool) *web.Error {
	more := thousands(account.Developer.Limits().Daily)
	advice := "a free API key raises it to " + more + " a day; " + baseURL + keysGuide + " says how to get one"
	if closed {
		advice = "an API key raises it to " + more + " a day, but " + closedSignUp + "; " + baseURL + keysGuide + " says how to get one"
	}
	if plan != account.Anonymous {
		advice = "the Pro plan has no limit; " + baseURL + plansGuide + " says how to get it"
	}
	return web.Errorf(http.StatusTooManyRequests,
		"daily quota of %s requests reached: it resets at 00:00 UTC; %s",
		thousands(plan.Limits().Daily), advice).WithCode(web.CodeQuota)
}

func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

// A charge is one request on the quota of its caller, which is an account or an address. It is not counted until count
// is called.
type charge struct {
	*charger
	caller    Caller
	limited   bool // the plan has a quota, and there is a meter
	subject   quota.Subject
	remaining int // -1 before the request is counted
}

// begin returns the charge of a request. It counts nothing yet.
func (c *charger) begin(w http.ResponseWriter, caller Caller) charge {
	ch := charge{charger: c, caller: caller, remaining: -1}
	ch.limited = c.meter != nil && ch.daily() > 0
	switch {
	case !ch.limited:
	case caller.Account != "":
		ch.subject = c.meter.Account(caller.Account)
	default:
		ch.subject = c.meter.Address(web.ClientAddr(w))
	}
	return ch
}

func (ch *charge) daily() int { return ch.caller.Plan.Limits().Daily }

// exhausted reports whether this node knows that the quota is used up. False guarantees nothing.
func (ch *charge) exhausted() bool {
	return ch.limited && ch.meter.Exhausted(ch.subject, ch.daily())
}

// count counts the request and reports whether it is within the quota.
func (ch *charge) count() bool {
	if ch.limited {
		d := ch.meter.Charge(ch.subject, ch.daily())
		ch.remaining = d.Remaining
		if !d.Allowed {
			return false
		}
	}
	if ch.caller.Account != "" {
		ch.usage.Count(ch.caller.Account, ch.caller.KeyID, !ch.limited)
	}
	return true
}

// setHeaders sets X-RateLimit-*. Anonymous responses get none, because caches share them.
func (ch *charge) setHeaders(w http.ResponseWriter) {
	tier := ch.tiers[ch.caller.Plan]
	if len(tier) == 0 {
		return
	}
	web.SetFields(w, tier...)
	if !ch.limited {
		return // no quota to count down
	}
	web.SetFields(w, ch.resetField(ch.subject.Reset()))
	if ch.remaining < 0 { // the request was not counted
		if left, known := ch.meter.Remaining(ch.subject, ch.daily()); known {
			ch.remaining = left
		}
	}
	switch {
	case ch.remaining == 0:
		web.SetFields(w, noneRemaining)
	case ch.remaining > 0:
		web.SetField(w, "X-RateLimit-Remaining", strconv.Itoa(ch.remaining))
	}
}

var noneRemaining = web.NewField("X-RateLimit-Remaining", "0") // on every 429

func (c *charger) resetField(at time.Time) web.Field {
	if last := c.reset.Load(); last != nil && last.at.Equal(at) {
		return last.field
	}
	f := web.NewField("X-RateLimit-Reset", at.UTC().Format(time.RFC3339))
	c.reset.Store(&resetField{at, f})
	return f
}

// overQuota returns the 429 of the caller's plan and sets its headers.
func (ch *charge) overQuota(w http.ResponseWriter) error {
	ch.remaining = 0
	ch.setHeaders(w)
	// Rounded up, so that a client that waits as told is not early; 1 when midnight has passed since the request was
	// counted.
	wait := max((ch.subject.Reset().Sub(ch.now())+time.Second-1)/time.Second, 1)
	web.SetField(w, "Retry-After", strconv.FormatInt(int64(wait), 10))
	return ch.over[ch.caller.Plan]
}
