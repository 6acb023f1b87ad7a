package webhook

import "context"

// Deliver is the work of a Deliver job, without River.
func (w *Worker) Deliver(ctx context.Context, job Deliver) error { return w.deliver(ctx, job) }
