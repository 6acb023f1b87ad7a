package api

import (
	"net/http"
	"net/url"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/web"
)

// toolsParams are the parameters of GET /api/v1/tools.
type toolsParams struct {
	listParams
	ScoreMin        catalog.Bound
	ObsolescenceMax catalog.Bound
	Sort            catalog.ToolOrder // "" for the default order
}

func parseTools(rawQuery string) (toolsParams, error) {
	r := newParamReader(rawQuery)
	p := toolsParams{
		listParams:      r.list(),
		ScoreMin:        r.bound("score_min", catalog.AtLeast),
		ObsolescenceMax: r.bound("obsolescence_max", catalog.AtMost),
		Sort:            oneOf(&r, "sort", catalog.ToolOrders()),
	}
	if p.Sort == catalog.ScoreDesc {
		p.Sort = ""
	}
	return p, r.err
}

func (p toolsParams) values() url.Values {
	v := p.listParams.values()
	setParam(v, "score_min", p.ScoreMin.String())
	setParam(v, "obsolescence_max", p.ObsolescenceMax.String())
	setParam(v, "sort", string(p.Sort))
	return v
}

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
func listTools(s source, p toolsParams) *response {
	return newPage(s.baseURL+"/api/v1/tools", p.values(), s.ToolsJSON(catalog.ToolQuery{
		Paging: p.Paging, Category: p.Category,
		ScoreMin: p.ScoreMin, ObsolescenceMax: p.ObsolescenceMax, Order: p.Sort,
	}))
}

// getTool is GET /api/v1/tools/{slug}.
func getTool(s source, slug string) (*response, error) {
	if d, ok := s.ToolJSON(slug); ok {
		return newResponse(d), nil
	}
	return nil, toolNotFound(s, slug)
}

// toolNotFound tells a tool that was retired from one that never was.
func toolNotFound(s source, slug string) error {
	if t, ok := s.Retired(slug); ok {
		return web.Errorf(http.StatusNotFound,
			"the tool %s was retired on %s (%s): see /api/v1/cimetiere", quote(slug), t.RetiredAt, t.Reason)
	}
	return notFound("tool", slug)
}
