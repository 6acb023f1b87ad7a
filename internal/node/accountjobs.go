package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/jobs"
	"github.com/palmares-hq/palmares/internal/mail"
	"github.com/palmares-hq/palmares/internal/postgres"
)

// addSignIns adds the jobs that send the mails of sign-ins, and what deletes old sign-ins and
// sessions.
func (b *builder) addSignIns(ctx context.Context) error {
	db, err := b.database(ctx, b.workerPool())
	if err != nil {
		return err
	}
	signIns, err := newSignIns(b.cfg, db)
	if err != nil {
		return err
	}
	mailer, err := b.mailer()
	if err != nil {
		return err
	}
	count := b.countSignInMails()
	letter := b.letters(db)
	worker := &signInWorker{
		mail: signIns.Mail, logger: b.logger,
		count: func(outcome string) { count(outcome, 1) },
		send: func(ctx context.Context, m account.SignInMail) error {
			if mailer == nil || b.cfg.Base() == "" {
				return errNoMail
			}
			letter, err := letter(ctx, m.To, m.Language, "sign-in-"+m.ID)
			if err != nil {
				return err
			}
			return mailer.Send(ctx, mail.SignIn(letter, mail.SignInMail{
				Link: SignInLink(b.cfg.Base(), m.Language, m.Token), Code: m.Code, Until: m.Until, Last: m.Last,
			}))
		},
	}
	b.jobs = append(b.jobs, jobs.Group{
		Name: "sign-ins",
		Add: func(cfg *river.Config) {
			river.AddWorker(cfg.Workers, worker)
			cfg.Queues[account.MailQueue] = river.QueueConfig{MaxWorkers: mailWorkers}
			cfg.Queues[account.NewMailQueue] = river.QueueConfig{MaxWorkers: mailWorkers}
		},
		Tidy: func(ctx context.Context) error {
			expired, err := signIns.Tidy(ctx)
			count(string(account.MailExpired), expired)
			return errors.Join(err, pruneSessions(ctx, db.Sessions))
		},
		Remote: []string{account.SendSignIn{}.Kind()},
	})
	b.dispatchMails(signIns, count)
	return nil
}

// newSignIns makes what signs people in.
func newSignIns(cfg config.Serve, db *postgres.DB) (*account.SignIns, error) {
	blocked, err := cfg.Blocked()
	if err != nil {
		return nil, err
	}
	return account.NewSignIns(account.SignInsOptions{
		Store: db.SignIns, Secret: []byte(cfg.Secret.Reveal()), Previous: []byte(cfg.SecretPrevious.Reveal()),
		Open: cfg.Open(), Blocked: blocked,
	}), nil
}

// SignInLink returns the address of the page that spends a token.
func SignInLink(base string, lang account.Language, token string) string {
	path := "/compte/connexion/lien"
	if lang == account.English {
		path = "/en/account/sign-in/link"
	}
	return base + path + "?jeton=" + url.QueryEscape(token)
}

const (
	mailWorkers = 4 // of each queue of mails
	// maxMailPause is the longest pause between two attempts to send a mail that somebody waits for.
	maxMailPause = 30 * time.Second
	// mailRefused is the outcome of a mail that the mail server will not accept.
	mailRefused = "refused"
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
		return snoozed(fmt.Errorf("the mail of a sign-in: %w", err), func() {})
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
