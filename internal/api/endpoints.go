package api

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/changes"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/web"
)

// commonTools returns the query strings that clients send most: each order and each category.
func commonTools(s *catalog.Snapshot) []string {
	queries := []string{""}
	for _, order := range catalog.ToolOrders()[1:] {
		queries = append(queries, "sort="+string(order))
	}
	for _, c := range s.Categories() {
		queries = append(queries, "category="+url.QueryEscape(c.Slug))
	}
	return queries
}

// listTools is GET /api/v1/tools.
func listTools(s source, p params.Tools) *web.Response {
	return respondPage(s.baseURL+"/api/v1/tools", p.Values(), s.ToolsJSON(p.Query()))
}

// getTool is GET /api/v1/tools/{slug}.
func getTool(s source, slug string) (*web.Response, error) {
	if d, ok := s.ToolJSON(slug); ok {
		return respond(d), nil
	}
	return nil, toolNotFound(s, slug)
}

// toolNotFound returns the 404 for a slug without a living tool. It says whether the tool was retired, and what
// replaces it.
func toolNotFound(s source, slug string) error {
	return goneOr(s, slug, "see /api/v1/cimetiere")
}

// goneOr is toolNotFound with what to look at of a retired tool.
func goneOr(s source, slug, see string) error {
	if t, ok := s.Retired(slug); ok {
		return errRetired(s, t, see)
	}
	return notFound("tool", slug)
}

// errRetired returns the 404 for a retired tool. It links to the first living one of its successors, if there is one.
func errRetired(s source, t *catalog.Retired, see string) error {
	instead := ""
	if t.Successor != "" {
		instead = "; use " + t.Successor + " instead"
	}
	e := web.Errorf(http.StatusNotFound, "the tool %s was retired on %s (%s)%s: %s",
		web.Quote(t.Slug), t.RetiredAt, t.Reason, instead, see).WithCode(web.CodeRetired)
	if living, ok := s.Successor(t.Slug); ok {
		e.Reason.Successor = living.Slug
		e.Header = successorLink(s.baseURL + "/api/v1/tools/" + living.Slug)
	}
	return e
}

// listComparisons is GET /api/v1/comparatifs.
func listComparisons(s source, p params.Comparisons) *web.Response {
	return respondPage(s.baseURL+"/api/v1/comparatifs", p.Values(), s.ComparisonsJSON(p.Query()))
}

// getComparison is GET /api/v1/comparatifs/{slug}.
func getComparison(s source, slug string) (*web.Response, error) {
	if d, ok := s.ComparisonJSON(slug); ok {
		return respond(d), nil
	}
	return nil, notFound("comparison", slug)
}

// listPrices is GET /api/v1/pricing.
func listPrices(s source, p params.Prices) *web.Response {
	return respondPage(s.baseURL+"/api/v1/pricing", p.Values(), s.PricesJSON(p.Query()))
}

// getPrice is GET /api/v1/pricing/{slug}. Clients that store price histories read it again after a correction; the
// cursor tells them which events it includes.
func getPrice(s source, slug string) (*web.Response, error) {
	if d, ok := s.PriceJSON(slug); ok {
		return respond(d), nil
	}
	return nil, goneOr(s, slug, "its history is /api/v1/history/"+slug)
}

// listDay is GET /api/v1/history.
func listDay(s source, p params.Days) (*web.Response, error) {
	if edition := s.Edition().Date(); p.On > edition {
		return nil, p.NotPublished(edition)
	}
	return respondPage(s.baseURL+"/api/v1/history", p.Values(), s.DayJSON(p.Query())), nil
}

// getHistory is GET /api/v1/history/{slug}, of a living or a retired tool.
func getHistory(s source, slug string, p params.History) (*web.Response, error) {
	if d, ok := s.HistoryJSON(slug, p.Field); ok {
		return respond(d), nil
	}
	return nil, notFound("tool", slug)
}

// getFactStats is GET /api/v1/facts.
func getFactStats(s source) *web.Response { return respond(s.FactStatsJSON()) }

// getFacts is GET /api/v1/facts/{slug}, of a living or a retired tool.
func getFacts(s source, slug string) (*web.Response, error) {
	if d, ok := s.FactsJSON(slug); ok {
		return respond(d), nil
	}
	return nil, notFound("tool", slug)
}

// listEndings is GET /api/v1/endings.
func listEndings(s source, p params.Endings) *web.Response {
	return respondPage(s.baseURL+"/api/v1/endings", p.Values(), s.EndingsJSON(p.Paging))
}

// listFindings is GET /api/v1/findings.
func listFindings(s source, p params.Findings) *web.Response {
	d, known := s.FindingsJSON(p.Query())
	r := respond(d)
	r.Passing = known == 0
	return r
}

// getBill is GET /api/v1/bill.
func getBill(s source, p params.Bill) *web.Response {
	d, known := s.BillJSON(p.Query())
	r := respond(d)
	r.Passing = known == 0
	return r
}

// compareTools is GET /api/v1/compare.
func compareTools(s source, p params.Compare) (*web.Response, error) {
	var slugs []string
	for _, item := range p.Elements() {
		_, slug, meant := s.Resolve(item)
		switch {
		case len(meant) > 0:
			return nil, web.Errorf(http.StatusNotFound, "items: %s names several tools: use the slug of one, %s", web.Quote(item), either(meant)).WithCode(web.CodeUnknown)
		case slug == "":
			instead := ""
			if near := s.NearestTo(item); len(near) > 0 {
				instead = ": perhaps you mean " + either(near)
			}
			return nil, web.Errorf(http.StatusNotFound, "items: no tool is called %s%s", web.Quote(item), instead).WithCode(web.CodeUnknown)
		case slices.Contains(slugs, slug):
			e := web.Errorf(http.StatusBadRequest, "items: %s is the tool %s again: name each tool once", web.Quote(item), slug)
			e.Reason = web.Reason{Code: web.CodeBadParameter, Parameter: "items"}
			return nil, e
		}
		slugs = append(slugs, slug)
	}
	return respond(s.CompareJSON(slugs)), nil
}

// either joins slugs to choose from.
func either(slugs []string) string { return strings.Join(slugs, " or ") }

// listRetired is GET /api/v1/cimetiere.
func listRetired(s source, p params.Cemetery) *web.Response {
	return respondPage(s.baseURL+"/api/v1/cimetiere", p.Values(), s.CemeteryJSON(p.Query()))
}

// getRetired is GET /api/v1/cimetiere/{slug}.
func getRetired(s source, slug string) (*web.Response, error) {
	if d, ok := s.RetiredDetailJSON(slug); ok {
		return respond(d), nil
	}
	return nil, notFound("retired tool", slug)
}

// listCategories is GET /api/v1/categories.
func listCategories(s source) *web.Response { return respond(s.CategoriesJSON()) }

// getStats is GET /api/v1/stats.
func getStats(s source) *web.Response { return respond(s.StatsJSON()) }

// listEmbeddings is GET /api/embeddings.
func listEmbeddings(s source) *web.Response { return respond(s.EmbeddingsListJSON()) }

// getEmbeddings is GET /api/embeddings/{slug}.
func getEmbeddings(s source, slug string) (*web.Response, error) {
	d, err := s.EmbeddingsJSON(slug)
	switch {
	case errors.Is(err, catalog.ErrUnknownTool):
		return nil, toolNotFound(s, slug)
	case err != nil:
		return nil, web.Errorf(http.StatusNotFound,
			"the tool %s is not in the embeddings set, which has %d tools at most",
			web.Quote(slug), catalog.EmbeddingsSize).WithCode(web.CodeOutsideTheSet)
	}
	return respond(d), nil
}

const changesPath = "/api/v1/changes"

// errNotHeld means that the snapshot does not have these entries of the log, and the database has to be asked.
var errNotHeld = errors.New("the snapshot does not have it")

// respondChanges returns a page of the log. A page with more after it never changes. The last page changes with the
// next edition: its tag is its final cursor, and shared caches do not store it.
func respondChanges(baseURL string, p params.Changes, page changes.Page) *web.Response {
	if !page.More {
		r := web.NewResponse(http.StatusOK, jsonType, page.Next.String(), page.Body)
		r.Uncompressed, r.Passing = true, page.Count == 0
		return r
	}
	r := respond(catalog.NewDocument(page.Body))
	p.Since = page.Next.String()
	r.Fields = append(r.Fields, web.NewField("Link", "<"+baseURL+changesPath+"?"+p.Values().Encode()+`>; rel="next"`))
	return r
}

// errGone returns the 410 for a cursor of another log, or one whose later entries are no longer kept.
func errGone() error {
	return web.Errorf(http.StatusGone, "since: this cursor is not of this log, or what follows it is no longer kept: "+
		"start again from the download").WithCode(web.CodeGone)
}

const (
	exportPath     = export.Path
	embeddingsFile = "/api/embeddings/export.jsonl"

	// firstWait is how long the very first request for a file waits for it to be made.
	firstWait = 25 * time.Second
)

// newPace returns the slowest rate at which a download may be read before it is cut off.
func newPace(slack time.Duration) web.Pace {
	return web.Pace{Rate: 16 << 10, Slack: cmp.Or(slack, 30*time.Second), Whole: 15 * time.Minute}
}

// newDownloads returns the gate that bounds a node's concurrent downloads. Only the best plan may fill it.
func newDownloads() *limit.Gate { return limit.NewGate(account.Pro.Limits().Downloads) }

// getPackage is GET /api/v1/export/datapackage.json.
func getPackage(s source) (*web.Response, error) {
	body, err := export.Package(s.Snapshot)
	if err != nil {
		return nil, err
	}
	r := respond(catalog.NewDocument(body))
	r.Fields = append(r.Fields, fileFields(export.PackageName, s.Cursor())...)
	return r, nil
}

// fileFields returns the headers of a download: its file name, and the cursor of its edition's end in the change log.
func fileFields(name string, c catalog.Cursor) []web.Field {
	return []web.Field{
		web.NewField("Content-Disposition", `attachment; filename="`+name+`"`),
		web.NewField("X-Changes-Cursor", c.String()),
	}
}
