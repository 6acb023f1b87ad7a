package site

// kinds lists every kind of page.
func kinds() []*kind {
	feeds := []string{"feed-prices", "feed-new", "feed-cemetery"}
	return []*kind{
		{name: "landing", paths: [2]string{"/", "/en/"}, view: viewLanding, parse: parseLanding, feeds: feeds},
		{
			name: "tools", paths: [2]string{"/outils", "/en/tools"}, section: "tools",
			view: viewTools, parse: parseTools, feeds: []string{"feed-new"},
		},
		{
			name: "tool", paths: [2]string{"/outils/{slug}", "/en/tools/{slug}"}, section: "tools",
			view: viewTool,
		},
		{
			name: "review", paths: [2]string{"/avis/{slug}", "/en/reviews/{slug}"}, section: "tools",
			view: viewReview,
		},
		{
			name: "alternatives", section: "tools", view: viewAlternatives,
			paths: [2]string{"/alternatives/{slug}", "/en/alternatives/{slug}"},
		},
		{
			name: "category", section: "tools", view: viewCategory, feeds: []string{"feed-category"},
			paths: [2]string{"/categories/{slug}", "/en/categories/{slug}"},
		},
		{
			name: "comparisons", section: "comparisons", view: viewComparisons, parse: parseComparisons,
			paths: [2]string{"/comparatifs", "/en/comparisons"},
		},
		{
			name: "comparison", section: "comparisons", view: viewComparison,
			paths: [2]string{"/comparatifs/{slug}", "/en/comparisons/{slug}"},
		},
		{
			name: "prices", paths: [2]string{"/prix", "/en/prices"}, section: "prices",
			view: viewPrices, parse: parsePrices, feeds: []string{"feed-prices"},
		},
		{
			name: "cemetery", paths: [2]string{"/cimetiere", "/en/cemetery"}, section: "cemetery",
			view: viewCemetery, parse: parseCemetery, feeds: []string{"feed-cemetery"},
		},
		{
			name: "journal", paths: [2]string{"/journal", "/en/journal"}, section: "journal",
			view: viewJournal, parse: parseJournal, feeds: feeds,
		},
		{name: "plans", paths: [2]string{"/tarifs", "/en/plans"}, section: "plans", view: viewPlans},
		{name: "feed-prices", paths: [2]string{"/flux/prix.atom"}, raw: feedPrices},
		{name: "feed-new", paths: [2]string{"/flux/nouveaux.atom"}, raw: feedNew},
		{name: "feed-cemetery", paths: [2]string{"/flux/cimetiere.atom"}, raw: feedCemetery},
		{name: "feed-category", paths: [2]string{"/flux/categories/{slug}.atom"}, raw: feedCategory},
		{name: "card", paths: [2]string{"/og.png", "/en/og.png"}, card: serviceCard},
		{name: "tool card", paths: [2]string{"/og/{slug}.png", "/en/og/{slug}.png"}, card: toolCard},
		{name: "badge", paths: [2]string{"/badge/{slug}.svg"}, raw: rawBadge, parse: parseBadge},
		{name: "robots", paths: [2]string{"/robots.txt"}, raw: rawRobots},
		{name: "sitemap", paths: [2]string{"/sitemap.xml"}, raw: rawSitemap},
		{name: "sitemap part", paths: [2]string{"/{slug}.xml"}, raw: rawSitemapPart},
		{name: "llms", paths: [2]string{"/llms.txt", "/en/llms.txt"}, raw: rawLLMs},
	}
}

// allTexts are the sentences of the whole site.
func allTexts() texts {
	return join(frameTexts, errorTexts, previewTexts, repricingTexts, gapTexts, landingTexts, toolsTexts,
		toolPriceTexts, toolChangesTexts, toolTexts, reviewTexts, alternativesTexts, categoryTexts,
		comparisonsTexts, comparisonTexts, pricesTexts, cemeteryTexts, journalTexts, plansTexts, feedTexts,
		badgeTexts, cardTexts, llmsTexts)
}
