package workers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/jobs"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/mail"
	"github.com/palmares-hq/palmares/internal/metrics"
)

// Usage returns the jobs that find accounts near their daily limit and mail their owners. mayDerive returns
// account.ErrOtherSecret while this node has another secret than the database.
func (m *Mails) Usage(notices *account.Notices, mayDerive func(context.Context) error) jobs.Group {
	outcomes := metrics.NewCounters(m.Registry, "palmares_usage_mails_total",
		"Mails about quotas, by what came of them: sent, refused, failed (and tried again), dropped.", "outcome",
		mailSent, mailRefused, mailFailed, "dropped")
	look := &usageCheck{notices: notices, logger: m.Logger}
	send := &usageSender{Mails: m, notices: notices, mayDerive: mayDerive, outcomes: outcomes}
	m.watchLooks()
	return jobs.Group{
		Name: "usage mails",
		Add: func(cfg *river.Config) {
			river.AddWorker(cfg.Workers, look)
			river.AddWorker(cfg.Workers, send)
			cfg.PeriodicJobs = append(cfg.PeriodicJobs, periodic(lookEvery, lookAtUsage{}))
		},
		Tidy:   notices.Tidy,
		Remote: []string{account.UsageNotice{}.Kind()}, // it sends mail
	}
}

// lookAtUsage is the job that looks at the usage of all accounts. The node that River has elected inserts
// one every minute.
type lookAtUsage struct{}

// Kind implements river.JobArgs.
func (lookAtUsage) Kind() string { return "account_look_at_usage" }

const (
	lookEvery = time.Minute
	lookLimit = 50 * time.Second
)

// A usageCheck finds accounts near their limit.
type usageCheck struct {
	river.WorkerDefaults[lookAtUsage]
	notices *account.Notices
	logger  *slog.Logger

	mu     sync.Mutex
	failed bool // the last look failed because Redis did not answer
}

// Timeout implements river.Worker.
func (*usageCheck) Timeout(*river.Job[lookAtUsage]) time.Duration { return lookLimit }

// Work implements river.Worker. It logs once that Redis does not answer, and once that it does again.
func (l *usageCheck) Work(ctx context.Context, _ *river.Job[lookAtUsage]) error {
	_, err := l.notices.Look(ctx)
	if err != nil && (ctx.Err() != nil || !errors.Is(err, account.ErrNoCounters)) {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err != nil && !l.failed:
		l.logger.Warn("owners are not told that they are near their limit: Redis does not answer", "error", err)
	case err == nil && l.failed:
		l.logger.Info("owners are told again that they are near their limit")
	}
	l.failed = err != nil
	return nil
}

// watchLooks sets the gauge of how long ago the last look was completed, on any node. It is NaN while the
// database cannot be read, and before the first look.
func (m *Mails) watchLooks() {
	age := metrics.NewGauge(m.Registry, "palmares_usage_look_age_seconds",
		"How long ago all accounts were last looked at for mail about quotas; that is done every minute.")
	m.Background(func(ctx context.Context) {
		metrics.Watch(ctx, m.WatchEvery, func(ctx context.Context) bool {
			at, err := m.DB.Accounts.LastUsageCheck(ctx)
			if err == nil && at.IsZero() {
				err = errNoLook
			}
			metrics.Set(age, metrics.Since(at), err)
			return err == nil
		})
	})
}

var errNoLook = errors.New("no look was complete yet")

// A usageSender mails notices about usage.
type usageSender struct {
	river.WorkerDefaults[account.UsageNotice]
	*Mails
	notices   *account.Notices
	mayDerive func(context.Context) error
	outcomes  *prometheus.CounterVec
}

// Work implements river.Worker.
func (s *usageSender) Work(ctx context.Context, job *river.Job[account.UsageNotice]) error {
	if err := s.mayDerive(ctx); err != nil { // the link to unsubscribe would not work
		return snoozed(err, uncounted)
	}
	outcome, err := s.tell(ctx, job.Args)
	s.outcomes.WithLabelValues(outcome).Inc()
	return err
}

func (s *usageSender) tell(ctx context.Context, n account.UsageNotice) (outcome string, err error) {
	m, wanted, err := s.notices.Mail(ctx, n)
	switch {
	case err != nil:
		return mailFailed, err
	case !wanted:
		return "dropped", nil
	}
	header, err := s.header(ctx, m.Account.Email, m.Account.Language, fmt.Sprintf("usage-%s-%s-%d", n.Account, n.Day, n.Percent))
	if err != nil {
		return mailFailed, err
	}
	err = s.deliver(ctx, usageMessage(header, m))
	switch {
	case mail.Permanent(err):
		s.Logger.Warn("the mail server refused mail about a quota", "account", n.Account, "error", err)
		return mailRefused, nil // trying again would change nothing
	case err != nil:
		return mailFailed, fmt.Errorf("telling the owner of %s: %w", n.Account, err)
	}
	return mailSent, nil
}

// usageMessage returns the mail of a notice.
func usageMessage(header mail.Header, m account.NoticeMail) mail.Message {
	base, lang := header.Service.BaseURL, locale.Tagged(string(m.Account.Language))
	return mail.UsageNotice(header, mail.Usage{
		Percent: m.Percent, Used: m.Used, Limit: m.Limit, Resets: m.Resets,
		Link:        base + address.Usage.At(lang),
		Unsubscribe: base + address.UnsubscribeWith(lang, m.Token),
	})
}
