package api_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
)

// goldens names the bodies kept in testdata/golden, one or more for each operation.
// The OpenAPI document is left out: it is held against its source instead.
var goldens = map[string]string{
	"listTools":                  "/api/v1/tools",
	"listTools-name-asc":         "/api/v1/tools?sort=name_asc&limit=3&page=2",
	"listTools-filtered":         "/api/v1/tools?category=code&score_min=8&obsolescence_max=5",
	"listTools-past-the-last":    "/api/v1/tools?page=9",
	"getTool":                    "/api/v1/tools/oeuvre",
	"getTool-escaped":            "/api/v1/tools/guillemets",
	"getTool-nulls":              "/api/v1/tools/sans-note",
	"listComparisons":            "/api/v1/comparatifs",
	"getComparison":              "/api/v1/comparatifs/eclair-ou-oeuvre",
	"listPrices":                 "/api/v1/pricing",
	"getPrice":                   "/api/v1/pricing/oeuvre",
	"getPrice-changed":           "/api/v1/pricing/zebre",
	"listRetiredTools":           "/api/v1/cimetiere",
	"listRetiredTools-by-reason": "/api/v1/cimetiere?reason=deprecie",
	"listCategories":             "/api/v1/categories",
	"getStats":                   "/api/v1/stats",
	"listEmbeddings":             "/api/embeddings",
	"getEmbeddings":              "/api/embeddings/oeuvre",
	"getEmbeddings-escaped":      "/api/embeddings/guillemets",
}

// Bodies are kept indented, to be read; they are sent compact.
func TestGolden(t *testing.T) {
	t.Parallel()
	s := amend(fixture(t), func(n *catalog.Contents) {
		z := tool(n, "zebre")
		z.Pricing, z.Price = catalog.Freemium, "4,50 €/mois"
	})
	c := serve(t, api.Options{Catalog: shelve(s), Callers: anyKey})
	for name, target := range goldens {
		var headers []string
		if strings.HasPrefix(target, "/api/embeddings") {
			headers = keyed
		}
		got := c.get(t, target, headers...).wantStatus(t, http.StatusOK)
		var indented, compact bytes.Buffer
		if err := json.Compact(&compact, got.text); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(compact.Bytes(), got.text) {
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
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(indented.Bytes(), want) {
			t.Errorf("%s is not %s (-update rewrites it):\n%s", target, file, indented.Bytes())
		}
	}
}

// A golden file that no operation makes would never be missed.
func TestGolden_NoneLeftOver(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "golden", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		if goldens[name[:len(name)-len(filepath.Ext(name))]] == "" {
			t.Errorf("%s belongs to no request", file)
		}
	}
}
