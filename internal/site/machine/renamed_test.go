package machine_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mmcdole/gofeed/atom"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

var uid = regexp.MustCompile(`UID:\S+`)

// Whoever reads feeds and the calendar is shown nothing again because a tool was renamed: what was there has the name that
// it had, leads to the page of today, and a list of one's own has one entry more, whichever slug it has the tool by.
func TestFeeds_Renamed(t *testing.T) {
	t.Parallel()
	s := catalogtest.First(catalogtest.Contents(
		catalogtest.Tool("rabot"), catalogtest.Tool("lime"), catalogtest.Tool("etau"), catalogtest.Tool("scie"),
	), catalogtest.Edition(1))
	s = catalogtest.Amend(s, func(c *catalog.Contents) {
		catalogtest.Find(c, "rabot").Price = "25 €/mois"
		catalogtest.Find(c, "etau").Ending = catalog.Ending{At: "2027-03-31", Source: "https://etau.example/fin"}
		catalogtest.Retire(c, "lime")
		c.Tools = append(c.Tools, catalogtest.Tool("gouge"))
	})
	rename := func(c *catalog.Contents, suffix string) {
		next := func(slug *string, formerly *[]string) {
			*formerly = append(slices.Clone(*formerly), *slug)
			if *slug += suffix; suffix == "" { // back to where it began
				*slug = (*formerly)[0]
			}
		}
		for _, t := range c.Tools {
			if t.Slug != "scie" {
				next(&t.Slug, &t.Formerly)
			}
		}
		for _, r := range c.Retired {
			next(&r.Slug, &r.Formerly)
		}
		c.Sort()
	}
	paths := []string{
		"/flux/prix.atom", "/en/feeds/prices.atom", "/flux/nouveaux.atom", "/en/feeds/new.atom", "/flux/cimetiere.atom", "/en/feeds/cemetery.atom",
		"/flux/fins.atom", "/en/feeds/endings.atom", "/flux/categories/code.atom", "/en/feeds/categories/code.atom",
	}
	lists := []string{"/flux/suivi.atom?outils=etau,gouge,lime,rabot", "/en/feeds/watch.atom?tools=etau,gouge,lime,rabot"}
	r := sitetest.New(t, s)
	read := func(path string) (ids []string) {
		f, err := new(atom.Parser).Parse(strings.NewReader(r.Get(path).Body))
		testkit.Must(t, err)
		for _, e := range f.Entries {
			ids = append(ids, e.ID)
			page := strings.TrimPrefix(e.Links[0].Href, sitetest.Own)
			testkit.Equal(t, path+" leads to "+page, r.Get(page).Status, 200)
		}
		return ids
	}
	days := func() []string { return uid.FindAllString(r.Get("/flux/fins.ics").Body, -1) }
	first, seen, entries := days(), make(map[string][]string), 0
	for _, path := range slices.Concat(paths, lists) {
		seen[path] = read(path)
		entries += len(seen[path])
	}
	if entries < 20 || slices.ContainsFunc(slices.Collect(maps.Values(seen)), func(ids []string) bool { return len(ids) == 0 }) {
		t.Fatalf("the feeds have %v", seen)
	}
	for _, suffix := range []string{"-pro", "-max", ""} {
		s = catalogtest.Amend(s, func(c *catalog.Contents) { rename(c, suffix) })
		r.Serve(s)
		for _, path := range paths {
			testkit.Equal(t, path+" after "+suffix, read(path), seen[path])
		}
		testkit.Equal(t, "the calendar after "+suffix, days(), first)
		for _, path := range lists {
			now := read(path)
			if n := len(now) - len(seen[path]); n != 4 || !slices.Equal(now[n:], seen[path]) { // etau, gouge, lime and rabot
				t.Errorf("%s after %s has %q, had %q", path, suffix, now, seen[path])
			}
			seen[path] = now
		}
	}
	another := read("/flux/suivi.atom?outils=etau-pro-max,gouge-pro-max,lime-pro,rabot-pro")
	testkit.Equal(t, "a list by other slugs of theirs", another, seen[lists[0]])
}
