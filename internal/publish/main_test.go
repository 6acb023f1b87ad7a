package publish_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/publish"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A desk is an editor's: a content directory, a database and a clock.
type desk struct {
	*testing.T
	dir string
	db  *postgres.DB
	now time.Time
}

// newDesk has a sound catalog of the given number of tools, none of it published.
func newDesk(t *testing.T, tools int) *desk {
	t.Helper()
	d := &desk{T: t, dir: t.TempDir(), db: pgtest.Open(t), now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	d.write("catalog.yaml", `name: Palmarès
url: https://palmares.example
site:
  tool: "https://palmares.example/outils/{slug}"
  review: "https://palmares.example/avis/{slug}"
  alternatives: "https://palmares.example/alternatives/{slug}"
  comparison: "https://palmares.example/duels/{slug}"
`)
	d.write("categories.yaml", "- slug: code\n  label: Code\n")
	for i := range tools {
		d.tool(fmt.Sprintf("outil-%d", i), "10 €/mois")
	}
	return d
}

func (d *desk) write(path, text string) {
	d.Helper()
	path = filepath.Join(d.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		d.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.Fatal(err)
	}
}

func (d *desk) remove(paths ...string) {
	d.Helper()
	for _, path := range paths {
		if err := os.Remove(filepath.Join(d.dir, path)); err != nil {
			d.Fatal(err)
		}
	}
}

func (d *desk) tool(slug, price string) {
	d.Helper()
	d.write("tools/"+slug+".md", fmt.Sprintf(`---
name: %s
domain: %s.example
category: code
icp: mixte
pricing: payant
price: %s
score: 7.5
tagline: Un outil
obsolescence: 2
tier: 3
mainstream: false
---
`, slug, slug, price))
}

func (d *desk) comparison(slug, a, b, status string) {
	d.Helper()
	d.write("comparatifs/"+slug+".md", fmt.Sprintf(`---
title: %s ou %s
tool_a: %s
tool_b: %s
winner: %s
status: %s
---
Plus juste.
`, a, b, a, b, a, status))
}

func (d *desk) retired(slug string) {
	d.Helper()
	d.write("cimetiere/"+slug+".md", fmt.Sprintf(`---
name: %s
category: code
reason: mort
retired_at: 2026-02-28
---
Fermé.
`, slug))
}

func (d *desk) run(o publish.Options) (publish.Outcome, error) {
	d.Helper()
	if o.Now == nil {
		o.Now = func() time.Time { return d.now }
	}
	return publish.Run(d.Context(), d.db.Catalog, d.dir, o)
}

// publish is a run that must work.
func (d *desk) publish(o publish.Options) publish.Outcome {
	d.Helper()
	out, err := d.run(o)
	if err != nil {
		d.Fatal(err)
	}
	return out
}

// published is the state of the database.
func (d *desk) published() (*catalog.Contents, catalog.Edition) {
	d.Helper()
	c, e, err := d.db.Catalog.Current(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	return c, e
}

// wantEdition checks which edition the database has.
func (d *desk) wantEdition(number int64) {
	d.Helper()
	if _, e := d.published(); e.Number != number {
		d.Errorf("the database has edition %d, not %d", e.Number, number)
	}
}
