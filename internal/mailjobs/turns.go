package mailjobs

import (
	"context"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/jobs"
	"github.com/palmares-hq/palmares/internal/metrics"
)

const (
	dispatchEvery = 200 * time.Millisecond
	dispatchLimit = 10 * time.Second
	waitingEvery  = 5 * time.Second // how often the mails that wait are counted
	failedEvery   = 5 * time.Minute // how often a warning says that they could not be let go
)

// failures are of something that is tried again and again. Behind a pooler, say, every other attempt may succeed: a warning
// for each that fails after one that did not would be one every second.
type failures struct {
	said  time.Time
	count int // since then
}

// add counts one, and reports whether to say so now, and of how many.
func (f *failures) add(now time.Time) (count int, say bool) {
	if f.count++; !f.said.IsZero() && now.Sub(f.said) < failedEvery {
		return 0, false
	}
	count, f.said, f.count = f.count, now, 0
	return count, true
}

// mailWaiting is the outcome of a mail that could not go at once, counted when it does.
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

// dispatch lets sign-in mails go whose turn it is, as long as the node runs, and shows how many
// wait. While the database is away they wait in it: jobs.Runner says so.
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
		g.Set(math.NaN()) // until the database has told
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
