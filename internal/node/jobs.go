package node

import (
	"context"
	"errors"
	"time"

	"github.com/palmares-hq/palmares/internal/mail"
	"github.com/palmares-hq/palmares/internal/report"
	"github.com/palmares-hq/palmares/internal/webhook"
	"github.com/palmares-hq/palmares/internal/workers"
)

// mails returns the jobs that send mail, made on the first call.
func (b *builder) mails(ctx context.Context) (*workers.Mails, error) {
	if b.mailJobs != nil {
		return b.mailJobs, nil
	}
	db, err := b.database(ctx, b.workerPool())
	if err != nil {
		return nil, err
	}
	o := workers.Options{
		DB: db, BaseURL: b.cfg.Base(), Contact: b.cfg.Contact, Logger: b.logger, Registry: b.registry, Background: b.background, WatchEvery: b.watchEvery,
	}
	if b.cfg.SMTPURL == "" {
		b.logger.Warn("no mail is sent: nobody can sign in, and owners are not told when an endpoint " +
			"is disabled; set PALMARES_SMTP_URL and PALMARES_MAIL_FROM")
	} else if o.Mailer, err = mail.NewSender(mail.Options{URL: b.cfg.SMTPURL.Reveal(), From: b.cfg.MailFrom}); err != nil {
		return nil, err
	}
	b.mailJobs = workers.New(o)
	return b.mailJobs, nil
}

// addMails adds the jobs that send mail about sign-ins, settings and quotas, and delete old data of accounts.
func (b *builder) addMails(ctx context.Context) error {
	mails, err := b.mails(ctx)
	if err != nil {
		return err
	}
	accounts, err := b.accounts(ctx, b.workerPool())
	if err != nil {
		return err
	}
	b.jobs = append(b.jobs, mails.SignIns(accounts.SignIns), mails.Settings(accounts.Changes, accounts.DeletionNotices))
	b.jobs = append(b.jobs, mails.Reports(report.NewService(report.Options{Store: mails.DB.Reports})))
	if mails.Mailer != nil && b.cfg.Base() != "" {
		b.jobs = append(b.jobs, mails.Digests(accounts.Digests, b.requireDatabaseSecret(mails.DB.Webhooks), workers.NewDigestPace()))
	}
	switch {
	case b.tellsUsage():
		b.jobs = append(b.jobs, mails.Usage(accounts.Notices, b.requireDatabaseSecret(mails.DB.Webhooks)))
	case mails.Mailer != nil:
		b.logger.Warn("owners are not told by mail that they are near their limit; " +
			"set PALMARES_REDIS_URL and PALMARES_BASE_URL")
	}
	return nil
}

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
	b.jobs = append(b.jobs, workers.Deliveries(webhook.NewWorker(webhook.WorkerOptions{
		Store: db.Webhooks, Sender: b.secrets.Sender, Keyring: b.secrets.Webhooks, Logger: b.logger,
		EventsKeep: time.Duration(b.cfg.EventsKeep), Attempted: workers.CountAttempts(b.registry),
	})), mails.Webhooks(accounts.Service))
	b.background(workers.WatchDeliveries(b.registry, db.Webhooks, b.watchEvery))
	return nil
}

// checkSecret adds a task that logs an error if this node has another secret than the database, as soon as the database
// answers. It is for nodes without the role worker, which handles this itself.
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
