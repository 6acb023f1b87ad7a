package web

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"
)

const (
	logFlushEvery = 250 * time.Millisecond
	logFlushSize  = 64 << 10
)

// A LogBuffer gathers log lines and writes them out every 250 ms, or as soon as
// there are 64 KiB of them. A system call for each line would cost the read path
// a fifth of its rate. A process that crashes loses the access lines of at most
// the last 250 ms; Immediate is for the lines that must not be lost.
type LogBuffer struct {
	// writing is held while out is written, so that lines keep their order;
	// gathering only to touch the fields after it. A slow disk therefore does
	// not hold up a Write until the buffer is full. Taken in this order.
	writing sync.Mutex
	out     io.Writer
	spare   []byte

	gathering sync.Mutex
	lines     []byte
	failed    error // the first failure of out
	closed    bool

	stop chan struct{}
	done chan struct{}
}

// NewLogBuffer starts a buffer in front of out. Close it to flush it and to end
// its goroutine.
func NewLogBuffer(out io.Writer) *LogBuffer {
	b := &LogBuffer{
		out:   out,
		spare: make([]byte, 0, logFlushSize),
		lines: make([]byte, 0, logFlushSize),
		stop:  make(chan struct{}),
		done:  make(chan struct{}),
	}
	go b.flushRegularly()
	return b
}

func (b *LogBuffer) flushRegularly() {
	defer close(b.done)
	tick := time.NewTicker(logFlushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = b.Flush() // kept for Close
		case <-b.stop:
			return
		}
	}
}

// Write keeps p, which should be whole lines, for the next flush. It never fails
// but when it is the one to flush, or after Close.
func (b *LogBuffer) Write(p []byte) (int, error) {
	b.gathering.Lock()
	b.lines = append(b.lines, p...)
	flush := len(b.lines) >= logFlushSize || b.closed
	b.gathering.Unlock()
	if flush {
		if err := b.Flush(); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Flush writes out what was gathered. Lines that out refuses are lost: keeping
// them would fill the memory while the disk is full.
func (b *LogBuffer) Flush() error { return b.flush(nil) }

// flush writes out what was gathered and then last.
func (b *LogBuffer) flush(last []byte) error {
	b.writing.Lock()
	defer b.writing.Unlock()

	b.gathering.Lock()
	b.lines = append(b.lines, last...)
	lines := b.lines
	b.lines, b.spare = b.spare[:0], nil
	b.gathering.Unlock()

	var err error
	if len(lines) > 0 {
		_, err = b.out.Write(lines)
	}
	if cap(lines) > 4*logFlushSize { // one huge line must not be held for ever
		lines = make([]byte, 0, logFlushSize)
	}
	b.spare = lines
	if err != nil {
		b.gathering.Lock()
		if b.failed == nil {
			b.failed = err
		}
		b.gathering.Unlock()
	}
	return err
}

// Immediate is a writer on the same output that waits for nothing: each Write
// takes the gathered lines with it, ahead of its own, and returns when the output
// has them all. Errors and warnings go this way: they are rare, they are what one
// reads after a crash, and the lines before them say what led to it.
func (b *LogBuffer) Immediate() io.Writer { return immediate{b} }

type immediate struct{ buffer *LogBuffer }

func (i immediate) Write(p []byte) (int, error) {
	if err := i.buffer.flush(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close flushes and ends the buffer; it does not close the output. Later writes
// go straight through. It returns the first failure of the output, if any.
func (b *LogBuffer) Close() error {
	b.gathering.Lock()
	already := b.closed
	b.closed = true
	b.gathering.Unlock()
	if !already {
		close(b.stop)
	}
	<-b.done
	_ = b.Flush()

	b.gathering.Lock()
	defer b.gathering.Unlock()
	return b.failed
}

// NewLogHandler makes a handler, in JSON or as text, that buffers records below
// slog.LevelWarn and writes the others at once.
func NewLogHandler(buffer *LogBuffer, asJSON bool, options *slog.HandlerOptions) slog.Handler {
	if !asJSON {
		return logHandler{calm: slog.NewTextHandler(buffer, options), urgent: slog.NewTextHandler(buffer.Immediate(), options)}
	}
	return logHandler{calm: slog.NewJSONHandler(buffer, options), urgent: slog.NewJSONHandler(buffer.Immediate(), options), lines: buffer}
}

type logHandler struct {
	calm, urgent slog.Handler
	lines        io.Writer // where a line in JSON may be written as it is; nil when it may not
}

func (h logHandler) at(level slog.Level) slog.Handler {
	if level >= slog.LevelWarn {
		return h.urgent
	}
	return h.calm
}

// Enabled implements slog.Handler.
func (h logHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.at(level).Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h logHandler) Handle(ctx context.Context, record slog.Record) error {
	return h.at(record.Level).Handle(ctx, record)
}

// WithAttrs implements slog.Handler.
func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{calm: h.calm.WithAttrs(attrs), urgent: h.urgent.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h logHandler) WithGroup(name string) slog.Handler {
	return logHandler{calm: h.calm.WithGroup(name), urgent: h.urgent.WithGroup(name)}
}
