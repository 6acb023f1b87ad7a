package api_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// goldens names the bodies in testdata/golden, one or more for each operation. The OpenAPI
// document is left out: it is compared with its source.
var goldens = map[string]string{
	"listTools":                  "tools",
	"listTools-name-asc":         "tools?sort=name_asc&limit=3&page=2",
	"listTools-filtered":         "tools?category=code&score_min=8&obsolescence_max=5",
	"listTools-past-the-last":    "tools?page=9",
	"getTool":                    "tools/oeuvre",
	"getTool-escaped":            "tools/guillemets",
	"getTool-nulls":              "tools/sans-note",
	"listComparisons":            "comparatifs",
	"getComparison":              "comparatifs/eclair-ou-oeuvre",
	"listPrices":                 "pricing",
	"getPrice":                   "pricing/oeuvre",
	"getPrice-changed":           "pricing/zebre",
	"listRetiredTools":           "cimetiere",
	"listRetiredTools-by-reason": "cimetiere?reason=deprecie",
	"listFindings":               "findings?slugs=zebre,feu-mort,inconnu,oeuvre,zebre&score_min=9",
	"listFindings-items":         "findings?items=zebre.example,eclips,pkg:npm/personne",
	"getBill":                    "bill?items=zebre.example*2,feu-mort,eclips&from=2026-03&to=2026-06",
	"compareTools":               "compare?items=zebre.example,%C5%92uvre,feu-mort",
	"listCategories":             "categories",
	"getStats":                   "stats",
	"listChanges":                "changes?since=0&limit=5",
	"getIndex":                   "/api/v1",
	"listEmbeddings":             "/api/embeddings",
	"getEmbeddings":              "/api/embeddings/oeuvre",
	"getEmbeddings-escaped":      "/api/embeddings/guillemets",
}

// Golden files are indented, to be read; bodies are sent compact.
func TestGolden(t *testing.T) {
	t.Parallel()
	c := newClient(t, func(o *api.Options) {
		o.Catalog = serving(amend(t, func(n *catalog.Contents) {
			z := catalogtest.Find(n, "zebre")
			z.Pricing, z.Price = catalog.Freemium, "4,50 €/mois"
		}))
	})
	key := c.sign(account.Pro).bearer()
	for name, target := range goldens {
		got := c.get(target, key...).want(200)
		var indented, compact bytes.Buffer
		if json.Compact(&compact, got.text) != nil || !bytes.Equal(compact.Bytes(), got.text) {
			t.Errorf("%s is not compact", target)
		}
		if err := json.Indent(&indented, got.text, "", "  "); err != nil {
			t.Fatal(err)
		}
		indented.WriteByte('\n')
		file := filepath.Join("testdata", "golden", name+".json")
		if *update {
			if err := os.WriteFile(file, indented.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		testkit.Equal(t, target+" (-update rewrites "+file+")", indented.String(), string(want))
	}
	files, err := filepath.Glob(filepath.Join("testdata", "golden", "*"))
	if err != nil || len(files) != len(goldens) {
		t.Errorf("%d golden files for %d requests: %v", len(files), len(goldens), err)
	}
}
