package quota

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A UsageStore keeps how many requests accounts and their keys made on a day, for all
// nodes.
type UsageStore interface {
	// Ping tells whether the store would take anything.
	Ping(ctx context.Context) error
	// AddUsage adds counts. It gives back those to be added later, and how many
	// requests may have been added or not, because no answer came: those are not to be
	// added again.
	AddUsage(ctx context.Context, counts []UsageCount) (later []UsageCount, unknown int, err error)
	// ReadUsage reads the days of an account.
	ReadUsage(ctx context.Context, account string, days []time.Time) ([]DayUsage, error)
}

// A UsageCount is how many requests were made with a key on a day.
type UsageCount struct {
	Account, Key string
	Day          time.Time
	Requests     int
	Unlimited    int // those of them that no quota was charged for
}

// A DayUsage is what is stored of an account for a day.
type DayUsage struct {
	Charged   int            // to the quota, refused requests included
	Unlimited int            // requests that no quota was charged for
	Keys      map[string]int // requests by key id
}

// UsageOptions say how usage is counted. Store and Logger are required.
type UsageOptions struct {
	Store  UsageStore
	Logger *slog.Logger
	Now    func() time.Time // time.Now when nil
	Every  time.Duration    // between two additions to the store, 5 s when 0
	Most   int              // counts that wait to be added, 200,000 when 0
}

// Usage counts the requests of accounts and keys, for their owners to see. It decides
// nothing: requests are counted on the node and added to the store in the background,
// so that none waits for it. A nil Usage counts nothing.
type Usage struct {
	o      UsageOptions
	shards [32]usageShard

	mu      sync.Mutex // for additions
	waiting map[usageKey]*usageNumbers
	failed  bool

	pending, lost atomic.Int64 // requests
}

// A usageShard holds what was counted lately. Requests are spread over the shards at
// random: those of one busy key would all wait for the same lock otherwise.
type usageShard struct {
	mu     sync.Mutex
	counts map[usageKey]*usageNumbers
	_      [48]byte // no two on one cache line
}

type usageKey struct {
	key string // its id, which no other account's key has
	day int64  // since 1970
}

type usageNumbers struct {
	account             string
	requests, unlimited int
}

// NewUsage makes one; Run must be running too.
func NewUsage(o UsageOptions) *Usage {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Every == 0 {
		o.Every = 5 * time.Second
	}
	if o.Most == 0 {
		o.Most = 200_000
	}
	u := &Usage{o: o, waiting: make(map[usageKey]*usageNumbers)}
	for i := range u.shards {
		u.shards[i].counts = make(map[usageKey]*usageNumbers)
	}
	return u
}

const secondsOfDay = 24 * 60 * 60

// Count counts a request that was made with a key. Unlimited says that no quota was
// charged for it.
func (u *Usage) Count(account, key string, unlimited bool) {
	if u == nil {
		return
	}
	k := usageKey{key, u.o.Now().Unix() / secondsOfDay}
	sh := &u.shards[rand.Uint32()%uint32(len(u.shards))] //nolint:gosec // any will do
	sh.mu.Lock()
	defer sh.mu.Unlock()
	n := sh.counts[k]
	if n == nil {
		if len(sh.counts) >= u.o.Most/8 { // of 32: a key may be in several
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

// Pending is how many requests waited to be added after the last attempt.
func (u *Usage) Pending() int64 { return u.pending.Load() }

// Lost is how many requests were counted and are missing from what is shown.
func (u *Usage) Lost() int64 { return u.lost.Load() }

// Run adds what is counted to the store, until ctx is done and once more then.
func (u *Usage) Run(ctx context.Context) {
	whole := context.WithoutCancel(ctx) // an addition that is cut off is in doubt
	tick := time.NewTicker(u.o.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			u.flush(whole)
			return
		case <-tick.C:
			u.flush(whole)
		}
	}
}

// addTimeout is how long an addition may take; what is left waits for the next.
const addTimeout = 3 * time.Second

func (u *Usage) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, addTimeout)
	defer cancel()
	err := u.Flush(ctx)
	switch {
	case err != nil && !u.failed:
		u.o.Logger.Warn("the usage of keys is not written down: it is kept on this node until it can be", "error", err, "requests", u.Pending())
	case err == nil && u.failed:
		u.o.Logger.Info("the usage of keys is written down again")
	}
	u.failed = err != nil
}

// Flush adds what is counted to the store. What cannot be added is kept.
func (u *Usage) Flush(ctx context.Context) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.gather()
	err := u.add(ctx)
	pending := 0
	for _, n := range u.waiting {
		pending += n.requests
	}
	u.pending.Store(int64(pending))
	return err
}

// gather takes what was counted out of the shards.
func (u *Usage) gather() {
	for i := range u.shards {
		sh := &u.shards[i]
		sh.mu.Lock()
		counts := sh.counts
		sh.counts = make(map[usageKey]*usageNumbers)
		sh.mu.Unlock()
		for k, n := range counts {
			u.wait(k, n)
		}
	}
}

func (u *Usage) wait(k usageKey, n *usageNumbers) {
	had := u.waiting[k]
	switch {
	case had != nil:
		had.requests += n.requests
		had.unlimited += n.unlimited
	case len(u.waiting) >= u.o.Most:
		u.lost.Add(int64(n.requests))
	default:
		u.waiting[k] = n
	}
}

// atOnce is how many counts are sent together.
const atOnce = 256

func (u *Usage) add(ctx context.Context) error {
	if len(u.waiting) == 0 {
		return nil
	}
	// A store that is gone is found out before anything is sent: nothing is in doubt.
	if err := u.o.Store.Ping(ctx); err != nil {
		return err
	}
	all := make([]UsageCount, 0, len(u.waiting))
	for k, n := range u.waiting {
		all = append(all, UsageCount{n.account, k.key, time.Unix(k.day*secondsOfDay, 0).UTC(), n.requests, n.unlimited})
	}
	clear(u.waiting)
	var failed error
	gone := false // nothing more is sent to a store that took or answered nothing
	for batch := range slices.Chunk(all, atOnce) {
		later, unknown := batch, 0
		if !gone {
			var err error
			later, unknown, err = u.o.Store.AddUsage(ctx, batch)
			failed = cmp.Or(failed, err)
			gone = unknown > 0 || len(later) == len(batch)
		}
		for _, c := range later {
			u.wait(usageKey{c.Key, c.Day.Unix() / secondsOfDay}, &usageNumbers{c.Account, c.Requests, c.Unlimited})
		}
		u.lost.Add(int64(unknown))
	}
	return failed
}

var errNoUsage = errors.New("no usage is kept: there is no shared counter")

// Read reads what the account used on the last days, today first.
func (u *Usage) Read(ctx context.Context, account string) ([]DayUsage, error) {
	if u == nil {
		return nil, errNoUsage
	}
	return u.o.Store.ReadUsage(ctx, account, UsageDays(u.o.Now()))
}

// reportedDays is how many days are shown.
const reportedDays = 30

// UsageDays lists the days that a report shows, the day of now first.
func UsageDays(now time.Time) []time.Time {
	_, reset := day(now)
	days := make([]time.Time, reportedDays)
	for i := range days {
		days[i] = reset.AddDate(0, 0, -1-i)
	}
	return days
}
