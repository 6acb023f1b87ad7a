package mailjobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/jobs"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/mail"
	"github.com/palmares-hq/palmares/internal/postgres"
)

// SignIns are the jobs that send the mails of sign-ins, and what deletes old sign-ins and sessions.
func (m *Mails) SignIns(signIns *account.SignIns) jobs.Group {
	count := m.countSignIns()
	worker := &signInWorker{
		mail: signIns.Mail, send: m.sendSignIn, logger: m.Logger,
		count: func(outcome string) { count(outcome, 1) },
	}
	m.dispatch(signIns, count)
	return jobs.Group{
		Name: "sign-ins",
		Add: func(cfg *river.Config) {
			river.AddWorker(cfg.Workers, worker)
			cfg.Queues[account.MailQueue] = river.QueueConfig{MaxWorkers: mailWorkers}
			cfg.Queues[account.NewMailQueue] = river.QueueConfig{MaxWorkers: mailWorkers}
		},
		Tidy: func(ctx context.Context) error {
			expired, err := signIns.Tidy(ctx)
			count(string(account.MailExpired), expired)
			return errors.Join(err, pruneSessions(ctx, m.DB.Sessions))
		},
		Remote: []string{account.SendSignIn{}.Kind()},
	}
}

func (m *Mails) sendSignIn(ctx context.Context, s account.SignInMail) error {
	if m.Mailer == nil || m.BaseURL == "" {
		return errNoMail
	}
	header, err := m.header(ctx, s.To, s.Language, "sign-in-"+s.ID)
	if err != nil {
		return err
	}
	return m.deliver(ctx, mail.SignIn(header, mail.SignInMail{
		Link: m.BaseURL + address.SignInWith(locale.Tagged(string(s.Language)), s.Token), Code: s.Code, Until: s.Until, Last: s.Last,
	}))
}

const (
	mailWorkers = 4 // of each queue of mails
	// maxMailPause is the longest pause between two attempts to send a mail that somebody waits for.
	maxMailPause = 30 * time.Second
)

var errNoMail = errors.New("this node cannot send it: set PALMARES_SMTP_URL, PALMARES_MAIL_FROM and PALMARES_BASE_URL")

// A signInWorker sends the mails of sign-ins.
type signInWorker struct {
	river.WorkerDefaults[account.SendSignIn]
	mail   func(context.Context, string, func(context.Context, account.SignInMail) error) (account.MailOutcome, error)
	send   func(context.Context, account.SignInMail) error
	count  func(outcome string)
	logger *slog.Logger
}

// Work implements river.Worker. After ten minutes the outcome is that the mail has expired, which
// ends the attempts.
func (w *signInWorker) Work(ctx context.Context, job *river.Job[account.SendSignIn]) error {
	outcome, err := w.mail(ctx, job.Args.ID, w.send)
	switch {
	case mail.Permanent(err):
		w.logger.Warn("the mail server refused the mail of a sign-in", "sign_in", job.Args.ID, "error", err)
		w.count(mailRefused)
		return nil
	case err != nil:
		return snoozed(fmt.Errorf("the mail of a sign-in: %w", err), uncounted)
	case outcome != account.MailGone:
		w.count(string(outcome))
	}
	return nil
}

// NextRetry implements river.Worker.
func (*signInWorker) NextRetry(job *river.Job[account.SendSignIn]) time.Time {
	return time.Now().Add(min(time.Duration(job.Attempt)*2*time.Second, maxMailPause))
}

// pruneSessions deletes the sessions that are over.
func pruneSessions(ctx context.Context, sessions *postgres.Sessions) error {
	const batch = 10_000 // rows per transaction
	for {
		n, err := sessions.Prune(ctx, batch)
		if err != nil || n < batch {
			return err
		}
	}
}
