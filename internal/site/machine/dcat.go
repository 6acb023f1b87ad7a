package machine

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var dcatTexts = layout.Texts{
	"dcat.title":   {"%s\u00a0: le catalogue", "%s: the catalogue"},
	"dcat.service": {"%s\u00a0: l’API", "%s: the API"},
	"dcat.about": {
		"Outils d’intelligence artificielle\u00a0: notes, prix en euros avec leur historique, comparatifs, outils retirés, sources.",
		"AI tools: scores, prices in euros with their history, comparisons, retired tools, sources.",
	},
	"dcat.api": {
		"Une API JSON en lecture seule, ouverte sans clé, sur les mêmes données.",
		"A read-only JSON API over the same data, open without a key.",
	},
}

// The types of DCAT-AP, with only the fields that a portal needs. A dcatNode is a reference to another object by its
// @id.
type (
	dcatText map[string]string // by language
	dcatNode struct {
		ID string `json:"@id"`
	}
	dcatAgent struct {
		ID   string `json:"@id"`
		Type string `json:"@type"`
		Name string `json:"foaf:name"`
	}
	dcatCatalog struct {
		ID        string      `json:"@id"`
		Type      string      `json:"@type"`
		Title     dcatText    `json:"dct:title"`
		About     dcatText    `json:"dct:description"`
		Publisher dcatAgent   `json:"dct:publisher"`
		Homepage  dcatNode    `json:"foaf:homepage"`
		License   *dcatNode   `json:"dct:license,omitempty"`
		Dataset   dcatDataset `json:"dcat:dataset"`
		Service   dcatService `json:"dcat:service"`
	}
	dcatDataset struct {
		ID        string             `json:"@id"`
		Type      string             `json:"@type"`
		Title     dcatText           `json:"dct:title"`
		About     dcatText           `json:"dct:description"`
		Publisher dcatNode           `json:"dct:publisher"`
		Language  dcatNode           `json:"dct:language"`
		Version   string             `json:"dcat:version"`
		Modified  dcatTime           `json:"dct:modified"`
		Often     dcatNode           `json:"dct:accrualPeriodicity"`
		Page      dcatNode           `json:"dcat:landingPage"`
		License   *dcatNode          `json:"dct:license,omitempty"`
		Files     []dcatDistribution `json:"dcat:distribution"`
	}
	dcatDistribution struct {
		ID       string    `json:"@id"`
		Type     string    `json:"@type"`
		Title    dcatText  `json:"dct:title"`
		Access   dcatNode  `json:"dcat:accessURL"`
		Download dcatNode  `json:"dcat:downloadURL"`
		Media    dcatNode  `json:"dcat:mediaType"`
		License  *dcatNode `json:"dct:license,omitempty"`
	}
	dcatService struct {
		ID          string    `json:"@id"`
		Type        string    `json:"@type"`
		Title       dcatText  `json:"dct:title"`
		About       dcatText  `json:"dct:description"`
		Publisher   dcatNode  `json:"dct:publisher"`
		Endpoint    dcatNode  `json:"dcat:endpointURL"`
		Description dcatNode  `json:"dcat:endpointDescription"`
		Serves      dcatNode  `json:"dcat:servesDataset"`
		License     *dcatNode `json:"dct:license,omitempty"`
	}
	dcatTime struct {
		Type  string `json:"@type"`
		Value string `json:"@value"`
	}
)

// dcatContext is the JSON-LD context: it defines the prefixes, and that titles and descriptions are maps by language.
var dcatContext = map[string]any{
	"dcat": "http://www.w3.org/ns/dcat#", "dct": "http://purl.org/dc/terms/", "foaf": "http://xmlns.com/foaf/0.1/",
	"xsd":             "http://www.w3.org/2001/XMLSchema#",
	"dct:title":       map[string]string{"@container": "@language"},
	"dct:description": map[string]string{"@container": "@language"},
}

const (
	jsonldType   = "application/ld+json; charset=utf-8"
	mediaTypes   = "https://www.iana.org/assignments/media-types/"
	vocabularies = "http://publications.europa.eu/resource/authority/"
)

// DCAT returns the description of the downloads and the API in DCAT-AP, from which data portals list them.
func DCAT(v *view.View) (*view.File, error) {
	service, edition, base := v.Catalog.Service(), v.Catalog.Edition(), v.Base()
	id := func(part string) string { return base + "/catalog.jsonld#" + part }
	in := func(text string, args ...any) dcatText {
		both := make(dcatText)
		for _, l := range locale.Languages() {
			both[l.String()] = v.Text.In(l).Must(text, args...)
		}
		return both
	}
	var license *dcatNode
	if service.License != "" {
		license = &dcatNode{service.License.URL()}
	}
	publisher := dcatNode{id("publisher")}
	page := dcatNode{base + address.Data.French}
	data := dcatDataset{
		ID: id("dataset"), Type: "dcat:Dataset", Title: in("dcat.title", service.Name), About: in("dcat.about"), Publisher: publisher,
		Language: dcatNode{vocabularies + "language/FRA"}, Version: string(edition.Date()), Often: dcatNode{vocabularies + "frequency/IRREG"},
		Modified: dcatTime{"xsd:dateTime", edition.PublishedAt.UTC().Format(time.RFC3339)}, Page: page, License: license,
	}
	for _, t := range export.Tables() {
		for _, f := range export.Formats() {
			name := export.File{Table: t.Name, Format: f}.Name()
			media, _, _ := strings.Cut(f.ContentType(), ";")
			data.Files = append(data.Files, dcatDistribution{
				ID: id(name), Type: "dcat:Distribution", Title: dcatText{"en": name}, Access: page, Download: dcatNode{base + export.Path + "/" + name},
				Media: dcatNode{mediaTypes + media}, License: license,
			})
		}
	}
	body, err := json.Marshal(struct {
		Context map[string]any `json:"@context"`
		dcatCatalog
	}{dcatContext, dcatCatalog{
		ID: id("catalog"), Type: "dcat:Catalog", Title: in("dcat.title", service.Name), About: in("dcat.about"),
		Publisher: dcatAgent{publisher.ID, "foaf:Agent", service.Name}, Homepage: dcatNode{base + "/"}, License: license, Dataset: data,
		Service: dcatService{
			ID: id("api"), Type: "dcat:DataService", Title: in("dcat.service", service.Name), About: in("dcat.api"), Publisher: publisher,
			Endpoint: dcatNode{base + "/api/v1"}, Description: dcatNode{base + "/api/v1/openapi.json"}, Serves: dcatNode{data.ID}, License: license,
		},
	}})
	return &view.File{Type: jsonldType, Body: body}, err
}
