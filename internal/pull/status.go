package pull

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/palmares-hq/palmares/internal/metrics"
)

// The states of a publisher, which are values of a metric's label.
const (
	starting  = "starting"  // no check has finished yet
	current   = "current"   // the tip of the branch is published
	refused   = "refused"   // the tip has faults, or looks like an accident: the edition before it stays
	rewritten = "rewritten" // the tip does not contain what was published
	failing   = "failing"   // the repository or the database does not answer
)

// Outcomes of a check besides refused, rewritten and failing. Both are values of a metric's label.
const (
	published = "published"
	unchanged = "unchanged"
)

// A status holds the publisher's state for its metrics, its health checks and systemd. It is safe for
// concurrent use.
type status struct {
	now   func() time.Time
	looks *prometheus.CounterVec

	mu      sync.Mutex
	is      string
	why     error // nil when it is current
	asked   time.Time
	waiting time.Time // since when the tip has been unpublished; zero when it is published
}

// newStatus returns the starting status and registers its metrics. The age of the last answer counts from now
// until the repository first answers.
func newStatus(registry prometheus.Registerer, now func() time.Time, version, commit string) *status {
	s := &status{now: now, is: starting, why: errors.New("starting: neither the repository nor the database was asked yet"), asked: now()}
	s.looks = metrics.NewCounters(registry, "palmares_publisher_looks_total",
		"Looks at the repository, by what became of them.", "outcome", published, unchanged, refused, rewritten, failing)
	age := func(name, help string, since func() time.Time) {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			s.mu.Lock()
			defer s.mu.Unlock()
			if t := since(); !t.IsZero() {
				return max(s.now().Sub(t).Seconds(), 0)
			}
			return 0
		}))
	}
	age("palmares_publisher_asked_age_seconds", "How long ago the repository last told the tip of the branch; since the start if it never did.",
		func() time.Time { return s.asked })
	age("palmares_publisher_unpublished_age_seconds", "For how long the branch has had a tip that is not published; 0 while it is.",
		func() time.Time { return s.waiting })
	for _, state := range []string{starting, current, refused, rewritten, failing} {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "palmares_publisher_state", Help: "1 for what the publisher is, 0 for what it is not.", ConstLabels: prometheus.Labels{"state": state},
		}, func() float64 {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.is == state {
				return 1
			}
			return 0
		}))
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "palmares_build_info", Help: "1, with the version, the commit and the Go release of this build.",
		ConstLabels: prometheus.Labels{"version": version, "commit": commit, "go": runtime.Version()},
	})
	build.Set(1)
	registry.MustRegister(build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return s
}

func (s *status) become(is string, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.is, s.why = is, why
}

func (s *status) repositoryAnswered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = s.now()
}

func (s *status) setUnpublishedSince(since time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = since
}

// ready returns nil while the state is current or refused: the repository and the database answer and the
// history is intact. Otherwise it returns the reason.
func (s *status) ready() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.is == current || s.is == refused {
		return nil
	}
	return s.why
}

// impaired returns why a ready publisher has not published the tip; nil if it has.
func (s *status) impaired() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.is == refused {
		return s.why
	}
	return nil
}

// missing returns why the tip is not published, for systemd; nil if it is.
func (s *status) missing() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why
}

// notPublished wraps the reason why a tip is not published.
func notPublished(commit string, why error) error {
	return fmt.Errorf("the tip %.12s is not published: %w", commit, why)
}
