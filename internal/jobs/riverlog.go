package jobs

import (
	"context"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// riverLog reduces River's log to warnings and errors. While the database is unavailable every part of
// River logs that several times a second. riverLog only counts those lines, and the Runner logs their
// number in one line.
type riverLog struct {
	slog.Handler
	faults *faults
}

// Enabled implements slog.Handler. It drops River's log of normal work.
func (h riverLog) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h riverLog) Handle(ctx context.Context, r slog.Record) error {
	text := ""
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "err" || a.Key == "error" {
			text = a.Value.String()
		}
		return text == ""
	})
	if r.Message == fetchError {
		h.faults.notFetched(text)
	}
	ofJob := strings.HasPrefix(r.Message, "jobexecutor.") // its error is the job's, not River's
	if !ofJob && DatabaseGone(text) || isConsequence(r.Message) && h.faults.recent(consequenceFor) {
		h.faults.add(r.Message, text)
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h riverLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return riverLog{h.Handler.WithAttrs(attrs), h.faults}
}

// WithGroup implements slog.Handler.
func (h riverLog) WithGroup(name string) slog.Handler {
	return riverLog{h.Handler.WithGroup(name), h.faults}
}

// goneText matches errors, which River logs as text. These are the texts of pgx and PostgreSQL for a
// server that cannot be reached, is stopping or starting, or has no such database, table or column, as
// during a migration. The Runner detects all of that by itself.
var goneText = regexp.MustCompile("failed to connect to `|unexpected EOF|conn closed|use of closed network connection|" +
	"connection reset by peer|broken pipe|i/o timeout|context deadline exceeded|SQLSTATE (08...|57P0[123]|3D000|42P01|42703)")

// DatabaseGone reports whether the text of an error means that the database is unavailable. Callers
// need not log that: a Runner does, once.
func DatabaseGone(text string) bool { return goneText.MatchString(text) }

// isConsequence reports whether a message of River's, which names no cause, is one that an outage of
// the database leads to.
func isConsequence(message string) bool {
	return strings.HasSuffix(message, ": Too many errors; giving up") ||
		strings.HasPrefix(message, "leadership.Elector: Current leader stepping down because the reelection deadline elapsed")
}

// consequenceFor is how long after a fault its consequences may show.
const consequenceFor = time.Minute

// fetchError is River's message when it cannot fetch jobs, for whatever reason.
const fetchError = "producer: Error fetching jobs"

// faults counts the errors of River's connections to the database.
type faults struct {
	mu    sync.Mutex
	lines int // since the last take
	last  string
	at    time.Time

	unfetchedAt time.Time // when jobs last could not be fetched
	unfetchedBy string    // the text of that error
}

func (f *faults) add(message, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lines++
	f.at = time.Now()
	f.last = message
	if text != "" {
		f.last += ": " + text
	}
}

func (f *faults) notFetched(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.unfetchedAt, f.unfetchedBy = time.Now(), text
}

// take returns the number of errors since the last take, and the text of the last one.
func (f *faults) take() (lines int, last string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	lines, last = f.lines, f.last
	f.lines = 0
	return lines, last
}

func (f *faults) recent(within time.Duration) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.at.IsZero() && time.Since(f.at) < within
}

// unfetched returns why jobs last could not be fetched, and whether that was within the time given.
func (f *faults) unfetched(within time.Duration) (why string, recent bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.unfetchedBy, !f.unfetchedAt.IsZero() && time.Since(f.unfetchedAt) < within
}

// jobErrors logs jobs that fail. River itself logs them at a level that riverLog drops.
type jobErrors struct {
	logger *slog.Logger
	faults *faults
	remote []string // kinds of jobs whose errors are not about the database
}

// HandleError implements river.ErrorHandler. River or a sweep tries the job again.
func (j jobErrors) HandleError(_ context.Context, job *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	if !slices.Contains(j.remote, job.Kind) && DatabaseGone(err.Error()) {
		j.faults.add("job "+job.Kind, err.Error())
		return nil
	}
	j.logger.Warn("a job failed; it is tried again",
		"kind", job.Kind, "job", job.ID, "attempt", job.Attempt, "error", err)
	return nil
}

// HandlePanic implements river.ErrorHandler.
func (j jobErrors) HandlePanic(_ context.Context, job *rivertype.JobRow, value any, trace string) *river.ErrorHandlerResult {
	j.logger.Error("a job panicked", "kind", job.Kind, "job", job.ID, "panic", value, "stack", trace)
	return nil
}
