package quota

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/palmares-hq/palmares/internal/limit"
)

// A Counter counts for all nodes. After an error it is unknown whether it did.
type Counter interface {
	// Add increments the counter with that key, which expires then, and returns the new count.
	// first means that this node has not counted there before, so the counter may not exist yet.
	Add(ctx context.Context, key string, expires time.Time, first bool) (int, error)
	// Count returns the count of that key, 0 if there is none.
	Count(ctx context.Context, key string) (int, error)
	// Ping checks that the counter could count.
	Ping(ctx context.Context) error
}

// Options configure a Meter. Secret and Logger are required.
type Options struct {
	Counter Counter // nil counts on this node alone
	Secret  []byte
	Logger  *slog.Logger
	Now     func() time.Time // time.Now when nil
	Table   int              // how many counts this node keeps, 200,000 when 0
	Wait    time.Duration    // how long a charge waits for the counter, DefaultWait when 0
	Breaker *Breaker         // the node's, for Counter; nil makes one

	// Observe, if set, is called for each charge with whether the shared counter or the node's own
	// table answered, and how long that took.
	Observe func(shared bool, took time.Duration)
}

// How long a charge waits for the counter: long enough for a busy machine, short enough for a
// client that has to wait once because Redis is down. rueidis closes a connection that is silent
// for MaxWait, so no charge may wait longer.
const (
	DefaultWait = 250 * time.Millisecond
	MaxWait     = 500 * time.Millisecond
)

// A Meter charges requests to subjects and decides whether they are within the limit.
type Meter struct {
	o        Options
	table    *table
	subjects subjectCache // of days
	sites    subjectCache // of hours
	breaker  *Breaker
	deadline atomic.Pointer[sharedDeadline]
}

// New returns a meter. With a Counter, Run must be running too, or that of the Breaker it was given.
func New(o Options) *Meter {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Table == 0 {
		o.Table = 200_000
	}
	if o.Wait == 0 {
		o.Wait = DefaultWait
	}
	if o.Breaker == nil {
		o.Breaker = NewBreaker(o.Counter, o.Wait, o.Logger)
	}
	return &Meter{
		o: o, table: newTable(o.Table), breaker: o.Breaker,
		subjects: subjectCache{span: 24 * time.Hour}, sites: subjectCache{span: time.Hour},
	}
}

// Account returns the subject of an account today.
func (m *Meter) Account(id string) Subject {
	return m.subjects.get(caller{account: id}, m.o.Now(), func(now time.Time) Subject {
		return accountSubject(id, now)
	})
}

// Address returns the subject of an anonymous caller today.
func (m *Meter) Address(addr netip.Addr) Subject {
	return m.subjects.get(caller{address: addr}, m.o.Now(), func(now time.Time) Subject {
		return addressSubject(m.o.Secret, addr, now)
	})
}

// Site returns the subject of all callers of a site (limit.Site) in the present hour, for a limit of an hour. It
// is charged and exhausted like any other, so a site at its limit costs no question to the shared counter.
func (m *Meter) Site(l limit.Limit, addr netip.Addr) Subject {
	site := limit.Site(addr)
	return m.sites.get(caller{limit: l.Name, site: site}, m.o.Now(), func(now time.Time) Subject {
		return siteSubject(m.o.Secret, l, site, now)
	})
}

// A Decision is the result of a charge.
type Decision struct {
	Allowed   bool
	Remaining int
}

// Exhausted reports whether this node knows that the quota is used up. It does not ask the shared
// counter, so false guarantees nothing.
func (m *Meter) Exhausted(s Subject, limit int) bool {
	n, _ := m.table.get(s)
	return n >= limit
}

// Charge counts one request. It takes no context: even if the client hangs up, the response is
// ready, and that is what is charged for.
func (m *Meter) Charge(s Subject, limit int) Decision {
	n, known := m.table.get(s)
	if n >= limit {
		return Decision{}
	}
	started := time.Now() // not o.Now, which may stand still: how long this takes is measured, and bounded
	n, shared := m.count(s, limit, !known, started)
	if m.o.Observe != nil {
		m.o.Observe(shared, time.Since(started))
	}
	return Decision{Allowed: n <= limit, Remaining: max(limit-n, 0)}
}

// Remaining returns the rest of a quota without charging anything. It is unknown while the shared
// counter does not answer: the node's own number may be far off.
func (m *Meter) Remaining(s Subject, limit int) (remaining int, known bool) {
	n, _ := m.table.get(s)
	if n < limit && m.o.Counter != nil {
		if m.breaker.isOpen() {
			return 0, false
		}
		shared, err := m.o.Counter.Count(m.chargeContext(time.Now()), s.key)
		if err != nil {
			m.breaker.report(err) // a success is not reported: a full Redis can still be read
			return 0, false
		}
		n = max(n, shared)
	}
	return max(limit-n, 0), true
}

func (m *Meter) count(s Subject, limit int, first bool, now time.Time) (n int, shared bool) {
	if m.o.Counter == nil || m.breaker.isOpen() {
		return m.table.add(s, limit), false
	}
	n, err := m.o.Counter.Add(m.chargeContext(now), s.key, s.expires, first)
	m.breaker.report(err)
	if err != nil {
		return m.table.add(s, limit), false
	}
	return m.table.reconcile(s, n, limit), true
}

// A sharedDeadline is the context of charges that began at about the same time.
type sharedDeadline struct {
	ctx    context.Context //nolint:containedctx // sharing it is the point
	before time.Time       // charges that begin before this share it
}

// chargeContext returns the context of a charge. Charges of the same millisecond share one: a
// timer each would cost more than the rest of the charge.
func (m *Meter) chargeContext(now time.Time) context.Context {
	const window = time.Millisecond
	if d := m.deadline.Load(); d != nil && now.Before(d.before) && d.ctx.Err() == nil {
		return d.ctx
	}
	ctx, cancel := context.WithDeadline(m.breaker.waiting.Load().ctx, now.Add(m.o.Wait+window))
	context.AfterFunc(ctx, cancel) // releases the timer when the deadline passes
	m.deadline.Store(&sharedDeadline{ctx: ctx, before: now.Add(window)})
	return ctx
}

// Run runs the breaker until ctx is done.
func (m *Meter) Run(ctx context.Context) {
	if m.o.Counter != nil {
		m.breaker.Run(ctx)
	}
}

// Shared returns nil while counts are shared, or else why this node counts alone.
func (m *Meter) Shared() error {
	if m.o.Counter == nil {
		return errors.New("no shared counter is configured")
	}
	return m.breaker.Answers()
}
