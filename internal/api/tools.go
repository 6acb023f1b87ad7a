package api

import (
	"net/http"
	"net/url"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/web"
)

// commonTools lists the query strings that clients send most: each order and each category.
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

// toolNotFound tells a tool that was retired from one that never was.
func toolNotFound(s source, slug string) error {
	if t, ok := s.Retired(slug); ok {
		instead := ""
		if t.Successor != "" {
			instead = "; use " + t.Successor + " instead"
		}
		return web.Errorf(http.StatusNotFound,
			"the tool %s was retired on %s (%s)%s: see /api/v1/cimetiere", web.Quote(slug), t.RetiredAt, t.Reason, instead)
	}
	return notFound("tool", slug)
}
