package verify

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// maxSites is how many sites are fetched from concurrently.
const maxSites = 8

// A source is a page, with the facts that name it.
type source struct {
	address string // without a fragment
	site    string
	oldest  catalog.Date // of its facts' checks
	facts   []catalog.ItemFact
}

// Run checks facts against their sources, those with the oldest check first. It fetches at most limit pages; 0
// means all. The results are sorted by slug and field. left is how many facts the limit left out. When ctx
// ends, the remaining facts are NotChecked. Facts without a source are skipped.
func (v *Verifier) Run(ctx context.Context, facts []catalog.ItemFact, limit int) (results []Result, left int) {
	client := newClient(v)
	defer client.close()
	sources := sourcesOf(facts)
	if limit > 0 && len(sources) > limit {
		for _, s := range sources[limit:] {
			left += len(s.facts)
		}
		sources = sources[:limit]
	}
	r := &run{client: client, total: len(sources), progress: v.Progress}
	r.all(ctx, bySite(sources))
	fields := catalog.FactFields()
	slices.SortFunc(r.results, func(a, b Result) int {
		return cmp.Or(strings.Compare(a.Slug, b.Slug), cmp.Compare(slices.Index(fields, a.Field), slices.Index(fields, b.Field)))
	})
	return r.results, left
}

// sourcesOf returns the pages that facts name, each once, the one with the oldest check first.
func sourcesOf(facts []catalog.ItemFact) []*source {
	var sources []*source
	known := make(map[string]*source)
	for _, f := range facts {
		if !f.Known() {
			continue
		}
		address, _, _ := strings.Cut(f.Source, "#")
		s := known[address]
		if s == nil {
			s = &source{address: address, oldest: f.Checked}
			if u, err := url.Parse(address); err == nil {
				s.site = siteOf(u)
			}
			known[address], sources = s, append(sources, s)
		}
		s.oldest = min(s.oldest, f.Checked)
		s.facts = append(s.facts, f)
	}
	slices.SortFunc(sources, func(a, b *source) int {
		return cmp.Or(cmp.Compare(a.oldest, b.oldest), strings.Compare(a.address, b.address))
	})
	return sources
}

// bySite puts the pages of a site together and keeps the order otherwise.
func bySite(sources []*source) [][]*source {
	var sites [][]*source
	at := make(map[string]int)
	for _, s := range sources {
		i, known := at[s.site]
		if !known {
			i = len(sites)
			at[s.site], sites = i, append(sites, nil)
		}
		sites[i] = append(sites[i], s)
	}
	return sites
}

// A run is the state of one call of Run.
type run struct {
	client   *client
	total    int
	progress func(done, total int)

	mu      sync.Mutex
	done    int
	results []Result
}

// all fetches every page, maxSites sites at a time.
func (r *run) all(ctx context.Context, sites [][]*source) {
	queue := make(chan []*source, len(sites))
	for _, pages := range sites {
		queue <- pages
	}
	close(queue)
	var workers sync.WaitGroup
	for range min(maxSites, len(sites)) {
		workers.Go(func() {
			for pages := range queue {
				r.site(ctx, pages)
			}
		})
	}
	workers.Wait()
}

// site fetches the pages of one site, one after the other.
func (r *run) site(ctx context.Context, pages []*source) {
	s := &site{client: r.client, asked: make(map[string]permission)}
	for _, p := range pages {
		a := notChecked(interrupted)
		if ctx.Err() == nil {
			a = s.fetch(ctx, p.address)
		}
		r.record(a, p.facts)
	}
}

func (r *run) record(a answer, facts []catalog.ItemFact) {
	judged := make([]Result, 0, len(facts))
	for _, f := range facts {
		judged = append(judged, a.judge(f))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.results = append(r.results, judged...)
	if r.done++; r.progress != nil {
		r.progress(r.done, r.total)
	}
}
