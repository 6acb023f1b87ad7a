package node

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/live"
)

// overdueAfter is after how many days a check is overdue, as for palmares stale.
const overdueAfter = 90

// A factCount counts the values of the catalog by how old the checks of their sources are. It reads each
// edition once.
type factCount struct {
	catalog *live.Catalog
	now     func() time.Time

	mu      sync.Mutex
	edition catalog.Edition
	stats   []catalog.FactStats
}

// The states of values.
const (
	factFresh     = "fresh"
	factOverdue   = "overdue"
	factUnsourced = "unsourced"
)

// count tells how many values are in a state.
func (f *factCount) count(state string) float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.catalog.Current()
	if s.Edition() != f.edition {
		f.edition, f.stats = s.Edition(), s.FactStats()
	}
	today := catalog.DateOf(f.now())
	n := 0
	for _, stats := range f.stats {
		if state == factUnsourced {
			n += stats.Total - stats.Sourced
			continue
		}
		for _, d := range stats.Days {
			if overdue := (catalog.Fact{Checked: d.Day}).Age(today) > overdueAfter; overdue == (state == factOverdue) {
				n += d.Count
			}
		}
	}
	return float64(n)
}

// showFacts shows how many values somebody should look at again.
func (b *builder) showFacts(c *live.Catalog) {
	facts := &factCount{catalog: c, now: time.Now}
	for _, state := range []string{factFresh, factOverdue, factUnsourced} {
		b.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "palmares_facts", Help: "Values of the catalog: sourced and checked within 90 days (fresh) or not (overdue), or without a source.",
			ConstLabels: prometheus.Labels{"state": state},
		}, func() float64 { return facts.count(state) }))
	}
}
