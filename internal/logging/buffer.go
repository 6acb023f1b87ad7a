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

	// While the output accepts lines, up to maxGathered bytes are gathered: a reader that pauses for
	// a moment loses nothing. Once it has accepted nothing for stalledAfter, the gathered lines stay
	// and new ones are dropped. Warnings and errors have a reserve of their own.
	maxGathered    = 4 << 20
	stalledAfter   = 250 * time.Millisecond
	urgentReserve  = 64 << 10
	maxSpare       = 2 * maxGathered // of memory that is kept for the next burst
	closeTimeout   = time.Second
	droppedMessage = "log lines were dropped: the log was not read, or could not be written"
)

// errUnread is the error of Close if the end of the log was not written.
var errUnread = errors.New("the end of the log was not written: nobody reads it")

// A Buffer gathers log lines and writes them out every 250 ms, or as soon as there are 64 KiB. A
// system call for each line would cost the read path a fifth of its rate.
//
// Writers never wait for the output, which may be a pipe that nobody reads. Lines without room are
// dropped and counted, and the log says how many are missing before the next line. A process that
// crashes loses at most the lines of the last 250 ms; those of Immediate are written as soon as the
// output accepts them.
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
	unreported uint64                           // dropped lines that the log has not mentioned yet
	notice     func(lines, total uint64) []byte // formats the line that does; nil for none
	failure    error                            // the first of out
	closed     bool
	ended      bool // run is over: writes go straight through
}

// NewBuffer starts a buffer in front of out. Close writes what is left and ends its goroutine.
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

// Dropped returns how many lines were lost so far.
func (b *Buffer) Dropped() uint64 { return b.dropped.Load() }

// Write adds p, which must be one whole line, to the next flush. It never waits and never fails:
// nobody could be told.
func (b *Buffer) Write(p []byte) (int, error) {
	b.add(p, false)
	return len(p), nil
}

// Immediate returns a writer on the same output whose lines are written, after those gathered
// before them, as soon as the output accepts them. Warnings and errors use it: they are rare, and
// needed after a crash.
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

// room returns how many bytes may be gathered.
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

// addNotice adds the line that tells how many lines are missing.
func (b *Buffer) addNotice() {
	if b.unreported > 0 && b.notice != nil {
		b.lines = append(b.lines, b.notice(b.unreported, b.dropped.Load())...)
	}
	b.unreported = 0
}

// setNotice sets the function that formats that line.
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

// write writes lines to out, a part at a time, so that progress shows whether it accepts them. It
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

// Close writes the remaining lines and ends the buffer, but waits at most a second; it does not
// close the output. It returns the first failure of the output.
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
