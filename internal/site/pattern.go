package site

import (
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/locale"
)

// pattern is the catalog's own for a kind of page; "" when it has none.
func pattern(s catalog.Site, kind string) string {
	switch kind {
	case "tool":
		return s.Tool
	case "review":
		return s.Review
	case "alternatives":
		return s.Alternatives
	case "comparison":
		return s.Comparison
	default:
		return ""
	}
}

// elsewhere reports whether the catalog says that the French pages of a kind are not where this
// site has them.
func elsewhere(s catalog.Site, base string, k *kind) bool {
	given := pattern(s, k.name)
	return given != "" && given != base+k.paths[locale.French]
}

// ownBase is the site's own address, without a slash at its end: the one that was configured, or
// else the catalog's.
func ownBase(s catalog.Service, baseURL string) string {
	if baseURL != "" {
		return baseURL
	}
	return strings.TrimSuffix(s.URL, "/")
}
