package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/mail"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// worker is the role that delivers webhooks and sends mail.
func (s service) worker(context.Context) (r role, end func(), err error) {
	sender, box, err := newSender(s.cfg.Webhooks)
	if err != nil {
		return role{}, nil, err
	}
	o := webhook.WorkerOptions{Store: s.db, Sender: sender, Box: box, Logger: s.logger, EventsKeep: time.Duration(s.cfg.EventsKeep)}
	if s.cfg.SMTPURL == "" {
		s.logger.Warn("no mail is sent: owners are not told when an endpoint is disabled; set PALMARES_SMTP_URL and PALMARES_MAIL_FROM")
	} else {
		mailer, err := mail.NewSender(mail.Options{URL: s.cfg.SMTPURL.Reveal(), From: s.cfg.MailFrom})
		if err != nil {
			return role{}, nil, err
		}
		o.Tell = func(ctx context.Context, endpoint string) error { return tellDisabled(ctx, s.db, mailer, endpoint) }
	}
	o.Attempted = countAttempts(s.registry)
	worker := webhook.NewWorker(o)
	runner := webhook.NewRunner(worker, func(cfg *river.Config) (webhook.Jobs, error) { return s.db.Jobs(cfg) })
	r.ready = func() error {
		if err := runner.Running(); err != nil {
			return fmt.Errorf("jobs do not run: %w", err)
		}
		return nil
	}
	s.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "palmares_jobs_running", Help: "1 while this node delivers webhooks and sends mail, else 0.",
	}, func() float64 {
		if runner.Running() != nil {
			return 0
		}
		return 1
	}))
	backlog := newBacklog(s.registry)
	r.tasks = []func(context.Context){
		runner.Run,
		func(ctx context.Context) { backlog.watch(ctx, s.db) },
	}
	return r, sender.Close, nil
}

// newSender makes what sends to endpoints and what opens their secrets.
func newSender(cfg config.Webhooks) (*webhook.Sender, *webhook.Box, error) {
	networks, err := cfg.Networks()
	if err != nil {
		return nil, nil, err
	}
	box, err := newBox(cfg)
	if err != nil {
		return nil, nil, err
	}
	idle := shareDescriptors(descriptorLimit(), true).webhooks
	return webhook.NewSender(webhook.SenderOptions{Allow: networks, Agent: "Palmares-Webhooks/" + currentVersion(), Idle: idle}), box, nil
}

// newBox makes what seals and opens the secrets of endpoints.
func newBox(cfg config.Webhooks) (*webhook.Box, error) {
	if cfg.SecretPrevious == "" {
		return webhook.NewBox([]byte(cfg.Secret.Reveal()))
	}
	return webhook.NewBox([]byte(cfg.Secret.Reveal()), []byte(cfg.SecretPrevious.Reveal()))
}

// checkSecret looks once whether this node has the secret of the database, as soon as that
// answers, and says so when it has not. A worker does more about it.
func (s service) checkSecret(ctx context.Context) {
	box, err := newBox(s.cfg.Webhooks)
	if err != nil {
		s.logger.Error("PALMARES_SECRET cannot be checked", "error", err)
		return
	}
	for {
		err := webhook.CheckSecret(ctx, s.db, box, time.Now())
		if err == nil || errors.Is(err, webhook.ErrWrongSecret) {
			if err != nil {
				s.logger.Error("this node has another secret", "error", err)
			}
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(5 * time.Second):
		}
	}
}

// tellDisabled sends the owner of an endpoint word that it was disabled.
func tellDisabled(ctx context.Context, db *postgres.DB, mailer *mail.Sender, id string) error {
	e, err := db.Endpoint(ctx, account.Operator(), id)
	if errors.Is(err, webhook.ErrNoEndpoint) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return err
	}
	to, err := db.EndpointOwner(ctx, id)
	if err != nil || to == "" {
		return err
	}
	err = mailer.Send(ctx, mail.EndpointDisabled(to, e.ID, e.URL, e.Reason))
	if mail.Permanent(err) {
		return nil // trying again would change nothing
	}
	if err != nil {
		return fmt.Errorf("telling the owner of %s: %w", id, err)
	}
	return nil
}

// countAttempts makes the metrics of attempts.
func countAttempts(registry prometheus.Registerer) func(outcome string, took time.Duration) {
	attempts := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "palmares_webhook_attempts_total", Help: "Attempts to deliver, by what came of them: delivered, failed, timeout, gone.",
	}, []string{"outcome"})
	seconds := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "palmares_webhook_attempt_seconds", Help: "Time that receivers took to answer, or until we gave up.",
		Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 15},
	})
	registry.MustRegister(attempts, seconds)
	return func(outcome string, took time.Duration) {
		attempts.WithLabelValues(outcome).Inc()
		seconds.Observe(took.Seconds())
	}
}
