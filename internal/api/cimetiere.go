package api

import "github.com/palmares-hq/palmares/internal/catalog"

// listRetired is GET /api/v1/cimetiere.
func listRetired(r request) (answer, error) {
	q := parseQuery(r.Request)
	query := catalog.CemeteryQuery{
		Paging:   q.paging(),
		Category: q.category(),
		Reason:   oneOf(q, "reason", catalog.Reasons()),
	}
	if q.err != nil {
		return answer{}, q.err
	}
	return q.list(r.URL.Path, r.snapshot.Cemetery(query)), nil
}
