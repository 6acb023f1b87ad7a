package workers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/jobs"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/mail"
	"github.com/palmares-hq/palmares/internal/metrics"
	"github.com/palmares-hq/palmares/internal/postgres"
)

// SignIns returns the jobs that send the mails for signing in and delete old sign-ins and sessions.
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

// A signInWorker sends the mails for signing in.
type signInWorker struct {
	river.WorkerDefaults[account.SendSignIn]
	mail   func(context.Context, string, func(context.Context, account.SignInMail) error) (account.MailOutcome, error)
	send   func(context.Context, account.SignInMail) error
	count  func(outcome string)
	logger *slog.Logger
}

// Work implements river.Worker. After ten minutes the mail has expired, which ends the attempts without an
// error.
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

// pruneSessions deletes the sessions that have ended.
func pruneSessions(ctx context.Context, sessions *postgres.Sessions) error {
	const batch = 10_000 // rows per transaction
	for {
		n, err := sessions.Prune(ctx, batch)
		if err != nil || n < batch {
			return err
		}
	}
}

const (
	dispatchEvery = 200 * time.Millisecond
	dispatchLimit = 10 * time.Second
	waitingEvery  = 5 * time.Second // how often the waiting mails are counted
	failedEvery   = 5 * time.Minute // how often a failure to dispatch them is logged
)

// failures limits warnings about something that is retried all the time. Logging only the first failure after a
// success is not enough: behind a pooler, say, every other attempt may succeed, which would still log one every
// second.
type failures struct {
	said  time.Time // when a warning was last due
	count int       // failures since then
}

// add counts a failure, and reports whether to log a warning now, and about how many failures.
func (f *failures) add(now time.Time) (count int, say bool) {
	if f.count++; !f.said.IsZero() && now.Sub(f.said) < failedEvery {
		return 0, false
	}
	count, f.said, f.count = f.count, now, 0
	return count, true
}

// mailWaiting is the outcome of a mail that had to wait. It is counted when the mail is dispatched.
const mailWaiting = "waiting"

// countSignIns registers the counter of sign-in mails.
func (m *Mails) countSignIns() (count func(outcome string, n int)) {
	mails := metrics.NewCounters(m.Registry, "palmares_signin_mails_total",
		"Mails of sign-ins, by what came of them: sent, limited, blocked, closed, expired, refused. "+
			"Those that waited for their turn are counted as waiting, too.", "outcome",
		string(account.MailSent), string(account.MailLimited), string(account.MailBlocked), string(account.MailClosed),
		string(account.MailExpired), mailRefused, mailWaiting)
	return func(outcome string, n int) { mails.WithLabelValues(outcome).Add(float64(n)) }
}

// dispatch releases the sign-in mails whose turn it is, as long as the node runs, and sets the gauges of
// those that wait. It does not log that the database is unavailable: jobs.Runner does.
func (m *Mails) dispatch(signIns *account.SignIns, count func(outcome string, n int)) {
	waiting := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "palmares_signin_mails_waiting",
		Help: "Sign-in mails that wait for their turn, to addresses that have an account (known) and to others (new).",
	}, []string{"address"})
	m.Registry.MustRegister(waiting)
	oldest := metrics.NewGauge(m.Registry, "palmares_signin_mails_oldest_seconds",
		"How long the sign-in mail that has waited longest has been waiting.")
	known, strangers := waiting.WithLabelValues("known"), waiting.WithLabelValues("new")
	for _, g := range []prometheus.Gauge{known, strangers} {
		g.Set(math.NaN()) // until it was read from the database
	}
	look := func(ctx context.Context) {
		n, since, err := signIns.Waiting(ctx)
		metrics.Set(known, float64(n.Known), err)
		metrics.Set(strangers, float64(n.New), err)
		metrics.Set(oldest, metrics.Since(since), err)
	}
	m.Background(func(ctx context.Context) {
		var looked time.Time
		var failed failures
		for {
			limited, cancel := context.WithTimeout(ctx, dispatchLimit)
			d, err := signIns.Dispatch(limited)
			count(string(account.MailLimited), d.Limited)
			count(mailWaiting, d.Late)
			if err != nil && ctx.Err() == nil && !jobs.DatabaseGone(err.Error()) {
				if n, say := failed.add(time.Now()); say {
					m.Logger.Warn("sign-in mails wait: they could not be let go; it is tried again five times a second", "failures", n, "error", err)
				}
			}
			if time.Since(looked) > waitingEvery {
				look(limited)
				looked = time.Now()
			}
			cancel()
			select {
			case <-ctx.Done():
				return
			case <-time.After(dispatchEvery):
			}
		}
	})
}
