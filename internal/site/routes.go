package site

import (
	"net/http"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/purge"
	"github.com/palmares-hq/palmares/internal/site/about"
	"github.com/palmares-hq/palmares/internal/site/docs"
	"github.com/palmares-hq/palmares/internal/site/machine"
	"github.com/palmares-hq/palmares/internal/site/pages"
	"github.com/palmares-hq/palmares/internal/web"
)

// routes returns all routes. A route is an address, which has a path in each language, and its handler. Pages and
// pictures answer GET and HEAD, files OPTIONS as well, and the report form POST.
func routes(o Options, guides *docs.Guides, reference *docs.Reference) []*route {
	comparisons := pages.ComparisonPages{Drafts: o.Preview.draftsOf()}
	status := about.NewStatus(o.Status, o.Now)
	data := docs.NewData(o.Files)
	all := []*route{
		get(address.Landing, list(pages.ParseLanding, pages.Landing)),
		get(address.Tools, list(params.ParseTools, pages.Tools)),
		get(address.Map, list(pages.ParseMap, pages.PriceMap)),
		of(purge.Tools, address.Tool, item(pages.Tool)),
		of(purge.Tools, address.Review, item(pages.Review)),
		of(purge.Tools, address.Alternatives, item(pages.Alternatives)),
		get(address.Category, item(pages.Category)),
		get(address.Comparisons, list(params.ParseComparisons, comparisons.List)),
		of(purge.Comparisons, address.Comparison, item(comparisons.Page)),
		get(address.Prices, list(params.ParsePrices, pages.Prices)),
		get(address.Cemetery, list(params.ParseCemetery, pages.Cemetery)),
		get(address.Search, unlisted(list(params.ParseSearch, pages.Search))),
		get(address.Journal, list(params.ParseJournal, pages.Journal)),
		get(address.Watch, uncached(list(params.ParseWatch, pages.Watch))),
		get(address.Compare, unlisted(uncached(list(params.ParseSideBySide, pages.Compare)))),
		get(address.Plans, page(about.Plans)),
		get(address.Status, unlisted(live(status.Measure, status.Page))),
		get(address.Method, page(about.Method)),
		get(address.Legal, page(about.Written(address.Legal))),
		get(address.Privacy, page(about.Privacy(o.Privacy))),
		get(address.Terms, page(about.Written(address.Terms))),
		get(address.Data, live(data.Measure, data.Page)),
		get(address.Agents, page(docs.NewAgents(o.MCP, o.Preview.sampleKey()).Page)),
		get(address.Guides, page(guides.List)),
		get(address.Guide, item(guides.Page)),
		get(address.Reference, page(reference.List)),
		get(address.Operation, item(reference.Operation)),
		get(address.OperationCall, form(reference)),
	}
	if o.Reports != nil {
		all = append(all, of(purge.Tools, address.Report, sent(pages.ReportForm, pages.ReportSent)))
	}
	if o.Checkout {
		all = append(all, get(address.EndContract, page(about.EndContract)))
	}
	return append(all, fileRoutes(staticPages(all), comparisons, guides, reference, o.MCP)...)
}

// fileRoutes returns the routes of files: pages as Markdown, feeds, pictures, and the files that crawlers look for,
// such as robots.txt.
func fileRoutes(
	static []address.Page, comparisons pages.ComparisonPages,
	guides *docs.Guides, reference *docs.Reference, mcp docs.MCP,
) []*route {
	sitemap := machine.NewSitemap(static, guides, reference)
	return []*route{
		of(purge.Tools, address.ToolSource, itemFile(pages.ToolMarkdown)),
		of(purge.Tools, address.ReviewSource, itemFile(pages.ReviewMarkdown)),
		of(purge.Comparisons, address.ComparisonSource, itemFile(comparisons.Markdown)),
		get(address.ReferenceSource, file(reference.ListMarkdown)),
		get(address.OperationSource, itemFile(reference.Markdown)),
		get(address.GuidesSource, file(guides.ListMarkdown)),
		get(address.GuideSource, itemFile(guides.Markdown)),
		get(address.FeedPrices, file(machine.FeedPrices)),
		get(address.FeedNew, file(machine.FeedNew)),
		get(address.FeedCemetery, file(machine.FeedCemetery)),
		get(address.FeedEndings, file(machine.FeedEndings)),
		get(address.CalendarEndings, file(machine.CalendarEndings)),
		get(address.FeedCategory, itemFile(machine.FeedCategory)),
		get(address.FeedWatch, uncached(fileWith(params.ParseWatch, machine.FeedWatch))),
		get(address.CalendarWatch, uncached(fileWith(params.ParseWatch, machine.CalendarWatch))),
		get(address.Card, card(machine.Card)),
		of(purge.Tools, address.ToolCard, itemCard(machine.ToolCard)),
		of(purge.Comparisons, address.ComparisonCard, itemCard(machine.ComparisonCard)),
		get(address.CategoryCard, itemCard(machine.CategoryCard)),
		get(address.PricesCard, card(machine.PricesCard)),
		of(purge.Tools, address.Badge, itemFileWith(machine.ParseBadge, machine.Badge)),
		get(address.Names, file(machine.Names)),
		get(address.Robots, file(machine.Robots)),
		get(address.Sitemap, file(sitemap.File)),
		get(address.SitemapPart, itemFile(sitemap.Part)),
		get(address.LLMs, file(machine.LLMs(guides, mcp))),
		get(address.DCAT, file(machine.DCAT)),
		get(address.Security, file(machine.Security)),
	}
}

func get(a address.Page, h handler) *route { return &route{a, "", h} }

// of returns the route of an address that is about one item of kind k. Its responses carry the tag of that item.
func of(k purge.Kind, a address.Page, h handler) *route { return &route{a, k, h} }

// staticPages returns the pages that are not about one item and that search engines may index.
func staticPages(routes []*route) []address.Page {
	var found []address.Page
	for _, r := range routes {
		if r.page != nil && !r.unlisted && !strings.Contains(r.address.French, catalog.SlugPlaceholder) {
			found = append(found, r.address)
		}
	}
	return found
}

// A route is an address with its handler.
type route struct {
	address address.Page
	item    purge.Kind // the kind of item that the slug names; "" for none
	handler
}

// tags returns the cache tags of a response. All have the tag of the edition, because every page names its edition and
// most show many items: a new edition makes a cache drop them all.
func (r *route) tags(slug string) []web.Field {
	if r.item == "" {
		slug = ""
	}
	return web.TagFields(purge.About(r.item, slug, purge.Edition))
}

// takes reports whether the route answers a method: GET and HEAD always, POST if it has a form.
func (r *route) takes(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodPost && r.sent != nil
}

// A router finds the route for a path. Paths must match exactly: it cleans and redirects none.
type router struct {
	exact map[string]target
	items map[slugPattern]target
}

// slugPattern is the path of an item without its slug: what precedes the slug, and what follows it.
type slugPattern struct{ before, after string }

// A target is a route in a language.
type target struct {
	route *route
	lang  locale.Language
}

func newRouter(routes []*route) router {
	rt := router{exact: make(map[string]target), items: make(map[slugPattern]target)}
	for _, r := range routes {
		for l, path := range []string{r.address.French, r.address.English} {
			t := target{r, locale.Language(l)}
			if before, after, ok := strings.Cut(path, catalog.SlugPlaceholder); ok {
				rt.items[slugPattern{before, after}] = t
			} else if path != "" {
				rt.exact[path] = t
			}
		}
	}
	return rt
}

// find returns the route of a path, and the slug in it.
func (rt router) find(path string) (t target, slug string, ok bool) {
	if t, ok = rt.exact[path]; ok {
		return t, "", true
	}
	start := strings.LastIndexByte(path, '/') + 1
	end := len(path)
	if dot := strings.IndexByte(path[start:], '.'); dot >= 0 { // no slug has one
		end = start + dot
	}
	if t, ok = rt.items[slugPattern{path[:start], path[end:]}]; ok && catalog.ValidSlug(path[start:end]) {
		return t, path[start:end], true
	}
	return target{}, "", false
}
