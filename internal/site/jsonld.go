package site

import (
	"fmt"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// What a page is about, for search engines: JSON-LD in the words of schema.org. What the catalog
// does not know is left out.
type (
	software struct {
		Context     string          `json:"@context"`
		Type        string          `json:"@type"`
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Category    string          `json:"applicationCategory"`
		URL         string          `json:"url,omitempty"` // the maker's
		Page        string          `json:"mainEntityOfPage"`
		Offers      *softwareOffer  `json:"offers,omitempty"`
		Review      *softwareReview `json:"review,omitempty"`
	}
	softwareOffer struct {
		Type          string        `json:"@type"`
		Price         string        `json:"price"`
		Currency      string        `json:"priceCurrency"`
		Specification specification `json:"priceSpecification"`
	}
	specification struct {
		Type     string `json:"@type"`
		Price    string `json:"price"`
		Currency string `json:"priceCurrency"`
		Unit     string `json:"unitCode"`
	}
	softwareReview struct {
		Type   string       `json:"@type"`
		URL    string       `json:"url,omitempty"`
		Author organization `json:"author"`
		Rating rating       `json:"reviewRating"`
	}
	organization struct {
		Type string `json:"@type"`
		Name string `json:"name"`
		URL  string `json:"url"`
	}
	rating struct {
		Type  string `json:"@type"`
		Value string `json:"ratingValue"`
		Best  string `json:"bestRating"`
		Worst string `json:"worstRating"`
	}
	breadcrumbs struct {
		Context string  `json:"@context"`
		Type    string  `json:"@type"`
		Items   []crumb `json:"itemListElement"`
	}
	crumb struct {
		Type     string `json:"@type"`
		Position int    `json:"position"`
		Name     string `json:"name"`
		Item     string `json:"item"`
	}
)

const schemaOrg = "https://schema.org"

// unitCodes are those of UN/CEFACT for the periods that everybody understands.
var unitCodes = map[string]string{"mois": "MON", "an": "ANN"}

// toolData is about a living tool, on its page.
func (r *request) toolData(t *catalog.Tool) []any {
	app := software{
		Context: schemaOrg, Type: "SoftwareApplication", Name: t.Name, Description: t.Tagline,
		Category: r.category(t.Category), Page: r.canonical(r.Language),
	}
	if t.Domain != "" {
		app.URL = "https://" + t.Domain + "/"
	}
	if p, ok := catalog.ParsePrice(t.Price); ok && unitCodes[p.Period] != "" {
		const currency = "EUR"
		price := fmt.Sprintf("%d.%02d", p.Cents/100, p.Cents%100)
		app.Offers = &softwareOffer{
			Type: "Offer", Price: price, Currency: currency, Specification: specification{
				Type: "UnitPriceSpecification", Price: price, Currency: currency, Unit: unitCodes[p.Period],
			},
		}
	}
	if t.Score.Known {
		app.Review = &softwareReview{
			Type: "Review", Author: organization{"Organization", r.Service().Name, r.Service().URL},
			Rating: rating{Type: "Rating", Value: t.Score.String(), Best: "10", Worst: "0"},
		}
		if t.Review.Exists() {
			app.Review.URL = r.address(r.router.kinds["review"], r.Language, t.Slug)
		}
	}
	return append([]any{app}, r.itemData("tools", t.Category, t.Name)...)
}

// itemData is about the place of an item's page: in a section, in a category, under its own name.
func (r *request) itemData(section, category, name string) []any {
	return r.trail(
		r.step(section, "", r.Must("nav."+section)), r.step("category", category, r.category(category)),
		crumb{Name: name, Item: r.canonical(r.Language)},
	)
}

// reviewData is about the place of the page of a review, which is that of a tool below it.
func (r *request) reviewData(t *catalog.Tool, title string) []any {
	return r.trail(
		r.step("tools", "", r.Must("nav.tools")), r.step("category", t.Category, r.category(t.Category)),
		r.step("tool", t.Slug, t.Name), crumb{Name: title, Item: r.canonical(r.Language)},
	)
}

// categoryData is about the place of the page of a category.
func (r *request) categoryData(c catalog.Category) []any {
	return r.trail(r.step("tools", "", r.Must("nav.tools")), r.step("category", c.Slug, c.Label))
}

func (r *request) step(kind, slug, name string) crumb {
	return crumb{Name: name, Item: r.address(r.router.kinds[kind], r.Language, slug)}
}

// trail numbers the steps that lead to a page, itself the last.
func (r *request) trail(steps ...crumb) []any {
	for i := range steps {
		steps[i].Type, steps[i].Position = "ListItem", i+1
	}
	return []any{breadcrumbs{schemaOrg, "BreadcrumbList", steps}}
}
