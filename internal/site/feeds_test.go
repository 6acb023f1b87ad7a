package site_test

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mmcdole/gofeed/atom"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// tagURI is RFC 4151's form of a name.
var tagURI = regexp.MustCompile(`^tag:[a-z0-9.-]+,\d{4}(-\d\d){0,2}:[a-z0-9./-]+$`)

// feed reads a feed and holds it to what RFC 4287 asks of every feed.
func (r *reader) feed(path string) *atom.Feed {
	r.tb.Helper()
	got := r.get(path)
	testkit.Equal(r.tb, path, got.Status, 200)
	testkit.Equal(r.tb, path, got.Header.Get("Content-Type"), "application/atom+xml; charset=utf-8")
	f, err := new(atom.Parser).Parse(strings.NewReader(got.Body))
	testkit.Must(r.tb, err)
	testkit.Equal(r.tb, path+": the language", f.Language, "fr")
	if !tagURI.MatchString(f.ID) || f.Title == "" || f.UpdatedParsed == nil || len(f.Authors) != 1 || f.Authors[0].Name == "" {
		r.tb.Errorf("%s lacks what every feed has: %s", path, got)
	}
	links := make(map[string]string)
	for _, l := range f.Links {
		links[l.Rel] = l.Href
	}
	testkit.Equal(r.tb, path+": its own link", links["self"], "https://palmares.example"+path)
	page, err := url.Parse(links["alternate"])
	testkit.Must(r.tb, err)
	if html := r.get(page.Path).Body; !strings.Contains(html, `type="application/atom+xml" title="`) ||
		!strings.Contains(html, `href="`+path+`"`) {
		r.tb.Errorf("%s does not lead to %s", page.Path, path)
	}
	ids := []string{f.ID}
	last := *f.UpdatedParsed
	for _, e := range f.Entries {
		if !tagURI.MatchString(e.ID) || e.Title == "" || e.Summary == "" || e.UpdatedParsed == nil || slices.Contains(ids, e.ID) {
			r.tb.Errorf("%s: an entry lacks what every one has: %+v", path, e)
			continue
		}
		if e.UpdatedParsed.After(last) {
			r.tb.Errorf("%s: %s is newer than what stands before it", path, e.ID)
		}
		ids, last = append(ids, e.ID), *e.UpdatedParsed
		if len(e.Links) != 1 || e.Links[0].Rel != "alternate" {
			r.tb.Errorf("%s: %s has the links %v", path, e.ID, e.Links)
		}
	}
	return f
}

var feedPaths = []string{
	"/flux/prix.atom", "/flux/nouveaux.atom", "/flux/cimetiere.atom", "/flux/categories/code.atom",
}

func TestFeeds(t *testing.T) {
	t.Parallel()
	first := catalogtest.First(catalogtest.Contents(
		catalogtest.Tool("rabot", catalogtest.Named(`Rabot <b>&"fils"</b>`), catalogtest.Tagline("Il rabote")),
		catalogtest.Tool("lime", catalogtest.In("image")),
	), catalogtest.Edition(1))
	second := catalogtest.Amend(first, func(c *catalog.Contents) {
		catalogtest.Find(c, "rabot").Price = "15 €/mois"
		catalogtest.Retire(c, "lime")
		c.Tools = append(c.Tools, catalogtest.Tool("scie", catalogtest.Unscored, catalogtest.Tagline("Elle scie ?")))
	})
	third := catalogtest.Amend(second, func(c *catalog.Contents) {
		catalogtest.Priced(catalog.Free, "0 €/mois")(catalogtest.Find(c, "rabot"))
	})
	r := newReader(t, second)
	before := make(map[string]string) // entries by name
	for _, path := range feedPaths {
		for _, e := range r.feed(path).Entries {
			before[e.ID] = e.Title + "|" + e.Summary + "|" + e.Updated
		}
	}
	r.swap(third)
	said := func(path string) []string {
		var lines []string
		for _, e := range r.feed(path).Entries {
			if b, ok := before[e.ID]; ok && b != e.Title+"|"+e.Summary+"|"+e.Updated {
				t.Errorf("%s was %s and is %+v", e.ID, b, e)
			}
			lines = append(lines, e.Updated[:10]+" "+e.ID[len("tag:palmares.example,2026:"):]+" "+e.Title+" | "+e.Summary)
		}
		for i := range lines {
			lines[i] = strings.NewReplacer("\u00a0", " ", "\u202f", " ").Replace(lines[i])
		}
		return lines
	}
	prices := []string{
		`2026-03-04 prix/rabot/2026-03-04/2 Rabot <b>&"fils"</b> : 15 €/mois → Gratuit (devient gratuit) | Rabot <b>&"fils"</b> : 15 €/mois → Gratuit (devient gratuit), le 4 mars 2026.`,
		`2026-03-03 prix/rabot/2026-03-03/1 Rabot <b>&"fils"</b> : 20 €/mois → 15 €/mois (−25 %) | Rabot <b>&"fils"</b> : 20 €/mois → 15 €/mois (−25 %), le 3 mars 2026.`,
	}
	created := []string{
		"2026-03-03 nouveaux/scie/6 Outil scie entre au catalogue | Elle scie ? Pas encore noté. Prix : 20 €/mois.",
		"2026-03-02 nouveaux/lime/1 Outil lime entre au catalogue | Un outil. Note : 7,0. Prix : 20 €/mois.",
		`2026-03-02 nouveaux/rabot/2 Rabot <b>&"fils"</b> entre au catalogue | Il rabote. Note : 7,0. Prix : 20 €/mois.`,
	}
	testkit.Equal(t, "prices", said("/flux/prix.atom"), prices)
	got := said("/flux/nouveaux.atom")
	slices.Sort(got[1:]) // of one edition
	testkit.Equal(t, "new tools", got, created)
	testkit.Equal(t, "the cemetery", said("/flux/cimetiere.atom"), []string{
		"2026-11-10 cimetiere/lime/2026-11-10 Outil lime : mort | Retiré le 10 novembre 2026. Fermé. Auparavant : note 7,0, 20 €/mois.",
	})
	testkit.Equal(t, "a category", said("/flux/categories/code.atom"), []string{prices[0], created[0], prices[1], created[2]})
	r.swap(catalogtest.Amend(third, func(c *catalog.Contents) { c.Tools = c.Tools[:1] })) // without scie
	testkit.Equal(t, "new tools that are still there", len(r.feed("/flux/nouveaux.atom").Entries), 2)
	for path, status := range map[string]int{
		"/flux/categories/nulle.atom": 404, "/flux/categories/code": 404, "/flux/": 404, "/en/flux/prix.atom": 404,
	} {
		testkit.Equal(t, path, r.get(path).Status, status)
	}
}

// A feed without entries is a feed all the same, as old as the edition; one of many has fifty.
func TestFeedsOfNothingAndOfMuch(t *testing.T) {
	t.Parallel()
	empty := newReader(t, catalogtest.Snapshot())
	for _, path := range feedPaths {
		f := empty.feed(path)
		testkit.Equal(t, path, len(f.Entries), 0)
		testkit.Equal(t, path, f.UpdatedParsed.UTC(), catalogtest.Edition(1).PublishedAt)
	}
	contents := catalogtest.Contents()
	for i := range 120 {
		contents.Tools = append(contents.Tools, catalogtest.Tool(fmt.Sprintf("outil-%03d", i)))
	}
	many := catalogtest.Amend(catalogtest.First(contents, catalogtest.Edition(1)), func(c *catalog.Contents) {
		for _, t := range c.Tools[:60] {
			t.Price = "30 €/mois"
		}
		for i := range 55 {
			catalogtest.Retire(c, fmt.Sprintf("outil-%03d", 60+i))
		}
	})
	r := newReader(t, many)
	for _, path := range feedPaths {
		testkit.Equal(t, path, len(r.feed(path).Entries), 50)
	}
	testkit.Equal(t, "a cached feed", r.get("/flux/prix.atom").Header.Get("Cache-Control"), "s-maxage=3600, stale-while-revalidate=86400")
	tag := r.get("/flux/prix.atom").Header.Get("Etag")
	testkit.Equal(t, "a feed that is known", r.get("/flux/prix.atom", "If-None-Match", tag).Status, 304)
	r.Advance(24 * time.Hour)
	testkit.Equal(t, "the feed of the next day", r.get("/flux/prix.atom").Header.Get("Etag"), tag)
}
