// Package logging writes the log without making the program wait for it, and keeps API keys, complete
// client addresses, and line breaks that would forge a line out of it.
//
// A Buffer collects lines for an output that may be slow, and a Handler formats records into it. Clean
// makes a value safe for the log, and Capture redirects what libraries print by themselves. Nothing here
// waits for the output: lines are dropped and counted instead.
package logging

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"time"
)

// NewHandler returns a handler that writes JSON or text to buffer. Warnings and errors are written as soon
// as the output accepts them, other records are gathered.
func NewHandler(buffer *Buffer, asJSON bool, options *slog.HandlerOptions) *Handler {
	on := func(w io.Writer) slog.Handler {
		if asJSON {
			return slog.NewJSONHandler(w, options)
		}
		return slog.NewTextHandler(w, options)
	}
	buffer.setNotice(func(lines, total uint64) []byte {
		var text bytes.Buffer
		record := slog.NewRecord(time.Now(), slog.LevelWarn, droppedMessage, 0)
		record.AddAttrs(slog.Uint64("lines", lines), slog.Uint64("total", total))
		_ = on(&text).Handle(context.Background(), record) // a bytes.Buffer does not fail
		return text.Bytes()
	})
	h := &Handler{calm: on(buffer), urgent: on(buffer.Immediate())}
	if asJSON {
		h.lines = buffer
	}
	return h
}

// A Handler is a slog.Handler that writes to a Buffer.
type Handler struct {
	calm, urgent slog.Handler
	lines        io.Writer
}

// Lines returns the writer for complete lines of JSON, which is cheaper than a record; nil if the
// log is text.
func (h *Handler) Lines() io.Writer { return h.lines }

func (h *Handler) at(level slog.Level) slog.Handler {
	if level >= slog.LevelWarn {
		return h.urgent
	}
	return h.calm
}

// Enabled implements slog.Handler.
func (h *Handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.at(level).Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h *Handler) Handle(ctx context.Context, record slog.Record) error {
	return h.at(record.Level).Handle(ctx, record)
}

// WithAttrs implements slog.Handler.
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &Handler{calm: h.calm.WithAttrs(attrs), urgent: h.urgent.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h *Handler) WithGroup(name string) slog.Handler {
	return &Handler{calm: h.calm.WithGroup(name), urgent: h.urgent.WithGroup(name)}
}
