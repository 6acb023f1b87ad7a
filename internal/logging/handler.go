package logging

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"time"
)

// NewHandler makes a handler, in JSON or as text. It has records from slog.LevelWarn on written at
// once, and gathers the others.
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

// A Handler is a slog.Handler on a Buffer.
type Handler struct {
	calm, urgent slog.Handler
	lines        io.Writer
}

// Lines is where a line in JSON may be written as it is, which is cheaper than a record; nil where
// it may not.
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
