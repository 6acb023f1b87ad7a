package about_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/availability"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/site/about"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/web"
)

// withStatus reads the pages of a node.
func withStatus(status about.StatusSources) func(*site.Options) {
	return func(o *site.Options) { o.Status = status }
}

// behind is a webhook lag that the database tells.
func behind(lag time.Duration, err error) func(context.Context) (time.Duration, error) {
	return func(context.Context) (time.Duration, error) { return lag, err }
}

// timed is a node that answered n requests, each within an amount of time.
func timed(now func() time.Time, advance func(time.Duration), n int, took time.Duration) *web.Latency {
	l := web.NewLatency(now)
	h := l.Wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { advance(took) }))
	for range n {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", http.NoBody))
	}
	return l
}

// The page says what was measured, and of nothing else than that it was not.
func TestStatus(t *testing.T) {
	t.Parallel()
	down := errors.New("connecting to 10.0.0.7: refused")
	for name, c := range map[string]struct {
		requests int
		took     time.Duration
		later    time.Duration // after the requests
		noAPI    bool
		lag      func(context.Context) (time.Duration, error)
		fr, en   []string
		silent   []string
	}{
		"a node without the API or webhooks": {
			noAPI:  true,
			fr:     []string{"Ce serveur ne répond pas aux requêtes d'API", "Ce serveur n'envoie pas de webhooks"},
			en:     []string{"This server does not answer API requests", "This server sends no webhooks"},
			silent: []string{"p50", "<dt>Retard", "<dt>Lag"},
		},
		"just started": {
			lag:    behind(0, nil),
			fr:     []string{"aucune requête d'API depuis son démarrage, le ", "<dd>Aucun</dd>", "Relevé à l'instant", "<dd>0 seconde</dd>"},
			en:     []string{"no API requests since it started on ", "<dd>None</dd>", "Measured just now", "<dd>0 seconds</dd>"},
			silent: []string{"p50"},
		},
		"some requests, late": {
			requests: 3, took: 3 * time.Millisecond, later: 12 * time.Minute, lag: behind(95*time.Second, nil),
			fr: []string{"<dd>3,1 ms</dd>", "depuis le démarrage de ce serveur", "Moins de cent requêtes", "<dd>1 minute</dd>", "<dd>12 minutes</dd>"},
			en: []string{"<dd>3.1 ms</dd>", "since this server started", "Fewer than a hundred", "<dd>1 minute</dd>"},
		},
		"an hour ago": {
			requests: 3, took: time.Millisecond, later: 3 * time.Hour, lag: behind(50*time.Hour, nil),
			fr:     []string{"aucune requête d'API depuis une heure", "<dd>2 jours</dd>", "<dd>3 heures</dd>"},
			en:     []string{"no API requests for an hour", "<dd>2 days</dd>"},
			silent: []string{"p50"},
		},
		"slow, for longer than an hour": {
			requests: 100, took: 90 * time.Second, lag: behind(0, down),
			fr:     []string{"<dd>93 s</dd>", "sur la dernière heure", "<dd>Inconnu</dd>", "La base de données n'a pas répondu à temps"},
			en:     []string{"<dd>93 s</dd>", "over the last hour", "<dd>Unknown</dd>", "The database did not answer in time"},
			silent: []string{"10.0.0.7", "refused", "Aucun<", "None<"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := catalogtest.Fixture(t)
			r := sitetest.New(t, s, func(o *site.Options) {
				o.Status.WebhookLag = c.lag
				if !c.noAPI {
					o.Status.API = timed(o.Now, o.Catalog.(*sitetest.Reader).Advance, c.requests, c.took)
				}
			})
			r.Advance(c.later)
			r.Check(t, []sitetest.Wanted{
				{Path: "/statut", Says: append(c.fr, "<h1 class=\"page-h\">État du service</h1>", fmt.Sprintf("<dd>N° %d</dd>", s.Edition().Number)), Silent: c.silent},
				{Path: "/en/status", Says: append(c.en, "<h1 class=\"page-h\">Service status</h1>"), Silent: c.silent},
			})
		})
	}
}

// The share of answers that did not fail stands beside its objective, with what nobody noted. What the database does
// not tell is not known.
func TestStatus_Availability(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, 8, 18, 10, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		summary        availability.Summary
		err            error
		fr, en, silent []string
	}{
		"a month": {
			summary: availability.Summary{Since: since, Answered: 1_234_567, Failed: 12, Hours: 720},
			fr:      []string{"<dt>Mesurée</dt><dd>99,99 %</dd>", "<dt>Objectif</dt><dd>99,90 %</dd>", "depuis le 18 août 2026 à 10 h UTC : 1 234 567 réponses comptées, dont 12 en échec"},
			en:      []string{"<dt>Measured</dt><dd>99.99%</dd>", "<dt>Objective</dt><dd>99.90%</dd>", "since 18 August 2026 at 10:00 UTC: 1,234,567 responses counted, of which 12 failed"},
			silent:  []string{"relevée", "recorded by no server"},
		},
		"nothing failed, three hours missing": {
			summary: availability.Summary{Since: since, Answered: 5, Hours: 717, Missing: 3},
			fr:      []string{"<dd>100,00 %</dd>", "3 heures sur 720 n'ont été relevées par aucun serveur"},
			en:      []string{"<dd>100.00%</dd>", "3 hours out of 720 were recorded by no server"},
		},
		"one hour missing": {
			summary: availability.Summary{Since: since, Answered: 5, Failed: 5, Hours: 1, Missing: 1},
			fr:      []string{"<dd>0,00 %</dd>", "1 heure sur 2 n'a été relevée"},
			en:      []string{"<dd>0.00%</dd>", "1 hour out of 2 was recorded"},
		},
		"nobody asked": {
			fr: []string{"<dt>Mesurée</dt><dd>–</dd>", "Aucune réponse de l'API n'a encore été comptée"},
			en: []string{"<dt>Measured</dt><dd>–</dd>", "No API responses have been counted yet"},
		},
		"the database is away": {
			err:    errors.New("connecting to 10.0.0.7: refused"),
			fr:     []string{"<dt>Mesurée</dt><dd>Inconnue</dd>", "la disponibilité n'est pas connue"},
			en:     []string{"<dt>Measured</dt><dd>Unknown</dd>", "the availability is not known"},
			silent: []string{"10.0.0.7"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := sitetest.New(t, catalogtest.Fixture(t), withStatus(about.StatusSources{
				Availability: func(context.Context) (availability.Summary, error) { return c.summary, c.err },
			}))
			r.Check(t, []sitetest.Wanted{
				{Path: "/statut", Says: c.fr, Silent: c.silent}, {Path: "/en/status", Says: c.en, Silent: c.silent},
			})
		})
	}
}

func TestStatus_Incidents(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 9, 17, 6, 40, 0, 0, time.UTC)
	incident := func(i int) catalog.Incident {
		return catalog.Incident{
			At: at.Add(-time.Duration(i) * 5 * time.Hour), ResolvedAt: at.Add(time.Minute),
			Title: catalog.Localized{French: fmt.Sprintf("Panne %d.", i)},
		}
	}
	all := []catalog.Incident{{
		At: at, Title: catalog.Localized{French: sitetest.Hostile, English: "It broke"}, Text: catalog.Localized{French: "Voici : rien."},
	}}
	none := sitetest.New(t, catalogtest.Amend(catalogtest.Fixture(t), func(c *catalog.Contents) { c.Incidents = nil }))
	none.Check(t, []sitetest.Wanted{
		{Path: "/statut", Says: []string{
			"Aucun incident enregistré.", `<p class="is">Aucun incident en cours.</p>`, "Aucun jour avec incident sur les 90 derniers.",
		}, Silent: []string{`class="bad"`}},
		{Path: "/en/status", Says: []string{"No incidents recorded."}},
	})
	for i := range 59 {
		all = append(all, incident(i+1))
	}
	r := sitetest.New(t, catalogtest.Amend(catalogtest.Fixture(t), func(c *catalog.Contents) { c.Incidents = all }))
	r.Check(t, []sitetest.Wanted{
		{
			Path: "/statut", Silent: []string{"Panne 50."},
			Says: []string{
				`<p class="is lasts">1 incident en cours.</p>`, `<rect class="bad" x="712"`,
				"En cours depuis le 17 septembre 2026 à 6 h 40 UTC", "Voici : rien.", "Panne 49.",
				"Le 17 septembre 2026, de 1 h 40 à 6 h 41 UTC", "Du 16 septembre 2026 à 20 h 40 UTC au 17 septembre 2026 à 6 h 41 UTC",
				"Les 50 incidents les plus récents, sur 60.",
			},
		},
		{Path: "/en/status", Says: []string{"It broke", `<span lang="fr">Voici : rien.</span>`, "Ongoing since 17 September 2026 at 06:40 UTC"}},
	})
	page := r.Get("/statut").Body
	if strings.Index(page, "Panne 1.") > strings.Index(page, "Panne 2.") {
		t.Error("the newest does not come first")
	}
}

// No cache keeps the page: neither ours nor anybody's. All else is as on other pages.
func TestStatus_NeverCached(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, catalogtest.Fixture(t), withStatus(about.StatusSources{WebhookLag: behind(0, nil)}))
	for path, other := range map[string]string{"/statut": "/en/status", "/en/status": "/statut"} {
		before := r.Get(path)
		testkit.Equal(t, path, before.Header.Get("Cache-Control"), "no-store")
		testkit.Equal(t, path+": HEAD", r.Do(http.MethodHead, path).Header.Get("Cache-Control"), "no-store")
		for _, want := range []string{
			`<link rel="canonical" href="` + sitetest.Own + path + `">`, `href="` + sitetest.Own + other + `"`, `<meta name="description" content="`,
		} {
			if !strings.Contains(before.Body, want) {
				t.Errorf("%s has no %s", path, want)
			}
		}
		r.Advance(time.Minute)
		if r.Get(path).Body == before.Body {
			t.Errorf("%s is as it was a minute ago", path)
		}
		if !strings.Contains(r.Get("/").Body+r.Get("/en/").Body, `<li><a href="`+path+`">`) {
			t.Errorf("no colophon leads to %s", path)
		}
	}
	_, pages := r.CacheStats()
	testkit.Equal(t, "cached pages, which are the front pages", pages, 2)
}

// However many read, the database is asked once in 15 s.
func TestStatus_AsksSeldom(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	r := sitetest.New(t, catalogtest.Fixture(t), withStatus(about.StatusSources{
		WebhookLag: func(context.Context) (time.Duration, error) {
			asked.Add(1)
			return 42 * time.Second, nil
		},
	}))
	for round, wait := range []time.Duration{0, 15 * time.Second, 15 * time.Second} {
		r.Advance(wait)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { r.Get("/en/status") })
		}
		all.Wait()
		r.Advance(lagRecent)
		r.Check(t, []sitetest.Wanted{{Path: "/en/status", Says: []string{"<dd>42 seconds</dd>", "Measured 14 seconds ago"}}})
		testkit.Equal(t, "questions", asked.Load(), int64(round+1))
		r.Advance(-lagRecent)
	}
}

// lagRecent is for how long an answer is certainly shown.
const lagRecent = 14 * time.Second
