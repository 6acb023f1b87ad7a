package preview

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/docs/guides"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/publish"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// startPreview runs a preview of a directory, which has been loaded once and is followed.
func startPreview(t *testing.T, dir string) *running {
	t.Helper()
	r := &running{t: t}
	p, err := New(t.Context(), Options{Dir: dir, Listen: "127.0.0.1:0", Log: &r.log})
	must(t, err)
	must(t, p.Follow(func(_ Reload, err error) {
		if err != nil {
			t.Errorf("following the files: %v", err)
		}
	}))
	_, err = p.Load(t.Context())
	must(t, err)
	r.run(p)
	return r
}

// listen opens the stream of events of a preview. What it returns waits for the next event; false is
// the end of the stream.
func (r *running) listen() (next func() (string, bool)) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
	r.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.public+site.EventsPath, http.NoBody)
	must(r.t, err)
	client := &http.Client{Transport: &http.Transport{}}
	res, err := client.Do(req)
	must(r.t, err)
	r.t.Cleanup(func() { res.Body.Close(); client.CloseIdleConnections() })
	testkit.Equal(r.t, "the type", res.Header.Get("Content-Type"), "text/event-stream")
	testkit.Equal(r.t, "Cache-Control", res.Header.Get("Cache-Control"), "no-store")
	lines := bufio.NewScanner(res.Body)
	return func() (string, bool) {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data, true
			}
		}
		if err := lines.Err(); err != nil {
			r.t.Errorf("the stream was cut: %v", err)
		}
		return "", false
	}
}

var shownVersion = regexp.MustCompile(`data-version="([^"]+)"`)

// shows reads a page whenever the stream says that the files have been read, until it is as wanted.
// It must show the version that the stream names: when they differ, a browser loads it again.
func (r *running) shows(next func() (string, bool), path string, wanted func(page string) bool) {
	r.t.Helper()
	for {
		version, more := next()
		page := testkit.Get(r.t, r.public+path)
		m := shownVersion.FindStringSubmatch(page.Body)
		switch {
		case !more || m == nil:
			r.t.Fatalf("%s is not as wanted: %s", path, page)
		case m[1] == version && wanted(page.Body):
			return
		}
	}
}

func TestPreview_PagesFollowTheFiles(t *testing.T) {
	t.Parallel()
	dir := testkit.CopyOf(t, exampleCatalog)
	r := startPreview(t, dir)
	next := r.listen()
	const duel, draft, bar = "tournevis-ou-rabotine", "plancharde-ou-retroprojo", `<aside class="file-faults`
	says := func(texts ...string) func(string) bool {
		return func(page string) bool {
			missing := slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(page, text) })
			return !missing && strings.Contains(page, bar) == slices.Contains(texts, bar)
		}
	}
	file := dir + "/comparatifs/" + duel + ".md"
	r.shows(next, "/comparatifs/"+duel, says("<h1"))
	testkit.Edit(t, file, "Tournevis l'emporte", "Un mot nouveau : Tournevis l'emporte")
	r.shows(next, "/comparatifs/"+duel, says("Un mot nouveau"))

	testkit.Edit(t, file, "winner: tournevis", "winner: personne")
	r.shows(next, "/comparatifs/"+duel, says(bar, duel+".md:7</code>", "Un mot nouveau", "dernier état sans erreur"))
	r.shows(r.listen(), "/en/plans", says(bar)) // as a page that is opened now
	testkit.Edit(t, file, "winner: personne", "winner: tournevis")
	r.shows(next, "/comparatifs/"+duel, says("Un mot nouveau"))

	// A draft changes no edition, and is seen all the same; not by the API.
	testkit.Edit(t, dir+"/comparatifs/"+draft+".md", "Brouillon : attendre", "Mot de plus : attendre")
	r.shows(next, "/comparatifs/"+draft, says("Mot de plus", ">Brouillon<"))
	testkit.Equal(t, "the draft in the API", testkit.Get(t, r.public+"/api/v1/comparatifs/"+draft).Status, 404)
	if testkit.Get(t, r.public+"/api/v1/comparatifs").Says(draft) {
		t.Error("the API lists a draft")
	}

	// The operator's own files are part of it. His theme is the one that was saved last.
	testkit.Edit(t, dir+"/pages/conditions.md", "## Résilier", "## Partir")
	r.shows(next, "/conditions", says(`<h2 id="partir">Partir</h2>`))
	testkit.Edit(t, dir+"/pages/theme.css", "--leaf: #f2f4ec", "--leaf: url(x)")
	r.shows(next, "/conditions", says(bar, "pages/theme.css:2</code>"))
	testkit.Edit(t, dir+"/pages/theme.css", "--leaf: url(x)", "--leaf: #ddeeff")
	r.shows(next, "/conditions", says(`<h2 id="partir">`))
	if css := testkit.Get(t, r.public+"/static/theme.css"); !css.Says("#ddeeff") {
		t.Errorf("the theme is %v", css)
	}

	// The end does not wait for open streams: run reports a server that had to cut them.
	r.stop()
	if version, more := next(); more {
		t.Errorf("the stream goes on after the end, with %s", version)
	}
}

// Without a state to serve, pages show the faults, and the first good state follows.
func TestPreview_PagesBeginWithFaults(t *testing.T) {
	t.Parallel()
	dir := testkit.CopyOf(t, exampleCatalog)
	testkit.Edit(t, dir+"/categories.yaml", "slug: code", "slog: code")
	r := startPreview(t, dir)
	next := r.listen()
	r.shows(next, "/en/", func(page string) bool {
		return strings.Contains(page, "Nothing to show yet") && strings.Contains(page, "<code>categories.yaml:")
	})
	testkit.Edit(t, dir+"/categories.yaml", "slog: code", "slug: code")
	r.shows(next, "/en/", func(page string) bool {
		return strings.Contains(page, "AI tools") && !strings.Contains(page, "categories.yaml:")
	})
}

// The stream takes nothing but GET, and says so on a page.
func TestPreview_EventsAreForReading(t *testing.T) {
	t.Parallel()
	r := startPreview(t, fixtureCatalog)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodHead, r.public+site.EventsPath, http.NoBody)
	must(t, err)
	got, err := testkit.Do(http.DefaultClient, req)
	must(t, err)
	testkit.Equal(t, "HEAD", got.Status, 405)
	testkit.Equal(t, "what is allowed", got.Header.Get("Allow"), "GET")
}

// evening is when the tests of histories read the files.
var evening = time.Date(2026, 11, 15, 18, 0, 0, 0, time.UTC)

// replayExample replays the example catalog, and gives its files of today as well.
func replayExample(t *testing.T) (*catalog.Snapshot, *catalog.Contents) {
	t.Helper()
	today, err := content.Load(t.Context(), exampleCatalog, content.Options{})
	must(t, err)
	s, faults, err := replay(t.Context(), exampleCatalog, today.Contents, evening)
	must(t, err)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return s, today.Contents
}

// What a preview replays is what publishing every older state on its day makes.
func TestReplay_IsWhatPublishingMakes(t *testing.T) {
	t.Parallel()
	if testkit.Raced {
		t.Skip("one reader looks at every page")
	}
	db := pgtest.Open(t)
	run := func(day catalog.Date) publish.Outcome {
		out, err := publish.Run(t.Context(), db.Catalog, exampleCatalog, publish.Options{
			At: day, Now: func() time.Time { return evening },
		})
		if err != nil {
			t.Fatalf("on %q: %v", day, err)
		}
		return out
	}
	days, err := content.History(exampleCatalog, evening)
	must(t, err)
	for _, day := range days {
		if !run(day).Written() {
			t.Errorf("nothing changes on %s", day)
		}
	}
	if out := run(""); out.Written() {
		t.Errorf("the history does not end with the files of today: %+v", out.Changes)
	}
	feed, err := db.Catalog.Feed(t.Context())
	must(t, err)
	defer feed.Close()
	delta, err := feed.Since(t.Context(), catalog.Edition{})
	must(t, err)
	replayed, _ := replayExample(t)
	got, want := describe(t, replayed), describe(t, catalog.Empty().Apply(delta))
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("replayed:\n%s\npublished:\n%s", got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d lines are replayed, %d published", len(got), len(want))
	}
}

// describe tells all that a snapshot shows, a line for each thing.
func describe(t *testing.T, s *catalog.Snapshot) (lines []string) {
	t.Helper()
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	add("edition %d of %s", s.Edition().Number, s.Edition().PublishedAt.UTC())
	c := s.Contents()
	add("%s %s %+v", s.StatsJSON().Body, s.CategoriesJSON().Body, c.Categories)
	for _, x := range c.Tools {
		tool, _ := s.ToolJSON(x.Slug)
		price, _ := s.PriceJSON(x.Slug)
		add("%s %s %t", tool.Body, price.Body, x.Embedded)
		if x.Review.Exists() {
			text, err := s.Review(x.Slug)
			must(t, err)
			add("%s", text)
		}
		add("in English: %+v", x.English.Tagline)
		if x.English.Review.Exists() {
			text, err := s.EnglishReview(x.Slug)
			must(t, err)
			add("%s of %s", text, x.English.Review.Of)
		}
	}
	for _, x := range c.Comparisons {
		comparison, _ := s.ComparisonJSON(x.Slug)
		add("%s %+v", comparison.Body, x.English)
	}
	for _, x := range c.Retired {
		x.Source = ""
		add("%+v", *x)
	}
	for e := range s.RecentChanges() {
		add("%d of %d, %s: %s %s %s %s %s", e.Seq, e.Edition, e.At.UTC(), e.Type, e.Slug, e.Categories, e.Object, e.Previous)
	}
	return lines
}

// The example catalog has something of everything to show.
func TestReplay_OfTheExample(t *testing.T) {
	t.Parallel()
	s, today := replayExample(t)
	if changes := catalog.Diff(s.Contents(), today, catalog.DateOf(evening)); !changes.Empty() || s.Edition().Number != 20 {
		t.Errorf("edition %d, and then %+v", s.Edition().Number, changes)
	}
	seen := make(map[string]int)
	for e := range s.RecentChanges() {
		seen[string(e.Type)]++
		if e.At.After(evening.AddDate(0, 0, -7)) {
			seen["this week"]++
		}
		if e.Type == catalog.ToolRetired {
			if r, ok := s.Retired(e.Slug); !ok || r.RetiredAt != catalog.DateOf(e.At) {
				t.Errorf("%s is retired on %s, and its file says %+v", e.Slug, e.At, r)
			}
		}
	}
	wantExampleEnglish(t, s.Contents())
	for _, tool := range s.Contents().Tools {
		seen["most steps"] = max(seen["most steps"], len(tool.History))
		for _, step := range tool.History {
			before, _ := catalog.ParsePrice(step.OldPrice)
			after, _ := catalog.ParsePrice(step.NewPrice)
			switch {
			case before.Period != after.Period:
				seen["other period"]++
			case step.NewPricing == catalog.Free:
				seen["free"]++
			case before.Cents < after.Cents:
				seen["rise"]++
			default:
				seen["fall"]++
			}
		}
	}
	for what, least := range map[string]int{
		"rise": 20, "fall": 15, "free": 1, "other period": 1, "most steps": 7, "this week": 12, "tool.created": 50, "tool.updated": 50,
		"tool.retired": 7, "price.changed": 45, "comparatif.published": 14, "comparatif.updated": 5, "embeddings.updated": 50,
	} {
		if seen[what] < least {
			t.Errorf("%s: %d, want %d at least", what, seen[what], least)
		}
	}
}

// wantExampleEnglish wants every label, tagline and title of the example in English, and three reviews,
// one of them of an earlier version.
func wantExampleEnglish(t *testing.T, c *catalog.Contents) {
	t.Helper()
	current := func(what, french string, x catalog.Translation) {
		if x.Text == "" || x.Outdated(french) {
			t.Errorf("%s: %q is in English %+v", what, french, x)
		}
	}
	for _, x := range c.Categories {
		current(x.Slug, x.Label, x.English)
	}
	for _, x := range c.Comparisons {
		current(x.Slug, x.Title, x.English.Title)
	}
	var reviews, outdated []string
	for _, x := range c.Tools {
		current(x.Slug, x.Tagline, x.English.Tagline)
		if x.English.Review.Exists() {
			reviews = append(reviews, x.Slug)
		}
		if x.English.Review.Outdated(x.Review.Markdown) {
			outdated = append(outdated, x.Slug)
		}
	}
	if fmt.Sprint(reviews, outdated) != "[detoureuse ocrelle tournevis] [ocrelle]" {
		t.Errorf("in English are the reviews of %s, outdated those of %s", reviews, outdated)
	}
}

// A preview begins after the history, and goes on from there.
func TestPreview_BeginsAfterTheHistory(t *testing.T) {
	t.Parallel()
	dir := testkit.CopyOf(t, exampleCatalog)
	p, err := New(t.Context(), Options{Dir: dir, Listen: "127.0.0.1:0", Log: &bytes.Buffer{}})
	must(t, err)
	t.Cleanup(func() { must(t, p.Close()) })
	load := func(wantEdition int64) Reload {
		t.Helper()
		r, err := p.Load(t.Context())
		must(t, err)
		if e := p.live.Current().Edition(); e.Number != wantEdition {
			t.Errorf("edition %d is served, want %d", e.Number, wantEdition)
		}
		return r
	}
	const older = "history/2025-05-06/tools/tournevis.md"
	text := testkit.ReadFile(t, dir+"/"+older)
	must(t, os.WriteFile(dir+"/"+older, []byte("---\n"), 0o600))
	if r := load(0); !r.Broken || !r.First || len(r.Faults) != 1 || r.Faults[0].File != older {
		t.Errorf("with a fault in the history: %+v", r)
	}
	must(t, os.WriteFile(dir+"/"+older, []byte(text), 0o600))
	if r := load(20); r.Broken || !r.First || r.Changes.After.Tools != 43 {
		t.Errorf("mended: %+v", r)
	}
	if r := load(20); r.First || !r.Changes.Empty() {
		t.Errorf("again: %+v", r)
	}
	testkit.Edit(t, dir+"/tools/tournevis.md", `price: "24 €/mois"`, `price: "30 €/mois"`)
	load(21)
	tool, _ := p.live.Current().Tool("tournevis")
	if len(tool.History) != 4 || tool.History[0].OldPrice != "24 €/mois" || tool.History[3].ChangedAt != "2025-05-06" {
		t.Errorf("the prices were %+v", tool.History)
	}
	if last := p.live.Current().LastChange(); last < 200 {
		t.Errorf("the log has %d entries", last)
	}
}

var llmsLink = regexp.MustCompile(`\]\(([^)]+)\)`)

// Whatever llms.txt names is there, for those who have a key.
func TestPreview_LLMsLinks(t *testing.T) {
	t.Parallel()
	if testkit.Raced {
		t.Skip("one reader looks at every page")
	}
	r := &running{t: t}
	p, err := New(t.Context(), Options{Dir: exampleCatalog, Listen: "127.0.0.1:0", Log: &r.log})
	must(t, err)
	_, err = p.Load(t.Context())
	must(t, err)
	base := p.BaseURL()
	r.run(p)
	for _, file := range []string{"/llms.txt", "/en/llms.txt"} {
		links := llmsLink.FindAllStringSubmatch(r.get(file, "").Body, -1)
		markdown := 0
		for _, m := range links {
			path, ours := strings.CutPrefix(m[1], base)
			if !ours {
				t.Errorf("%s leads away, to %s", file, m[1])
				continue
			}
			if page := r.get(path, p.Developer.Reveal()); page.Status != http.StatusOK {
				t.Errorf("%s leads to %s: %v", file, path, page)
			}
			if strings.HasSuffix(path, ".md") {
				markdown++
			}
		}
		if markdown < len(guides.Names) || !strings.Contains(fmt.Sprint(links), "/api/v1/openapi.json") {
			t.Errorf("%s names %d guides as Markdown, or not the description of the API: %v", file, markdown, links)
		}
	}
	page := r.get("/statut", "")
	testkit.Equal(t, "the status", page.Header.Get("Cache-Control"), "no-store")
	for _, want := range []string{"Médiane (p50)", "Ce serveur n’envoie pas de webhooks", "Connexion aux comptes impossible"} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("the status does not say %q: %v", want, page)
		}
	}
}
