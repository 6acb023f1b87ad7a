package testkit

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// Equal reports a test error unless reflect.DeepEqual(got, want). what names the value.
func Equal(tb testing.TB, what string, got, want any) {
	tb.Helper()
	if !reflect.DeepEqual(got, want) {
		tb.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}

// A Clock is a clock that only moves when the test sets it. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that stands at now.
func NewClock(now time.Time) *Clock { return &Clock{now: now} }

// Now returns the time on the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set moves the clock to t.
func (c *Clock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}

// Advance moves the clock by d.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// A Log is an in-memory writer that is safe for concurrent use. Tests give it to the code under test and read it.
type Log struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// Logger returns a logger that writes records of every level to l, as JSON.
func (l *Log) Logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// Records returns the records of Logger that have the given message. It ends the test if a line of l is not JSON.
func (l *Log) Records(tb testing.TB, message string) []map[string]any {
	tb.Helper()
	var found []map[string]any
	for line := range strings.Lines(l.String()) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			tb.Fatalf("a line of the log is not JSON: %q: %v", line, err)
		}
		if record["msg"] == message {
			found = append(found, record)
		}
	}
	return found
}

// Long reports whether the tests run in their long form, the only one that enforces time limits.
func Long() bool { return os.Getenv("PALMARES_LONG") == "1" }

// Night skips a test except in make night, which sets PALMARES_TEST_NIGHT, and in the long form. Call it in a test that
// repeats at scale what other tests assert, or that compiles for a minute.
func Night(tb testing.TB) {
	tb.Helper()
	if !atNight() {
		tb.Skip("make night runs it")
	}
}

// Size returns how many of something a test takes: gate before a change lands, night in make night and in the long form.
func Size(gate, night int) int {
	if atNight() {
		return night
	}
	return gate
}

func atNight() bool { return Long() || os.Getenv("PALMARES_TEST_NIGHT") == "1" }

// Within runs do and logs how long it took. In the long form it reports a test error if do took longer than that limit,
// most.
func Within(tb testing.TB, what string, most time.Duration, do func()) {
	tb.Helper()
	began := time.Now()
	do()
	took := time.Since(began).Round(time.Millisecond)
	tb.Logf("%s took %v", what, took)
	if Long() && took > most {
		tb.Errorf("%s took %v, want %v at most", what, took, most)
	}
}
