package site

import "github.com/palmares-hq/palmares/internal/layout"

// kinds lists every kind of page. The layout knows their paths, for links from other packages.
func kinds() []*kind {
	feeds := []string{"feed-prices", "feed-new", "feed-cemetery"}
	all := []*kind{
		{name: "landing", view: viewLanding, parse: parseLanding, feeds: feeds},
		{name: "tools", section: "tools", view: viewTools, parse: parseTools, feeds: []string{"feed-new"}},
		{name: "tool", section: "tools", view: viewTool},
		{name: "review", section: "tools", view: viewReview},
		{name: "alternatives", section: "tools", view: viewAlternatives},
		{name: "category", section: "tools", view: viewCategory, feeds: []string{"feed-category"}},
		{name: "comparisons", section: "comparisons", view: viewComparisons, parse: parseComparisons},
		{name: "comparison", section: "comparisons", view: viewComparison},
		{name: "prices", section: "prices", view: viewPrices, parse: parsePrices, feeds: []string{"feed-prices"}},
		{
			name: "cemetery", section: "cemetery", view: viewCemetery, parse: parseCemetery,
			feeds: []string{"feed-cemetery"},
		},
		{name: "journal", section: "journal", view: viewJournal, parse: parseJournal, feeds: feeds},
		{name: "plans", section: "plans", view: viewPlans},
		{name: "status", view: viewStatus, live: true},
		{name: "method", template: "words", view: viewWords},
		{name: "legal", template: "words", view: viewWords},
		{name: "privacy", template: "words", view: viewWords},
		{name: "terms", template: "words", view: viewWords},
		{name: "guides", section: "guides", view: viewGuides},
		{name: "guide", section: "guides", view: viewGuide, translate: translateGuide},
		{name: "reference", section: "guides", view: viewReference},
		{name: "operation", section: "guides", view: viewOperation},
		{name: "operation call", template: "operation", view: viewCall, parse: parseCall, live: true},
		{name: "tool source", raw: rawTool},
		{name: "review source", raw: rawReview},
		{name: "comparison source", raw: rawComparison},
		{name: "reference source", raw: rawReference},
		{name: "operation source", raw: rawOperation},
		{name: "guides source", raw: rawGuides},
		{name: "guide source", raw: rawGuide},
		{name: "feed-prices", raw: feedPrices},
		{name: "feed-new", raw: feedNew},
		{name: "feed-cemetery", raw: feedCemetery},
		{name: "feed-category", raw: feedCategory},
		{name: "card", card: serviceCard},
		{name: "tool card", card: toolCard},
		{name: "badge", raw: rawBadge, parse: parseBadge},
		{name: "robots", raw: rawRobots},
		{name: "sitemap", raw: rawSitemap},
		{name: "sitemap part", raw: rawSitemapPart},
		{name: "llms", raw: rawLLMs},
		{name: "security", raw: rawSecurity},
	}
	for _, k := range all {
		k.paths = layout.PathsOf(k.name)
		if k.template == "" {
			k.template = k.name
		}
	}
	return all
}

// allTexts are the sentences of the site, beside those of the layout.
func allTexts() texts {
	return layout.Join(catalogTexts, rendersTexts, previewTexts, repricingTexts, gapTexts, landingTexts, toolsTexts,
		toolPriceTexts, toolChangesTexts, toolTexts, reviewTexts, alternativesTexts, categoryTexts,
		comparisonsTexts, comparisonTexts, pricesTexts, cemeteryTexts, journalTexts, plansTexts, feedTexts,
		badgeTexts, cardTexts, guidesTexts, referenceTexts, llmsTexts, wordsTexts,
		statusTexts, twinTexts)
}
