package api_test

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"weak"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// everything has one target for each query that the fixture answers differently.
var everything = slices.Concat(routes, []string{
	keyedRoute, "/api/embeddings", "tools?limit=49", "tools?limit=3&page=2", "tools?limit=2&page=3",
	"tools?sort=score_asc", "tools?sort=name_asc", "tools?sort=name_desc", "tools?category=code",
	"tools?category=chat", "tools?score_min=8", "tools?score_min=7.99", "tools?score_min=0",
	"tools?obsolescence_max=8", "tools?obsolescence_max=10", "pricing?category=code",
	"cimetiere?reason=mort", "cimetiere?reason=acquis", "tools/ame", "pricing/ame",
	"comparatifs/ame-ou-ame", "comparatifs?limit=1", "pricing?limit=1", "tools/zebre",
	"pricing/zebre", "comparatifs/oeuvre-ou-zebre",
})

// A query is cached once, however it is written, and the second time it is asked for.
func TestCache_SpellingsOfOneQuery(t *testing.T) {
	t.Parallel()
	for _, spellings := range [][]string{
		{
			"tools", "tools?limit=50", "tools?page=1&limit=50", "tools?limit=50&page=1",
			"tools?sort=score_desc", "tools?unknown=1", "tools?unknown=1&unknown=2&reason=mort",
			"tools?&&limit=050", "tools?%6cimit=%350", "tools?sort=score%5Fdesc",
			"/api/v1/%74ools?",
		},
		{
			"tools?category=code&sort=name_asc&limit=3&page=2",
			"tools?page=2&limit=3&sort=name_asc&category=code",
			"tools?page=2&category=%63ode&x=%20&limit=3&sort=name%5fasc",
		},
		{
			"tools?score_min=8", "tools?score_min=8.00", "tools?score_min=7.995",
			"tools?score_min=7.9900001", "tools?score_min=8e0", "tools?score_min=0.8E1",
			"tools?score_min=%2B8",
		},
		{"tools?score_min=0", "tools?score_min=-1", "tools?score_min=-0", "tools?score_min=-1e300"},
		{"tools?obsolescence_max=5", "tools?obsolescence_max=5.009", "tools?obsolescence_max=05"},
		{"tools?obsolescence_max=10", "tools?obsolescence_max=10.5", "tools?obsolescence_max=1e300"},
		{"tools/oeuvre", "tools/%6Feuvre", "tools/oeuvre?page=0&limit=x", "/api/v1/%74ools/o%65uvre"},
		{"comparatifs", "comparatifs?limit=50&score_min=8&sort=name_asc", "comparatifs?page=1"},
		{"pricing?category=code", "pricing?limit=50&category=code", "pricing?category=cod%65"},
		{"cimetiere?reason=mort&page=1", "cimetiere?reason=%6dort", "cimetiere?limit=50&reason=mort"},
		{"categories", "categories?page=0"},
		{"openapi.json", "openapi.json?x"},
		{"/api/v1", "/api/v1?x", "/api/%761"},
		{keyedRoute, keyedRoute + "?x", "/api/embeddings/%6Feuvre"},
	} {
		c := newClient(t)
		key := c.sign(account.Pro).bearer()
		first := c.get(spellings[0], key...).want(200)
		testkit.Equal(t, "responses cached the first time", c.cached(), 0)
		for _, target := range slices.Concat(spellings[1:], spellings) {
			c.get(target, key...).wantText(string(first.text)).
				has("ETag", first.tag(), "Link", first.header.Get("Link"))
			testkit.Equal(t, "responses cached after "+target, c.cached(), 1)
		}
	}
}

// Queries whose responses differ are cached apart.
func TestCache_QueriesApart(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	for round := range 3 {
		fresh := newClient(t)
		for _, target := range everything {
			want := fresh.get(target, fresh.sign(account.Pro).bearer()...)
			c.get(target, c.sign(account.Pro).bearer()...).wantText(string(want.text)).
				has("Link", want.header.Get("Link"))
		}
		// Two queries whose hashes meet in a slot of the table forget each other.
		if n, all := c.cached(), min(round, 1)*len(everything); n > all || n < all-4 {
			t.Errorf("%d responses are cached after round %d, want %d or a few less", n, round, all)
		}
	}
}

// Errors and empty pages are never cached.
func TestCache_NothingIsNotCached(t *testing.T) {
	t.Parallel()
	c, empty := newClient(t, unmetered), newClient(t, of(catalog.Empty()))
	key := c.sign(account.Pro).bearer()
	for range 4 {
		for _, list := range lists {
			for _, query := range []string{"?page=9", "?limit=1&page=16", "?category=inconnue", "?category=CODE"} {
				c.get(list + query).wantSlugs("")
			}
			c.get(list + "?page=0").want(400)
			c.get(list + "/inconnu").want(404)
		}
		for _, target := range []string{"tools?score_min=10.1", "tools?obsolescence_max=-1", "tools?category=vide"} {
			c.get(target).wantSlugs("")
		}
		for _, target := range []string{"tools/feu-mort", "/api/embeddings/inconnu", "/inconnu", "tools/a%2Fb"} {
			c.get(target, key...).want(404)
		}
		for _, target := range routes[:9] {
			empty.get(target).want(503)
		}
	}
	testkit.Equal(t, "cached responses", c.cached()+empty.cached(), 0)
}

// flipping is a catalog that has another edition each time it is asked: the worst case of a swap.
type flipping struct {
	editions [2]*catalog.Snapshot
	asked    atomic.Uint64
}

func (f *flipping) Current() *catalog.Snapshot { return f.editions[f.asked.Add(1)%2] }

// A response comes from one edition, errors included.
func TestEditions_OneForEachResponse(t *testing.T) {
	t.Parallel()
	first := catalogtest.Fixture(t)
	second := amend(t, func(n *catalog.Contents) { catalogtest.Retire(n, "zebre") })
	f := &flipping{editions: [2]*catalog.Snapshot{first, second}}
	c := newClient(t, unmetered, func(o *api.Options) { o.Catalog = f })
	texts := map[string]string{} // by target and date
	for i, s := range f.editions {
		fresh := newClient(t, of(s))
		for _, target := range everything {
			got := fresh.get(target)
			texts[fmt.Sprint(target, " 2026-11-1", 5+i)] = fmt.Sprint(got.status, string(got.text))
		}
	}
	for range 4 {
		for _, target := range everything {
			got := c.get(target)
			want := texts[target+" "+got.header.Get("X-Service-Updated-At")]
			testkit.Equal(t, target, fmt.Sprint(got.status, string(got.text)), want)
		}
	}
}

// Editions follow each other while many ask: no response is older than the edition that was
// current when it was asked for, and each is that of a fresh API.
func TestEditions_SwapsUnderRequests(t *testing.T) {
	t.Parallel()
	editions := []*catalog.Snapshot{catalogtest.Fixture(t)}
	for i := range testkit.Size(8, 20) {
		editions = append(editions, catalogtest.Amend(editions[i], func(n *catalog.Contents) {
			catalogtest.Find(n, "zebre").Score = catalog.Hundredths(100 + i)
		}))
	}
	texts, number := make([]map[string]string, len(editions)), map[string]int{} // by target; by date
	for i, s := range editions {
		texts[i], number[string(s.Edition().Date())] = map[string]string{}, i
		fresh := newClient(t, of(s))
		for _, target := range everything {
			texts[i][target] = string(fresh.get(target, fresh.sign(account.Pro).bearer()...).want(200).text)
		}
	}
	c := newClient(t)
	key := c.sign(account.Pro).bearer()
	var current, asked, done atomic.Int64
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := w; done.Load() == 0; i++ {
				target, coding := everything[i%len(everything)], []string{"", "gzip", "zstd"}[i%3]
				least := int(current.Load())
				got, err := c.ask("GET", target, with(key, []string{"Accept-Encoding", coding})...)
				n, ok := number[got.header.Get("X-Service-Updated-At")]
				if err != nil || !ok || n < least || string(got.text) != texts[n][target] {
					t.Errorf("%s of edition %d, asked for when %d was current: %v %s", target, n, least, err, got.text)
					return
				}
				asked.Add(1)
			}
		})
	}
	for i, s := range editions[1:] {
		before := asked.Load()
		if i%2 == 0 {
			c.api.Prepare(s, nil)
		}
		c.edition.Store(s)
		current.Store(int64(i + 1))
		testkit.EventuallyTrue(t, "100 more responses", func() bool {
			return asked.Load() >= before+100 || t.Failed()
		})
	}
	done.Store(1)
	wg.Wait()
}

// common are the queries whose responses are made before a swap.
var common = []string{
	"tools", "tools?sort=score_asc", "tools?sort=name_asc", "tools?sort=name_desc",
	"tools?sort=price_asc", "tools?sort=price_desc",
	"tools?category=code", "tools?category=chat", "tools?category=image", "tools?category=voix",
	"tools?category=vide", "comparatifs", "pricing", "cimetiere", "categories", "stats",
	"openapi.json", "/api/v1", "/api/embeddings",
}

func TestPrepare(t *testing.T) {
	t.Parallel()
	second := amend(t, renameZebre)
	c, fresh := newClient(t, unmetered), newClient(t, of(second))
	key, freshKey := c.sign(account.Pro).bearer(), fresh.sign(account.Pro).bearer()
	c.api.Prepare(second, nil)
	for _, target := range common { // are still made from the old one
		c.get(target, with(key, []string{"Accept-Encoding", "gzip"})...).has("X-Service-Updated-At", "2026-11-15")
	}
	testkit.Equal(t, "cached responses before the swap", c.cached(), 0)
	c.edition.Store(second)
	testkit.Equal(t, "cached responses after the swap", c.cached(), len(common))
	compressed := 0
	for _, target := range common {
		got := c.get(target, with(key, []string{"Accept-Encoding", "zstd"})...).has("X-Service-Updated-At", "2026-11-16")
		got.wantText(string(fresh.get(target, freshKey...).text))
		if len(got.text) >= api.MinCompressed {
			compressed++
			got.has("Content-Encoding", "zstd") // the first time already
		}
	}
	testkit.Equal(t, "compressed responses", compressed, 13)
	testkit.Equal(t, "cached responses after they were asked for", c.cached(), len(common))
}

// late is a catalog that holds one reader up, after it has given it the snapshot.
type late struct {
	edition
	hold        atomic.Bool
	held, letGo chan struct{}
}

func (l *late) Current() *catalog.Snapshot {
	s := l.Load()
	if l.hold.CompareAndSwap(true, false) {
		close(l.held)
		<-l.letGo
	}
	return s
}

// A request that took the old snapshot just before a swap is answered from it, and takes nothing
// from those that come after the swap.
func TestEditions_LateRequest(t *testing.T) {
	t.Parallel()
	second := amend(t, renameZebre)
	for _, swapped := range []bool{false, true} { // before the late request goes on
		l := &late{held: make(chan struct{}), letGo: make(chan struct{})}
		l.Store(catalogtest.Fixture(t))
		l.hold.Store(true)
		c := newClient(t, unmetered, func(o *api.Options) { o.Catalog = l })
		answered := make(chan string)
		go func() {
			got, err := c.ask("GET", "tools")
			answered <- fmt.Sprint(got.header.Get("X-Service-Updated-At"), err)
		}()
		<-l.held
		c.api.Prepare(second, nil)
		if swapped {
			l.Store(second)
			c.get("tools").has("X-Service-Updated-At", "2026-11-16")
		}
		close(l.letGo)
		testkit.Equal(t, "the edition of the late request", <-answered, "2026-11-15<nil>")
		l.Store(second)
		testkit.Equal(t, "cached responses after a late request", c.cached(), len(common))
	}
}

// What was prepared and never served goes with the next that is prepared, and with the next swap;
// so does what was served.
func TestEditions_AreLetGo(t *testing.T) {
	t.Parallel()
	c := newClient(t, unmetered)
	var made []weak.Pointer[catalog.Snapshot]
	next := func() *catalog.Snapshot {
		s := amend(t, renameZebre)
		made = append(made, weak.Make(s))
		return s
	}
	alive := func() (n int) {
		runtime.GC()
		runtime.GC()
		for _, w := range made {
			if w.Value() != nil {
				n++
			}
		}
		return n
	}
	for range 5 {
		c.api.Prepare(next(), nil)
		c.get("tools").has("X-Service-Updated-At", "2026-11-15")
	}
	if n := alive(); n > 1 {
		t.Errorf("%d of 5 snapshots that were never served are held", n)
	}
	for range 5 {
		s := next()
		c.api.Prepare(s, nil)
		c.edition.Store(s)
		c.get("tools").has("X-Service-Updated-At", "2026-11-16")
	}
	testkit.Equal(t, "snapshots held while one is served", alive(), 1)
	c.edition.Store(catalogtest.Fixture(t))
	c.get("tools")
	testkit.Equal(t, "snapshots held that are no longer served", alive(), 0)
}
