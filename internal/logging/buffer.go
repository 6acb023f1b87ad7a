package logging

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

const (
	flushEvery = 250 * time.Millisecond
	flushSize  = 64 << 10

	// While the output takes what it is given, up to maxGathered bytes of lines are gathered: a
	// reader that pauses for a moment loses nothing. Once it has taken nothing for stalledAfter,
	// what is gathered stays and the rest is dropped. Warnings and errors have a reserve of their
	// own.
	maxGathered    = 4 << 20
	stalledAfter   = 250 * time.Millisecond
	urgentReserve  = 64 << 10
	maxSpare       = 2 * maxGathered // of memory that is kept for the next burst
	closeTimeout   = time.Second
	droppedMessage = "log lines were dropped: the log was not read, or could not be written"
)

// errUnread is what Close says when the end of the log was not written.
var errUnread = errors.New("the end of the log was not written: nobody reads it")

// A Buffer gathers log lines and writes them out every 250 ms, or as soon as there are 64 KiB of
// them. A system call for each line would cost the read path a fifth of its rate.
//
// Nobody who writes to a Buffer waits for its output, which may be a pipe that nobody reads. Lines
// that find no room are dropped and counted, and the log says how many are missing before the next
// line. A process that crashes loses the lines of at most the last 250 ms; those of Immediate are
// written as soon as the output takes them.
type Buffer struct {
	out      io.Writer // only the goroutine of run writes to it, until ended
	started  time.Time
	wake     chan struct{} // lines are to be written now
	stop     chan struct{}
	done     chan struct{}
	dropped  atomic.Uint64
	progress atomic.Int64 // when out last took lines, since started; 0 while it is given none

	mu         sync.Mutex
	lines      []byte
	spare      []byte
	unreported uint64                           // dropped lines that the log does not mention yet
	notice     func(lines, total uint64) []byte // makes the line that does; nil makes none
	failure    error                            // the first of out
	closed     bool
	ended      bool // run is over: writes go straight through
}

// NewBuffer starts a buffer in front of out. Close it to write what is left and to end its
// goroutine.
func NewBuffer(out io.Writer) *Buffer {
	b := &Buffer{
		out:     out,
		started: time.Now(),
		wake:    make(chan struct{}, 1),
		stop:    make(chan struct{}),
		done:    make(chan struct{}),
		lines:   make([]byte, 0, flushSize),
		spare:   make([]byte, 0, flushSize),
	}
	go b.run()
	return b
}

// Dropped is how many lines were lost so far.
func (b *Buffer) Dropped() uint64 { return b.dropped.Load() }

// Write keeps p, which must be one whole line, for the next flush. It never waits and never fails:
// there would be nobody to tell.
func (b *Buffer) Write(p []byte) (int, error) {
	b.add(p, false)
	return len(p), nil
}

// Immediate is a writer on the same output whose lines are written, after those gathered before
// them, as soon as the output takes them. Warnings and errors go this way: they are rare, and they
// are what one reads after a crash.
func (b *Buffer) Immediate() io.Writer { return immediate{b} }

type immediate struct{ buffer *Buffer }

func (i immediate) Write(p []byte) (int, error) {
	i.buffer.add(p, true)
	return len(p), nil
}

func (b *Buffer) add(p []byte, urgent bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		_, _ = b.write(p) // the process is about to end
		return
	}
	had := len(b.lines)
	if had >= flushSize && had >= b.room(urgent) {
		b.unreported++
		b.dropped.Add(1)
		return
	}
	b.addNotice()
	b.lines = append(b.lines, p...)
	if urgent || had < flushSize && len(b.lines) >= flushSize {
		select {
		case b.wake <- struct{}{}:
		default: // it is awake
		}
	}
}

// room is how many bytes may be gathered.
func (b *Buffer) room(urgent bool) int {
	room := maxGathered
	if since := b.progress.Load(); since != 0 && time.Since(b.started)-time.Duration(since) >= stalledAfter {
		room = flushSize
	}
	if urgent {
		room += urgentReserve
	}
	return room
}

// addNotice adds the line that says how many lines are missing before the next one.
func (b *Buffer) addNotice() {
	if b.unreported > 0 && b.notice != nil {
		b.lines = append(b.lines, b.notice(b.unreported, b.dropped.Load())...)
	}
	b.unreported = 0
}

// setNotice sets what makes that line.
func (b *Buffer) setNotice(notice func(lines, total uint64) []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notice = notice
}

func (b *Buffer) run() {
	defer close(b.done)
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for ended := false; !ended; {
		select {
		case <-tick.C:
		case <-b.wake:
		case <-b.stop:
		}
		ended = b.flush()
	}
}

// flush writes out what was gathered. Lines that out refuses are lost: keeping them would fill the
// memory while the disk is full. It reports whether the buffer is closed and nothing is left.
func (b *Buffer) flush() (ended bool) {
	b.mu.Lock()
	b.addNotice()
	lines := b.lines
	b.lines, b.spare = b.spare[:0], nil
	b.mu.Unlock()

	lost, err := b.write(lines)
	if cap(lines) > maxSpare {
		lines = make([]byte, 0, flushSize)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spare = lines
	b.unreported += lost
	if b.failure == nil {
		b.failure = err
	}
	b.ended = b.closed && (len(b.lines) == 0 || err != nil)
	return b.ended
}

// write gives lines to out, a part at a time, so that progress shows whether it takes them. It
// returns how many were lost.
func (b *Buffer) write(lines []byte) (lost uint64, err error) {
	defer b.progress.Store(0)
	for len(lines) > 0 {
		part := lines
		if len(part) > flushSize {
			part = part[:flushSize]
			if end := bytes.LastIndexByte(part, '\n'); end >= 0 {
				part = part[:end+1]
			}
		}
		b.progress.Store(max(1, int64(time.Since(b.started))))
		n, err := b.out.Write(part)
		if err != nil {
			lost = uint64(bytes.Count(lines[n:], []byte{'\n'})) //nolint:gosec // not negative
			b.dropped.Add(lost)
			return lost, err
		}
		lines = lines[len(part):]
	}
	return 0, nil
}

// Close writes what is left and ends the buffer, but waits no longer than a second for that; it
// does not close the output. It returns the first failure of the output.
func (b *Buffer) Close() error {
	b.mu.Lock()
	if !b.closed {
		b.closed = true
		close(b.stop)
	}
	b.mu.Unlock()
	timeout := time.NewTimer(closeTimeout)
	defer timeout.Stop()
	select {
	case <-b.done:
	case <-timeout.C:
		return errUnread
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failure
}
