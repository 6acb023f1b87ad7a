package site

import (
	"fmt"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/locale"
)

// Elsewhere is a warning about the patterns of catalog.yaml that lead elsewhere than to the pages of
// the site at baseURL ("" is the catalog's own); "" when none does. Such a catalog may be meant: the
// pages may stand on another host. It may also be a move that somebody forgot to write down.
func Elsewhere(s catalog.Service, baseURL string) string {
	base := ownBase(s, baseURL)
	var wrong []string
	for _, k := range kinds() {
		if elsewhere(s.Site, base, k) {
			wrong = append(wrong, fmt.Sprintf("site.%s is %s, not %s",
				k.name, pattern(s.Site, k.name), base+k.paths[locale.French]))
		}
	}
	if wrong == nil {
		return ""
	}
	return "catalog.yaml leads elsewhere than to this site: " + strings.Join(wrong, "; ") +
		". The site names these addresses as the true ones, and leaves them out of its sitemap"
}
