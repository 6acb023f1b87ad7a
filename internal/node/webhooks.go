package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/jobs"
	"github.com/palmares-hq/palmares/internal/mail"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// addWebhooks adds the jobs that deliver webhooks and send mail about them.
func (b *builder) addWebhooks(ctx context.Context) error {
	db, err := b.database(ctx, b.workerPool())
	if err != nil {
		return err
	}
	sender, err := newSender(b.cfg.Webhooks, b.version)
	if err != nil {
		return err
	}
	b.atEnd(func() error { sender.Close(); return nil })
	keyring, err := newKeyring(b.cfg.Webhooks)
	if err != nil {
		return err
	}
	mailer, err := b.mailer()
	if err != nil {
		return err
	}
	w := webhook.NewWorker(webhook.WorkerOptions{
		Store: db.Webhooks, Sender: sender, Keyring: keyring, Logger: b.logger,
		EventsKeep: time.Duration(b.cfg.EventsKeep), Attempted: b.countAttempts(),
	})
	b.jobs = append(b.jobs, webhookJobs(w), jobs.Group{
		Name: "webhook mails",
		Add: func(cfg *river.Config) {
			river.AddWorker(cfg.Workers, river.WorkFunc(func(ctx context.Context, job *river.Job[webhook.NotifyDisabled]) error {
				if mailer == nil {
					return nil
				}
				return tellDisabled(ctx, db, mailer, b.letters(db), job.Args.Endpoint)
			}))
		},
		Remote: []string{webhook.NotifyDisabled{}.Kind()},
	})
	backlog := newBacklog(b.registry)
	b.background(func(ctx context.Context) { backlog.watch(ctx, db.Webhooks) })
	return nil
}

// mayDerive returns what says whether this node has the secret of the database: links that it makes with
// another work nowhere.
func (b *builder) mayDerive(db *postgres.DB) func(context.Context) error {
	return func(ctx context.Context) error {
		keyring, err := newKeyring(b.cfg.Webhooks)
		if err != nil {
			return err
		}
		err = webhook.CheckSecret(ctx, db.Webhooks, keyring, time.Now())
		if errors.Is(err, webhook.ErrWrongSecret) {
			return fmt.Errorf("%w: %w", account.ErrOtherSecret, err)
		}
		return err
	}
}

// webhookJobs are the jobs of deliveries. With another secret than the database's none may run.
func webhookJobs(w *webhook.Worker) jobs.Group {
	refuse := func(err error) error {
		if errors.Is(err, webhook.ErrWrongSecret) {
			return jobs.Refuse(err)
		}
		return err
	}
	return jobs.Group{
		Name:    "webhooks",
		Add:     w.AddJobs,
		Allowed: func(ctx context.Context) error { return refuse(w.CheckSecret(ctx)) },
		Sweep:   w.Sweep,
		Tidy:    func(ctx context.Context) error { return refuse(w.Tidy(ctx)) },
		PutOff:  w.PutOffJobs,
		Wait:    w.Wait,
	}
}

// mailer gives what sends mail; nil where no mail is sent.
func (b *builder) mailer() (*mail.Sender, error) {
	if b.cfg.SMTPURL == "" {
		if !b.noMail {
			b.logger.Warn("no mail is sent: nobody can sign in, and owners are not told when an endpoint " +
				"is disabled; set PALMARES_SMTP_URL and PALMARES_MAIL_FROM")
		}
		b.noMail = true
		return nil, nil
	}
	return mail.NewSender(mail.Options{URL: b.cfg.SMTPURL.Reveal(), From: b.cfg.MailFrom})
}

// letters begins mails of this service, in the name that the operator gave it in the catalog.
type letters func(ctx context.Context, to string, lang account.Language, id string) (mail.Letter, error)

func (b *builder) letters(db *postgres.DB) letters {
	return func(ctx context.Context, to string, lang account.Language, id string) (mail.Letter, error) {
		name, err := db.Catalog.ServiceName(ctx)
		if err != nil {
			return mail.Letter{}, err
		}
		return mail.Letter{
			Service: mail.Service{Name: name, BaseURL: b.cfg.Base()}, To: to, Language: string(lang), ID: id,
		}, nil
	}
}

// newSender makes what sends to the endpoints of webhooks.
func newSender(cfg config.Webhooks, version string) (*webhook.Sender, error) {
	networks, err := cfg.Networks()
	if err != nil {
		return nil, err
	}
	idle := shareDescriptors(descriptorLimit(), true).webhooks
	return webhook.NewSender(webhook.SenderOptions{Allow: networks, Agent: "Webhooks/" + version, Idle: idle}), nil
}

// newKeyring makes what seals and opens the secrets of endpoints.
func newKeyring(cfg config.Webhooks) (*webhook.Keyring, error) {
	if cfg.SecretPrevious == "" {
		return webhook.NewKeyring([]byte(cfg.Secret.Reveal()))
	}
	return webhook.NewKeyring([]byte(cfg.Secret.Reveal()), []byte(cfg.SecretPrevious.Reveal()))
}

// checkSecret logs when this node does not have the secret of the database, as soon as that
// answers. It is for nodes without the role worker, which does more about it.
func (b *builder) checkSecret(ctx context.Context) error {
	db, err := b.database(ctx, b.workerPool())
	if err != nil {
		return err
	}
	keyring, err := newKeyring(b.cfg.Webhooks)
	if err != nil {
		return err
	}
	b.background(func(ctx context.Context) {
		for {
			err := webhook.CheckSecret(ctx, db.Webhooks, keyring, time.Now())
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

// tellDisabled sends mail to the owner of an endpoint that was disabled, unless the owner wants none.
func tellDisabled(ctx context.Context, db *postgres.DB, mailer *mail.Sender, begin letters, id string) error {
	e, err := db.Webhooks.Endpoint(ctx, account.Operator(), id)
	if errors.Is(err, webhook.ErrNoEndpoint) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return err
	}
	owner, err := account.NewService(db.Accounts, db.Keys, nil).Show(ctx, account.Operator(), e.Account)
	if errors.Is(err, account.ErrNoAccount) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return err
	}
	if !owner.MailEndpoints {
		return nil
	}
	letter, err := begin(ctx, owner.Email, owner.Language, "")
	if err != nil {
		return err
	}
	err = mailer.Send(ctx, mail.EndpointDisabled(letter, mail.DisabledEndpoint{
		ID: e.ID, URL: e.URL, Reason: e.Reason, Link: endpointLink(letter.Service.BaseURL, owner.Language, e.ID),
	}))
	if mail.Permanent(err) {
		return nil // trying again would change nothing
	}
	if err != nil {
		return fmt.Errorf("telling the owner of %s: %w", id, err)
	}
	return nil
}

// endpointLink is the page of an endpoint; "" where the address of pages is not known.
func endpointLink(base string, lang account.Language, id string) string {
	switch {
	case base == "":
		return ""
	case lang == account.English:
		return base + "/en/account/webhooks/" + id
	default:
		return base + "/compte/webhooks/" + id
	}
}

// countAttempts makes the metrics of attempts.
func (b *builder) countAttempts() func(outcome string, took time.Duration) {
	attempts := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "palmares_webhook_attempts_total",
		Help: "Attempts to deliver, by what came of them: delivered, failed, timeout, gone.",
	}, []string{"outcome"})
	seconds := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "palmares_webhook_attempt_seconds", Help: "Time that receivers took to answer, or until we gave up.",
		Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 15},
	})
	b.registry.MustRegister(attempts, seconds)
	fromZero(attempts, "delivered", "failed", "timeout", "gone")
	return func(outcome string, took time.Duration) {
		attempts.WithLabelValues(outcome).Inc()
		seconds.Observe(took.Seconds())
	}
}
