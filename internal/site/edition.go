package site

import (
	"sync"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/figures"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// An edition is a snapshot on a day, with what pages need of it that is worth making once. Pages
// show days, never hours: "this week" and charts that end today change with the day alone.
type edition struct {
	snapshot *catalog.Snapshot
	figures  *figures.Figures
	cache    *cache
	// static holds the operator's own files. Few editions are asked for them.
	static func() layout.Static
}

func newEdition(s *catalog.Snapshot, today catalog.Date, cache *cache, t *throttle.Throttle) *edition {
	return &edition{
		snapshot: s, cache: cache, figures: figures.Of(s, today, t),
		static: sync.OnceValue(func() layout.Static { return layout.OwnStatic(s) }),
	}
}
