package live_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/palmares-hq/palmares/internal/live"
)

// A logbook keeps what is logged.
type logbook struct {
	mu      sync.Mutex
	records []slog.Record
}

func (l *logbook) Enabled(context.Context, slog.Level) bool { return true }
func (l *logbook) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *logbook) WithGroup(string) slog.Handler            { return l }

func (l *logbook) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records = append(l.records, r)
	return nil
}

// editions lists the editions that were logged with the message.
func (l *logbook) editions(message string) []int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	var numbers []int64
	for _, r := range l.records {
		if r.Message != message {
			continue
		}
		number := int64(0)
		r.Attrs(func(a slog.Attr) bool {
			if a.Key == "edition" {
				number = a.Value.Int64()
			}
			return true
		})
		numbers = append(numbers, number)
	}
	return numbers
}

const copyWritten = "disk copy written"

func TestCopierKeepsOnlyTheLatest(t *testing.T) {
	t.Parallel()
	var log logbook
	path := filepath.Join(t.TempDir(), "copy")
	c := live.NewCopier(path, slog.New(&log))
	release := c.Hold() // as while a slow disk is busy with an older edition
	for number := range int64(5) {
		c.Save(snapshot(contents(1), number+1, "any"))
	}
	release()
	c.Close()
	if got := log.editions(copyWritten); len(got) != 1 || got[0] != 5 {
		t.Errorf("editions %v were written, want the last alone", got)
	}
	wantCopy(t, path, 5)
}

func TestCopierCloseWaits(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "copy")
	c := live.NewCopier(path, slog.New(slog.DiscardHandler))
	c.Close() // nothing to wait for
	for number := range int64(20) {
		c.Save(snapshot(contents(500), number+1, "any"))
	}
	c.Close()
	wantCopy(t, path, 20)
	wantFiles(t, path)
}

// A copy that cannot be written leaves the old one and does not stop the next.
func TestCopierGoesOnAfterAnError(t *testing.T) {
	t.Parallel()
	var log logbook
	dir := filepath.Join(t.TempDir(), "later")
	path := filepath.Join(dir, "copy")
	c := live.NewCopier(path, slog.New(&log))
	c.Save(snapshot(contents(1), 1, "one"))
	c.Close()
	if got := log.editions("the disk copy was not written; the old one stays"); len(got) != 1 {
		t.Errorf("the failure was logged %d times, want once", len(got))
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	c.Save(snapshot(contents(1), 2, "two"))
	c.Close()
	wantCopy(t, path, 2)
}

// Without another edition a copy that failed is tried again every minute, until it works
// or the node ends.
func TestCopierTriesAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log logbook
		dir := filepath.Join(t.TempDir(), "later")
		path := filepath.Join(dir, "copy")
		c := live.NewCopier(path, slog.New(&log))
		failures := func() int { return len(log.editions("the disk copy was not written; the old one stays")) }
		c.Save(snapshot(contents(1), 1, "one"))
		c.Save(snapshot(contents(1), 2, "two"))
		time.Sleep(2*live.RetryEvery + live.RetryEvery/2)
		synctest.Wait()
		tried := failures()
		if tried < 3 || tried > 4 || c.Edition() != 0 { // the first edition may have been overtaken
			t.Errorf("after two minutes and a half %d failures are logged, the copy is said to hold edition %d", tried, c.Edition())
		}
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		time.Sleep(live.RetryEvery)
		synctest.Wait()
		wantCopy(t, path, 2)
		if c.Edition() != 2 {
			t.Errorf("the copy is said to hold edition %d", c.Edition())
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * live.RetryEvery)
		c.Save(snapshot(contents(1), 3, "three"))
		c.Close() // ends the retries
		time.Sleep(2 * live.RetryEvery)
		if got := failures(); got != tried+1 {
			t.Errorf("%d failures are logged, want %d", got, tried+1)
		}
	})
}

// A rename that fails leaves no half-made file behind.
func TestFailedCopyLeavesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "copy")
	if err := os.MkdirAll(filepath.Join(path, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := says(live.WriteCopy(path, snapshot(contents(1), 1, "one")), "writing the disk copy", path); err != nil {
		t.Error(err)
	}
	wantFiles(t, path)
}

func wantCopy(tb testing.TB, path string, number int64) {
	tb.Helper()
	s, err := live.ReadCopy(path)
	if err != nil {
		tb.Fatal(err)
	}
	if got := s.Edition().Number; got != number {
		tb.Errorf("the copy holds edition %d, want %d", got, number)
	}
}
