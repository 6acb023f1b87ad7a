package api

// listCategories is GET /api/v1/categories.
func listCategories(s source) *response { return newResponse(s.CategoriesJSON()) }

// getStats is GET /api/v1/stats.
func getStats(s source) *response { return newResponse(s.StatsJSON()) }
