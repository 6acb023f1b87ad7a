package api

import (
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// otherNames are what people call our collections.
var otherNames = map[string]string{
	"tool": "tools", "outil": "tools", "outils": "tools", "comparison": "comparatifs", "comparisons": "comparatifs", "comparatif": "comparatifs",
	"price": "pricing", "prices": "pricing", "prix": "pricing", "cemetery": "cimetiere", "cimetière": "cimetiere",
	"finding": "findings", "category": "categories", "embedding": "embeddings",
}

// meant is the path that a path with a slip in it was meant to be: one slash too many, capital
// letters, no version or one too many, the name in another language. It is "" where there is none.
// It is one of ours with a slug at most: whoever reads it may follow it.
func (rt router) meant(path string) string {
	const most = 4 // of /api/v1/tools/{slug}
	parts := strings.FieldsFunc(strings.ToLower(path), func(r rune) bool { return r == '/' })
	if len(path) > 256 || len(parts) > most || len(parts) == 0 || parts[0] != "api" || slices.ContainsFunc(parts, isDots) {
		return ""
	}
	parts = parts[1:]
	if len(parts) > 0 && parts[0] == "v1" {
		parts = parts[1:]
	}
	if len(parts) > 0 && otherNames[parts[0]] != "" {
		parts[0] = otherNames[parts[0]]
	}
	for _, prefix := range []string{"/api/v1", "/api"} {
		to := strings.Join(append([]string{prefix}, parts...), "/")
		collection, slug, item := "", "", len(parts) == 2
		if item {
			collection, slug = prefix+"/"+parts[0], parts[1]
		}
		known := rt.exact[to] != nil || item && rt.items[collection] != nil && catalog.ValidSlug(slug)
		if known && to != path {
			return to
		}
	}
	return ""
}

func isDots(segment string) bool { return segment == "." || segment == ".." }
