package live

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// Run follows changes of access until ctx is done.
func (k *Keys) Run(ctx context.Context) {
	f := &k.follower
	f.connect, f.update, f.wait, f.rest, f.log = k.connect, k.update, k.wait, k.backOff, k.log
	if k.o.File != "" {
		var copying sync.WaitGroup
		defer copying.Wait()
		f.load = func() {
			k.loadCopy()
			copying.Go(func() { k.keepCopy(ctx) })
		}
	}
	defer k.refreshes.abandon()
	f.run(ctx)
}

func (k *Keys) connect(ctx context.Context) (feed KeyFeed, err error) {
	err = k.attempt(func() error {
		feed, err = k.o.Open(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("opening the feed of keys: %w", err)
	}
	return feed, nil
}

// update brings the table up to date and ends the refreshes that were requested before. If it
// fails, they wait for the next attempts, but for maxFailures at most.
func (k *Keys) update(ctx context.Context, feed KeyFeed) error {
	if err := k.attempt(func() error { return k.read(ctx, feed) }); err != nil {
		return err
	}
	k.refreshes.end()
	k.setFresh(k.o.Now())
	return nil
}

func (k *Keys) attempt(try func() error) error {
	k.refreshes.begin()
	err := try()
	if err != nil {
		k.refreshes.failed(err)
	}
	return err
}

func (k *Keys) log(err error) {
	keys, at := k.Count()
	if err != nil {
		k.o.Logger.Log(context.Background(), Level(err), "not following changes of access; the keys that are held work on",
			"error", err, "keys", keys)
		return
	}
	k.o.Logger.Info("following changes of access", "keys", keys, "change", at.Number)
}

// maxListed is how many changes are read account by account at most; reading all keys is as quick
// as reading more.
const maxListed = 10_000

// read reads the keys of the accounts that changed, or all keys.
func (k *Keys) read(ctx context.Context, feed KeyFeed) error {
	_, have := k.Count()
	if err := k.endRestored(ctx, feed, have); err != nil {
		return err
	}
	asking, cancel := context.WithTimeout(ctx, readTimeout)
	latest, follows, err := feed.Latest(asking, have)
	cancel()
	if err != nil {
		return err
	}
	loaded := k.loaded()
	if loaded && follows && latest == have {
		return nil
	}
	if !loaded || !follows || latest.Number-have.Number > maxListed {
		return k.readAll(ctx, feed)
	}
	reading, cancel := context.WithTimeout(ctx, minFetch)
	defer cancel()
	fresh := newKeyTable()
	latest, accounts, err := feed.Since(reading, have, k.o.Now(), fresh.add)
	if err != nil {
		return err
	}
	k.apply(fresh, accounts, latest)
	return nil
}

// endRestored ends all sessions of a database that was restored from a backup. Ending a session is
// a change of access, too, so the node may know of ended sessions that are still open in the
// backup.
func (k *Keys) endRestored(ctx context.Context, feed KeyFeed, have account.Change) error {
	ctx, cancel := context.WithTimeout(ctx, minLoad)
	defer cancel()
	ended, noticed, err := feed.EndRestored(ctx, have, k.Fresh(), k.o.Now())
	if noticed {
		k.o.Logger.Warn("the database was restored from a backup: everybody has to sign in again", "sessions", ended)
	}
	return err
}

func (k *Keys) readAll(ctx context.Context, feed KeyFeed) error {
	started := time.Now()
	var fresh *keyTable
	var latest account.Change
	err := k.limit.read(ctx, func(ctx context.Context) (err error) {
		fresh = newKeyTable()
		latest, _, err = feed.Since(ctx, account.Change{}, k.o.Now(), fresh.add)
		return err
	})
	if err != nil {
		return err
	}
	took := time.Since(started)
	k.swap(fresh, latest)
	k.o.Logger.Info("API keys loaded",
		"keys", fresh.live, "change", latest.Number, "took_ms", took.Milliseconds())
	if k.o.Loaded != nil {
		k.o.Loaded(took)
	}
	return nil
}

// wait returns when a change is announced, when requests want a refresh, or in time for the next
// update.
func (k *Keys) wait(ctx context.Context, feed KeyFeed) error {
	short, cancel := context.WithCancel(ctx)
	var asking sync.WaitGroup
	asking.Go(func() {
		if k.refreshDue(short) {
			cancel()
		}
	})
	err := feed.Wait(short, k.o.Poll)
	ended := short.Err() != nil
	cancel()
	asking.Wait()
	if ctx.Err() == nil && ended && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// backOff pauses between two attempts to connect. A waiting request cuts the pause short.
func (k *Keys) backOff(ctx context.Context, pause time.Duration) {
	short, cancel := context.WithTimeout(ctx, pause)
	defer cancel()
	k.refreshDue(short)
}

// refreshDue returns true when requests want a refresh, and false when ctx is done.
func (k *Keys) refreshDue(ctx context.Context) bool {
	due := k.refreshes.due(ctx, k.o.RefreshEvery)
	if due && k.o.Refreshed != nil {
		k.o.Refreshed()
	}
	return due
}

// errNoAnswer means that the database did not answer in time.
var errNoAnswer = errors.New("the database does not answer")

// Refresh waits until the keys are at least as new as the database was at the call, or until the
// key with that hash is there and has not ended. It returns an error if ctx is done, or if the
// database does not answer and the node cannot tell whether the key works, as it can for a key that
// has ended. All waiting requests share one read of the database, and there are at most 20 a
// second.
func (k *Keys) Refresh(ctx context.Context, hash account.Hash) error {
	if k.o.Open == nil {
		return nil
	}
	r := k.refreshes.join()
	late := time.NewTimer(k.o.RefreshTimeout)
	defer late.Stop()
	for {
		k.mu.RLock()
		changed := k.changed
		var e *keyEntry
		if k.table != nil {
			e = k.table.find(&hash)
		}
		held, ended := e != nil, e != nil && e.ended(k.o.Now().Unix())
		k.mu.RUnlock()
		if held && !ended {
			return nil
		}
		var err error
		select {
		case <-changed:
			continue
		case <-r.done:
			err = r.err
		case <-ctx.Done():
			return ctx.Err()
		case <-late.C:
			err = errNoAnswer
		}
		if ended {
			return nil
		}
		return err
	}
}
