package machine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// The licence of the data stands wherever somebody takes it: at the foot of pages, on the page of downloads with the
// credit line and its date, in feeds, and in the descriptions for search engines and portals.
func TestLicense(t *testing.T) {
	t.Parallel()
	contents := func(l catalog.License) *catalog.Snapshot {
		c := catalogtest.Contents(catalogtest.Tool("rabot"))
		c.Service.License = l
		return catalogtest.First(c, catalogtest.Edition(1))
	}
	for _, license := range append(catalog.Licenses(), "") {
		r := sitetest.New(t, contents(license))
		named := license != ""
		link := `<a rel="license" href="` + license.URL() + `">` + license.Title() + `</a>`
		for path, says := range map[string]string{
			"/outils/rabot": link, "/en/": link, "/donnees": link, "/llms.txt": license.Title(),
			"/flux/prix.atom": `<link rel="license" type="text/html" href="` + license.URL() + `">`, "/en/data": `"license":"` + license.URL() + `"`,
		} {
			if got := r.Get(path); named && !strings.Contains(got.Body, says) || !named && strings.Contains(got.Body, `license"`) {
				t.Errorf("%q: %s", license, path)
			}
		}
		data := r.Get("/en/data")
		for _, text := range []string{
			"Source\u00a0: Palmarès (https://palmares.example), édition du 2\u00a0mars 2026", `"@type":"Dataset"`, `"contentUrl":"https://palmares.example/api/v1/export/tools.csv"`,
		} {
			if !strings.Contains(strings.ReplaceAll(data.Body, "Source :", "Source\u00a0:"), text) {
				t.Errorf("the page of downloads does not say %s", text)
			}
		}
		got := r.Get("/catalog.jsonld")
		testkit.Equal(t, "its type", got.Header.Get("Content-Type"), "application/ld+json; charset=utf-8")
		var described struct {
			Context map[string]any `json:"@context"`
			Dataset struct {
				License *struct {
					ID string `json:"@id"`
				} `json:"dct:license"`
				Files []struct {
					Download struct {
						ID string `json:"@id"`
					} `json:"dcat:downloadURL"`
				} `json:"dcat:distribution"`
			} `json:"dcat:dataset"`
			Service struct {
				Description struct {
					ID string `json:"@id"`
				} `json:"dcat:endpointDescription"`
			} `json:"dcat:service"`
		}
		testkit.Must(t, json.Unmarshal([]byte(got.Body), &described))
		testkit.Equal(t, "files", len(described.Dataset.Files), len(export.Files()))
		testkit.Equal(t, "the last", described.Dataset.Files[0].Download.ID, "https://palmares.example/api/v1/export/tools.jsonl")
		testkit.Equal(t, "the contract", described.Service.Description.ID, "https://palmares.example/api/v1/openapi.json")
		testkit.Equal(t, "it is licensed", described.Dataset.License != nil, named)
		if named {
			testkit.Equal(t, "the licence", described.Dataset.License.ID, license.URL())
		}
	}
}
