// Package figures computes the statistics of a catalog on a day: how prices moved, what each edition
// changed, and what the change log says of a tool and of a category, without entries that were
// corrected later. Pages and feeds show them.
//
// Begin with Of. It computes everything once for a snapshot, so that no page has to search the
// catalog; the result is never modified. The package knows no language, no page and no request.
package figures

import (
	"sync"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// Figures are the statistics of a catalog on a day.
type Figures struct {
	Today        catalog.Date
	Amended      AmendedLog
	Prices       *PriceIndex
	Journal      *Journal
	ToolLogs     map[string]ToolLog     // by slug
	CategoryLogs map[string]CategoryLog // by slug
	Week         Week
	// Facts returns how well values are sourced, by field. They are counted on first use: few pages
	// show them.
	Facts func() []catalog.FactStats
	// Scores counts tools by their score, on first use as well.
	Scores func() *Scores
}

// Of computes the figures of a snapshot on a day.
func Of(s *catalog.Snapshot, today catalog.Date, t *throttle.Throttle) *Figures {
	b := &builder{snapshot: s, today: today, throttle: t}
	amended := newAmendedLog(s)
	return &Figures{
		Today: today, Amended: amended, Prices: b.prices(), Journal: b.journal(amended),
		ToolLogs: b.toolLogs(amended), CategoryLogs: b.categoryLogs(amended), Week: b.week(amended), Facts: sync.OnceValue(s.FactStats),
		Scores: sync.OnceValue(func() *Scores { return scoresOf(s) }),
	}
}

// A builder computes the figures of a snapshot on a day.
type builder struct {
	snapshot *catalog.Snapshot
	today    catalog.Date
	throttle *throttle.Throttle
}

// pauseSometimes pauses after every 64th of many small steps: asking whether a pause is due takes
// longer than one of them.
func (b *builder) pauseSometimes(step int) {
	if step%64 == 0 {
		b.throttle.Pause()
	}
}

// Scores counts living tools by their score, in tenths as it is shown: 91 is 9.1.
type Scores [101]int

// Tenth is the place of a score in Scores.
func Tenth(m catalog.Measure) int { return int(m.Rounded().Hundredths) / 10 }

// Ends returns the lowest and the highest score, in tenths; ok is false without any.
func (s *Scores) Ends() (low, high int, ok bool) {
	low = -1
	for i, n := range s {
		if n > 0 {
			if high = i; low < 0 {
				low = i
			}
		}
	}
	return low, high, low >= 0
}

func scoresOf(s *catalog.Snapshot) *Scores {
	counts := new(Scores)
	every := catalog.Paging{Page: 1, Limit: max(1, s.Stats().Tools)}
	for _, t := range s.Tools(catalog.ToolQuery{Paging: every, Order: catalog.NameAsc}).Items {
		if t.Score.Known {
			counts[min(max(Tenth(t.Score), 0), len(counts)-1)]++
		}
	}
	return counts
}
