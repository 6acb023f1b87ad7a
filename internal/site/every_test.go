package site_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/docs/guides"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

var headings = regexp.MustCompile(`(?s)<h1\b[^>]*>(.*?)</h1>`)

// Every address of the site is there in both languages, those that some operators alone have among them. The kit looks
// whether what it says is raw; a page has one heading, and no page has that of another kind.
func TestEveryAddress(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, catalogtest.Fixture(t), func(o *site.Options) {
		o.Accounts, o.Checkout, o.VAT, o.Reports, o.Contact = true, true, "standard", &taken{}, "aide@palmares.example"
	})
	const tool, operation = "zebre", "list-tools"
	items := map[string][2]string{
		address.ComparisonCard.Name: {"eclair-ou-oeuvre", "eclair-ou-oeuvre"}, address.CategoryCard.Name: {"code", "code"},
		address.Category.Name: {"code", "code"}, address.FeedCategory.Name: {"code", "code"},
		address.Comparison.Name: {"eclair-ou-oeuvre", "eclair-ou-oeuvre"}, address.ComparisonSource.Name: {"eclair-ou-oeuvre", "eclair-ou-oeuvre"},
		address.Guide.Name: guides.Names[0], address.GuideSource.Name: guides.Names[0],
		address.Operation.Name: {operation, operation}, address.OperationSource.Name: {operation, operation},
	}
	// A call redirects where no API answers it, and a small catalog has one site map. Both have tests of their own.
	elsewhere := []address.Page{address.OperationCall, address.SitemapPart}
	kindOf := make(map[string]string) // by heading
	pages := 0
	for _, a := range address.All() {
		if strings.HasPrefix(a.French, address.Account.French) || slices.Contains(elsewhere, a) {
			continue
		}
		for _, l := range locale.Languages() {
			item, ok := items[a.Name]
			if !ok {
				item = [2]string{tool, tool}
			}
			path := a.At(l, item[l])
			got := r.Get(path)
			testkit.Equal(t, path, got.Status, 200)
			if !strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") {
				continue
			}
			pages++
			h1 := headings.FindAllStringSubmatch(got.Body, -1)
			if len(h1) != 1 {
				t.Errorf("%s has %d headings", path, len(h1))
				continue
			}
			if other := kindOf[h1[0][1]]; other != "" && other != a.Name {
				t.Errorf("%s is headed as the page of %s: %s", path, other, h1[0][1])
			}
			kindOf[h1[0][1]] = a.Name
		}
	}
	if pages < 50 {
		t.Errorf("only %d pages were read", pages)
	}
	for path, want := range map[string]string{"/resilier": "Résilier votre contrat", "/en/cancel": "Cancel your contract"} {
		testkit.Equal(t, path, headings.FindStringSubmatch(r.Get(path).Body)[1], want)
	}
}
