package node

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/jobs"
)

const (
	dispatchEvery = 200 * time.Millisecond
	dispatchLimit = 10 * time.Second
	waitingEvery  = 5 * time.Second // how often the mails that wait are counted
)

// mailWaiting is the outcome of a mail that could not go at once, counted when it does.
const mailWaiting = "waiting"

// countSignInMails registers the counter of sign-in mails.
func (b *builder) countSignInMails() (count func(outcome string, n int)) {
	mails := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "palmares_signin_mails_total",
		Help: "Mails of sign-ins, by what came of them: sent, limited, blocked, closed, expired, refused. " +
			"Those that waited for their turn are counted as waiting, too.",
	}, []string{"outcome"})
	b.registry.MustRegister(mails)
	for _, outcome := range []account.MailOutcome{
		account.MailSent, account.MailLimited, account.MailBlocked, account.MailClosed, account.MailExpired, mailRefused, mailWaiting,
	} {
		mails.WithLabelValues(string(outcome)) // shown as 0 from the start
	}
	return func(outcome string, n int) { mails.WithLabelValues(outcome).Add(float64(n)) }
}

// dispatchMails lets sign-in mails go whose turn it is, as long as the node runs, and shows how many
// wait. While the database is away they wait in it: jobs.Runner says so.
func (b *builder) dispatchMails(signIns *account.SignIns, count func(outcome string, n int)) {
	waiting := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "palmares_signin_mails_waiting",
		Help: "Sign-in mails that wait for their turn, to addresses that have an account (known) and to others (new).",
	}, []string{"address"})
	oldest := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "palmares_signin_mails_oldest_seconds", Help: "How long the sign-in mail that has waited longest has been waiting.",
	})
	b.registry.MustRegister(waiting, oldest)
	known, strangers := waiting.WithLabelValues("known"), waiting.WithLabelValues("new")
	for _, g := range []prometheus.Gauge{known, strangers, oldest} {
		g.Set(math.NaN()) // until the database has told
	}
	look := func(ctx context.Context) {
		n, since, err := signIns.Waiting(ctx)
		set(err, float64(n.Known), known)
		set(err, float64(n.New), strangers)
		age := 0.0
		if !since.IsZero() {
			age = max(time.Since(since).Seconds(), 0)
		}
		set(err, age, oldest)
	}
	b.background(func(ctx context.Context) {
		var looked time.Time
		failed := false
		for {
			limited, cancel := context.WithTimeout(ctx, dispatchLimit)
			d, err := signIns.Dispatch(limited)
			count(string(account.MailLimited), d.Limited)
			count(mailWaiting, d.Late)
			if err != nil && !failed && ctx.Err() == nil && !jobs.DatabaseGone(err.Error()) {
				b.logger.Warn("sign-in mails wait", "error", err)
			}
			if failed = err != nil; time.Since(looked) > waitingEvery {
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

// otherNodeIn is how long a mail waits that another node can send. Each waits for a time of its own: nodes
// with the same clock would take the same mail again and again.
func otherNodeIn() time.Duration { return time.Second + rand.N(2*time.Second) }

// snoozed turns the wish to send a mail later, or elsewhere, into what River does about it. Neither is a
// failure: no attempt is used up.
func snoozed(err error, count func()) error {
	if later, ok := errors.AsType[*account.LaterError](err); ok {
		count()
		return river.JobSnooze(max(later.After, time.Second))
	}
	if errors.Is(err, account.ErrOtherSecret) {
		return river.JobSnooze(otherNodeIn())
	}
	return err
}
