package node

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mmcdole/gofeed/atom"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/publish"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A tale is a catalog in which one tool, œuvre, is renamed again and again, and those who follow it.
type tale struct {
	t     *testing.T
	dir   string
	db    *postgres.DB
	at    time.Time
	count int64 // of editions

	node  *running
	slugs []string // of the tool: all that it had, the last is that of today
	gone  bool     // it is in the cemetery

	changes *mirror             // reads changes, and knows nothing of renames
	notes   map[string][]string // by slug: what somebody notes of a tool, who knows of renames
	cursor  string              // of the notes
	feeds   map[string]bool     // the names of entries that somebody has read
}

func (x *tale) now() string { return x.slugs[len(x.slugs)-1] }

// file is that of the tool.
func (x *tale) file() string {
	folder := "tools"
	if x.gone {
		folder = "cimetiere"
	}
	return filepath.Join(x.dir, folder, x.now()+".md")
}

// rename gives the tool another slug.
func (x *tale) rename(to string) {
	x.t.Helper()
	_, err := content.Rename(x.t.Context(), x.dir, content.ToolKind, x.now(), to)
	must(x.t, err)
	x.slugs = append(x.slugs, to)
}

// publish publishes the files, a day later, and waits for the node.
func (x *tale) publish(o publish.Options) {
	x.t.Helper()
	x.at = x.at.Add(24 * time.Hour)
	x.count++
	o.Now = func() time.Time { return x.at }
	_, err := publish.Run(x.t.Context(), x.db.Catalog, x.dir, o)
	must(x.t, err)
	if x.node != nil {
		testkit.EventuallyTrue(x.t, "the node follows", func() bool { return x.node.b.follower.Current().Edition().Number == x.count })
	}
}

// bare asks without following redirects.
var bare = &http.Client{
	Transport: &http.Transport{DisableKeepAlives: true}, Timeout: testkit.Patience,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func (x *tale) ask(path string) testkit.Response {
	x.t.Helper()
	req, err := http.NewRequestWithContext(x.t.Context(), http.MethodGet, x.node.public+path, http.NoBody)
	must(x.t, err)
	req.Header = testkit.Bearer(x.changes.key)
	a, err := testkit.Do(bare, req)
	must(x.t, err)
	return a
}

// readPages follows what somebody has bookmarked, under each slug that the tool had.
func (x *tale) readPages() {
	x.t.Helper()
	for _, slug := range x.slugs {
		if slug == x.now() {
			continue
		}
		for _, page := range []string{"/outils/%s", "/en/tools/%s?x=1", "/alternatives/%s", "/outils/%s.md", "/signaler/%s"} {
			from, to := fmt.Sprintf(page, slug), fmt.Sprintf(page, x.now())
			a := x.ask(from)
			testkit.Equal(x.t, from, fmt.Sprint(a.Status, " ", a.Header.Get("Location"), " ", a.Header.Get("Cache-Control")), "308 "+to+" no-store")
			testkit.Equal(x.t, to, x.ask(to).Status, 200)
		}
		a := x.ask("/api/v1/tools/" + slug)
		if want := "/api/v1/tools/" + x.now() + `>; rel="successor-version"`; a.Status != 404 || !strings.HasSuffix(a.Header.Get("Link"), want) {
			x.t.Errorf("tools/%s: %v with Link %q", slug, a, a.Header.Get("Link"))
		}
		testkit.Equal(x.t, "the changes of "+slug, x.ask("/api/v1/changes?limit=1000&slugs="+slug).Body, x.ask("/api/v1/changes?limit=1000&slugs="+x.now()).Body)
		list := x.ask("/api/v1/tools?slugs=" + slug).Body
		testkit.Equal(x.t, "a list by "+slug, strings.Contains(list, `"slug":"`+x.now()+`"`), !x.gone)
	}
	testkit.Equal(x.t, "the page of "+x.now(), x.ask("/outils/"+x.now()).Status, 200)
}

// readFeeds reads what a feed reader does. What it has not read before is of this edition.
func (x *tale) readFeeds() {
	x.t.Helper()
	for _, path := range []string{"/flux/suivi.atom?outils=oeuvre", "/flux/prix.atom", "/flux/nouveaux.atom", "/flux/cimetiere.atom", "/flux/fins.atom", "/flux/categories/image.atom"} {
		a := x.ask(path)
		f, err := new(atom.Parser).Parse(strings.NewReader(a.Body))
		must(x.t, err)
		twice := make(map[string]bool)
		for _, e := range f.Entries {
			if twice[e.ID] {
				x.t.Errorf("%s has %s twice", path, e.ID)
			}
			twice[e.ID] = true
			if !x.feeds[e.ID] && x.count > 1 && e.UpdatedParsed.Format(time.DateOnly) != x.at.Format(time.DateOnly) {
				x.t.Errorf("edition %d: %s shows again, as %s, what happened on %s: %s", x.count, path, e.ID, e.Updated, e.Title)
			}
			x.feeds[e.ID] = true
		}
	}
}

// readDownloads reads the files, in which the tool is once.
func (x *tale) readDownloads() {
	x.t.Helper()
	var found []string
	for _, table := range []string{"tools", "cimetiere"} {
		testkit.Eventually(x.t, func() error { // a file may be that of the edition before
			a := x.ask("/api/v1/export/" + table + ".jsonl")
			if at, want := a.Header.Get("X-Changes-Cursor"), x.node.b.follower.Current().Cursor().String(); at != want {
				return fmt.Errorf("%s is as of %s, not %s", table, at, want)
			}
			for line := range strings.Lines(a.Body) {
				var row struct{ Slug, Name string }
				must(x.t, json.Unmarshal([]byte(line), &row))
				if row.Name == "œuvre" {
					found = append(found, table+" "+row.Slug)
				}
			}
			return nil
		})
	}
	table := "tools "
	if x.gone {
		table = "cimetiere "
	}
	testkit.Equal(x.t, fmt.Sprintf("edition %d: the tool in the files", x.count), found, []string{table + x.now()})
}

// note reads changes as somebody does who knows of renames: what was noted of a tool moves with it.
func (x *tale) note() {
	x.t.Helper()
	var page struct {
		Data []struct {
			Type string
			Data struct {
				Slug        string
				RenamedFrom string `json:"renamed_from"`
				RenamedTo   string `json:"renamed_to"`
			}
		}
		Next string
		More bool
	}
	a := x.ask("/api/v1/changes?limit=1000&since=" + x.cursor)
	must(x.t, json.Unmarshal([]byte(a.Body), &page))
	testkit.Equal(x.t, "there is more", page.More, false)
	for _, e := range page.Data {
		slug, from, to := e.Data.Slug, e.Data.RenamedFrom, e.Data.RenamedTo
		switch {
		case strings.HasSuffix(e.Type, ".renamed"):
			x.notes[to] = x.notes[from]
			delete(x.notes, from)
		case from != "" || to != "": // the rename again
		case e.Type == string(catalog.ToolRemoved):
			delete(x.notes, slug)
		case strings.HasPrefix(e.Type, "tool.") || e.Type == string(catalog.PriceChanged):
			x.notes[slug] = append(x.notes[slug], e.Type)
		}
	}
	x.cursor = page.Next
}

// Whoever follows the catalog through renames, whether by changes, webhooks, feeds, downloads or pages, loses no tool and
// has none twice.
func TestRenames_LoseNobody(t *testing.T) {
	t.Parallel()
	url, receiver := pgtest.Migrated(t), newReceiver(t)
	x := &tale{
		t: t, dir: testkit.CopyOf(t, fixtureCatalog), db: open(t, url), at: time.Now().UTC().AddDate(0, 0, -30).Truncate(time.Second),
		slugs: []string{"oeuvre"}, notes: make(map[string][]string), feeds: make(map[string]bool), cursor: "0",
	}
	services := openServices(t, url)
	key, _ := newKey(t, services, "pro@example.org", account.Pro)
	subscribe(t, services, receiver)
	x.publish(publish.Options{})
	x.node = startRoles(t, []string{API, Site, Worker}, url)
	x.node.ready()
	newMirror := func() *mirror {
		m := &mirror{t: t, nodes: []*running{x.node}, key: key, types: map[string]int{}, random: rand.New(rand.NewPCG(1, 2))}
		m.start()
		return m
	}
	x.changes = newMirror()
	hooked := newMirror()
	read := func() {
		t.Helper()
		x.changes.follow(0)
		x.changes.check(fmt.Sprintf("edition %d", x.count))
		x.note()
		x.readPages()
		x.readFeeds()
		x.readDownloads()
	}
	read()
	edit := func(before, after string) func() { return func() { testkit.Edit(t, x.file(), before, after) } }
	for _, change := range []func(){
		edit("199,90", "219,90"),
		func() { x.rename("oeuvre-studio") },
		edit("score: 9.75", "score: 9.5"),
		func() {
			_, err := content.Rename(t.Context(), x.dir, content.ComparisonKind, "eclair-ou-oeuvre", "eclair-ou-oeuvre-studio")
			must(t, err)
		},
		func() { // and a price with it
			x.rename("chef-d-oeuvre")
			testkit.Edit(t, x.file(), "219,90", "229,90")
		},
		edit("mainstream: true", "mainstream: true\nends_at: 2031-03-31\nends_source: https://oeuvre.example/fin"),
		func() { x.rename("oeuvre") }, // takes its first slug back
		func() {
			day := catalog.DateOf(x.at.Add(24 * time.Hour))
			_, err := content.Retire(x.dir, x.now(), content.Retirement{Reason: catalog.Dead, Date: day, Note: "Fermé."})
			must(t, err)
			x.gone = true
			for _, duel := range []string{"eclair-ou-oeuvre-studio", "oeuvre-ou-zebre"} {
				testkit.Edit(t, filepath.Join(x.dir, "comparatifs", duel+".md"), "status: published", "status: draft")
			}
		},
		func() { x.rename("feu-oeuvre") },
	} {
		change()
		x.publish(publish.Options{
			AllowRemoval: x.gone,                                             // its comparisons go with it
			AllowStale:   slices.Contains(x.slugs[:len(x.slugs)-1], x.now()), // comparisons name it as they did before
		})
		read()
	}
	testkit.Equal(t, "editions", x.count, int64(10))
	testkit.Equal(t, "notes of the tool", x.notes[x.now()], []string{
		"tool.created", "tool.updated", "price.changed", "tool.updated", "price.changed", "tool.ending", "tool.retired",
	})
	for _, slug := range x.slugs[:len(x.slugs)-1] {
		if slug != x.now() && x.notes[slug] != nil {
			t.Errorf("there are notes of %s, too: %v", slug, x.notes[slug])
		}
	}
	for _, kind := range []catalog.EventType{catalog.ToolRenamed, catalog.ComparisonRenamed, catalog.CemeteryRenamed} {
		if x.changes.types[string(kind)] == 0 {
			t.Errorf("no %s was told", kind)
		}
	}

	last := x.node.b.follower.Current().LastChange()
	deliveries := make(map[int64]fields)
	testkit.EventuallyTrue(t, "all events are delivered", func() bool {
		for _, r := range receiver.Requests() {
			var e fields
			must(t, json.Unmarshal(r.Body, &e))
			deliveries[int64(e["data"].(fields)["seq"].(float64))] = e
		}
		return int64(len(deliveries)) == last
	})
	for seq := range last {
		hooked.apply(deliveries[seq+1])
	}
	hooked.check("webhooks")
}
