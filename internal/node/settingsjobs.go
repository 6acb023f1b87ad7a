package node

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/jobs"
	"github.com/palmares-hq/palmares/internal/mail"
	"github.com/palmares-hq/palmares/internal/portal"
	"github.com/palmares-hq/palmares/internal/postgres"
)

// newSecrets derives the keys of accounts.
func newSecrets(cfg config.Webhooks) (*account.Secrets, error) {
	if cfg.SecretPrevious == "" {
		return account.NewSecrets([]byte(cfg.Secret.Reveal()))
	}
	return account.NewSecrets([]byte(cfg.Secret.Reveal()), []byte(cfg.SecretPrevious.Reveal()))
}

// addSettings adds the jobs that send mail about changes of address and deleted accounts, and delete
// what is old of accounts.
func (b *builder) addSettings(ctx context.Context) error {
	db, err := b.database(ctx, b.workerPool())
	if err != nil {
		return err
	}
	secrets, err := newSecrets(b.cfg.Webhooks)
	if err != nil {
		return err
	}
	mailer, err := b.mailer()
	if err != nil {
		return err
	}
	waits := prometheus.NewCounter(prometheus.CounterOpts{
		Name: "palmares_email_change_mails_waiting_total",
		Help: "How often a mail about a change of address was put off, because its recipient has enough mails for now.",
	})
	b.registry.MustRegister(waits)
	m := &settingsMail{
		changes:   account.NewEmailChanges(db.Accounts, secrets, nil),
		farewells: account.NewFarewells(db.Accounts, secrets, nil),
		mailer:    mailer, base: b.cfg.Base(), logger: b.logger,
		letter: b.letters(db), waits: func() { waits.Inc() },
	}
	b.jobs = append(b.jobs, m.jobs(db))
	return nil
}

// settingsMail sends the mails about settings. Without a mailer it sends none: the jobs end, and no
// address is kept for one.
type settingsMail struct {
	changes   *account.EmailChanges
	farewells *account.Farewells
	mailer    *mail.Sender // nil where no mail is sent
	base      string       // of links
	logger    *slog.Logger
	letter    letters
	waits     func() // counts a mail that is sent later
}

func (m *settingsMail) jobs(db *postgres.DB) jobs.Group {
	return jobs.Group{
		Name: "accounts",
		Add: func(cfg *river.Config) {
			river.AddWorker(cfg.Workers, river.WorkFunc(func(ctx context.Context, job *river.Job[account.MailChange]) error {
				return snoozed(m.changes.Mail(ctx, job.Args, m.sendChange), m.waits)
			}))
			river.AddWorker(cfg.Workers, river.WorkFunc(func(ctx context.Context, job *river.Job[account.MailFarewell]) error {
				return snoozed(m.farewells.Mail(ctx, job.Args.Account, m.sendFarewell), func() {})
			}))
		},
		Tidy: func(ctx context.Context) error { return account.Tidy(ctx, db.Accounts, time.Now()) },
		Remote: []string{ // they send mail
			account.MailChange{}.Kind(), account.MailFarewell{}.Kind(),
		},
	}
}

var errNoBase = errors.New("no link to confirm a change of address can be made: set PALMARES_BASE_URL")

func (m *settingsMail) sendChange(ctx context.Context, c account.ChangeLetter) error {
	if m.mailer == nil {
		return nil
	}
	if m.base == "" {
		return errNoBase
	}
	l, err := m.letter(ctx, c.To, c.Language, c.ID)
	if err != nil {
		return err
	}
	link := m.base + portal.AddressLink(c.Language, c.Token)
	if c.Mailbox == account.NewMailbox {
		return m.send(ctx, mail.EmailChangeNew(l, link, c.ExpiresAt))
	}
	return m.send(ctx, mail.EmailChangeOld(l, c.NewEmail, link, c.ExpiresAt))
}

func (m *settingsMail) sendFarewell(ctx context.Context, f account.FarewellLetter) error {
	if m.mailer == nil {
		return nil
	}
	l, err := m.letter(ctx, f.To, f.Language, f.ID)
	if err != nil {
		return err
	}
	return m.send(ctx, mail.Farewell(l))
}

// send sends a message. A message that is refused for good is not an error: trying again would
// change nothing.
func (m *settingsMail) send(ctx context.Context, message mail.Message) error {
	err := m.mailer.Send(ctx, message)
	if mail.Permanent(err) {
		m.logger.Warn("a mail was refused and is not sent again", "mail", message.ID, "error", err)
		return nil
	}
	return err
}
