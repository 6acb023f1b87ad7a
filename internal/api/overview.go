package api

// listCategories is GET /api/v1/categories.
func listCategories(r request) (answer, error) { return item(r.snapshot.Categories()), nil }

// getStats is GET /api/v1/stats.
func getStats(r request) (answer, error) { return item(r.snapshot.Stats()), nil }
