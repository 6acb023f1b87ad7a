package node

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/site"
)

// statusPool is that of the page about the status, which asks one question at a time.
var statusPool = pool{"palmares status", 1, requestPatience}

// status is what the page about the status says of this node.
func (b *builder) status(ctx context.Context) (site.Status, error) {
	db, err := b.database(ctx, statusPool)
	if err != nil {
		return site.Status{}, err
	}
	var unknown atomic.Bool // that it is has been logged
	return site.Status{API: b.latency, WebhookLag: func(ctx context.Context) (time.Duration, error) {
		lag, err := webhookLag(ctx, db.Webhooks, time.Now())
		switch was := unknown.Swap(err != nil); {
		case err != nil && !was:
			b.logger.Warn("the page about the status says that the lag of webhooks is unknown", "error", err)
		case err == nil && was:
			b.logger.Info("the page about the status knows the lag of webhooks again")
		}
		return lag, err
	}}, nil
}

// webhookLag is how long what should have been sent has been waiting: a delivery that is due, or an
// event that no delivery was made of yet. An endpoint that is saturated holds up itself alone. It costs
// the same however much waits: it must be known when webhooks are behind.
func webhookLag(ctx context.Context, db *postgres.Webhooks, now time.Time) (time.Duration, error) {
	due, noDue := db.Overdue(ctx, now)
	behind, noLag := db.Lag(ctx)
	if err := errors.Join(noDue, noLag); err != nil {
		return 0, err
	}
	var lag time.Duration
	for _, since := range []time.Time{due, behind.Since} {
		if !since.IsZero() {
			lag = max(lag, now.Sub(since))
		}
	}
	return lag, nil
}
