package logging

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Lines are written after 250 ms, or as soon as there are 64 KiB of them.
func TestBuffer_Gathers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := &testkit.Log{}
		b := NewBuffer(out)
		defer b.Close()
		written := ""
		expect := func(what, more string) {
			t.Helper()
			synctest.Wait()
			if written += more; out.String() != written {
				t.Errorf("%s: %d bytes are written, want %d", what, len(out.String()), len(written))
			}
		}
		_, _ = io.WriteString(b, "one\n")
		time.Sleep(flushEvery - time.Millisecond)
		expect("before 250 ms", "")
		time.Sleep(2 * time.Millisecond)
		expect("after 250 ms", "one\n")

		line := strings.Repeat("x", 1023) + "\n"
		for range 63 {
			_, _ = io.WriteString(b, line)
		}
		expect("below 64 KiB", "")
		_, _ = io.WriteString(b, line)
		expect("at 64 KiB", strings.Repeat(line, 64))
		huge := strings.Repeat("y", 10*flushSize)
		_, _ = io.WriteString(b, huge)
		expect("a huge line", huge)
	})
}

func TestBuffer_Close(t *testing.T) {
	t.Parallel()
	out := &testkit.Log{}
	b := NewBuffer(out)
	_, _ = io.WriteString(b, "one\n")
	for range 2 {
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	_, _ = io.WriteString(b, "two\n")
	if out.String() != "one\ntwo\n" {
		t.Errorf("the output has %q", out)
	}
}

func TestBuffer_Concurrent(t *testing.T) {
	t.Parallel()
	const writers, each = 16, 2000
	out := &testkit.Log{}
	b := NewBuffer(out)
	var running sync.WaitGroup
	for w := range writers {
		running.Go(func() {
			for i := range each {
				to := io.Writer(b)
				if i%100 == 99 {
					to = b.Immediate()
				}
				if _, err := fmt.Fprintf(to, "%d %d end\n", w, i); err != nil {
					t.Errorf("write: %v", err)
				}
			}
		})
	}
	running.Wait()
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	next := make([]int, writers)
	for text := range strings.Lines(out.String()) {
		var w, i int
		if _, err := fmt.Sscanf(text, "%d %d end\n", &w, &i); err != nil {
			t.Fatalf("torn line %q", text)
		}
		if next[w] != i {
			t.Fatalf("writer %d: line %d where %d was due", w, i, next[w])
		}
		next[w]++
	}
	for w, n := range next {
		if n != each {
			t.Errorf("writer %d: %d lines of %d", w, n, each)
		}
	}
}

// A gate is an output that takes nothing while it is shut, and may be broken.
type gate struct {
	testkit.Log
	open   chan struct{} // nil is open
	broken atomic.Bool
}

func (g *gate) Write(p []byte) (int, error) {
	if g.open != nil {
		<-g.open
	}
	if g.broken.Load() {
		return 0, errors.New("no space left")
	}
	return g.Log.Write(p)
}

// Lines that the output refuses are lost, counted, and told of once it takes lines again.
func TestBuffer_Failure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := &gate{}
		b := NewBuffer(out)
		log := slog.New(NewHandler(b, false, nil))
		out.broken.Store(true)
		log.Info("one")
		log.Warn("two")
		synctest.Wait()
		if got := b.Dropped(); got != 2 {
			t.Errorf("%d lines are counted as lost, want 2", got)
		}
		out.broken.Store(false)
		log.Warn("three")
		if err := b.Close(); err == nil || err.Error() != "no space left" {
			t.Errorf("Close returns %v", err)
		}
		if got := out.String(); !strings.Contains(got, "lines=2 total=2\n") || !strings.HasSuffix(got, "msg=three\n") {
			t.Errorf("the log lacks how many lines are missing: %s", got)
		}

		out.broken.Store(true) // to the end, which does not keep Close from returning
		b = NewBuffer(out)
		slog.New(NewHandler(b, true, nil)).Warn("lost")
		began := time.Now()
		if err := b.Close(); err == nil || time.Since(began) > 0 {
			t.Errorf("Close returns %v after %v", err, time.Since(began))
		}
	})
}

// Writers go on while the output stands still. What was gathered until then is kept,
// warnings a little longer, and the log says what it lacks where it lacks it.
func TestBuffer_StalledOutput(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := &gate{open: make(chan struct{})}
		b := NewBuffer(out)
		log := slog.New(NewHandler(b, false, nil))
		padding := strings.Repeat("x", 1024)
		log.Warn("begin") // the one in the hands of the output
		synctest.Wait()
		const kept = 100 // more than a flush, less than the reader's pause may cost
		for i := range kept {
			log.Info("kept", "i", i, "padding", padding)
		}
		if got := b.Dropped(); got != 0 {
			t.Errorf("%d lines are dropped while the output may be just slow", got)
		}
		time.Sleep(stalledAfter + time.Millisecond)
		for range 5000 {
			log.Info("dropped", "padding", padding)
		}
		log.Error("urgent")
		for range 200 {
			log.Error("too many", "padding", padding)
		}
		dropped := b.Dropped()
		if dropped < 5000 || dropped >= 5200 {
			t.Errorf("%d lines are dropped, want all calm ones and the urgent ones beyond the reserve", dropped)
		}
		if size := cap(b.lines); size > flushSize+urgentReserve+1<<20 {
			t.Errorf("%d bytes are held", size)
		}
		close(out.open)
		synctest.Wait()
		log.Info("after")
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		got := out.String()
		if n := strings.Count(got, "msg=kept"); n != kept {
			t.Errorf("%d of %d lines were kept", n, kept)
		}
		order := regexp.MustCompile(`(?s)msg=begin.*msg=kept.*were dropped[^\n]*lines=5000 total=5000\n[^\n]*msg=urgent\n.*` +
			`were dropped[^\n]*total=` + strconv.FormatUint(dropped, 10) + `\n[^\n]*msg=after\n$`)
		if !order.MatchString(got) || strings.Contains(got, "msg=dropped") {
			t.Errorf("the log is not in order:\n%s", regexp.MustCompile(`padding=x*`).ReplaceAllString(got, ""))
		}
	})
}

// The memory is bounded however fast the lines come.
func TestBuffer_Bound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := &gate{open: make(chan struct{})}
		b := NewBuffer(out)
		line := strings.Repeat("x", 1023) + "\n"
		for range 3 * maxGathered / len(line) {
			_, _ = io.WriteString(b, line)
		}
		if size := len(b.lines); size > maxGathered+len(line) || b.Dropped() == 0 {
			t.Errorf("%d bytes are gathered, %d lines dropped", size, b.Dropped())
		}
		close(out.open)
		_ = b.Close()
		if want := 3*maxGathered/len(line) - int(b.Dropped()); strings.Count(out.String(), "\n") != want {
			t.Errorf("%d lines are written, want %d", strings.Count(out.String(), "\n"), want)
		}
	})
}

// The end of the process does not wait for the log either.
func TestBuffer_CloseDoesNotWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := &gate{open: make(chan struct{})}
		b := NewBuffer(out)
		_, _ = io.WriteString(b, "one\n")
		began := time.Now()
		if err := b.Close(); !errors.Is(err, errUnread) || time.Since(began) != closeTimeout {
			t.Errorf("Close returns %v after %v", err, time.Since(began))
		}
		_, _ = io.WriteString(b, "two\n") // nobody waits now either
		close(out.open)
		synctest.Wait()
		if got := out.String(); got != "one\ntwo\n" {
			t.Errorf("the output has %q", got)
		}
	})
}

func TestHandler(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := &testkit.Log{}
		b := NewBuffer(out)
		defer b.Close()
		log := slog.New(NewHandler(b, true, nil)).With("a", 1).WithGroup("g")
		log.Debug("below the level")
		log.Info("calm", "b", 2)
		if out.String() != "" {
			t.Errorf("an info line does not wait: %q", out)
		}
		log.Warn("urgent", "b", 3)
		synctest.Wait()
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != 2 || !strings.Contains(lines[0], `"msg":"calm","a":1,"g":{"b":2}`) ||
			!strings.Contains(lines[1], `"msg":"urgent","a":1,"g":{"b":3}`) {
			t.Errorf("a warning must take earlier lines along and come last: %q", lines)
		}
	})
}
