package api

import (
	"net/http"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/web"
)

func readTools(p *parameters) question {
	q := p.list()
	q.scoreMin = p.bound("score_min", catalog.AtLeast)
	q.obsolescenceMax = p.bound("obsolescence_max", catalog.AtMost)
	if q.order = oneOf(p, "sort", catalog.ToolOrders()); q.order == catalog.ScoreDesc {
		q.order = "" // the default
	}
	return q
}

// listTools is GET /api/v1/tools.
func listTools(s *catalog.Snapshot, q question) (answer, error) {
	return page(q, "/api/v1/tools", s.Tools(catalog.ToolQuery{
		Paging: q.Paging, Category: q.category, ScoreMin: q.scoreMin, ObsolescenceMax: q.obsolescenceMax, Order: q.order,
	})), nil
}

// getTool is GET /api/v1/tools/{slug}.
func getTool(s *catalog.Snapshot, q question) (answer, error) {
	if d, ok := s.Tool(q.slug); ok {
		return item(d), nil
	}
	return answer{}, toolNotFound(s, q.slug)
}

// toolNotFound tells a tool that was retired from one that never was.
func toolNotFound(s *catalog.Snapshot, slug string) error {
	if t, ok := s.Retired(slug); ok {
		return web.Errorf(http.StatusNotFound, "the tool %s was retired on %s (%s): see /api/v1/cimetiere", quote(slug), t.RetiredAt, t.Reason)
	}
	return notFound("tool", slug)
}
