package site

import (
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/purge"
	"github.com/palmares-hq/palmares/internal/site/about"
	"github.com/palmares-hq/palmares/internal/site/docs"
	"github.com/palmares-hq/palmares/internal/site/machine"
	"github.com/palmares-hq/palmares/internal/site/pages"
)

// routes lists all that the site answers: an address, which has a path in each language, and what makes
// what is there. Pages and pictures answer GET and HEAD, files OPTIONS as well.
func routes(o Options, guides *docs.Guides, reference *docs.Reference) []*route {
	comparisons := pages.ComparisonPages{Drafts: o.Preview.draftsOf()}
	status := about.NewStatus(o.Status, o.Now)
	data := docs.NewData(o.Files)
	all := []*route{
		get(address.Landing, list(pages.ParseLanding, pages.Landing)),
		get(address.Tools, list(params.ParseTools, pages.Tools)),
		of(purge.Tools, address.Tool, item(pages.Tool)),
		of(purge.Tools, address.Review, item(pages.Review)),
		of(purge.Tools, address.Alternatives, item(pages.Alternatives)),
		get(address.Category, item(pages.Category)),
		get(address.Comparisons, list(params.ParseComparisons, comparisons.List)),
		of(purge.Comparisons, address.Comparison, item(comparisons.Page)),
		get(address.Prices, list(params.ParsePrices, pages.Prices)),
		get(address.Cemetery, list(params.ParseCemetery, pages.Cemetery)),
		get(address.Search, unlisted(list(params.ParseSearch, pages.Search))),
		get(address.Journal, list(params.ParsePage, pages.Journal)),
		get(address.Watch, passing(list(params.ParseWatch, pages.Watch))),
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
		all = append(all, get(address.Report, sent(pages.ReportForm, pages.ReportSent)))
	}
	if o.Checkout {
		all = append(all, get(address.EndContract, page(about.EndContract)))
	}
	return append(all, fileRoutes(alone(all), comparisons, guides, reference, o.MCP)...)
}

// fileRoutes lists what is no page: the same as Markdown, feeds, pictures, and what programs read first.
func fileRoutes(alone []address.Page, comparisons pages.ComparisonPages, guides *docs.Guides, reference *docs.Reference, mcp docs.MCP) []*route {
	sitemap := machine.NewSitemap(alone, guides, reference)
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
		get(address.FeedWatch, passing(fileWith(params.ParseWatch, machine.FeedWatch))),
		get(address.Card, card(machine.Card)),
		of(purge.Tools, address.ToolCard, itemCard(machine.ToolCard)),
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

// of is get for what is about one item of a kind, and says so to caches.
func of(k purge.Kind, a address.Page, h handler) *route { return &route{a, k, h} }

// alone lists the pages that are about no item and that a search engine may keep.
func alone(routes []*route) []address.Page {
	var found []address.Page
	for _, r := range routes {
		if r.page != nil && !r.unlisted && !strings.Contains(r.address.French, catalog.SlugPlaceholder) {
			found = append(found, r.address)
		}
	}
	return found
}
