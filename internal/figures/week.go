package figures

import (
	"slices"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// maxWeek is how many changes of each sort a week has.
const maxWeek = 3

// A Week is the newest of what happened in seven days, today the last: to tools that are still there, and
// who died.
type Week struct {
	Repriced []RepricedTool // each tool once: a second change in a week is the older one
	Created  []*catalog.Tool
	Dead     *catalog.Retired // the last one whose day is among the seven; nil for none
}

// A RepricedTool is a tool whose price changed, and the day.
type RepricedTool struct {
	Tool *catalog.Tool
	On   catalog.Date
}

func (b *builder) week(amended AmendedLog) Week {
	var w Week
	since := b.today.Time().Add(-6 * 24 * time.Hour)
	newest := catalog.CemeteryQuery{Paging: catalog.Paging{Page: 1, Limit: 1}}
	for _, r := range b.snapshot.Cemetery(newest).Items {
		if !r.RetiredAt.Time().Before(since) {
			w.Dead = r
		}
	}
	for e := range b.snapshot.RecentChanges() {
		if e.At.Before(since) {
			break
		}
		b.throttle.Pause()
		t, living := b.snapshot.Tool(e.Slug)
		switch {
		case !living:
		case e.Type == catalog.PriceChanged:
			again := slices.ContainsFunc(w.Repriced, func(r RepricedTool) bool { return r.Tool == t })
			if on, moved := amended.Repriced(e); moved && !again && len(w.Repriced) < maxWeek {
				w.Repriced = append(w.Repriced, RepricedTool{t, on})
			}
		case e.Type == catalog.ToolCreated && len(w.Created) < maxWeek:
			w.Created = append(w.Created, t)
		}
	}
	return w
}
