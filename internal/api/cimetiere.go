package api

import (
	"net/url"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// retiredParams are the parameters of GET /api/v1/cimetiere.
type retiredParams struct {
	listParams
	Reason catalog.Reason
}

func parseRetired(rawQuery string) (retiredParams, error) {
	r := newParamReader(rawQuery)
	return retiredParams{r.list(), oneOf(&r, "reason", catalog.Reasons())}, r.err
}

func (p retiredParams) values() url.Values {
	v := p.listParams.values()
	setParam(v, "reason", string(p.Reason))
	return v
}

// listRetired is GET /api/v1/cimetiere.
func listRetired(s source, p retiredParams) *response {
	return newPage(s.baseURL+"/api/v1/cimetiere", p.values(),
		s.CemeteryJSON(catalog.CemeteryQuery{Paging: p.Paging, Category: p.Category, Reason: p.Reason}))
}
