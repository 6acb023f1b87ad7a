package webhook

import (
	"context"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Deliver is the work of a Deliver job, without River.
func (w *Worker) Deliver(ctx context.Context, job Deliver) error { return w.deliver(ctx, job) }

// SampleContents is the catalog that samples are made of, or a later state of it.
func SampleContents(later bool) *catalog.Contents { return sampleContents(later, "2026-11-10") }
