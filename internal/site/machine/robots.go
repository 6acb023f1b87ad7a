package machine

import (
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/site/view"
)

// Robots is robots.txt. All is for everybody, the API too: whoever reads data instead of pages
// costs less. A preview is for its editor alone.
func Robots(v *view.View) (*view.File, error) {
	if v.Site.Preview {
		return plain("User-agent: *\nDisallow: /\n"), nil
	}
	return plain("User-agent: *\nAllow: /\n\nSitemap: " + v.Base() + v.Path(address.Sitemap) + "\n"), nil
}

func plain(text string) *view.File { return &view.File{Type: view.PlainType, Body: []byte(text)} }
