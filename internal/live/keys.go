package live

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// A KeyFeed is a database connection that announces changes of access and reads keys.
type KeyFeed interface {
	// Latest returns the last change. follows is false if the database does not have the given one:
	// then it is of another history, or too old.
	Latest(ctx context.Context, have account.Change) (latest account.Change, follows bool, err error)
	// Since calls add with each key that works at the given time or is suspended, of the accounts
	// that changed after the given change, and returns these accounts. For the zero Change it reads
	// the keys of all accounts and returns none.
	Since(
		ctx context.Context, have account.Change, now time.Time, add func(account.LiveKey),
	) (latest account.Change, accounts [][16]byte, err error)
	// EndRestored ends all sessions if the database was restored from a backup: if it is not where
	// it was, or does not have the given change, which the node knew of at that time. Of all nodes
	// only the first does so; noticed reports whether this one did.
	EndRestored(ctx context.Context, have account.Change, known, now time.Time) (ended int, noticed bool, err error)
	// Wait returns when a change is announced, or after d.
	Wait(ctx context.Context, d time.Duration) error
	Close()
}

// The timeouts of reading all keys, at first and at most, once a read was cut off.
const (
	minLoad = 30 * time.Second
	maxLoad = 4 * time.Minute
)

// KeysOptions configure Keys. Without Open, Keys hold only what Replace is given.
type KeysOptions struct {
	Open   func(ctx context.Context) (KeyFeed, error) // connects to the database
	Touch  func(ctx context.Context, ids []string, day time.Time) error
	File   string       // the disk copy; "" keeps none
	Logger *slog.Logger // required with Open
	Now    func() time.Time

	// Poll is the longest wait between two checks of the number of changes, 2 s if 0.
	Poll time.Duration
	// Patience is how long a start with a disk copy to fall back on waits for the database, 1 s if
	// 0.
	Patience time.Duration
	// RefreshEvery is the shortest time between two reads of the database for requests, 50 ms if 0.
	RefreshEvery time.Duration
	// RefreshTimeout is how long a request waits for the database, 1 s if 0.
	RefreshTimeout time.Duration
	// CopyEvery is the shortest time between two disk copies, a minute if 0.
	CopyEvery time.Duration

	// Loaded, if set, is called after all keys were read, with the time that took.
	Loaded func(took time.Duration)
	// Refreshed, if set, is called for each read of the database for waiting requests.
	Refreshed func()
}

// Keys holds all live keys in memory, as the database had them a moment ago. A node checks keys
// against it alone, so neither its requests nor its restarts depend on the database. It is safe for
// concurrent use.
type Keys struct {
	o     KeysOptions
	texts keyTexts

	mu      sync.RWMutex
	table   *keyTable // nil before the first load
	at      account.Change
	changed chan struct{} // closed with each change of the table

	fresh time.Time

	follower  follower[KeyFeed]
	limit     adaptiveTimeout // of reading all keys
	refreshes refreshes
	uses      uses
	copied    keysCopied
}

// keysCopied is the state of the disk copy.
type keysCopied struct {
	mu     sync.Mutex
	at     account.Change
	behind time.Time // since when it has been out of date; zero if it is not
}

// setBehind records that the copy is out of date from now on, unless it already was.
func (c *keysCopied) setBehind(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.behind.IsZero() {
		c.behind = now
	}
}

// NewKeys returns Keys without any key; Run loads them.
func NewKeys(o KeysOptions) *Keys {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Poll == 0 {
		o.Poll = 2 * time.Second
	}
	if o.Patience == 0 {
		o.Patience = time.Second
	}
	if o.RefreshEvery == 0 {
		o.RefreshEvery = 50 * time.Millisecond
	}
	if o.RefreshTimeout == 0 {
		o.RefreshTimeout = time.Second
	}
	if o.CopyEvery == 0 {
		o.CopyEvery = time.Minute
	}
	return &Keys{
		o:         o,
		changed:   make(chan struct{}),
		follower:  follower[KeyFeed]{patience: o.Patience, now: o.Now, feedErr: errStarting},
		limit:     newAdaptiveTimeout(minLoad, maxLoad),
		refreshes: newRefreshes(),
		copied:    keysCopied{behind: o.Now()},
	}
}

// Replace replaces all keys by the given ones.
func (k *Keys) Replace(keys ...account.LiveKey) {
	t := newKeyTable()
	for _, x := range keys {
		t.add(x)
	}
	k.swap(t, account.Change{})
}

// Find returns what a key grants, and records its use. It returns false for a key that is unknown,
// has ended or is suspended.
func (k *Keys) Find(hash account.Hash) (account.Grant, bool) {
	now := k.o.Now().Unix()
	day := uint32(now / secondsADay) //nolint:gosec // until 2149
	k.mu.RLock()
	var e *keyEntry
	if k.table != nil {
		e = k.table.find(&hash)
	}
	if e == nil || e.ended(now) || e.suspended() {
		k.mu.RUnlock()
		return account.Grant{}, false
	}
	key, news := e.key(), e.use(day)
	k.mu.RUnlock()
	if news && k.o.Touch != nil {
		k.uses.note(key.ID, day)
	}
	return k.texts.grant(key), true
}

// Suspended reports whether a key is held, has not ended and is suspended.
func (k *Keys) Suspended(hash account.Hash) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if k.table == nil {
		return false
	}
	e := k.table.find(&hash)
	return e != nil && e.suspended() && !e.ended(k.o.Now().Unix())
}

// Count returns the number of keys, and the last change that they include.
func (k *Keys) Count() (keys int, at account.Change) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if k.table == nil {
		return 0, k.at
	}
	return k.table.live, k.at
}

func (k *Keys) loaded() bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.table != nil
}

// swap replaces the whole table.
func (k *Keys) swap(t *keyTable, at account.Change) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.table, k.at = t, at
	k.notify()
}

// apply replaces the keys of the accounts that changed. It locks readers out for one account at a
// time.
func (k *Keys) apply(fresh *keyTable, accounts [][16]byte, at account.Change) {
	for _, owner := range accounts {
		k.mu.Lock()
		k.table.replace(owner, fresh)
		k.mu.Unlock()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.at = at
	k.notify()
}

// notify wakes all who wait for a change. The caller holds k.mu.
func (k *Keys) notify() {
	k.copied.setBehind(k.o.Now())
	close(k.changed)
	k.changed = make(chan struct{})
}

// Ready returns an error that says why keys cannot be checked yet; nil if they can.
func (k *Keys) Ready() error {
	loaded := k.loaded()
	settled, feedErr, copyErr := k.follower.state()
	switch {
	case loaded && settled:
		return nil
	case loaded:
		return errors.New("starting: the disk copy of the keys is loaded, waiting for the database")
	case feedErr == nil, errors.Is(feedErr, errStarting):
		return errors.Join(errors.New("starting: no API keys loaded yet"), copyErr)
	}
	return errors.Join(fmt.Errorf("no API keys to check by: %w", feedErr), copyErr)
}

// Loading reports whether keys are being read, from the disk copy or the database, or the first
// connection is being made.
func (k *Keys) Loading() bool { return k.follower.isLoading() }

// Connected returns an error that says why the node does not learn of changes of access; nil if it
// does.
func (k *Keys) Connected() error {
	_, feedErr, _ := k.follower.state()
	return feedErr
}

// Fresh returns when the keys last matched the database. After a start without the database, that
// is when the disk copy was written. It is the zero Time for never.
func (k *Keys) Fresh() time.Time {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.fresh
}

func (k *Keys) setFresh(at time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.fresh = at
}

// Flush writes to the database which keys were used since the last call.
func (k *Keys) Flush(ctx context.Context) error {
	return k.uses.flush(func(ids []string, day time.Time) error { return k.o.Touch(ctx, ids, day) })
}

// keyTexts caches the ids that keys grant as strings, so that a key in use costs no allocation. The
// ids of a key never change, so the cache is never stale. The plan can change, so it is not cached.
type keyTexts struct {
	slots [1 << 16]atomic.Pointer[keyText]
}

type keyText struct {
	id, account   [16]byte
	idText, owner string
}

func (t *keyTexts) grant(k account.LiveKey) account.Grant {
	slot := &t.slots[prefix(k.Hash[:])%uint32(len(t.slots))]
	x := slot.Load()
	if x == nil || x.id != k.ID || x.account != k.Account {
		g := k.Grant()
		x = &keyText{id: k.ID, account: k.Account, idText: g.KeyID, owner: g.AccountID}
		slot.Store(x)
	}
	return account.Grant{KeyID: x.idText, AccountID: x.owner, Plan: k.Plan}
}
