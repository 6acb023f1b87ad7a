package webhook

import (
	"context"
	"log/slog"
)

// Enqueue is the work of a FanOut job, without River.
func (w *Worker) Enqueue(ctx context.Context) error { return w.enqueue(ctx) }

// Deliver is the work of a Deliver job, without River.
func (w *Worker) Deliver(ctx context.Context, job Deliver) error { return w.deliver(ctx, job) }

// RiverLogger is the logger of a River client.
func RiverLogger(l *slog.Logger) *slog.Logger { return slog.New(riverLog{l.Handler(), &faults{}}) }

// Prune is what a worker does once an hour.
func (w *Worker) Prune(ctx context.Context) error { return w.prune(ctx) }
