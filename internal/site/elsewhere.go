package site

import (
	"fmt"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/site/view"
)

// Elsewhere is a warning about the patterns of catalog.yaml that lead elsewhere than to the pages of
// the site at baseURL ("" is the catalog's own); "" when none does. Such a catalog may be meant: the
// pages may stand on another host. It may also be a move that somebody forgot to write down.
func Elsewhere(s catalog.Service, baseURL string) string {
	base := view.Base(s, baseURL)
	var wrong []string
	for _, page := range []address.Page{address.Tool, address.Review, address.Alternatives, address.Comparison} {
		if given := view.Pattern(s.Site, page); given != "" && given != base+page.French {
			wrong = append(wrong, fmt.Sprintf("site.%s is %s, not %s", page.Name, given, base+page.French))
		}
	}
	if wrong == nil {
		return ""
	}
	return "catalog.yaml leads elsewhere than to this site: " + strings.Join(wrong, "; ") +
		". The site names these addresses as the true ones, and leaves them out of its sitemap"
}
