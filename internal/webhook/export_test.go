package webhook

import "context"

// Enqueue is the work of a FanOut job, without River.
func (w *Worker) Enqueue(ctx context.Context) error { return w.enqueue(ctx) }

// Deliver is the work of a Deliver job, without River.
func (w *Worker) Deliver(ctx context.Context, job Deliver) error { return w.deliver(ctx, job) }
