package api

import (
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/web"
)

// listRetired is GET /api/v1/cimetiere.
func listRetired(s source, p params.Cemetery) *web.Response {
	return respondPage(s.baseURL+"/api/v1/cimetiere", p.Values(), s.CemeteryJSON(p.Query()))
}
