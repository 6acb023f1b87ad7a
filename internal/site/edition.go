package site

import (
	"sync"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
)

// An edition is a snapshot on a day, with what pages need of it that is worth making once. Pages
// show days, never hours: "this week" and charts that end today change with the day alone.
type edition struct {
	*catalog.Snapshot
	today catalog.Date
	cache *cache
	// static holds the operator's own files. Few editions are asked for them.
	static func() layout.Static

	amended      amendedLog
	prices       *priceIndex
	journal      *journalIndex
	toolLogs     map[string]toolLog     // by slug
	categoryLogs map[string]categoryLog // by slug

	// sitemap says when each file of the sitemap last changed. Few ask, so the first one counts.
	sitemap      []catalog.Date
	countSitemap sync.Once
}

func newEdition(s *catalog.Snapshot, today catalog.Date, cache *cache, rest func()) *edition {
	amended := newAmendedLog(s)
	return &edition{
		Snapshot: s, today: today, cache: cache, amended: amended,
		static: sync.OnceValue(func() layout.Static { return layout.OwnStatic(s) }),
		prices: newPriceIndex(s, today, rest), journal: newJournalIndex(s, amended, rest),
		toolLogs: newToolLogs(s, amended, rest), categoryLogs: newCategoryLogs(s, amended, rest),
	}
}
