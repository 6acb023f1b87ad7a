// Package availability records, hour by hour, how many requests the API answered and how many
// answers failed, and computes the share of a month's answers that did not fail.
//
// Begin with Recorder, which runs on every node with the role api; Summarize is for pages. An hour
// without a record is a gap, not an hour without failures: the package never fills one in.
package availability

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

const (
	// Objective is the target share of answers that do not fail, in hundredths of a percent.
	Objective = 9990
	// Over is the period of a summary.
	Over = 30 * 24 * time.Hour
	// KeepFor is how long hours are stored.
	KeepFor = 400 * 24 * time.Hour

	every      = time.Minute
	again      = 10 * time.Second // after a failure
	writeFor   = 5 * time.Second
	maxWaiting = 24 * 30 // hours to hold while the database is unavailable
)

// An Hour counts the answers, and the failed ones among them, in the hour that begins at At.
type Hour struct {
	At               time.Time
	Answered, Failed int64
}

// A Store stores hours.
type Store interface {
	// WriteHours stores the counts of one node's hours in place of those it stored before, so that
	// writing twice counts once. It deletes hours before the given time.
	WriteHours(ctx context.Context, node string, hours []Hour, before time.Time) error
}

// Options configure a Recorder. All are required.
type Options struct {
	Node   string // a name unique among processes
	Sum    func() (answered, failed uint64)
	Store  Store
	Logger *slog.Logger
	Now    func() time.Time
}

// A Recorder records the answers of a node. While the database is unavailable it holds its counts
// and writes them later. They are lost only if the process ends meanwhile; a process that is killed
// loses a minute.
type Recorder struct {
	o Options

	mu               sync.Mutex
	since            time.Time // when the hours were last updated
	answered, failed uint64    // up to then
	hours            []noted   // in the order of their beginning
	behind           time.Time // since when writing has failed; zero if it has not
}

// noted is an hour that this node has counted. It stays after it is written: if the clock is set
// back, counting continues in it, and the next count replaces the written one.
type noted struct {
	Hour
	written bool
}

// NewRecorder returns a Recorder that counts from now on.
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

// Behind returns for how long writing has failed; 0 if the last write succeeded.
func (r *Recorder) Behind() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.behind.IsZero() {
		return 0
	}
	return r.o.Now().Sub(r.behind)
}

// Write counts the answers since the last call, and writes all unwritten hours.
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

// note adds the answers since the last call to the hour of that call, and returns the unwritten
// hours.
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

// hour returns the record of an hour, and adds it if there is none. It keeps the last maxWaiting
// hours.
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

// A Summary is the availability over a period.
type Summary struct {
	Since            time.Time // its first hour; zero if there is none
	Answered, Failed int64
	Hours, Missing   int // recorded ones and gaps, without the current hour
}

// Summarize sums up the hours of the last month, up to now. first is the first hour ever recorded:
// the time before it does not count as a gap.
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

// Share returns the share of answers that did not fail, in hundredths of a percent, rounded down:
// 10,000 only if none failed. It is false if there were no answers.
func (s Summary) Share() (int, bool) {
	if s.Answered == 0 {
		return 0, false
	}
	return int((s.Answered - s.Failed) * 10_000 / s.Answered), true
}
