package address

// The pages about the catalog, and files for programs.
var (
	Landing          = Page{"landing", "/", "/en/"}
	Tools            = Page{"tools", "/outils", "/en/tools"}
	Map              = Page{"map", "/carte", "/en/map"}
	Tool             = Page{"tool", "/outils/{slug}", "/en/tools/{slug}"}
	ToolSource       = Page{"tool source", "/outils/{slug}.md", "/en/tools/{slug}.md"}
	Review           = Page{"review", "/avis/{slug}", "/en/reviews/{slug}"}
	ReviewSource     = Page{"review source", "/avis/{slug}.md", "/en/reviews/{slug}.md"}
	Alternatives     = Page{"alternatives", "/alternatives/{slug}", "/en/alternatives/{slug}"}
	Report           = Page{"report", "/signaler/{slug}", "/en/report/{slug}"}
	Category         = Page{"category", "/categories/{slug}", "/en/categories/{slug}"}
	Comparisons      = Page{"comparisons", "/comparatifs", "/en/comparisons"}
	Comparison       = Page{"comparison", "/comparatifs/{slug}", "/en/comparisons/{slug}"}
	ComparisonSource = Page{"comparison source", "/comparatifs/{slug}.md", "/en/comparisons/{slug}.md"}
	Prices           = Page{"prices", "/prix", "/en/prices"}
	Cemetery         = Page{"cemetery", "/cimetiere", "/en/cemetery"}
	Search           = Page{"search", "/recherche", "/en/search"}
	Names            = Page{"names", "/noms.json", ""}
	Journal          = Page{"journal", "/journal", "/en/journal"}
	Watch            = Page{"watch", "/suivi", "/en/watch"}
	Compare          = Page{"compare", "/comparer", "/en/compare"}
	Plans            = Page{"plans", "/tarifs", "/en/plans"}
	Status           = Page{"status", "/statut", "/en/status"}
	Method           = Page{"method", "/comment-nous-testons", "/en/how-we-test"}
	Legal            = Page{"legal", "/mentions-legales", "/en/legal"}
	Privacy          = Page{"privacy", "/confidentialite", "/en/privacy"}
	Terms            = Page{"terms", "/conditions", "/en/terms"}
	EndContract      = Page{"end-contract", "/resilier", "/en/cancel"}
	Data             = Page{"data", "/donnees", "/en/data"}
	Agents           = Page{"agents", "/agents", "/en/agents"}
	Guides           = Page{"guides", "/docs", "/en/docs"}
	Guide            = Page{"guide", "/docs/{slug}", "/en/docs/{slug}"}
	GuidesSource     = Page{"guides source", "/docs.md", "/en/docs.md"}
	GuideSource      = Page{"guide source", "/docs/{slug}.md", "/en/docs/{slug}.md"}
	Reference        = Page{"reference", "/docs/api", "/en/docs/api"}
	Operation        = Page{"operation", "/docs/api/{slug}", "/en/docs/api/{slug}"}
	OperationCall    = Page{"operation call", "/docs/api/appel/{slug}", "/en/docs/api/call/{slug}"}
	ReferenceSource  = Page{"reference source", "/docs/api.md", "/en/docs/api.md"}
	OperationSource  = Page{"operation source", "/docs/api/{slug}.md", "/en/docs/api/{slug}.md"}
	FeedPrices       = Page{"feed-prices", "/flux/prix.atom", "/en/feeds/prices.atom"}
	FeedNew          = Page{"feed-new", "/flux/nouveaux.atom", "/en/feeds/new.atom"}
	FeedCemetery     = Page{"feed-cemetery", "/flux/cimetiere.atom", "/en/feeds/cemetery.atom"}
	FeedEndings      = Page{"feed-endings", "/flux/fins.atom", "/en/feeds/endings.atom"}
	CalendarEndings  = Page{"calendar-endings", "/flux/fins.ics", "/en/feeds/endings.ics"}
	FeedCategory     = Page{"feed-category", "/flux/categories/{slug}.atom", "/en/feeds/categories/{slug}.atom"}
	FeedWatch        = Page{"feed-watch", "/flux/suivi.atom", "/en/feeds/watch.atom"}
	CalendarWatch    = Page{"calendar-watch", "/flux/suivi.ics", "/en/feeds/watch.ics"}
	Card             = Page{"card", "/og.png", "/en/og.png"}
	ToolCard         = Page{"tool card", "/og/{slug}.png", "/en/og/{slug}.png"}
	ComparisonCard   = Page{"comparison card", "/og/comparatifs/{slug}.png", "/en/og/comparisons/{slug}.png"}
	CategoryCard     = Page{"category card", "/og/categories/{slug}.png", "/en/og/categories/{slug}.png"}
	PricesCard       = Page{"prices card", "/og-prix.png", "/en/og-prices.png"}
	Badge            = Page{"badge", "/badge/{slug}.svg", ""}
	Robots           = Page{"robots", "/robots.txt", ""}
	Sitemap          = Page{"sitemap", "/sitemap.xml", ""}
	SitemapPart      = Page{"sitemap part", "/{slug}.xml", ""}
	LLMs             = Page{"llms", "/llms.txt", "/en/llms.txt"}
	DCAT             = Page{"dcat", "/catalog.jsonld", ""}
	Security         = Page{"security", "/.well-known/security.txt", ""}
)

var site = []Page{
	Landing, Tools, Map, Tool, ToolSource, Review, ReviewSource, Alternatives, Report, Category, Comparisons, Comparison,
	ComparisonSource, Prices, Cemetery, Search, Names, Journal, Watch, Compare, Plans, Status, Method, Legal, Privacy, Terms, EndContract, Data,
	Agents, Guides, Guide,
	GuidesSource, GuideSource, Reference, Operation, OperationCall, ReferenceSource, OperationSource,
	FeedPrices, FeedNew, FeedCemetery, FeedEndings, CalendarEndings, FeedCategory, FeedWatch, CalendarWatch, Card, ToolCard, ComparisonCard, CategoryCard, PricesCard,
	Badge, Robots, Sitemap, SitemapPart, LLMs,
	DCAT, Security,
}
