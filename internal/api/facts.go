package api

import (
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/web"
)

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
	d, count := s.FindingsJSON(p.Elements(), p.ScoreMin)
	r := respond(d)
	r.Passing = count == 0
	return r
}
