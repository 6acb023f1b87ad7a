package export_test

import (
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Each package and each domain is a row, of living and retired tools, by id and then by slug. The price before is that
// of the last change of price: a change of the model alone is none.
func TestIdentifiers(t *testing.T) {
	t.Parallel()
	shared := func(t *catalog.Tool) { t.Domain = "commun.example" }
	s := catalogtest.Snapshot(
		catalogtest.Tool("b", shared, catalogtest.Packaged("pkg:pypi/b", "pkg:npm/%40b/b")),
		catalogtest.Tool("a", shared, func(t *catalog.Tool) {
			t.Ending = catalog.Ending{At: "2028-06-30", Successor: "b"}
			t.Score, t.Price = catalog.Hundredths(825), "19,90 €/mois"
			t.History = []catalog.PriceChange{
				{ChangedAt: "2026-03-01", OldPricing: catalog.Freemium, OldPrice: "19,90 €/mois", NewPricing: catalog.Paid, NewPrice: "19,90 €/mois"},
				{ChangedAt: "2026-02-01", OldPricing: catalog.Freemium, OldPrice: "150 €/an", NewPricing: catalog.Freemium, NewPrice: "19,90 €/mois"},
				{ChangedAt: "2025-02-01", OldPricing: catalog.Free, OldPrice: "0 €/mois", NewPricing: catalog.Freemium, NewPrice: "150 €/an"},
			}
		}),
		catalogtest.Tool("a-2", shared),
		catalogtest.Retired("feu", func(r *catalog.Retired) {
			r.Domain, r.Packages, r.Successor = "feu.example", []string{"pkg:npm/feu"}, "b"
		}),
		catalogtest.Retired("muet"),
	)
	for format, want := range map[export.Format]string{
		export.JSONL: `{"id":"domain:commun.example","slug":"a","name":"Outil a","retired":false,"ends_at":"2028-06-30","successor":"b","score":8.25,"price_cents":1990,"price_period":"mois","old_price_cents":15000,"old_price_period":"an","price_changed_at":"2026-02-01"}
{"id":"domain:commun.example","slug":"a-2","name":"Outil a-2","retired":false,"ends_at":null,"successor":null,"score":7,"price_cents":2000,"price_period":"mois","old_price_cents":null,"old_price_period":null,"price_changed_at":null}
{"id":"domain:commun.example","slug":"b","name":"Outil b","retired":false,"ends_at":null,"successor":null,"score":7,"price_cents":2000,"price_period":"mois","old_price_cents":null,"old_price_period":null,"price_changed_at":null}
{"id":"domain:feu.example","slug":"feu","name":"Feu feu","retired":true,"ends_at":"2025-06-01","successor":"b","score":null,"price_cents":null,"price_period":null,"old_price_cents":null,"old_price_period":null,"price_changed_at":null}
{"id":"pkg:npm/%40b/b","slug":"b","name":"Outil b","retired":false,"ends_at":null,"successor":null,"score":7,"price_cents":2000,"price_period":"mois","old_price_cents":null,"old_price_period":null,"price_changed_at":null}
{"id":"pkg:npm/feu","slug":"feu","name":"Feu feu","retired":true,"ends_at":"2025-06-01","successor":"b","score":null,"price_cents":null,"price_period":null,"old_price_cents":null,"old_price_period":null,"price_changed_at":null}
{"id":"pkg:pypi/b","slug":"b","name":"Outil b","retired":false,"ends_at":null,"successor":null,"score":7,"price_cents":2000,"price_period":"mois","old_price_cents":null,"old_price_period":null,"price_changed_at":null}
`,
		export.CSV: `id,slug,name,retired,ends_at,successor,score,price_cents,price_period,old_price_cents,old_price_period,price_changed_at
domain:commun.example,a,Outil a,false,2028-06-30,b,8.25,1990,mois,15000,an,2026-02-01
domain:commun.example,a-2,Outil a-2,false,,,7,2000,mois,,,
domain:commun.example,b,Outil b,false,,,7,2000,mois,,,
domain:feu.example,feu,Feu feu,true,2025-06-01,b,,,,,,
pkg:npm/%40b/b,b,Outil b,false,,,7,2000,mois,,,
pkg:npm/feu,feu,Feu feu,true,2025-06-01,b,,,,,,
pkg:pypi/b,b,Outil b,false,,,7,2000,mois,,,
`,
	} {
		text, rows := written(t, export.File{Table: "identifiers", Format: format}, s)
		testkit.Equal(t, string(format), strings.ReplaceAll(text, "\r", ""), want)
		testkit.Equal(t, "rows", rows, 7)
	}
}

// A change of packages alone makes another file, and none of the others.
func TestIdentifiers_AnotherTag(t *testing.T) {
	t.Parallel()
	before, after := catalogtest.Snapshot(catalogtest.Tool("a")), catalogtest.Snapshot(catalogtest.Tool("a", catalogtest.Packaged("pkg:npm/a")))
	for _, f := range export.Files() {
		was, err := export.Make(f, before, nil, nil)
		testkit.Must(t, err)
		is, err := export.Make(f, after, nil, nil)
		testkit.Must(t, err)
		testkit.Equal(t, f.Name()+" differs", was.Tag != is.Tag, f.Table == "identifiers")
	}
}
