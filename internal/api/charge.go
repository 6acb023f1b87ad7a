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

// A bill is what a request is charged to.
type bill struct {
	meter   *quota.Meter // nil charges nothing
	subject quota.Subject
	limits  account.Limits
	tier    []web.Field // none for the anonymous
	resets  *resets
	left    int // requests left after a charge; -1 before

	usage        *quota.Usage // nil counts nothing
	account, key string
}

// bill makes the bill of a caller: the account's, or else the address's.
func (a *API) bill(w http.ResponseWriter, c Caller) bill {
	b := bill{limits: c.Plan.Limits(), tier: a.refusals[c.Plan].tier, resets: &a.resets, left: -1}
	if c.Account != "" {
		b.usage, b.account, b.key = a.usage, c.Account, c.KeyID
	}
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
func (b *bill) charge() bool {
	if b.meter != nil {
		d := b.meter.Charge(b.subject, b.limits.Daily)
		b.left = d.Remaining
		if !d.Allowed {
			return false
		}
	}
	b.usage.Count(b.account, b.key, b.meter == nil)
	return true
}

// show sets the headers that tell a key holder where they stand. Anonymous answers
// have none: they are shared by caches.
func (b *bill) show(w http.ResponseWriter) {
	if len(b.tier) == 0 {
		return
	}
	web.SetFields(w, b.tier...)
	if b.meter == nil {
		return // there is no number to count down
	}
	web.SetFields(w, b.resets.at(b.subject.Reset()))
	if b.left < 0 { // nothing was charged
		if left, known := b.meter.Remaining(b.subject, b.limits.Daily); known {
			b.left = left
		}
	}
	switch {
	case b.left == 0:
		web.SetFields(w, noneLeft)
	case b.left > 0:
		web.SetField(w, "X-RateLimit-Remaining", strconv.Itoa(b.left))
	}
}

var noneLeft = web.NewField("X-RateLimit-Remaining", "0")

// resets makes the header that tells when quotas begin anew, once a day.
type resets struct{ last atomic.Pointer[datedField] }

type datedField struct {
	at    time.Time
	field web.Field
}

func (r *resets) at(at time.Time) web.Field {
	if last := r.last.Load(); last != nil && last.at.Equal(at) {
		return last.field
	}
	f := web.NewField("X-RateLimit-Reset", at.UTC().Format(time.RFC3339))
	r.last.Store(&datedField{at, f})
	return f
}

// A refusal is the answer to requests over the quota of a plan. It is ready: whoever
// goes on asking must cost as little as possible.
type refusal struct {
	err    *web.Error
	body   []byte
	length []string
	tier   []web.Field
}

// refusals makes those of all plans; where says where a key is had.
func refusals(where string) []refusal {
	all := make([]refusal, len(account.Plans()))
	for _, plan := range account.Plans() {
		limits := plan.Limits()
		var r refusal
		way := "a free API key raises it to " + thousands(account.Developer.Limits().Daily) + " a day; " + where + " says how to get one"
		if limits.Tier != "" {
			way = "the Pro plan has no limit; " + where + " says how to get it"
			r.tier = []web.Field{web.NewField("X-RateLimit-Tier", limits.Tier)}
		}
		r.err = web.Errorf(http.StatusTooManyRequests, "daily quota of %s requests reached: it resets at 00:00 UTC; %s", thousands(limits.Daily), way)
		r.body = encodeError(r.err)
		r.length = []string{strconv.Itoa(len(r.body))}
		all[plan] = r
	}
	return all
}

// refuse answers a request over its quota.
func (a *API) refuse(w http.ResponseWriter, r *http.Request, s *shelf, c Caller, b *bill) {
	b.left = 0
	b.show(w)
	// Rounded up, so that whoever waits as told is not early; 1 for a request that
	// midnight overtook.
	wait := max((b.subject.Reset().Sub(a.now())+time.Second-1)/time.Second, 1)
	web.SetField(w, "Retry-After", strconv.FormatInt(int64(wait), 10))
	refusal := a.refusals[c.Plan]
	web.SetError(w, refusal.err)
	writeError(w, r, s, refusal.err, refusal.length, refusal.body)
}

func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
