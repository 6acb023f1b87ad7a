package quota

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"sync/atomic"
	"time"
)

// A Counter counts for all nodes. An error means that nobody knows whether it did.
type Counter interface {
	// Add adds one to the counter of that key, which expires then, and gives the
	// result. First tells that this node has not counted there before, so that the
	// counter may have to be made.
	Add(ctx context.Context, key string, expires time.Time, first bool) (int, error)
	// Count reads the counter of that key; 0 when there is none.
	Count(ctx context.Context, key string) (int, error)
	// Ping tells whether the counter would count.
	Ping(ctx context.Context) error
}

// Options say how a Meter counts. Secret and Logger are required.
type Options struct {
	Counter Counter // nil counts on this node alone
	Secret  []byte
	Logger  *slog.Logger
	Now     func() time.Time // time.Now when nil
	Table   int              // how many counts are remembered here, 200,000 when 0
	Wait    time.Duration    // how long a charge waits for the counter, DefaultWait when 0

	// Observe, when set, is told of each charge: whether the shared counter or the
	// node's own table answered, and how long it took.
	Observe func(shared bool, took time.Duration)
}

// How long a charge waits for the counter: long enough for a machine that is busy, and
// short enough for a client that has to wait once because Redis is gone. A connection
// that is silent for MaxWait counts as dead, so no charge may wait longer.
const (
	DefaultWait = 250 * time.Millisecond
	MaxWait     = 500 * time.Millisecond
)

// A Meter charges requests to subjects and says whether they are within the limit.
type Meter struct {
	o       Options
	table   *table
	today   subjects
	breaker breaker
	waiting atomic.Pointer[waiting]
	ends    atomic.Pointer[sharedEnd]
}

// New makes a meter. With a Counter, Run must be running too.
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
	m := &Meter{o: o, table: newTable(o.Table)}
	m.waiting.Store(newWaiting())
	m.breaker = breaker{log: o.Logger, opened: m.waitNoMore}
	return m
}

// Account is the subject of an account today.
func (m *Meter) Account(id string) Subject {
	return m.today.get(who{account: id}, m.o.Now(), func(now time.Time) Subject { return accountSubject(id, now) })
}

// Address is the subject of an anonymous caller today.
func (m *Meter) Address(addr netip.Addr) Subject {
	return m.today.get(who{address: addr}, m.o.Now(), func(now time.Time) Subject { return addressSubject(m.o.Secret, addr, now) })
}

// A Decision says what became of a charge.
type Decision struct {
	Allowed   bool
	Remaining int
}

// Exhausted reports whether this node knows that the quota is used up. It asks
// nobody, and a no is no promise.
func (m *Meter) Exhausted(s Subject, limit int) bool {
	n, _ := m.table.get(s)
	return n >= limit
}

// Charge counts one request. It does not end with the request's context: the client
// may hang up, but the charge is about the answer, which is ready.
func (m *Meter) Charge(s Subject, limit int) Decision {
	n, known := m.table.get(s)
	if n >= limit {
		return Decision{}
	}
	started := time.Now()
	n, shared := m.count(s, limit, !known, started)
	if m.o.Observe != nil {
		m.o.Observe(shared, time.Since(started))
	}
	return Decision{Allowed: n <= limit, Remaining: max(limit-n, 0)}
}

// Left tells what is left of a quota without charging anything. It is not known when
// the shared counter does not answer: the node's own number may be far off.
func (m *Meter) Left(s Subject, limit int) (left int, known bool) {
	n, _ := m.table.get(s)
	if n < limit && m.o.Counter != nil {
		if m.breaker.isOpen() {
			return 0, false
		}
		shared, err := m.o.Counter.Count(m.patience(time.Now()), s.key)
		if err != nil {
			m.breaker.report(err) // an answer would prove nothing: a Redis that is full can be read
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
	n, err := m.o.Counter.Add(m.patience(now), s.key, s.expires, first)
	m.breaker.report(err)
	if err != nil {
		return m.table.add(s, limit), false
	}
	return m.table.learn(s, n, limit), true
}

// waiting is the context of all charges that wait for the counter.
type waiting struct {
	ctx    context.Context //nolint:containedctx // it ends them all at once
	cancel context.CancelFunc
}

func newWaiting() *waiting {
	ctx, cancel := context.WithCancel(context.Background())
	return &waiting{ctx, cancel}
}

// waitNoMore ends the waiting of all charges: the breaker has opened, and what the first
// ones waited for in vain will not come for the others.
func (m *Meter) waitNoMore() {
	was := m.waiting.Swap(newWaiting())
	m.ends.Store(nil)
	was.cancel()
}

// A sharedEnd is a context that ends when the charges that began together have
// waited long enough.
type sharedEnd struct {
	ctx  context.Context //nolint:containedctx // sharing it is the point
	late time.Time       // from when on charges need another
}

// patience is the context of a charge. Charges of the same millisecond share one: a
// timer for each would cost more than the rest of the charge.
func (m *Meter) patience(now time.Time) context.Context {
	const together = time.Millisecond
	if e := m.ends.Load(); e != nil && now.Before(e.late) && e.ctx.Err() == nil {
		return e.ctx
	}
	ctx, cancel := context.WithDeadline(m.waiting.Load().ctx, now.Add(m.o.Wait+together))
	context.AfterFunc(ctx, cancel) // it ends by itself
	m.ends.Store(&sharedEnd{ctx: ctx, late: now.Add(together)})
	return ctx
}

// How often a counter that is gone is tried, and how long it may take to connect, at
// least.
const (
	probeEvery     = 200 * time.Millisecond
	connectTimeout = 150 * time.Millisecond
)

// Run connects to the counter and looks for one that is gone, until ctx is done.
func (m *Meter) Run(ctx context.Context) {
	if m.o.Counter == nil {
		return
	}
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for first := true; ; first = false {
		if first || m.breaker.isOpen() {
			if err := m.probe(ctx); ctx.Err() == nil { // the end is no failure of the counter
				m.breaker.probed(err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// probe gives the counter time to connect, then as much as a charge has: one that
// answers too late for charges is still gone.
func (m *Meter) probe(ctx context.Context) error {
	for _, patience := range []time.Duration{max(m.o.Wait, connectTimeout), m.o.Wait} {
		trying, cancel := context.WithTimeout(ctx, patience)
		err := m.o.Counter.Ping(trying)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// Shared tells why counts are this node's own; nil while they are shared.
func (m *Meter) Shared() error {
	switch {
	case m.o.Counter == nil:
		return errors.New("no shared counter is configured")
	case m.breaker.isOpen():
		return errors.New("the shared counter does not answer")
	}
	return nil
}
