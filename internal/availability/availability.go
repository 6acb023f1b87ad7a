// Package availability notes, hour by hour, what the API answered and how much of it failed, and says what share
// of a month did not.
//
// Begin with Recorder, which a node with the role api runs; Summarize is for whoever shows it. An hour that nobody
// noted is a gap, and not an hour without failures: the package never fills one in.
package availability

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

const (
	// Objective is the share of answers that do not fail, in hundredths of a percent.
	Objective = 9990
	// Over is the time that is looked back on.
	Over = 30 * 24 * time.Hour
	// KeepFor is how long hours are kept.
	KeepFor = 400 * 24 * time.Hour

	every      = time.Minute
	again      = 10 * time.Second // after a failure
	writeFor   = 5 * time.Second
	maxWaiting = 24 * 30 // hours that a node keeps, for while the database is away
)

// An Hour is what was answered within an hour that begins at At, and how much of it failed.
type Hour struct {
	At               time.Time
	Answered, Failed int64
}

// A Store keeps hours.
type Store interface {
	// WriteHours notes what one node counted in hours, in the place of what it noted of them before: what is
	// written twice counts once. Hours before the given time are deleted.
	WriteHours(ctx context.Context, node string, hours []Hour, before time.Time) error
}

// Options say what a Recorder notes. All are required.
type Options struct {
	Node   string // a name that no other process has
	Sum    func() (answered, failed uint64)
	Store  Store
	Logger *slog.Logger
	Now    func() time.Time
}

// A Recorder notes what a node answers. While the database is away it keeps what it counted, and writes it later: only
// a process that ends meanwhile loses it, and one that is killed a minute of it.
type Recorder struct {
	o Options

	mu               sync.Mutex
	since            time.Time // of what is not in hours yet
	answered, failed uint64    // up to then
	hours            []noted   // in the order in which they began
	behind           time.Time // since when not all are written; zero while they are
}

// A noted is an hour of which this node holds the count. It stays once it is written: a clock that is set back comes
// into it again, and the next count takes the place of what was written.
type noted struct {
	Hour
	written bool
}

// NewRecorder makes a Recorder that counts from now on.
func NewRecorder(o Options) *Recorder {
	r := &Recorder{o: o, since: o.Now()}
	r.answered, r.failed = o.Sum()
	return r
}

// Run writes at the end of each minute until ctx is done, and then once more.
func (r *Recorder) Run(ctx context.Context) {
	for {
		now := r.o.Now()
		next := now.Truncate(every).Add(every).Sub(now)
		if r.Behind() > 0 {
			next = min(next, again)
		}
		select {
		case <-ctx.Done():
			r.Write(context.WithoutCancel(ctx))
			return
		case <-time.After(next):
			r.Write(ctx)
		}
	}
}

// Behind is for how long what was counted has not been written; 0 while it is.
func (r *Recorder) Behind() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.behind.IsZero() {
		return 0
	}
	return r.o.Now().Sub(r.behind)
}

// Write notes what was answered since the last time, and writes all that is not written.
func (r *Recorder) Write(ctx context.Context) {
	now := r.o.Now()
	hours := r.note(now)
	limited, cancel := context.WithTimeout(ctx, writeFor)
	defer cancel()
	err := r.o.Store.WriteHours(limited, r.o.Node, hours, now.Add(-KeepFor))
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err != nil && r.behind.IsZero():
		r.behind = now
		r.o.Logger.Warn("what was answered is not written down: it waits", "error", err)
	case err == nil:
		if !r.behind.IsZero() {
			r.o.Logger.Info("what was answered is written down again", "hours", len(hours))
		}
		r.behind = time.Time{}
		for i := range r.hours {
			r.hours[i].written = r.hours[i].written || slices.Contains(hours, r.hours[i].Hour)
		}
	}
}

// note adds what was answered since the last time to the hour in which that began, and returns what is to be written.
func (r *Recorder) note(now time.Time) []Hour {
	answered, failed := r.o.Sum()
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.hour(r.since.Truncate(time.Hour))
	h.written = false
	h.Answered += int64(answered - r.answered) //nolint:gosec // a minute of it
	h.Failed += int64(failed - r.failed)       //nolint:gosec // as above
	r.since, r.answered, r.failed = now, answered, failed
	var unwritten []Hour
	for _, h := range r.hours {
		if !h.written {
			unwritten = append(unwritten, h.Hour)
		}
	}
	return unwritten
}

// hour returns the count of an hour.
func (r *Recorder) hour(at time.Time) *noted {
	for i := len(r.hours) - 1; i >= 0; i-- {
		if r.hours[i].At.Equal(at) {
			return &r.hours[i]
		}
	}
	r.hours = append(r.hours, noted{Hour: Hour{At: at}})
	r.hours = r.hours[max(0, len(r.hours)-maxWaiting):]
	return &r.hours[len(r.hours)-1]
}

// A Summary is what was measured over a time.
type Summary struct {
	Since            time.Time // the first hour of it; zero before there was any
	Answered, Failed int64
	Hours, Missing   int // that were noted, and that nobody noted; the hour that runs is none of them
}

// Summarize sums up the hours of the last month, up to now. first is the first hour that was ever noted: what was before
// it is no gap.
func Summarize(first time.Time, hours []Hour, now time.Time) Summary {
	if first.IsZero() {
		return Summary{}
	}
	this := now.Truncate(time.Hour)
	s := Summary{Since: this.Add(-Over)}
	if first.After(s.Since) {
		s.Since = first
	}
	for _, h := range hours {
		if h.At.Before(s.Since) {
			continue
		}
		s.Answered, s.Failed = s.Answered+h.Answered, s.Failed+h.Failed
		if h.At.Before(this) {
			s.Hours++
		}
	}
	s.Missing = max(0, int(this.Sub(s.Since)/time.Hour)-s.Hours)
	return s
}

// Share is the share of answers that did not fail, in hundredths of a percent and rounded down: it is 10,000 only where
// none failed. It is false where nothing was asked.
func (s Summary) Share() (int, bool) {
	if s.Answered == 0 {
		return 0, false
	}
	return int((s.Answered - s.Failed) * 10_000 / s.Answered), true
}
