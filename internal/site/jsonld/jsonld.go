// Package jsonld describes pages to search engines as JSON-LD, in the schema.org vocabulary. It leaves out what the
// catalog does not know.
//
// Begin with Tool, Item, Review, Dataset and Category: each returns a value for view.Document.Data.
package jsonld

import (
	"fmt"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/view"
)

type (
	software struct {
		Context     string          `json:"@context"`
		Type        string          `json:"@type"`
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Category    string          `json:"applicationCategory"`
		URL         string          `json:"url,omitempty"` // of the tool's maker
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
		Lang   string       `json:"inLanguage,omitempty"`
		Author organization `json:"author"`
		Rating rating       `json:"reviewRating"`
	}
	// written is a review on its own page.
	written struct {
		Context   string       `json:"@context"`
		Type      string       `json:"@type"`
		Name      string       `json:"name"`
		URL       string       `json:"url"`
		Language  string       `json:"inLanguage"`
		Published string       `json:"datePublished"` // when the present version was published
		Body      string       `json:"reviewBody,omitempty"`
		Author    organization `json:"author"`
		Rating    *rating      `json:"reviewRating,omitempty"`
		Reviewed  reviewed     `json:"itemReviewed"`
	}
	reviewed struct {
		Type     string `json:"@type"`
		Name     string `json:"name"`
		Category string `json:"applicationCategory"`
		URL      string `json:"url,omitempty"` // of the tool's maker
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
	dataset struct {
		Context  string         `json:"@context"`
		Type     string         `json:"@type"`
		Name     string         `json:"name"`
		About    string         `json:"description"`
		URL      string         `json:"url"`
		Version  string         `json:"version"`
		Modified string         `json:"dateModified"`
		Language string         `json:"inLanguage"`
		Free     bool           `json:"isAccessibleForFree"`
		Credit   string         `json:"creditText"`
		License  string         `json:"license,omitempty"`
		Creator  organization   `json:"creator"`
		Files    []dataDownload `json:"distribution"`
	}
	dataDownload struct {
		Type   string `json:"@type"`
		Name   string `json:"name"`
		Format string `json:"encodingFormat"`
		URL    string `json:"contentUrl"`
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

// unitCodes are the UN/CEFACT codes of the billing periods that have a common one.
var unitCodes = map[string]string{"mois": "MON", "an": "ANN"}

// Tool returns the JSON-LD of a living tool's page: the tool with its price and score, and breadcrumbs.
func Tool(v *view.View, t *catalog.Tool) []any {
	app := software{
		Context: schemaOrg, Type: "SoftwareApplication", Name: t.Name, Description: t.Tagline,
		Category: v.Category(t.Category), Page: v.Canonical(address.Tool, t.Slug),
	}
	if v.Text.Shows(t.English.Tagline) {
		app.Description = t.English.Tagline.Text
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
			Type: "Review", Author: editors(v), Rating: rated(t.Score),
		}
		if t.Review.Exists() {
			app.Review.URL, app.Review.Lang = v.Canonical(address.Review, t.Slug), locale.French.String()
			if v.Foreign() && t.English.Review.Exists() {
				app.Review.Lang = v.Text.String()
			}
		}
	}
	return append([]any{app}, Item(v, address.Tools, t.Category, t.Name, app.Page)...)
}

// Item returns the breadcrumbs of the page of an item: its section, its category, its own name.
func Item(v *view.View, section address.Page, category, name, url string) []any {
	return trail(
		sectionStep(v, section), categoryStep(v, category, v.Category(category)), crumb{Name: name, Item: url},
	)
}

// editors returns the organization that gives the scores: the catalog's service.
func editors(v *view.View) organization {
	return organization{"Organization", v.Catalog.Service().Name, v.Catalog.Service().URL}
}

func rated(score catalog.Measure) rating {
	return rating{Type: "Rating", Value: score.String(), Best: "10", Worst: "0"}
}

// Review returns the JSON-LD of the page of a tool's review, whose text is given, and its breadcrumbs, which continue
// those of the tool.
func Review(v *view.View, t *catalog.Tool, title, text string) []any {
	page := v.Canonical(address.Review, t.Slug)
	review := written{
		Context: schemaOrg, Type: "Review", Name: title, URL: page, Language: locale.French.String(),
		Published: string(t.UpdatedAt), Body: text, Author: editors(v),
		Reviewed: reviewed{Type: "SoftwareApplication", Name: t.Name, Category: v.Category(t.Category)},
	}
	if t.Domain != "" {
		review.Reviewed.URL = "https://" + t.Domain + "/"
	}
	if t.Score.Known {
		score := rated(t.Score)
		review.Rating = &score
	}
	return append([]any{review}, trail(
		sectionStep(v, address.Tools), categoryStep(v, t.Category, v.Category(t.Category)),
		crumb{Name: t.Name, Item: v.Canonical(address.Tool, t.Slug)},
		crumb{Name: title, Item: page},
	)...)
}

// Dataset returns the JSON-LD of the page that lists the files for download.
func Dataset(v *view.View, title, description string) []any {
	service, edition := v.Catalog.Service(), v.Catalog.Edition()
	d := dataset{
		Context: schemaOrg, Type: "Dataset", Name: service.Name + ", " + title, About: description, URL: v.Canonical(address.Data, ""),
		Version: string(edition.Date()), Modified: edition.PublishedAt.UTC().Format(time.RFC3339), Language: locale.French.String(), Free: true,
		Credit: service.Credit(), License: service.License.URL(), Creator: editors(v),
	}
	for _, t := range export.Tables() {
		for _, f := range export.Formats() {
			file := export.File{Table: t.Name, Format: f}
			format, _, _ := strings.Cut(f.ContentType(), ";")
			d.Files = append(d.Files, dataDownload{"DataDownload", file.Name(), format, v.Base() + export.Path + "/" + file.Name()})
		}
	}
	return []any{d}
}

// Category returns the breadcrumbs of the page of a category.
func Category(v *view.View, c catalog.Category) []any {
	return trail(sectionStep(v, address.Tools), categoryStep(v, c.Slug, v.Category(c.Slug)))
}

func sectionStep(v *view.View, section address.Page) crumb {
	return crumb{Name: v.Text.Must("nav." + section.Name), Item: v.Canonical(section, "")}
}

func categoryStep(v *view.View, slug, name string) crumb {
	return crumb{Name: name, Item: v.Canonical(address.Category, slug)}
}

// trail returns breadcrumbs of the given steps, which it numbers. The last step is the page itself.
func trail(steps ...crumb) []any {
	for i := range steps {
		steps[i].Type, steps[i].Position = "ListItem", i+1
	}
	return []any{breadcrumbs{schemaOrg, "BreadcrumbList", steps}}
}
