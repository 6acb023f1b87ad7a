package node

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/palmares-hq/palmares/internal/availability"
	"github.com/palmares-hq/palmares/internal/site/about"
	"github.com/palmares-hq/palmares/internal/webhookjobs"
)

// statusPool is that of the page about the status, which asks one question at a time.
var statusPool = pool{"palmares status", 1, requestPatience}

// status is what the page about the status says of this node.
func (b *builder) status(ctx context.Context) (about.StatusSources, error) {
	db, err := b.database(ctx, statusPool)
	if err != nil {
		return about.StatusSources{}, err
	}
	var unknown atomic.Bool // that it is has been logged
	return about.StatusSources{API: b.latency, WebhookLag: func(ctx context.Context) (time.Duration, error) {
		lag, err := webhookjobs.Lag(ctx, db.Webhooks, time.Now())
		switch was := unknown.Swap(err != nil); {
		case err != nil && !was:
			b.logger.Warn("the page about the status says that the lag of webhooks is unknown", "error", err)
		case err == nil && was:
			b.logger.Info("the page about the status knows the lag of webhooks again")
		}
		return lag, err
	}, Availability: func(ctx context.Context) (availability.Summary, error) {
		now := time.Now()
		first, hours, err := db.Answers.Hours(ctx, now.Add(-availability.Over-time.Hour))
		if err != nil {
			return availability.Summary{}, err
		}
		return availability.Summarize(first, hours, now), nil
	}}, nil
}
