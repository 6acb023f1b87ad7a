package node

import (
	"context"
	"errors"
	"time"

	"github.com/palmares-hq/palmares/internal/webhook"
	"github.com/palmares-hq/palmares/internal/webhookjobs"
)

// addWebhooks adds the jobs that deliver webhooks and send mail about them.
func (b *builder) addWebhooks(ctx context.Context) error {
	mails, err := b.mails(ctx)
	if err != nil {
		return err
	}
	accounts, err := b.accounts(ctx, b.workerPool())
	if err != nil {
		return err
	}
	db := mails.DB
	b.jobs = append(b.jobs, webhookjobs.Group(webhook.NewWorker(webhook.WorkerOptions{
		Store: db.Webhooks, Sender: b.secrets.Sender, Keyring: b.secrets.Webhooks, Logger: b.logger,
		EventsKeep: time.Duration(b.cfg.EventsKeep), Attempted: webhookjobs.CountAttempts(b.registry),
	})), mails.Webhooks(accounts.Service))
	b.background(webhookjobs.Watch(b.registry, db.Webhooks, b.watchEvery))
	return nil
}

// checkSecret logs when this node does not have the secret of the database, as soon as that
// answers. It is for nodes without the role worker, which does more about it.
func (b *builder) checkSecret(ctx context.Context) error {
	db, err := b.database(ctx, b.workerPool())
	if err != nil {
		return err
	}
	b.background(func(ctx context.Context) {
		for {
			err := webhook.CheckSecret(ctx, db.Webhooks, b.secrets.Webhooks, time.Now())
			if errors.Is(err, webhook.ErrWrongSecret) {
				b.logger.Error("this node has another secret", "error", err)
				return
			}
			if err == nil {
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(5 * time.Second):
			}
		}
	})
	return nil
}
