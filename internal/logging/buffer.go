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

	// While the output accepts lines, up to maxGathered bytes are gathered, so that nothing is lost when
	// its reader pauses for a moment. Once it has accepted nothing for stalledAfter, gathered lines are
	// kept, but new ones are dropped beyond flushSize. Warnings and errors have urgentReserve in addition.
	maxGathered    = 4 << 20
	stalledAfter   = 250 * time.Millisecond
	urgentReserve  = 64 << 10
	maxSpare       = 2 * maxGathered // the most memory to keep for the next burst
	closeTimeout   = time.Second
	droppedMessage = "log lines were dropped: the log was not read, or could not be written"
)

// errUnread is the error of Close if the end of the log was not written.
var errUnread = errors.New("the end of the log was not written: nobody reads it")

// A Buffer gathers log lines and writes them out every 250 ms, or as soon as there are 64 KiB. A
// system call for each line would cost a fifth of the rate at which requests are served.
//
// Writers never wait for the output, which may be a pipe that nobody reads. Lines for which there is no
// room are dropped and counted, and the log says how many are missing before the next line. A process
// that crashes loses at most the lines of the last 250 ms; lines written to Immediate are written out as
// soon as the output accepts them. A Buffer is safe for concurrent use.
type Buffer struct {
	out      io.Writer // only the goroutine of run writes to it, until ended
	started  time.Time
	wake     chan struct{} // tells run to flush now
	stop     chan struct{}
	done     chan struct{}
	dropped  atomic.Uint64
	progress atomic.Int64 // when the current write to out began, since started; 0 while there is none

	mu         sync.Mutex
	lines      []byte
	spare      []byte
	unreported uint64                           // dropped lines that the log has not mentioned yet
	notice     func(lines, total uint64) []byte // formats the line that mentions them; nil for no line
	failure    error                            // the first error of out
	closed     bool
	ended      bool // run has ended: lines are written to out directly
}

// NewBuffer returns a buffer that writes to out in a goroutine of its own. Close writes the remaining lines
// and ends the goroutine.
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

// Write adds p, which must be one complete line, to the next flush. It never waits, and returns no error,
// because there is nowhere to report one.
func (b *Buffer) Write(p []byte) (int, error) {
	b.add(p, false)
	return len(p), nil
}

// Immediate returns a writer to the same output whose lines are written as soon as the output accepts
// them, after the lines gathered before them. It is for warnings and errors, which are rare, and needed
// after a crash.
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
		default: // run has been told already
		}
	}
}

// room returns how many bytes may be gathered before lines are dropped.
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

// addNotice adds a line that says how many lines were dropped, if any were.
func (b *Buffer) addNotice() {
	if b.unreported > 0 && b.notice != nil {
		b.lines = append(b.lines, b.notice(b.unreported, b.dropped.Load())...)
	}
	b.unreported = 0
}

// setNotice sets the function that formats the line about dropped lines.
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

// flush writes out the gathered lines. Lines that out does not accept are lost: keeping them would use up
// the memory while the disk is full. It reports whether the buffer is closed and nothing is left to write.
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

// write writes lines to out in parts, so that progress shows whether out accepts them. It returns how many
// lines were lost.
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
