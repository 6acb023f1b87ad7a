package workers

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/jobs"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/mail"
)

// Settings returns the jobs that send mail about changes of address and deleted accounts, and delete old rows
// of accounts. Without a mailer the mails are dropped, so that no address is kept for one.
func (m *Mails) Settings(changes *account.EmailChanges, deletions *account.DeletionNotices) jobs.Group {
	waits := prometheus.NewCounter(prometheus.CounterOpts{
		Name: "palmares_email_change_mails_waiting_total",
		Help: "How often a mail about a change of address was put off, because its recipient has enough mails for now.",
	})
	m.Registry.MustRegister(waits)
	return jobs.Group{
		Name: "accounts",
		Add: func(cfg *river.Config) {
			river.AddWorker(cfg.Workers, river.WorkFunc(func(ctx context.Context, job *river.Job[account.MailChange]) error {
				return snoozed(changes.Mail(ctx, job.Args, m.sendChange), waits.Inc)
			}))
			river.AddWorker(cfg.Workers, river.WorkFunc(func(ctx context.Context, job *river.Job[account.MailDeletion]) error {
				return snoozed(deletions.Mail(ctx, job.Args.Account, m.sendDeletion), uncounted)
			}))
		},
		Tidy: func(ctx context.Context) error { return account.Tidy(ctx, m.DB.Accounts, time.Now()) },
		Remote: []string{ // they send mail
			account.MailChange{}.Kind(), account.MailDeletion{}.Kind(),
		},
	}
}

const refusedMail = "a mail was refused and is not sent again"

var errNoBase = errors.New("no link to confirm a change of address can be made: set PALMARES_BASE_URL")

func (m *Mails) sendChange(ctx context.Context, c account.ChangeMail) error {
	if m.Mailer == nil {
		return nil
	}
	if m.BaseURL == "" {
		return errNoBase
	}
	header, err := m.header(ctx, c.To, c.Language, c.ID)
	if err != nil {
		return err
	}
	link := m.BaseURL + address.ConfirmEmailWith(locale.Tagged(string(c.Language)), c.Token)
	if c.Mailbox == account.NewMailbox {
		return m.send(ctx, mail.EmailChangeNew(header, link, c.ExpiresAt), refusedMail)
	}
	return m.send(ctx, mail.EmailChangeOld(header, c.NewEmail, link, c.ExpiresAt), refusedMail)
}

func (m *Mails) sendDeletion(ctx context.Context, f account.DeletionMail) error {
	if m.Mailer == nil {
		return nil
	}
	header, err := m.header(ctx, f.To, f.Language, f.ID)
	if err != nil {
		return err
	}
	return m.send(ctx, mail.DeletionNotice(header, f.Ordered), refusedMail)
}
