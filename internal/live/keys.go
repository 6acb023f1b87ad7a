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

// A KeyFeed is one connection that announces changes of access and hands out keys.
type KeyFeed interface {
	// Latest is the last change, and whether those after the one given lead to it.
	Latest(ctx context.Context, have account.Change) (latest account.Change, follows bool, err error)
	// Since reads the keys that work or are suspended now, of the accounts that changed after the change given,
	// and lists the accounts. After no change at all it reads those of all accounts.
	Since(
		ctx context.Context, have account.Change, now time.Time, add func(account.LiveKey),
	) (latest account.Change, accounts [][16]byte, err error)
	// EndRestored ends the sessions of a database that was restored from a backup: one that is not where
	// it was, or that does not have the change that was known at that time. It does so once, whoever
	// notices it.
	EndRestored(ctx context.Context, have account.Change, known, now time.Time) (ended int, noticed bool, err error)
	// Wait returns when a change is announced, or after d.
	Wait(ctx context.Context, d time.Duration) error
	Close()
}

// How long reading all keys may take at first, and once it was cut off.
const (
	minLoad = 30 * time.Second
	maxLoad = 4 * time.Minute
)

// KeysOptions say how Keys work. Without Open they hold what Hold is given.
type KeysOptions struct {
	Open   func(ctx context.Context) (KeyFeed, error) // connects to the database
	Touch  func(ctx context.Context, ids []string, day time.Time) error
	File   string       // the disk copy; "" keeps none
	Logger *slog.Logger // required with Open
	Now    func() time.Time

	// Poll is the longest wait between two looks at the number of changes, 2 s when 0.
	Poll time.Duration
	// Patience is how long a start waits for the database when it has a disk copy to
	// fall back on, 1 s when 0.
	Patience time.Duration
	// RefreshEvery is the shortest time between two looks that requests ask for, 50 ms
	// when 0.
	RefreshEvery time.Duration
	// RefreshTimeout is how long a request waits for the database, 1 s when 0.
	RefreshTimeout time.Duration
	// CopyEvery is the shortest time between two disk copies, a minute when 0.
	CopyEvery time.Duration

	// Loaded, when set, is told how long reading all keys took.
	Loaded func(took time.Duration)
	// Refreshed, when set, is called for each look that requests asked for.
	Refreshed func()
}

// Keys are all live keys, in memory, as the database had them a moment ago. A node
// answers by them alone, so neither its requests nor its restarts depend on the
// database.
type Keys struct {
	o     KeysOptions
	texts keyTexts

	mu      sync.RWMutex
	table   *keyTable // nil before the first load
	at      account.Change
	changed chan struct{} // closed with each change of the table

	fresh time.Time

	follower  follower[KeyFeed]
	limit     limit // of reading all keys
	refreshes refreshes
	uses      uses
	copied    keysCopied
}

// keysCopied is what is known of the disk copy.
type keysCopied struct {
	mu     sync.Mutex
	at     account.Change
	behind time.Time // since when memory has held more; zero while it does not
}

// setBehind says that memory holds what the copy does not, from now on.
func (c *keysCopied) setBehind(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.behind.IsZero() {
		c.behind = now
	}
}

// NewKeys makes Keys that hold nothing yet; Run fills them.
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
		limit:     newLimit(minLoad, maxLoad),
		refreshes: newRefreshes(),
		copied:    keysCopied{behind: o.Now()},
	}
}

// Hold makes these keys, and no others, those that are held.
func (k *Keys) Hold(keys ...account.LiveKey) {
	t := newKeyTable()
	for _, x := range keys {
		t.add(x)
	}
	k.swap(t, account.Change{})
}

// Find gives what a key grants, if it is held, has not ended and is not suspended, and notes its use.
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

// Count tells how many keys are held, and up to which change.
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

// swap puts a whole table in the place of the last.
func (k *Keys) swap(t *keyTable, at account.Change) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.table, k.at = t, at
	k.notify()
}

// apply replaces the keys of the accounts that changed. Each account is a change of its
// own to whoever reads.
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

// notify wakes whoever waits for a change; k.mu is held.
func (k *Keys) notify() {
	k.copied.setBehind(k.o.Now())
	close(k.changed)
	k.changed = make(chan struct{})
}

// Ready tells why keys cannot be checked yet; nil when they can.
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

// Loading tells whether keys are being read, from the disk copy or the database, or the first connection made.
func (k *Keys) Loading() bool { return k.follower.isLoading() }

// Connected tells why changes of access are not heard of; nil when they are.
func (k *Keys) Connected() error {
	_, feedErr, _ := k.follower.state()
	return feedErr
}

// Fresh is when the keys were last known to be as the database has them: with a disk copy
// and no database, when the copy was written. It is the zero Time for never.
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

// Flush writes down which keys were used since the last time.
func (k *Keys) Flush(ctx context.Context) error {
	return k.uses.flush(func(ids []string, day time.Time) error { return k.o.Touch(ctx, ids, day) })
}

// keyTexts remembers what keys grant as texts, so that a key in use costs no
// allocation. A text depends on nothing that can change, so what is remembered is never
// wrong; the plan is not.
type keyTexts struct {
	slots [1 << 16]atomic.Pointer[keyText]
}

type keyText struct {
	id, account   [16]byte
	idText, owner string
}

func (t *keyTexts) grant(k account.LiveKey) account.Grant {
	slot := &t.slots[hashPrefix(&k.Hash)%uint64(len(t.slots))]
	x := slot.Load()
	if x == nil || x.id != k.ID || x.account != k.Account {
		g := k.Grant()
		x = &keyText{id: k.ID, account: k.Account, idText: g.KeyID, owner: g.AccountID}
		slot.Store(x)
	}
	return account.Grant{KeyID: x.idText, AccountID: x.owner, Plan: k.Plan}
}
