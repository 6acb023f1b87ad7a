package site_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestElsewhere(t *testing.T) {
	t.Parallel()
	const begin, end = "catalog.yaml leads elsewhere than to this site: ",
		". The site names these addresses as the true ones, and leaves them out of its sitemap"
	for _, c := range []struct {
		base string
		edit func(*catalog.Service)
		want string
	}{
		{"", func(*catalog.Service) {}, ""},
		{"https://palmares.example", func(*catalog.Service) {}, ""},
		{"", func(s *catalog.Service) { s.URL += "/" }, ""},
		{"", func(s *catalog.Service) { s.Site = catalog.Site{} }, ""},
		{
			"", func(s *catalog.Service) { s.Site.Review = "https://avis.example/{slug}" },
			"site.review is https://avis.example/{slug}, not https://palmares.example/avis/{slug}",
		},
		// The same host, where this site has nothing.
		{"", func(s *catalog.Service) {
			s.Site.Tool += "/"
			s.Site.Comparison = "https://palmares.example/duels/{slug}"
		}, "site.tool is https://palmares.example/outils/{slug}/, not https://palmares.example/outils/{slug}; " +
			"site.comparison is https://palmares.example/duels/{slug}, not https://palmares.example/comparatifs/{slug}"},
		{
			"https://autre.example", func(s *catalog.Service) { s.Site = catalog.Site{Tool: s.Site.Tool} },
			"site.tool is https://palmares.example/outils/{slug}, not https://autre.example/outils/{slug}",
		},
	} {
		service := catalogtest.Service()
		c.edit(&service)
		if c.want != "" {
			c.want = begin + c.want + end
		}
		testkit.Equal(t, "the warning", site.Elsewhere(service, c.base), c.want)
	}
}
