package api

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/web"
)

// Keys is where keys are kept.
type Keys interface {
	// FindKey gives what a live key grants, or account.ErrNoKey.
	FindKey(ctx context.Context, hash account.Hash) (account.Grant, error)
	// TouchKeys notes the day on which keys were used.
	TouchKeys(ctx context.Context, ids []string, day time.Time) error
}

// AccessFeed tells what changed about accounts and their keys.
type AccessFeed interface {
	// Access is the number of the last change.
	Access(ctx context.Context) (int64, error)
	// AccessSince lists the accounts that changes after that number concerned.
	AccessSince(ctx context.Context, number int64) ([]string, error)
}

// KeyringOptions say how a Keyring works. Keys is required.
type KeyringOptions struct {
	Keys   Keys
	Now    func() time.Time // time.Now when nil
	Most   int              // keys remembered, 100,000 when 0
	Looked func()           // called for each look-up; may be nil
}

// A Keyring knows keys. What it has looked up it remembers until it hears of a
// change, so known keys go on working while the database is down.
type Keyring struct {
	o     KeyringOptions
	loads singleflight.Group

	mu      sync.RWMutex
	known   map[account.Hash]*heldKey
	unknown map[account.Hash]time.Time // until when
	number  int64                      // of the last change seen; -1 before the first
	changes uint64                     // how many times something was dropped

	usedMu sync.Mutex
	used   map[string]time.Time // by key id: the day
}

type heldKey struct {
	account.Grant
	usedOn atomic.Int64 // unix day
}

// How long a key that is unknown is remembered as such, and how many are.
const (
	unknownFor  = 2 * time.Second
	mostUnknown = 10_000
)

// mostListed is how many changes are looked at one by one.
const mostListed = 10_000

// lookupTimeout is how long a request waits for the database.
const lookupTimeout = time.Second

// NewKeyring makes a keyring.
func NewKeyring(o KeyringOptions) *Keyring {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Most == 0 {
		o.Most = 100_000
	}
	return &Keyring{
		o: o, known: make(map[account.Hash]*heldKey), unknown: make(map[account.Hash]time.Time),
		used: make(map[string]time.Time), number: -1,
	}
}

// Identify implements Callers.
func (k *Keyring) Identify(r *http.Request) (Caller, error) {
	token, given, err := bearer(r)
	if err != nil {
		return Caller{}, err
	}
	if !given {
		return Caller{Plan: account.Anonymous}, nil
	}
	g, err := k.find(r.Context(), token)
	switch {
	case errors.Is(err, account.ErrNoKey):
		return Caller{}, badKey()
	case err != nil && r.Context().Err() != nil: // the client is gone: no fault of the database's
		return Caller{}, r.Context().Err()
	case err != nil:
		e := web.Wrap(http.StatusServiceUnavailable, "the API key cannot be verified at the moment: try again shortly", err)
		e.Header = http.Header{"Retry-After": {"5"}}
		return Caller{}, e
	}
	return Caller{Plan: g.Plan, Account: g.AccountID}, nil
}

func (k *Keyring) find(ctx context.Context, token string) (account.Grant, error) {
	now, hash := k.o.Now(), account.HashOf(token)
	k.mu.RLock()
	held, until := k.known[hash], k.unknown[hash]
	k.mu.RUnlock()
	switch {
	case held != nil:
		k.use(held, now)
		return held.Grant, nil
	case now.Before(until):
		return account.Grant{}, account.ErrNoKey
	}
	if _, err := account.ParseKey(token); err != nil { // mistyped: nothing to look for
		return account.Grant{}, account.ErrNoKey
	}
	loaded := k.loads.DoChan(string(hash[:]), func() (any, error) { return k.load(hash) })
	select {
	case <-ctx.Done():
		return account.Grant{}, ctx.Err()
	case r := <-loaded:
		if r.Err != nil {
			return account.Grant{}, r.Err
		}
		held, _ := r.Val.(*heldKey)
		k.use(held, now)
		return held.Grant, nil
	}
}

// load looks a key up and remembers the outcome, unless something changed
// meanwhile: the outcome may then be older than the change.
func (k *Keyring) load(hash account.Hash) (*heldKey, error) {
	if k.o.Looked != nil {
		k.o.Looked()
	}
	k.mu.RLock()
	before := k.changes
	k.mu.RUnlock()
	ctx, cancel := context.WithTimeout(context.Background(), lookupTimeout)
	defer cancel()
	g, err := k.o.Keys.FindKey(ctx, hash)
	if err != nil && !errors.Is(err, account.ErrNoKey) {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err != nil {
		if before == k.changes {
			if len(k.unknown) >= mostUnknown {
				clear(k.unknown)
			}
			k.unknown[hash] = k.o.Now().Add(unknownFor)
		}
		return nil, err
	}
	held := &heldKey{Grant: g}
	if before == k.changes {
		if len(k.known) >= k.o.Most {
			for h := range k.known { // any one makes room
				delete(k.known, h)
				break
			}
		}
		k.known[hash] = held
	}
	return held, nil
}

// Sync forgets what changed since the last time. It runs on the connection on
// which the node follows editions, and for the same reason by number: a
// notification may be lost, the number is not.
func (k *Keyring) Sync(ctx context.Context, feed AccessFeed) error {
	number, err := feed.Access(ctx)
	if err != nil {
		return err
	}
	k.mu.RLock()
	have := k.number
	k.mu.RUnlock()
	if number == have {
		return nil
	}
	// An older number is an older database; the first number, and one that is far
	// ahead, are not worth a list. Forgetting everything is always right.
	all := have < 0 || number < have || number-have > mostListed
	var accounts []string
	if !all {
		if accounts, err = feed.AccessSince(ctx, have); err != nil {
			return err
		}
	}
	changed := make(map[string]bool, len(accounts))
	for _, id := range accounts {
		changed[id] = true
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for hash, held := range k.known {
		if all || changed[held.AccountID] {
			delete(k.known, hash)
		}
	}
	clear(k.unknown)
	k.number = number
	k.changes++
	return nil
}

// use notes that a key was used today; writing it down is for Flush.
func (k *Keyring) use(held *heldKey, now time.Time) {
	day := now.Unix() / (24 * 60 * 60)
	if held.usedOn.Load() == day || held.usedOn.Swap(day) == day {
		return
	}
	k.usedMu.Lock()
	defer k.usedMu.Unlock()
	k.used[held.KeyID] = now
}

// Flush writes down which keys were used since the last time. What cannot be
// written is kept for the next.
func (k *Keyring) Flush(ctx context.Context) error {
	k.usedMu.Lock()
	used := k.used
	k.used = make(map[string]time.Time)
	k.usedMu.Unlock()
	days := make(map[time.Time][]string)
	for id, at := range used {
		day := at.UTC().Truncate(24 * time.Hour)
		days[day] = append(days[day], id)
	}
	var failed error
	for day, ids := range days {
		if err := k.o.Keys.TouchKeys(ctx, ids, day); err != nil {
			failed = errors.Join(failed, err)
			k.keep(used, ids)
		}
	}
	return failed
}

// keep puts uses back that were not written, unless there are newer ones.
func (k *Keyring) keep(used map[string]time.Time, ids []string) {
	k.usedMu.Lock()
	defer k.usedMu.Unlock()
	for _, id := range ids {
		if _, newer := k.used[id]; !newer {
			k.used[id] = used[id]
		}
	}
}
