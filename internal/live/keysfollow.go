package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// A KeyFeed is one connection that announces changes of access and hands out keys.
type KeyFeed interface {
	// Latest is the last change, and whether those after the one given lead to it.
	Latest(ctx context.Context, have account.Change) (latest account.Change, follows bool, err error)
	// Since reads the live keys of the accounts that changed after the change given, and
	// lists the accounts. After no change at all it reads every live key.
	Since(ctx context.Context, have account.Change, add func(account.LiveKey)) (latest account.Change, accounts [][16]byte, err error)
	// Wait returns when a change is announced, or after d.
	Wait(ctx context.Context, d time.Duration) error
	Close()
}

// mostListed is how many changes are read account by account; for more of them, reading
// all keys is as quick.
const mostListed = 10_000

// How long reading all keys may take at first, and once it was cut off.
const (
	minLoad = 30 * time.Second
	maxLoad = 4 * time.Minute
)

// Run follows changes of access until ctx is done. It first loads the disk copy, if
// there is one, so that keys work without the database.
func (k *Keys) Run(ctx context.Context) {
	patience := time.AfterFunc(k.o.Patience, k.settle)
	defer patience.Stop()
	if k.o.File != "" {
		k.loadCopy()
		var copying sync.WaitGroup
		copying.Go(func() { k.keepCopy(ctx) })
		defer copying.Wait()
	}
	defer k.waiting.abandon()

	pause, load := minPause, minLoad
	for ctx.Err() == nil {
		started := k.o.Now()
		err := k.follow(ctx, &load)
		if ctx.Err() != nil {
			return
		}
		k.waiting.failed(err)
		k.note(err)
		k.settle() // no use in waiting for a database that has said no
		if k.o.Now().Sub(started) > maxPause {
			pause = minPause // it had worked for a while
		}
		k.rest(ctx, pause)
		pause = min(2*pause, maxPause)
	}
}

// follow works on one connection until it fails. Requests that wait then go on waiting
// for the next one, but not for long.
func (k *Keys) follow(ctx context.Context, load *time.Duration) error {
	k.waiting.begin()
	connecting, cancel := context.WithTimeout(ctx, connectTimeout)
	feed, err := k.o.Open(connecting)
	cancel()
	if err != nil {
		return fmt.Errorf("opening the feed of keys: %w", err)
	}
	defer feed.Close()
	for {
		if err := k.update(ctx, feed, load); err != nil {
			return err
		}
		k.waiting.end()
		k.note(nil)
		k.settle()
		if err := k.wait(ctx, feed); err != nil {
			return err
		}
		k.waiting.begin()
	}
}

// update brings the table up to date.
func (k *Keys) update(ctx context.Context, feed KeyFeed, load *time.Duration) error {
	_, have := k.Count()
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
	if !loaded || !follows || latest.Number-have.Number > mostListed {
		return k.loadAll(ctx, feed, load)
	}
	reading, cancel := context.WithTimeout(ctx, minFetch)
	defer cancel()
	fresh := newKeyTable()
	latest, accounts, err := feed.Since(reading, have, fresh.add)
	if err != nil {
		return err
	}
	k.apply(fresh, accounts, latest)
	return nil
}

// loadAll reads every key. A load that was cut off for being slow gets twice the time on
// the next connection: it may just be large.
func (k *Keys) loadAll(ctx context.Context, feed KeyFeed, limit *time.Duration) error {
	reading, cancel := context.WithTimeout(ctx, *limit)
	defer cancel()
	started := time.Now()
	fresh := newKeyTable()
	latest, _, err := feed.Since(reading, account.Change{}, fresh.add)
	if errors.Is(err, context.DeadlineExceeded) {
		*limit = min(2**limit, maxLoad)
	}
	if err != nil {
		return err
	}
	*limit = minLoad
	took := time.Since(started)
	k.swap(fresh, latest)
	k.o.Logger.Info("API keys loaded", "keys", fresh.live, "change", latest.Number, "took_ms", took.Milliseconds())
	if k.o.Loaded != nil {
		k.o.Loaded(took)
	}
	return nil
}

// wait returns when a change is announced, when requests want to know, or in time for
// the next look.
func (k *Keys) wait(ctx context.Context, feed KeyFeed) error {
	short, cancel := context.WithCancel(ctx)
	var asking sync.WaitGroup
	asking.Go(func() {
		if k.waiting.asked(short, k.o.RefreshEvery) {
			if k.o.Refreshed != nil {
				k.o.Refreshed()
			}
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

// rest pauses between two attempts to connect. Requests that wait cut it short.
func (k *Keys) rest(ctx context.Context, pause time.Duration) {
	short, cancel := context.WithTimeout(ctx, pause)
	defer cancel()
	if k.waiting.asked(short, k.o.RefreshEvery) && k.o.Refreshed != nil {
		k.o.Refreshed()
	}
}

// errNoAnswer says that the database did not answer in time.
var errNoAnswer = errors.New("the database does not answer")

// Refresh returns once the keys are as the database had them after it was called, or as
// soon as the key with that hash is held. An error says that the database does not
// answer. However many requests wait, the database is asked once, and 20 times a second
// at most.
func (k *Keys) Refresh(ctx context.Context, hash account.Hash) error {
	if k.o.Open == nil {
		return nil
	}
	look := k.waiting.join()
	late := time.NewTimer(k.o.RefreshTimeout)
	defer late.Stop()
	for {
		k.mu.RLock()
		changed, held := k.changed, k.table != nil && k.table.find(&hash) != nil
		k.mu.RUnlock()
		if held {
			return nil
		}
		select {
		case <-changed:
		case <-look.done:
			return look.err
		case <-ctx.Done():
			return ctx.Err()
		case <-late.C:
			return errNoAnswer
		}
	}
}

// waiting are the requests that wait for a look at the database.
type waiting struct {
	wake chan struct{} // holds a token when a look is wanted

	mu    sync.Mutex
	next  *look   // has not begun; nil when nobody wants it
	begun []*look // have begun and not ended
	last  time.Time
}

// A look is one look at the database, for all who asked before it began.
type look struct {
	done     chan struct{}
	err      error
	failures int
}

func (l *look) end(err error) {
	l.err = err
	close(l.done)
}

// mostFailures is after how many attempts a look fails. One may break by accident: a
// server process that is ended is not a database that is gone.
const mostFailures = 3

// join gives the look that begins next.
func (w *waiting) join() *look {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.next == nil {
		w.next = &look{done: make(chan struct{})}
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
	return w.next
}

// begin says that the database is asked from now on.
func (w *waiting) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.next != nil {
		w.begun = append(w.begun, w.next)
		w.next = nil
	}
}

// end says that all whose look has begun have been served.
func (w *waiting) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.begun {
		l.end(nil)
	}
	w.begun = nil
}

// failed says that an attempt failed. Looks that have had their share of those fail too.
func (w *waiting) failed(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun = slices.DeleteFunc(w.begun, func(l *look) bool {
		l.failures++
		if l.failures < mostFailures {
			return false
		}
		l.end(err)
		return true
	})
}

// abandon says that nobody looks any more.
func (w *waiting) abandon() {
	w.begin()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.begun {
		l.end(context.Canceled)
	}
	w.begun = nil
}

// asked returns true when a look is wanted, at least every after the last time that it
// did, and false when ctx is done.
func (w *waiting) asked(ctx context.Context, every time.Duration) bool {
	for !w.wanted() {
		select {
		case <-ctx.Done():
			return false
		case <-w.wake:
		}
	}
	w.mu.Lock()
	last := w.last
	w.mu.Unlock()
	if wait := every - time.Since(last); wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-ctx.Done(): // a notification came first, and its look serves them too
			return false
		case <-timer.C:
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = time.Now()
	return true
}

func (w *waiting) wanted() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.next != nil || len(w.begun) > 0
}
