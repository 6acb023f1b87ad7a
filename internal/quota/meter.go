package quota

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"time"
)

// A Counter counts for all nodes. An error means that nobody knows whether it did.
type Counter interface {
	// Add adds one to the counter of that key, which expires then, and gives the result.
	Add(ctx context.Context, key string, expires time.Time) (int, error)
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

	// Observe, when set, is told of each charge: whether the shared counter or the
	// node's own table answered, and how long it took.
	Observe func(shared bool, took time.Duration)
}

// A Meter charges requests to subjects and says whether they are within the limit.
type Meter struct {
	o       Options
	table   *table
	breaker breaker
	wait    time.Duration // of a charge for the counter
}

// New makes a meter. With a Counter, Run must be running too.
func New(o Options) *Meter {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Table == 0 {
		o.Table = 200_000
	}
	return &Meter{o: o, table: newTable(o.Table), breaker: breaker{log: o.Logger}, wait: deadline}
}

// Account is the subject of an account today.
func (m *Meter) Account(id string) Subject { return accountSubject(id, m.o.Now()) }

// Address is the subject of an anonymous caller today.
func (m *Meter) Address(addr netip.Addr) Subject { return addressSubject(m.o.Secret, addr, m.o.Now()) }

// A Decision says what became of a charge.
type Decision struct {
	Allowed   bool
	Remaining int
}

// Exhausted reports whether this node knows that the quota is used up. It asks
// nobody, and a no is no promise.
func (m *Meter) Exhausted(s Subject, limit int) bool { return m.table.get(s) >= limit }

// deadline is how long a charge waits for the counter, outside of tests.
const deadline = 25 * time.Millisecond

// Charge counts one request.
func (m *Meter) Charge(ctx context.Context, s Subject, limit int) Decision {
	if m.Exhausted(s, limit) {
		return Decision{}
	}
	started := m.o.Now()
	n, shared := m.count(ctx, s, limit)
	if m.o.Observe != nil {
		m.o.Observe(shared, m.o.Now().Sub(started))
	}
	return Decision{Allowed: n <= limit, Remaining: max(limit-n, 0)}
}

func (m *Meter) count(ctx context.Context, s Subject, limit int) (n int, shared bool) {
	if m.o.Counter == nil || m.breaker.open() {
		return m.table.add(s, limit), false
	}
	// The client may hang up: the charge is about the answer, which is ready.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), m.wait)
	defer cancel()
	n, err := m.o.Counter.Add(ctx, s.key, s.expires)
	m.breaker.report(err)
	if err != nil {
		return m.table.add(s, limit), false
	}
	return m.table.learn(s, n, limit), true
}

// How often a counter that is gone is tried, and how long each try may take.
const (
	probeEvery   = 200 * time.Millisecond
	probeTimeout = 150 * time.Millisecond
)

// Run connects to the counter and looks for one that is gone, until ctx is done.
func (m *Meter) Run(ctx context.Context) {
	if m.o.Counter == nil {
		return
	}
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for first := true; ; first = false {
		if first || m.breaker.open() {
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
	for _, patience := range []time.Duration{probeTimeout, m.wait} {
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
	case m.breaker.open():
		return errors.New("the shared counter does not answer")
	}
	return nil
}
