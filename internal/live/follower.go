package live

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// Timeouts that a healthy database always meets. After one of them the connection counts as dead
// and is replaced: a frozen server process sends no error.
const (
	connectTimeout = 2 * time.Second
	readTimeout    = time.Second
)

// The shortest and the longest pause between two attempts to connect.
const (
	minPause = 10 * time.Millisecond
	maxPause = time.Second
)

// A connection is a follower's connection to the database.
type connection interface {
	// Wait returns when a change is announced, or after d.
	Wait(ctx context.Context, d time.Duration) error
	Close()
}

// A follower keeps what a node holds in memory in step with the database. It works on one
// connection until that fails, and then opens another.
//
// It updates first thing on every connection, and again after every wait, which has a time limit.
// So a lost announcement costs nothing but time, and a dead connection is noticed.
type follower[C connection] struct {
	load    func() // loads the disk copy; may be nil
	connect func(ctx context.Context) (C, error)
	update  func(ctx context.Context, c C) error           // reads what is new
	wait    func(ctx context.Context, c C) error           // until the next update
	rest    func(ctx context.Context, pause time.Duration) // until the next connection
	log     func(err error)                                // nil means that the connection works

	patience time.Duration // how long a start with a disk copy waits for the database
	now      func() time.Time

	mu      sync.Mutex
	loading bool  // reads the disk copy, makes the first connection, or reads the database
	settled bool  // the start is over: up to date, or done waiting
	feedErr error // why the node does not follow the database; nil while it does
	copyErr error // why the disk copy could not be used
}

// errStarting is the connection's error until the first attempt has succeeded or failed.
var errStarting = errors.New("not connected to the database yet")

// run follows the database until ctx is done. It first loads the disk copy, so that the node can
// serve without the database.
func (f *follower[C]) run(ctx context.Context) {
	patience := time.AfterFunc(f.patience, f.settle)
	defer patience.Stop()
	f.setLoading(true)
	if f.load != nil {
		f.load()
	}
	pause := minPause
	for ctx.Err() == nil {
		started := f.now()
		err := f.follow(ctx)
		f.setLoading(false)
		if ctx.Err() != nil {
			return
		}
		f.setFeedErr(err)
		f.settle() // do not go on waiting for a database that failed
		if f.now().Sub(started) > maxPause {
			pause = minPause // it had worked for a while
		}
		f.rest(ctx, pause)
		pause = min(2*pause, maxPause)
	}
}

// follow works on one connection until it fails.
func (f *follower[C]) follow(ctx context.Context) error {
	connecting, cancel := context.WithTimeout(ctx, connectTimeout)
	c, err := f.connect(connecting)
	cancel()
	if err != nil {
		return err
	}
	defer c.Close()
	for {
		f.setLoading(true)
		if err := f.update(ctx, c); err != nil {
			return err
		}
		f.setLoading(false)
		f.setFeedErr(nil)
		f.settle()
		if err := f.wait(ctx, c); err != nil {
			return err
		}
	}
}

func (f *follower[C]) setLoading(now bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.loading = now
}

// isLoading reports whether data may arrive any moment. It is false while the database is
// unavailable or has none.
func (f *follower[C]) isLoading() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.loading
}

func (f *follower[C]) settle() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.settled = true
}

// setFeedErr records the state of the connection, and logs it when it changes.
func (f *follower[C]) setFeedErr(err error) {
	f.mu.Lock()
	changed := (f.feedErr == nil) != (err == nil) || errors.Is(f.feedErr, errStarting)
	f.feedErr = err
	f.mu.Unlock()
	if changed {
		f.log(err)
	}
}

func (f *follower[C]) setCopyErr(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.copyErr = err
}

// Level returns the level at which to log a lost connection: a warning, since most come back, or an
// error if err has advice that somebody must follow.
func Level(err error) slog.Level {
	if _, ok := errors.AsType[interface {
		error
		Advice() string
	}](err); ok {
		return slog.LevelError
	}
	return slog.LevelWarn
}

// state returns whether the start is over, and what is wrong with the connection and with the disk
// copy; nil for nothing.
func (f *follower[C]) state() (settled bool, feedErr, copyErr error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.settled, f.feedErr, f.copyErr
}

// A limit is the timeout of a read. It doubles, up to most, after a read that was cut off, because
// that may just have been a large one. The next success resets it to least.
type adaptiveTimeout struct{ least, most, current time.Duration }

func newAdaptiveTimeout(least, most time.Duration) adaptiveTimeout {
	return adaptiveTimeout{least, most, least}
}

func (l *adaptiveTimeout) read(ctx context.Context, read func(context.Context) error) error {
	reading, cancel := context.WithTimeout(ctx, l.current)
	defer cancel()
	err := read(reading)
	switch {
	case err == nil:
		l.current = l.least
	case errors.Is(err, context.DeadlineExceeded):
		l.current = min(2*l.current, l.most)
	}
	return err
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
