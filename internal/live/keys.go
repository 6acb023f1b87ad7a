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

	state   keysState
	waiting waiting
	uses    uses
	copied  keysCopied
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
	k := &Keys{o: o, changed: make(chan struct{}), state: keysState{feed: errStarting}}
	k.waiting.wake = make(chan struct{}, 1)
	k.copied.behind = o.Now()
	return k
}

// Hold makes these keys, and no others, those that are held.
func (k *Keys) Hold(keys ...account.LiveKey) {
	t := newKeyTable()
	for _, x := range keys {
		t.add(x)
	}
	k.swap(t, account.Change{})
}

// Find gives what a key grants, if it is held, and notes its use.
func (k *Keys) Find(hash account.Hash) (account.Grant, bool) {
	day := uint32(k.o.Now().Unix() / secondsADay) //nolint:gosec // until 2149
	k.mu.RLock()
	var e *keyEntry
	if k.table != nil {
		e = k.table.find(&hash)
	}
	if e == nil {
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
	k.tell()
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
	k.tell()
}

// tell wakes whoever waits for a change; k.mu is held.
func (k *Keys) tell() {
	k.copied.outdate(k.o.Now())
	close(k.changed)
	k.changed = make(chan struct{})
}

// keysState is what is known of the connection.
type keysState struct {
	mu      sync.Mutex
	settled bool  // the start is over: caught up, or done waiting
	feed    error // why no changes are heard of
	copy    error // why the disk copy was of no use
	fresh   time.Time
}

// Ready tells why keys cannot be checked yet; nil when they can.
func (k *Keys) Ready() error {
	loaded, s := k.loaded(), &k.state
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case loaded && s.settled:
		return nil
	case loaded:
		return errors.New("starting: the disk copy of the keys is loaded, waiting for the database")
	case s.feed == nil, errors.Is(s.feed, errStarting):
		return errors.Join(errors.New("starting: no API keys loaded yet"), s.copy)
	}
	return errors.Join(fmt.Errorf("no API keys to check by: %w", s.feed), s.copy)
}

// Connected tells why changes of access are not heard of; nil when they are.
func (k *Keys) Connected() error {
	k.state.mu.Lock()
	defer k.state.mu.Unlock()
	return k.state.feed
}

// Fresh is when the keys were last known to be as the database has them: with a disk copy
// and no database, when the copy was written. It is the zero Time for never.
func (k *Keys) Fresh() time.Time {
	k.state.mu.Lock()
	defer k.state.mu.Unlock()
	return k.state.fresh
}

func (k *Keys) settle() {
	k.state.mu.Lock()
	defer k.state.mu.Unlock()
	k.state.settled = true
}

// note keeps the state of the connection and logs it when it changes.
func (k *Keys) note(err error) {
	s := &k.state
	s.mu.Lock()
	changed := (s.feed == nil) != (err == nil) || errors.Is(s.feed, errStarting)
	s.feed = err
	if err == nil {
		s.fresh = k.o.Now()
	}
	s.mu.Unlock()
	if !changed {
		return
	}
	keys, at := k.Count()
	if err != nil {
		k.o.Logger.Warn("not following changes of access; the keys that are held work on", "error", err, "keys", keys)
		return
	}
	k.o.Logger.Info("following changes of access", "keys", keys, "change", at.Number)
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
	slot := &t.slots[hashPlace(&k.Hash)%uint64(len(t.slots))]
	x := slot.Load()
	if x == nil || x.id != k.ID || x.account != k.Account {
		g := k.Grant()
		x = &keyText{id: k.ID, account: k.Account, idText: g.KeyID, owner: g.AccountID}
		slot.Store(x)
	}
	return account.Grant{KeyID: x.idText, AccountID: x.owner, Plan: k.Plan}
}
