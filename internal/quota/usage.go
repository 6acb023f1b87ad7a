package quota

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A UsageStore stores the number of requests per account, key and day, for all nodes.
type UsageStore interface {
	// Ping checks that the store could write.
	Ping(ctx context.Context) error
	// AddUsage adds counts. It returns those to retry later, and the number of requests that may or
	// may not have been added because no reply came: these must not be sent again.
	AddUsage(ctx context.Context, counts []UsageCount) (retry []UsageCount, unknown int, err error)
	// ReadUsage returns an account's usage on each of the days.
	ReadUsage(ctx context.Context, account string, days []time.Time) ([]DayUsage, error)
}

// A UsageCount is the number of requests made with a key on a day.
type UsageCount struct {
	Account, Key string
	Day          time.Time
	Requests     int
	Unlimited    int // those of them without a quota
}

// A DayUsage is the stored usage of an account on a day.
type DayUsage struct {
	Charged   int            // to the quota, including requests over it
	Unlimited int            // requests without a quota
	Keys      map[string]int // requests by key id
}

// UsageOptions configure a Usage. Store and Logger are required.
type UsageOptions struct {
	Store      UsageStore
	Logger     *slog.Logger
	Now        func() time.Time // time.Now when nil
	Every      time.Duration    // how often counts are sent to the store, 5 s when 0
	MaxPending int              // counts that may wait to be sent, 200,000 when 0
	Breaker    *Breaker         // the node's: nothing is read while it is open; may be nil
}

// Usage counts the requests of accounts and keys for their owners to see. No quota depends on it:
// requests are counted on the node and sent to the store in the background, so that none waits. A
// nil Usage counts nothing.
type Usage struct {
	o      UsageOptions
	shards []usageShard

	mu     sync.Mutex // guards sending
	unsent map[usageKey]*usageNumbers
	failed bool // the last attempt to send

	pending, lost atomic.Int64 // requests
}

// A usageShard holds recent counts. There is one for each processor, and each request picks one at random:
// with one per key, the requests of a busy key would all contend for the same lock. More of them would only
// hold the same keys more often.
type usageShard struct {
	mu     sync.Mutex
	counts map[usageKey]*usageNumbers
	_      [48]byte // keeps shards on separate cache lines
}

type usageKey struct {
	key string // the key's id, unique across accounts
	day int64  // days since 1970
}

type usageNumbers struct {
	account             string
	requests, unlimited int
}

// NewUsage returns a Usage; Run must be running too.
func NewUsage(o UsageOptions) *Usage {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Every == 0 {
		o.Every = 5 * time.Second
	}
	if o.MaxPending == 0 {
		o.MaxPending = 200_000
	}
	u := &Usage{o: o, unsent: make(map[usageKey]*usageNumbers), shards: make([]usageShard, runtime.GOMAXPROCS(0))}
	for i := range u.shards {
		u.shards[i].counts = make(map[usageKey]*usageNumbers)
	}
	return u
}

const secondsPerDay = 24 * 60 * 60

// Count counts a request made with a key. unlimited means that no quota was charged for it.
func (u *Usage) Count(account, key string, unlimited bool) {
	if u == nil {
		return
	}
	k := usageKey{key, u.o.Now().Unix() / secondsPerDay}
	sh := &u.shards[rand.Uint32()%uint32(len(u.shards))] //nolint:gosec // any shard will do
	sh.mu.Lock()
	defer sh.mu.Unlock()
	n := sh.counts[k]
	if n == nil {
		if len(sh.counts) >= min(u.o.MaxPending, 4*u.o.MaxPending/len(u.shards)) { // a key may be in several
			u.lost.Add(1)
			return
		}
		n = &usageNumbers{account: account}
		sh.counts[k] = n
	}
	n.requests++
	if unlimited {
		n.unlimited++
	}
}

// Pending returns how many requests were unsent after the last attempt.
func (u *Usage) Pending() int64 { return u.pending.Load() }

// Lost returns how many requests are missing from the store for good.
func (u *Usage) Lost() int64 { return u.lost.Load() }

// Run sends counts to the store until ctx is done, and then what is left.
func (u *Usage) Run(ctx context.Context) {
	flushing := context.WithoutCancel(ctx) // cancelling a write would leave its outcome unknown
	tick := time.NewTicker(u.o.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			u.flushLast(flushing)
			return
		case <-tick.C:
			u.flush(flushing)
		}
	}
}

// flushTimeout bounds one flush; what is left is sent by the next.
const flushTimeout = 3 * time.Second

// lastFlushes is how often a node that stops tries to send its counts: one that is busy may take longer than one flush.
const lastFlushes = 3

func (u *Usage) flushLast(ctx context.Context) {
	for range lastFlushes {
		if u.flush(ctx); !u.failed {
			return
		}
	}
	if n := u.Pending(); n > 0 {
		u.o.Logger.Error("the usage of keys is lost: Redis did not take it before the node stopped", "requests", n)
	}
}

func (u *Usage) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	err := u.Flush(ctx)
	switch {
	case err != nil && !u.failed:
		u.o.Logger.Warn("the usage of keys is not written down: it is kept on this node until it can be",
			"error", err, "requests", u.Pending())
	case err == nil && u.failed:
		u.o.Logger.Info("the usage of keys is written down again")
	}
	u.failed = err != nil
}

// Flush sends counts to the store and keeps what could not be sent.
func (u *Usage) Flush(ctx context.Context) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.drainShards()
	err := u.send(ctx)
	pending := 0
	for _, n := range u.unsent {
		pending += n.requests
	}
	u.pending.Store(int64(pending))
	return err
}

// drainShards moves the counts of the shards to unsent.
func (u *Usage) drainShards() {
	for i := range u.shards {
		sh := &u.shards[i]
		sh.mu.Lock()
		counts := sh.counts
		sh.counts = make(map[usageKey]*usageNumbers)
		sh.mu.Unlock()
		for k, n := range counts {
			u.keep(k, n)
		}
	}
}

// keep adds a count to unsent, unless that is full.
func (u *Usage) keep(k usageKey, n *usageNumbers) {
	had := u.unsent[k]
	switch {
	case had != nil:
		had.requests += n.requests
		had.unlimited += n.unlimited
	case len(u.unsent) >= u.o.MaxPending:
		u.lost.Add(int64(n.requests))
	default:
		u.unsent[k] = n
	}
}

// batchSize is how many counts are sent together.
const batchSize = 256

func (u *Usage) send(ctx context.Context) error {
	if len(u.unsent) == 0 {
		return nil
	}
	// A ping finds out that the store is down before any write has an unknown outcome.
	if err := u.o.Store.Ping(ctx); err != nil {
		return err
	}
	all := make([]UsageCount, 0, len(u.unsent))
	for k, n := range u.unsent {
		day := time.Unix(k.day*secondsPerDay, 0).UTC()
		all = append(all, UsageCount{n.account, k.key, day, n.requests, n.unlimited})
	}
	clear(u.unsent)
	var failed error
	down := false // stop sending to a store that rejected a whole batch or did not reply
	for batch := range slices.Chunk(all, batchSize) {
		retry, unknown := batch, 0
		if !down {
			var err error
			retry, unknown, err = u.o.Store.AddUsage(ctx, batch)
			failed = cmp.Or(failed, err)
			down = unknown > 0 || len(retry) == len(batch)
		}
		for _, c := range retry {
			key := usageKey{c.Key, c.Day.Unix() / secondsPerDay}
			u.keep(key, &usageNumbers{c.Account, c.Requests, c.Unlimited})
		}
		u.lost.Add(int64(unknown))
	}
	return failed
}

var errNoUsage = errors.New("no usage is kept: there is no shared counter")

// Read returns the account's usage on the days of a report, today first.
func (u *Usage) Read(ctx context.Context, account string) ([]DayUsage, error) {
	if u == nil {
		return nil, errNoUsage
	}
	days := UsageDays(u.o.Now())
	b := u.o.Breaker
	if b == nil {
		return u.o.Store.ReadUsage(ctx, account, days)
	}
	if err := b.Answers(); err != nil {
		return nil, err
	}
	reading, cancel := b.during(ctx, readWait)
	defer cancel()
	read, err := u.o.Store.ReadUsage(reading, account, days)
	if err != nil && ctx.Err() == nil { // a client that hangs up says nothing about the store, and a full one can still be read
		b.report(err)
	}
	return read, err
}

// readWait is how long Read waits for the store.
const readWait = time.Second

// reportedDays is how many days a report covers.
const reportedDays = 30

// UsageDays returns the days that a report covers, the day of now first.
func UsageDays(now time.Time) []time.Time {
	_, reset := day(now)
	days := make([]time.Time, reportedDays)
	for i := range days {
		days[i] = reset.AddDate(0, 0, -1-i)
	}
	return days
}
