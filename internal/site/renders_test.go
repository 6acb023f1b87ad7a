package site_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/site/docs"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/web"
)

// A rush is a site on which the pages of the reference take as long as a test wants, and whose
// readers have addresses.
type rush struct {
	*sitetest.Reader
	http.Handler
	making  atomic.Int32
	finish  chan struct{}
	answers web.Answers
}

func newRush(t *testing.T) *rush {
	t.Helper()
	r := &rush{finish: make(chan struct{})}
	r.Reader = sitetest.New(t, catalogtest.Fixture(t), func(o *site.Options) {
		show := o.API.Show
		o.API.Show = func(s *catalog.Snapshot, target string, plan account.Plan) (docs.Shown, error) {
			r.making.Add(1)
			defer r.making.Add(-1)
			<-r.finish
			return show(s, target, plan)
		}
	})
	r.Handler = web.NewObserver(web.ObserverOptions{}).Wrap(r.answers.Wrap(r.Site))
	return r
}

// ask asks for pages, all at once.
func (r *rush) ask(t *testing.T, from string, paths ...string) []<-chan testkit.Response {
	t.Helper()
	answers := make([]<-chan testkit.Response, len(paths))
	for i, path := range paths {
		answer := make(chan testkit.Response, 1)
		answers[i] = answer
		go func() {
			q := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
			q.RemoteAddr = from
			w := httptest.NewRecorder()
			r.ServeHTTP(w, q)
			answer <- testkit.Response{Status: w.Code, Header: w.Header(), Body: w.Body.String()}
		}()
	}
	return answers
}

// settles waits until so many pages are being made, and so many readers wait or have waited.
func (r *rush) settles(t *testing.T, running, waiting int) {
	t.Helper()
	testkit.EventuallyTrue(t, fmt.Sprintf("%d pages are made, %d wait", running, waiting), func() bool {
		is, wait, refused := r.RenderStats()
		return is == running && wait+int(refused) == waiting && (running == 0 || int(r.making.Load()) == running)
	})
}

// slowPaths are the pages of the reference.
func slowPaths(t *testing.T) (paths []string) {
	t.Helper()
	for _, o := range sitetest.Operations(t) {
		paths = append(paths, "/docs/api/"+o.Slug)
	}
	return paths
}

// A client that asks for many pages waits for its own pages and others do not, for all that is made
// anew: after 2 s it is sent away. What is cached it gets all the same.
func TestRenders_AreShared(t *testing.T) {
	t.Parallel()
	r, slow := newRush(t), slowPaths(t)
	const greedy, other = "192.0.2.1:1000", "[2001:db8::1]:1000"
	cached := "/outils"
	testkit.Equal(t, "a page", (<-r.ask(t, other, cached)[0]).Status, 200)
	alone := max(1, runtime.GOMAXPROCS(0)-1)
	if alone >= len(slow) {
		t.Skip("so many CPUs are never short")
	}
	r.ask(t, greedy, slow[:alone]...)
	r.settles(t, alone, 0)
	waiting := append(slices.Clone(slow[alone:]), "/en/tools?limit=7", "/badge/prosaic.svg", "/og/prosaic.png", "/flux/prix.atom",
		"/sitemap.xml", "/docs/demarrage.md", "/statut", "/nulle-part", "/llms.txt", "/outils?limit=x")
	sent := r.ask(t, greedy, waiting...)
	r.settles(t, alone, len(waiting))
	theirs := r.ask(t, other, "/en"+slow[0])
	r.settles(t, alone+1, len(waiting))
	testkit.Equal(t, "what is cached", (<-r.ask(t, greedy, cached)[0]).Status, 200)
	for i, answer := range sent {
		got := <-answer
		testkit.Equal(t, waiting[i], got.Status, 503)
		testkit.Equal(t, "when to come back", got.Header.Get("Retry-After"), "2")
		testkit.Equal(t, "who may keep it", got.Header.Get("Cache-Control"), "no-store")
		if !strings.Contains(got.Body, "Trop de pages à la fois") && !strings.Contains(got.Body, "Too many pages at once") {
			t.Errorf("%s: the page says %s", waiting[i], got)
		}
	}
	_, _, refused := r.RenderStats()
	testkit.Equal(t, "sent away", refused, int64(len(waiting)))
	answered, failed := r.answers.Totals()
	testkit.Equal(t, "answered and failed, without those who were refused", [2]uint64{answered, failed}, [2]uint64{2, 0})
	close(r.finish)
	testkit.Equal(t, "the other's page", (<-theirs[0]).Status, 200)
	r.settles(t, 0, len(waiting))
	for _, path := range slow { // one after the other: whoever asks for all at once may wait too long
		testkit.Equal(t, path+", later", (<-r.ask(t, greedy, path)[0]).Status, 200)
	}
}

// Whoever waits for a slot to have a page made holds up nobody who asks for the same page.
func TestRenders_WaitForNobodyElsesTurn(t *testing.T) {
	t.Parallel()
	r, slow := newRush(t), slowPaths(t)
	alone := max(1, runtime.GOMAXPROCS(0)-1)
	if alone >= len(slow) {
		t.Skip("so many CPUs are never short")
	}
	defer close(r.finish)
	r.ask(t, "192.0.2.1:1000", slow[:alone]...)
	r.settles(t, alone, 0)
	r.ask(t, "192.0.2.1:1000", "/en/tools")
	r.settles(t, alone, 1)
	testkit.Equal(t, "a page that a greedy one waits for", (<-r.ask(t, "192.0.2.2:1000", "/en/tools")[0]).Status, 200)
}

// A form calls the API before its reader has a turn: whoever waits for an engine keeps nobody else's page waiting.
func TestRenders_FormsWaitOutside(t *testing.T) {
	t.Parallel()
	asked, finish := make(chan struct{}, 8), make(chan struct{})
	r := &rush{Reader: sitetest.New(t, catalogtest.Fixture(t), func(o *site.Options) {
		show := o.API.Show
		o.API.Ask = func(_ context.Context, _ netip.Addr, target string, _ int) (docs.Shown, error) {
			asked <- struct{}{}
			<-finish
			return show(catalogtest.Fixture(t), target, account.Anonymous)
		}
	})}
	r.Handler = web.NewObserver(web.ObserverOptions{}).Wrap(r.Site)
	const readers = 8
	answers := make(chan testkit.Response, readers)
	for i := range readers {
		answer := r.ask(t, fmt.Sprintf("192.0.2.%d:1", i), "/docs/api/appel/list-tools?limit=1&send=1")[0]
		go func() { answers <- <-answer }()
		testkit.Await(t, "the call", asked)
	}
	if running, waiting, _ := r.RenderStats(); running != 0 || waiting != 0 {
		t.Errorf("%d turns are held and %d waited for while the API is asked", running, waiting)
	}
	page := testkit.Await(t, "another page", r.ask(t, "198.51.100.1:1", "/outils?page=1&limit=3")[0])
	testkit.Equal(t, "another page", page.Status, 200)
	for range readers { // one after the other: pages that are made all at once may wait too long for their turns
		finish <- struct{}{}
		testkit.Equal(t, "the answer", testkit.Await(t, "the answer", answers).Status, 200)
	}
}
