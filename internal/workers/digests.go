package workers

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/digest"
	"github.com/palmares-hq/palmares/internal/jobs"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/mail"
	"github.com/palmares-hq/palmares/internal/metrics"
)

// A DigestPace says when digests are sent.
type DigestPace struct {
	// Settle is how long a worker that has just started sends none: another one, which has run for longer, may notice
	// meanwhile that the database was restored.
	Settle time.Duration
	Every  time.Duration // between two looks, if nothing is due
	Again  time.Duration // after one that the mail server has not accepted
}

// NewDigestPace returns the usual pace.
func NewDigestPace() DigestPace { return DigestPace{10 * time.Second, time.Second, 15 * time.Second} }

// Digests returns the sweep that reads the log for lists of tools, and sends digests as long as the node runs. mayDerive
// returns account.ErrOtherSecret while this node has another secret than the database.
func (m *Mails) Digests(digests *digest.Service, mayDerive func(context.Context) error, pace DigestPace) jobs.Group {
	s := m.newDigestSender(digests, mayDerive, pace)
	m.watchDigests(digests)
	m.Background(s.run)
	return jobs.Group{Name: "digests", Add: func(*river.Config) {}, Sweep: s.read}
}

func (m *Mails) newDigestSender(digests *digest.Service, mayDerive func(context.Context) error, pace DigestPace) *digestSender {
	names := make([]string, 0, len(digest.Outcomes()))
	for _, o := range digest.Outcomes() {
		names = append(names, string(o))
	}
	return &digestSender{Mails: m, digests: digests, mayDerive: mayDerive, pace: pace, outcomes: metrics.NewCounters(m.Registry, "palmares_digests_total",
		"Digests of lists of tools, by what came of them: sent, quiet (there was nothing to tell), refused, "+
			"failed (and tried again), lost (nobody knows whether they went).", "outcome", names...)}
}

// watchDigests sets the gauges of what waits. They are NaN while the database cannot be read.
func (m *Mails) watchDigests(digests *digest.Service) {
	due := metrics.NewGauge(m.Registry, "palmares_digests_due", "Digests of lists of tools that are due, 100,000 at most.")
	late := metrics.NewGauge(m.Registry, "palmares_digests_late_seconds",
		"How long the first digest has been due, or the change log has not been read for digests.")
	m.Background(func(ctx context.Context) {
		metrics.Watch(ctx, m.WatchEvery, func(ctx context.Context) bool {
			b, err := digests.Backlog(ctx)
			metrics.Set(due, float64(b.Due), err)
			metrics.Set(late, metrics.Since(b.Since), err)
			return err == nil
		})
	})
}

// A digestSender sends digests. It is no job of River's: a job is repeated, and a digest never.
type digestSender struct {
	*Mails
	digests   *digest.Service
	mayDerive func(context.Context) error
	pace      DigestPace
	outcomes  *prometheus.CounterVec
}

const (
	digestsAtOnce = 4 // connections to the mail server
	settleLimit   = 5 * time.Second
)

// read is the sweep.
func (s *digestSender) read(ctx context.Context) error {
	restored, abandoned, err := s.digests.Read(ctx)
	if restored {
		s.Logger.Warn("the database was restored from a backup: no digest tells of what was published until now")
	}
	if abandoned > 0 {
		s.outcomes.WithLabelValues(string(digest.Lost)).Add(float64(abandoned))
		s.Logger.Warn("the workers of digests ended while they sent them: nobody knows whether these went, and they are not sent again",
			"digests", abandoned)
	}
	return err
}

// run sends digests until ctx is done. It does not log that the database is unavailable: jobs.Runner does.
func (s *digestSender) run(ctx context.Context) {
	var failed failures
	for pause := s.pace.Settle; sleep(ctx, pause); {
		var err error
		pause, err = s.sendDue(ctx)
		if err == nil || ctx.Err() != nil || errors.Is(err, account.ErrOtherSecret) || jobs.DatabaseGone(err.Error()) {
			continue
		}
		if n, say := failed.add(time.Now()); say {
			s.Logger.Warn("digests wait: it is tried again", "failures", n, "error", err)
		}
	}
}

// sendDue sends some of the digests that are due, and returns how long to pause.
func (s *digestSender) sendDue(ctx context.Context) (pause time.Duration, err error) {
	if err := s.mayDerive(ctx); err != nil { // the link to unsubscribe would not work
		return s.pace.Again, err
	}
	mails, more, err := s.digests.Claim(ctx)
	if err != nil {
		return s.pace.Every, err
	}
	sending, cancel := context.WithTimeout(ctx, digest.SendFor)
	defer cancel()
	var all sync.WaitGroup
	var mu sync.Mutex
	places := make(chan struct{}, digestsAtOnce)
	for _, m := range mails {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			outcome, failed := s.send(sending, m)
			failed = errors.Join(failed, s.settle(ctx, m, outcome))
			mu.Lock()
			defer mu.Unlock()
			err = errors.Join(err, failed)
		})
	}
	all.Wait()
	switch {
	case err != nil:
		return s.pace.Again, err
	case more:
		return 0, nil
	}
	return s.pace.Every, nil
}

// send sends a digest, and returns what became of it. Its error says why it is to be tried again.
func (s *digestSender) send(ctx context.Context, m digest.Mail) (digest.Outcome, error) {
	if len(m.Changes) == 0 {
		return digest.Quiet, nil
	}
	if err := ctx.Err(); err != nil { // the node is about to stop, or the others took too long
		return digest.Failed, err
	}
	header, err := s.header(ctx, m.Email, m.Language, fmt.Sprintf("digest-%s-%d", m.Account, m.Until))
	if err != nil {
		return digest.Failed, err
	}
	base, lang := s.BaseURL, locale.Tagged(string(m.Language))
	err = s.deliver(ctx, mail.WatchDigest(header, mail.Digest{
		Changes: m.Changes, Weekly: m.Every == account.Weekly, List: base + address.List.At(lang),
		Page:        func(slug string) string { return base + address.Tool.At(lang, slug) },
		Unsubscribe: base + address.EndDigestWith(lang, m.Token),
	}))
	switch {
	case err == nil:
		return digest.Sent, nil
	case mail.Permanent(err):
		s.Logger.Warn("the mail server refused a digest", "account", m.Account, "error", err)
		return digest.Refused, nil
	case mail.Unaccepted(err):
		return digest.Failed, fmt.Errorf("the digest of %s: %w", m.Account, err)
	default:
		s.Logger.Warn("nobody knows whether the mail server accepted a digest: it is not sent again", "account", m.Account, "error", err)
		return digest.Lost, nil
	}
}

// settle notes what became of a digest, also when the node is about to stop.
func (s *digestSender) settle(ctx context.Context, m digest.Mail, o digest.Outcome) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleLimit)
	defer cancel()
	s.outcomes.WithLabelValues(string(o)).Inc()
	stopped, err := s.digests.Settle(ctx, m, o)
	if stopped {
		s.Logger.Warn("no more digests are sent to an address that the mail server keeps refusing", "account", m.Account)
	}
	return err
}

// sleep waits, and reports whether ctx is not done.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return ctx.Err() == nil
	}
}
