package jsonld_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

var dataBlock = regexp.MustCompile(`(?s)<script type="application/ld\+json">(.*?)</script>`)

// data are the JSON-LD objects of a page by type.
func data(t *testing.T, r *sitetest.Reader, path string) map[string]map[string]any {
	t.Helper()
	got := r.Get(path)
	all := make(map[string]map[string]any)
	for _, m := range dataBlock.FindAllStringSubmatch(got.Body, -1) {
		var object map[string]any
		if err := json.Unmarshal([]byte(m[1]), &object); err != nil {
			t.Fatalf("%s: %v in %s", path, err, m[1])
		}
		testkit.Equal(t, path, object["@context"], any("https://schema.org"))
		name, _ := object["@type"].(string)
		all[name] = object
	}
	return all
}

// at is the value in an object at a path, such as review.reviewRating.ratingValue.
func at(object map[string]any, path string) any {
	for {
		name, rest, more := strings.Cut(path, ".")
		if !more {
			return object[name]
		}
		object, _ = object[name].(map[string]any)
		path = rest
	}
}

func TestData_Tool(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, catalogtest.Snapshot(
		catalogtest.Tool("plein", catalogtest.Scored(825), catalogtest.Priced(catalog.Paid, "199,90 €/an"), catalogtest.Reviewed("Un avis.")),
		catalogtest.Tool("nu", catalogtest.Unscored, catalogtest.Priced(catalog.Paid, "5 €/siège")),
		catalogtest.Tool("libre", catalogtest.Priced(catalog.Free, "0 €/mois"), catalogtest.Named(sitetest.Alien), catalogtest.Tagline(sitetest.Alien)),
	))
	for path, want := range map[string]map[string]any{
		"/outils/plein": {
			"name": "Outil plein", "description": "Un outil", "url": "https://plein.example/",
			"mainEntityOfPage": sitetest.Own + "/outils/plein", "applicationCategory": "Code",
			"offers.@type": "Offer", "offers.price": "199.90", "offers.priceCurrency": "EUR",
			"offers.priceSpecification.unitCode": "ANN", "offers.priceSpecification.price": "199.90",
			"review.@type": "Review", "review.url": sitetest.Own + "/avis/plein",
			"review.author.name": "Palmarès", "review.author.@type": "Organization",
			"review.reviewRating.ratingValue": "8.25", "review.reviewRating.bestRating": "10",
			"review.reviewRating.worstRating": "0",
		},
		"/en/tools/plein": {"mainEntityOfPage": sitetest.Own + "/en/tools/plein", "review.url": sitetest.Own + "/en/reviews/plein"},
		// Neither a score nor a price for a time: no review and no offer, not empty ones.
		"/outils/nu": {"name": "Outil nu", "review": nil, "offers": nil},
		"/outils/libre": {
			"name": sitetest.Alien, "description": sitetest.Alien, "offers.price": "0.00",
			"offers.priceSpecification.unitCode": "MON", "review.reviewRating.ratingValue": "7", "review.url": nil,
		},
	} {
		app := data(t, r, path)["SoftwareApplication"]
		if app == nil {
			t.Fatalf("%s is about no software", path)
		}
		for name, value := range want {
			testkit.Equal(t, path+": "+name, at(app, name), value)
		}
	}
	// The name ends no script and begins no element.
	page := r.Get("/outils/libre").Body
	_, data, _ := strings.Cut(page, "application/ld+json")
	if strings.Contains(page, "<b onclick") || strings.Count(page, "<script") != strings.Count(page, "</script") ||
		!strings.Contains(data, `\u003c/script\u003e\u003cb onclick`) {
		t.Errorf("the name is not escaped: %s", data[:min(len(data), 500)])
	}
}

// The page of a review says whose it is, of what, what it says and when.
func TestData_Review(t *testing.T) {
	t.Parallel()
	written := func(markdown string) func(*catalog.Tool) {
		return func(t *catalog.Tool) {
			catalogtest.Reviewed("x")(t)
			catalogtest.Written(markdown)(t)
		}
	}
	r := sitetest.New(t, catalogtest.Snapshot(
		catalogtest.Tool("plein", catalogtest.Scored(825), written("Il <b>tape</b>.\n\n## Verdict\n\n- **Bon**\n- cher & lourd\n")),
		catalogtest.Tool("nu", catalogtest.Unscored, written(strings.Repeat("mot ", 3000))),
	))
	review := data(t, r, "/avis/plein")["Review"]
	for name, value := range map[string]any{
		"name": "Avis sur Outil plein", "url": sitetest.Own + "/avis/plein", "inLanguage": "fr", "datePublished": "2026-01-15",
		"reviewBody": "Il <b>tape</b>. Verdict Bon cher & lourd", "author.name": "Palmarès", "reviewRating.ratingValue": "8.25",
		"itemReviewed.@type": "SoftwareApplication", "itemReviewed.name": "Outil plein", "itemReviewed.url": "https://plein.example/",
	} {
		testkit.Equal(t, name, at(review, name), value)
	}
	unscored := data(t, r, "/en/reviews/nu")["Review"]
	body, _ := unscored["reviewBody"].(string)
	if unscored["reviewRating"] != nil || len(body) > 4010 || !strings.HasSuffix(body, "mot…") {
		t.Errorf("a long review without a score is %v", unscored)
	}
}

// The page of an item leads back to its list, by names and addresses that are canonical.
func TestData_Breadcrumbs(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, catalogtest.Snapshot(
		catalogtest.Tool("a", catalogtest.Reviewed("Un avis.")), catalogtest.Tool("b"),
		catalogtest.Comparison("a-ou-b", "a", "b"), catalogtest.Retired("mort"),
	))
	for path, want := range map[string][]string{
		"/outils/a":              {"Classement /outils", "Code /categories/code", "Outil a /outils/a"},
		"/en/tools/a":            {"Ranking /en/tools", "Code /en/categories/code", "Outil a /en/tools/a"},
		"/outils/mort":           {"Cimetière /cimetiere", "Code /categories/code", "Feu mort /outils/mort"},
		"/alternatives/b":        {"Classement /outils", "Code /categories/code", " /alternatives/b"},
		"/alternatives/mort":     {"Classement /outils", "Code /categories/code", " /alternatives/mort"},
		"/avis/a":                {"Classement /outils", "Code /categories/code", "Outil a /outils/a", " /avis/a"},
		"/categories/code":       {"Classement /outils", "Code /categories/code"},
		"/en/comparisons/a-ou-b": {"Comparisons /en/comparisons", "Code /en/categories/code", " /en/comparisons/a-ou-b"},
		"/":                      nil,
		"/outils":                nil,
		"/avis/mort":             nil, // gone
	} {
		found := data(t, r, path)
		if found["SoftwareApplication"] != nil && !strings.HasSuffix(path, "/a") {
			t.Errorf("%s is about software", path)
		}
		items, _ := found["BreadcrumbList"]["itemListElement"].([]any)
		testkit.Equal(t, path, len(items), len(want))
		for i := range min(len(items), len(want)) {
			step, _ := items[i].(map[string]any)
			testkit.Equal(t, path, []any{step["@type"], step["position"]}, []any{"ListItem", float64(i + 1)})
			name, _ := step["name"].(string)
			item, _ := step["item"].(string)
			if got := name + " " + strings.TrimPrefix(item, sitetest.Own); name == "" || !strings.HasSuffix(got, want[i]) {
				t.Errorf("%s: step %d is %q, want %q", path, i+1, got, want[i])
			}
		}
	}
}

// The pages of a tool are shared with its picture, all others with the general one.
func TestImages(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, catalogtest.Snapshot(catalogtest.Tool("a", catalogtest.Reviewed("Un avis.")), catalogtest.Retired("mort")))
	for path, image := range map[string]string{
		"/": "/og.png", "/en/plans": "/en/og.png", "/outils/a": "/og/a.png", "/en/tools/a": "/en/og/a.png",
		"/avis/a": "/og/a.png", "/alternatives/a": "/og/a.png", "/outils/mort": "/og/mort.png",
		"/alternatives/mort": "/og/mort.png", "/avis/mort": "/og/mort.png", "/nulle-part": "/og.png",
	} {
		if got := r.Get(path); !strings.Contains(got.Body, `<meta property="og:image" content="`+sitetest.Own+image+`">`) {
			t.Errorf("%s is not shared with %s: %v", path, image, got)
		}
		testkit.Equal(t, image, r.Get(image).Status, 200)
	}
}
