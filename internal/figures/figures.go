package figures

import (
	"sync"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// Figures are what the catalog comes to on a day.
type Figures struct {
	Today        catalog.Date
	Amended      AmendedLog
	Prices       *PriceIndex
	Journal      *Journal
	ToolLogs     map[string]ToolLog     // by slug
	CategoryLogs map[string]CategoryLog // by slug
	Week         Week
	// Facts are how well values are sourced, by field. They are counted for the first reader: few pages show them.
	Facts func() []catalog.FactStats
}

// Of computes the figures of a snapshot on a day.
func Of(s *catalog.Snapshot, today catalog.Date, t *throttle.Throttle) *Figures {
	b := &builder{snapshot: s, today: today, throttle: t}
	amended := newAmendedLog(s)
	return &Figures{
		Today: today, Amended: amended, Prices: b.prices(), Journal: b.journal(amended),
		ToolLogs: b.toolLogs(amended), CategoryLogs: b.categoryLogs(amended), Week: b.week(amended), Facts: sync.OnceValue(s.FactStats),
	}
}
