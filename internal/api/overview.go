package api

import "github.com/palmares-hq/palmares/internal/web"

// listCategories is GET /api/v1/categories.
func listCategories(s source) *web.Response { return respond(s.CategoriesJSON()) }

// getStats is GET /api/v1/stats.
func getStats(s source) *web.Response { return respond(s.StatsJSON()) }
