package web

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestLogBufferWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := &logRecorder{}
		b := NewLogBuffer(out)
		defer b.Close()
		_, _ = io.WriteString(b, "one\n")
		time.Sleep(logFlushEvery - time.Millisecond)
		synctest.Wait()
		if out.String() != "" {
			t.Errorf("written early: %q", out)
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		if out.String() != "one\n" {
			t.Errorf("after 250 ms the output has %q", out)
		}
	})
}

func TestLogBufferFull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := &logRecorder{}
		b := NewLogBuffer(out)
		defer b.Close()
		line := strings.Repeat("x", 1023) + "\n"
		for range 63 {
			_, _ = io.WriteString(b, line)
		}
		if out.String() != "" {
			t.Error("written below 64 KiB")
		}
		_, _ = io.WriteString(b, line)
		if got := len(out.String()); got != logFlushSize {
			t.Errorf("%d bytes written at 64 KiB", got)
		}
		huge := strings.Repeat("y", 10*logFlushSize)
		_, _ = io.WriteString(b, huge)
		if !strings.HasSuffix(out.String(), huge) {
			t.Error("a huge line is not written")
		}
	})
}

func TestLogBufferClose(t *testing.T) {
	t.Parallel()
	out := &logRecorder{}
	b := NewLogBuffer(out)
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

func TestLogBufferConcurrent(t *testing.T) {
	t.Parallel()
	const writers, each = 16, 2000
	out := &logRecorder{}
	b := NewLogBuffer(out)
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

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestLogBufferFailure(t *testing.T) {
	t.Parallel()
	b := NewLogBuffer(fullDisk{})
	if _, err := io.WriteString(b, "calm\n"); err != nil {
		t.Errorf("a buffered line fails: %v", err)
	}
	if _, err := io.WriteString(b.Immediate(), "urgent\n"); err == nil {
		t.Error("an immediate line does not fail")
	}
	if err := b.Close(); err == nil || err.Error() != "no space left" {
		t.Errorf("Close returns %v", err)
	}
}

func TestLogHandler(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := &logRecorder{}
		b := NewLogBuffer(out)
		defer b.Close()
		log := slog.New(NewLogHandler(b, true, nil)).With("a", 1).WithGroup("g")
		log.Debug("below the level")
		log.Info("calm", "b", 2)
		if out.String() != "" {
			t.Errorf("an info line does not wait: %q", out)
		}
		log.Warn("urgent", "b", 3)
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != 2 || !strings.Contains(lines[0], `"msg":"calm","a":1,"g":{"b":2}`) ||
			!strings.Contains(lines[1], `"msg":"urgent","a":1,"g":{"b":3}`) {
			t.Errorf("a warning must take earlier lines along and come last: %q", lines)
		}
	})
}
