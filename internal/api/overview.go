package api

import "github.com/palmares-hq/palmares/internal/catalog"

// listCategories is GET /api/v1/categories.
func listCategories(s *catalog.Snapshot, _ question) (answer, error) {
	return item(s.Categories()), nil
}

// getStats is GET /api/v1/stats.
func getStats(s *catalog.Snapshot, _ question) (answer, error) { return item(s.Stats()), nil }
