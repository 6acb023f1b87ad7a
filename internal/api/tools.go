package api

import (
	"net/http"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/web"
)

// listTools is GET /api/v1/tools.
func listTools(r request) (answer, error) {
	q := parseQuery(r.Request)
	query := catalog.ToolQuery{
		Paging:          q.paging(),
		Category:        q.category(),
		ScoreMin:        q.number("score_min"),
		ObsolescenceMax: q.number("obsolescence_max"),
		Order:           oneOf(q, "sort", catalog.ToolOrders()),
	}
	if q.err != nil {
		return answer{}, q.err
	}
	return q.list(r.URL.Path, r.snapshot.Tools(query)), nil
}

// getTool is GET /api/v1/tools/{slug}.
func getTool(r request) (answer, error) {
	slug := r.PathValue("slug")
	if d, ok := r.snapshot.Tool(slug); ok {
		return item(d), nil
	}
	return answer{}, toolNotFound(r.snapshot, slug)
}

// toolNotFound tells a tool that was retired from one that never was.
func toolNotFound(s *catalog.Snapshot, slug string) error {
	if t, ok := s.Retired(slug); ok {
		return web.Errorf(http.StatusNotFound, "the tool %s was retired on %s (%s): see /api/v1/cimetiere", quote(slug), t.RetiredAt, t.Reason)
	}
	return notFound("tool", slug)
}
