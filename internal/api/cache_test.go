package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/web"
)

// A cached is an API whose kept answers can be counted. It is asked without a network
// in between.
type cached struct {
	*api.API
	handler  http.Handler
	contract *contract
}

func cache(t testing.TB, c api.Catalog) *cached {
	t.Helper()
	a, err := api.New(api.Options{Catalog: c, Callers: anyKey})
	if err != nil {
		t.Fatal(err)
	}
	return &cached{a, web.NewObserver(web.ObserverOptions{WriteError: a.WriteError}).Wrap(a), loadContract(t)}
}

func (c *cached) ask(method, target string, headers ...string) (reply, error) {
	r := httptest.NewRequest(method, target, http.NoBody)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	response := w.Result()
	defer response.Body.Close()
	return c.contract.read(r, response)
}

func (c *cached) get(t testing.TB, target string, headers ...string) reply {
	t.Helper()
	got, err := c.ask(http.MethodGet, target, headers...)
	if err != nil {
		t.Fatalf("%s: %v", target, err)
	}
	return got
}

// answers is how many answers are kept.
func (c *cached) answers() int {
	_, n := c.CacheStats()
	return n
}

// One question is kept once, however it is written.
func TestCache_SpellingsOfOneQuestion(t *testing.T) {
	t.Parallel()
	for _, spellings := range [][]string{
		{
			"/api/v1/tools", "/api/v1/tools?limit=50", "/api/v1/tools?page=1&limit=50", "/api/v1/tools?limit=50&page=1",
			"/api/v1/tools?sort=score_desc", "/api/v1/tools?unknown=1", "/api/v1/tools?unknown=1&unknown=2&reason=mort",
			"/api/v1/tools?&&limit=050", "/api/v1/tools?%6cimit=%350", "/api/v1/tools?sort=score%5Fdesc", "/api/v1/%74ools?",
		},
		{
			"/api/v1/tools?category=code&sort=name_asc&limit=3&page=2", "/api/v1/tools?page=2&limit=3&sort=name_asc&category=code",
			"/api/v1/tools?page=2&category=%63ode&x=%20&limit=3&sort=name%5fasc",
		},
		{
			"/api/v1/tools?score_min=8", "/api/v1/tools?score_min=8.0", "/api/v1/tools?score_min=8.00", "/api/v1/tools?score_min=7.995",
			"/api/v1/tools?score_min=7.9900001", "/api/v1/tools?score_min=8e0", "/api/v1/tools?score_min=0.8E1", "/api/v1/tools?score_min=%2B8",
		},
		{"/api/v1/tools?score_min=0", "/api/v1/tools?score_min=-1", "/api/v1/tools?score_min=-0", "/api/v1/tools?score_min=-1e300"},
		{"/api/v1/tools?obsolescence_max=5", "/api/v1/tools?obsolescence_max=5.00", "/api/v1/tools?obsolescence_max=5.009", "/api/v1/tools?obsolescence_max=05"},
		{"/api/v1/tools?obsolescence_max=10", "/api/v1/tools?obsolescence_max=10.5", "/api/v1/tools?obsolescence_max=1e300"},
		{"/api/v1/tools/oeuvre", "/api/v1/tools/%6Feuvre", "/api/v1/tools/oeuvre?", "/api/v1/tools/oeuvre?page=0&limit=x", "/api/v1/%74ools/o%65uvre"},
		{"/api/v1/comparatifs", "/api/v1/comparatifs?limit=50&score_min=8&sort=name_asc", "/api/v1/comparatifs?page=1"},
		{"/api/v1/pricing?category=code", "/api/v1/pricing?limit=50&category=code", "/api/v1/pricing?category=cod%65"},
		{"/api/v1/cimetiere?reason=mort&page=1", "/api/v1/cimetiere?reason=%6dort", "/api/v1/cimetiere?limit=50&reason=mort"},
		{"/api/v1/categories", "/api/v1/categories?page=0", "/api/v1/categories?a=%41"},
		{"/api/v1/stats", "/api/v1/stats?limit=0"},
		{"/api/v1/openapi.json", "/api/v1/openapi.json?x"},
		{keyedRoute, keyedRoute + "?x", "/api/embeddings/%6Feuvre"},
	} {
		c := cache(t, shelve(fixture(t)))
		first := c.get(t, spellings[0], keyed...).wantStatus(t, http.StatusOK)
		if n := c.answers(); n != 0 {
			t.Errorf("%s is kept when it was asked for once", spellings[0])
		}
		for _, target := range slices.Concat(spellings[1:], spellings) {
			got := c.get(t, target, keyed...).wantStatus(t, http.StatusOK)
			if n := c.answers(); n != 1 {
				t.Fatalf("after %s and %s %d answers are kept", spellings[0], target, n)
			}
			if string(got.text) != string(first.text) {
				t.Errorf("%s and %s differ", spellings[0], target)
			}
			got.wantHeader(t, "ETag", first.header.Get("ETag"))
			got.wantHeader(t, "Link", first.header.Get("Link"))
		}
	}
}

// Questions whose answers differ are kept apart, whatever they have in common.
func TestCache_QuestionsApart(t *testing.T) {
	t.Parallel()
	c := cache(t, shelve(fixture(t)))
	targets := slices.Concat(routes, []string{
		keyedRoute, "/api/v1/tools?limit=49", "/api/v1/tools?limit=3&page=2", "/api/v1/tools?limit=2&page=3", "/api/v1/tools?sort=score_asc",
		"/api/v1/tools?sort=name_asc", "/api/v1/tools?sort=name_desc", "/api/v1/tools?category=code", "/api/v1/tools?category=chat",
		"/api/v1/tools?score_min=8", "/api/v1/tools?score_min=7.99", "/api/v1/tools?score_min=0", "/api/v1/tools?obsolescence_max=8",
		"/api/v1/tools?obsolescence_max=10", "/api/v1/pricing?category=code", "/api/v1/cimetiere?reason=mort", "/api/v1/cimetiere?reason=acquis",
		"/api/v1/tools/ame", "/api/v1/pricing/ame", "/api/v1/comparatifs/ame-ou-ame", "/api/v1/comparatifs?limit=1", "/api/v1/pricing?limit=1",
	})
	for round := range 3 {
		fresh := cache(t, shelve(fixture(t)))
		for _, target := range targets {
			got, want := c.get(t, target, keyed...), fresh.get(t, target, keyed...)
			got.wantStatus(t, http.StatusOK)
			if string(got.body) != string(want.body) || got.header.Get("Link") != want.header.Get("Link") {
				t.Errorf("round %d: %s differs from what an API that keeps nothing answers", round, target)
			}
		}
		if n, want := c.answers(), min(round, 1)*len(targets); n != want {
			t.Errorf("after round %d %d answers are kept, want %d", round, n, want)
		}
	}
}

func TestCache_NothingIsNotKept(t *testing.T) {
	t.Parallel()
	c, empty := cache(t, shelve(fixture(t))), cache(t, shelve(catalog.Empty()))
	for range 4 {
		for _, list := range lists {
			for _, query := range []string{"?page=9", "?page=1000000", "?limit=1&page=16", "?category=inconnue", "?category=CODE"} {
				if got := c.get(t, list+query).list(t); len(got.Data) != 0 {
					t.Errorf("%s%s is not empty", list, query)
				}
			}
			c.get(t, list+"?page=0").wantStatus(t, http.StatusBadRequest)
			c.get(t, list+"/inconnu").wantStatus(t, http.StatusNotFound)
		}
		for _, target := range []string{"/api/v1/tools?score_min=10.1", "/api/v1/tools?obsolescence_max=-1", "/api/v1/tools?category=vide"} {
			c.get(t, target).wantStatus(t, http.StatusOK)
		}
		for _, target := range []string{"/api/v1/tools/feu-mort", "/api/embeddings/inconnu", "/inconnu", "/api/v1/tools/a%2Fb"} {
			c.get(t, target, keyed...).wantStatus(t, http.StatusNotFound)
		}
		for _, target := range routes[:9] {
			empty.get(t, target).wantStatus(t, http.StatusServiceUnavailable)
		}
	}
	for _, c := range []*cached{c, empty} {
		if bytes, n := c.CacheStats(); n != 0 || bytes != 0 {
			t.Errorf("%d answers of %d bytes are kept", n, bytes)
		}
	}
}

// everything is asked for, in all forms, from an API that has it ready.
var everything = slices.Concat(routes, []string{
	keyedRoute, "/api/v1/tools/zebre", "/api/v1/pricing/zebre", "/api/v1/comparatifs/oeuvre-ou-zebre", "/api/v1/tools?sort=name_desc",
	"/api/v1/tools?score_min=5", "/api/v1/tools?category=code", "/api/v1/tools?limit=3&page=5", "/api/v1/cimetiere?reason=mort",
})

// After a swap an API that had everything ready answers as one that never saw the
// old snapshot: prepared for it or not.
func TestCache_SwapLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	first := fixture(t)
	for name, change := range map[string]func(*catalog.Contents){
		"retired": func(n *catalog.Contents) { retire(n, "zebre") },
		"renamed": func(n *catalog.Contents) { tool(n, "zebre").Name = "Zèbre neuf" },
		"nothing": func(*catalog.Contents) {}, // but the date
	} {
		for _, prepared := range []bool{false, true} {
			second := amend(first, change)
			sh := shelve(first)
			c, fresh := cache(t, sh), cache(t, shelve(second))
			for _, target := range everything {
				for _, coding := range []string{"", "gzip", "zstd"} {
					c.get(t, target, slices.Concat(keyed, []string{"Accept-Encoding", coding})...).wantStatus(t, http.StatusOK)
				}
			}
			if n := c.answers(); n != len(everything) {
				t.Fatalf("%d answers are kept, want %d", n, len(everything))
			}
			if prepared {
				c.Prepare(second)
				fresh.Prepare(second)
			}
			sh.Store(second)
			for _, coding := range []string{"", "gzip", "zstd"} {
				for _, target := range everything {
					headers := slices.Concat(keyed, []string{"Accept-Encoding", coding})
					got, want := c.get(t, target, headers...), fresh.get(t, target, headers...)
					got.header.Del("X-Request-Id")
					want.header.Del("X-Request-Id")
					if got.status != want.status || fmt.Sprint(got.header) != fmt.Sprint(want.header) || string(got.body) != string(want.body) {
						t.Errorf("%s, prepared %v: %s %s\ngot  %d %v %s\nwant %d %v %s", name, prepared, coding, target,
							got.status, got.header, got.text, want.status, want.header, want.text)
					}
				}
			}
		}
	}
}

// Editions follow each other while many ask: no answer is older than the edition
// that was current when it was asked for, and each is that of a fresh API.
func TestCache_SwapsUnderRequests(t *testing.T) {
	t.Parallel()
	editions := []*catalog.Snapshot{fixture(t)}
	for i := range 20 {
		editions = append(editions, amend(editions[i], func(n *catalog.Contents) { tool(n, "zebre").Score = catalog.Hundredths(100 + i) }))
	}
	texts := make([]map[string]string, len(editions)) // by target
	number := map[string]int{}                        // by date
	for i, s := range editions {
		texts[i], number[string(s.Edition().Date())] = map[string]string{}, i
		fresh := cache(t, shelve(s))
		for _, target := range everything {
			texts[i][target] = string(fresh.get(t, target, keyed...).wantStatus(t, http.StatusOK).text)
		}
	}
	sh := shelve(editions[0])
	c := cache(t, sh)
	var current atomic.Int64
	var asked, done atomic.Int64
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := w; done.Load() == 0; i++ {
				target, coding := everything[i%len(everything)], []string{"", "gzip", "zstd"}[i%3]
				least := int(current.Load())
				got, err := c.ask(http.MethodGet, target, slices.Concat(keyed, []string{"Accept-Encoding", coding})...)
				if err != nil {
					t.Error(err)
					return
				}
				asked.Add(1)
				if n, ok := number[got.header.Get("X-Service-Updated-At")]; !ok || n < least || string(got.text) != texts[n][target] {
					t.Errorf("%s of edition %d, asked for when %d was current: %s", target, n, least, got.text)
					return
				}
			}
		})
	}
	for i, s := range editions[1:] {
		before := asked.Load()
		if i%2 == 0 {
			c.Prepare(s)
		}
		sh.Store(s)
		current.Store(int64(i + 1))
		for end := time.Now().Add(10 * time.Second); asked.Load() < before+100 && !t.Failed() && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
	}
	done.Store(1)
	wg.Wait()
	t.Logf("%d answers over %d editions", asked.Load(), len(editions))
}

// wellKnown are the pages that are made before a swap: each list from its beginning,
// the tools in every order and of every category, and what is about the whole.
var wellKnown = []string{
	"/api/v1/tools", "/api/v1/tools?sort=score_asc", "/api/v1/tools?sort=name_asc", "/api/v1/tools?sort=name_desc",
	"/api/v1/tools?category=code", "/api/v1/tools?category=chat", "/api/v1/tools?category=image", "/api/v1/tools?category=voix",
	"/api/v1/tools?category=vide", "/api/v1/comparatifs", "/api/v1/pricing", "/api/v1/cimetiere", "/api/v1/categories", "/api/v1/stats",
	"/api/v1/openapi.json", "/api/embeddings",
}

func TestCache_WellKnownPagesAreReady(t *testing.T) {
	t.Parallel()
	first := fixture(t)
	second := amend(first, func(n *catalog.Contents) { tool(n, "zebre").Name = "Zèbre neuf" })
	sh := shelve(first)
	c, fresh := cache(t, sh), cache(t, shelve(second))
	c.Prepare(second)
	if n := c.answers(); n != 0 {
		t.Errorf("%d answers are kept for the snapshot before", n)
	}
	for _, target := range wellKnown { // are still made of the old one
		c.get(t, target, "Accept-Encoding", "gzip").wantHeader(t, "X-Service-Updated-At", "2026-11-15")
	}
	if n := c.answers(); n != 0 {
		t.Errorf("%d answers of the snapshot before are kept after one ask", n)
	}
	sh.Store(second)
	if n := c.answers(); n != len(wellKnown) {
		t.Errorf("%d answers are ready, want %d", n, len(wellKnown))
	}
	compressed := 0
	for _, target := range wellKnown {
		got, want := c.get(t, target, "Accept-Encoding", "zstd"), fresh.get(t, target)
		got.wantHeader(t, "X-Service-Updated-At", "2026-11-16")
		if string(got.text) != string(want.text) {
			t.Errorf("%s is not of the new snapshot: %s", target, got.text)
		}
		if len(got.text) >= api.MinCompressed {
			compressed++
			got.wantHeader(t, "Content-Encoding", "zstd") // the first time already
		}
	}
	if n := c.answers(); n != len(wellKnown) || compressed < 5 {
		t.Errorf("%d answers after they were asked for, %d of them compressed", n, compressed)
	}
}

// late is a catalog that holds one reader up, after it was given the snapshot.
type late struct {
	shelf
	hold  atomic.Bool
	held  chan struct{}
	letGo chan struct{}
}

func (l *late) Current() *catalog.Snapshot {
	s := l.Load()
	if l.hold.CompareAndSwap(true, false) {
		close(l.held)
		<-l.letGo
	}
	return s
}

// A request that took the old snapshot just before a swap is answered from it, and
// takes nothing from those that come after the swap.
func TestCache_LateRequestTakesNothingAway(t *testing.T) {
	t.Parallel()
	first := fixture(t)
	second := amend(first, func(n *catalog.Contents) { tool(n, "zebre").Name = "Zèbre neuf" })
	for _, swapped := range []bool{false, true} { // before the late request goes on
		l := &late{held: make(chan struct{}), letGo: make(chan struct{})}
		l.Store(first)
		l.hold.Store(true)
		c := cache(t, l)
		answered := make(chan reply)
		go func() {
			got, err := c.ask(http.MethodGet, "/api/v1/tools")
			if err != nil {
				t.Error(err)
			}
			answered <- got
		}()
		<-l.held
		c.Prepare(second)
		if swapped {
			l.Store(second)
			c.get(t, "/api/v1/tools").wantHeader(t, "X-Service-Updated-At", "2026-11-16")
		}
		close(l.letGo)
		got := <-answered
		got.wantHeader(t, "X-Service-Updated-At", "2026-11-15")
		l.Store(second)
		if n := c.answers(); n != len(wellKnown) {
			t.Errorf("swapped %v: %d answers are ready after a late request, want %d", swapped, n, len(wellKnown))
		}
	}
}

// What was prepared and never served goes with the next that is prepared, and with
// the next swap; so does what was served.
func TestCache_SnapshotsAreLetGo(t *testing.T) {
	t.Parallel()
	sh := shelve(fixture(t))
	c := cache(t, sh)
	var dropped []weak.Pointer[catalog.Snapshot]
	next := func() *catalog.Snapshot {
		s := amend(fixture(t), func(n *catalog.Contents) { tool(n, "zebre").Score = catalog.Hundredths(len(dropped)) })
		dropped = append(dropped, weak.Make(s))
		return s
	}
	alive := func() (n int) {
		runtime.GC()
		runtime.GC()
		for _, w := range dropped {
			if w.Value() != nil {
				n++
			}
		}
		return n
	}
	for range 10 {
		c.Prepare(next())
		c.get(t, "/api/v1/tools").wantHeader(t, "X-Service-Updated-At", "2026-11-15")
	}
	if n := alive(); n > 1 {
		t.Errorf("%d of 10 snapshots that were never served are held", n)
	}
	for range 10 {
		s := next()
		c.Prepare(s)
		sh.Store(s)
		c.get(t, "/api/v1/tools").wantHeader(t, "X-Service-Updated-At", "2026-11-16")
	}
	if n := alive(); n != 1 {
		t.Errorf("%d of 20 snapshots are held, 1 is served", n)
	}
	sh.Store(fixture(t))
	c.get(t, "/api/v1/tools")
	if n := alive(); n != 0 {
		t.Errorf("%d snapshots are held that are no longer served", n)
	}
}
