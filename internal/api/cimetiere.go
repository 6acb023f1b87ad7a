package api

import "github.com/palmares-hq/palmares/internal/params"

// listRetired is GET /api/v1/cimetiere.
func listRetired(s source, p params.Cemetery) *response {
	return newPage(s.baseURL+"/api/v1/cimetiere", p.Values(), s.CemeteryJSON(p.Query()))
}
