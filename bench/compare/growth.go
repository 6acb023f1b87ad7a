package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// growthSizes are the catalog sizes, in tools, at which costs are measured.
var growthSizes = []int{1_000, 10_000, 100_000}

const changedTools = 100

// A growth is what a catalog of one size costs.
type growth struct {
	Tools int
	// CPU of the server per request, in µs.
	FirstPage, DeepPage, One float64
	// How long it takes to publish everything, and then 100 changed tools.
	First, Change time.Duration
	// How long the node takes to fetch that change and to build the edition.
	Fetch, Build time.Duration
	HeapMB       float64
}

// Swap returns how long the node takes to serve a change, from the start of its fetch.
func (g growth) Swap() time.Duration { return g.Fetch + g.Build }

func (s *stand) measureGrowth(ctx context.Context, slice time.Duration) ([]growth, error) {
	var rows []growth
	for _, tools := range growthSizes {
		rewind := s.mark()
		g, err := s.growthOf(ctx, tools, slice)
		rewind()
		if err != nil {
			return rows, fmt.Errorf("a catalog of %d tools: %w", tools, err)
		}
		fmt.Printf("  one tool %.1f µs, first page %.1f µs, tenth page %.1f µs; first publication %s, change %s, swap %s; heap %.0f MB\n",
			g.One, g.FirstPage, g.DeepPage, duration(g.First), duration(g.Change), duration(g.Swap()), g.HeapMB)
		rows = append(rows, g)
	}
	return rows, nil
}

func (s *stand) growthOf(ctx context.Context, tools int, slice time.Duration) (growth, error) {
	n, err := s.startNode(ctx, tools)
	if err != nil {
		return growth{}, err
	}
	g := growth{Tools: tools, First: n.publication}
	paths, err := n.paths(ctx)
	if err != nil {
		return g, err
	}
	for _, m := range []struct {
		path string
		to   *float64
	}{
		{paths[list], &g.FirstPage},
		{paths[list] + "?sort=name_asc&page=10", &g.DeepPage},
		{paths[one], &g.One},
	} {
		if *m.to, err = s.cpuPerRequest(ctx, n, m.path, slice); err != nil {
			return g, fmt.Errorf("%s: %w", m.path, err)
		}
	}
	if g.HeapMB, err = n.liveHeap(ctx); err != nil {
		return g, err
	}
	return g, s.changes(ctx, n, &g)
}

// cpuPerRequest returns the median of five slices, after one to warm up.
func (s *stand) cpuPerRequest(ctx context.Context, n *node, path string, d time.Duration) (float64, error) {
	l := load{url: n.url + path, headers: []string{"Accept-Encoding: identity", "Authorization: Bearer " + n.pro}}
	if _, err := fetch(ctx, l.url, n.proHeader()); err != nil {
		return 0, err
	}
	var figures []float64
	for i := range 6 {
		sl, count, err := s.timed(ctx, &n.server, l, d)
		if err != nil {
			return 0, err
		}
		if count.refused > 0 || count.broken > 0 {
			return 0, fmt.Errorf("of %d answers %d are wrong and %d sockets broke", count.requests, count.refused, count.broken)
		}
		if i > 0 {
			figures = append(figures, sl.cpu)
		}
	}
	return median(figures), nil
}

// liveHeap returns the size of the node's heap after a garbage collection, in MB.
func (n *node) liveHeap(ctx context.Context) (megabytes float64, err error) {
	if _, err := fetch(ctx, n.admin+"/debug/pprof/heap?gc=1", http.Header{}); err != nil {
		return 0, err
	}
	m, err := n.metrics(ctx)
	return m["go_memstats_heap_alloc_bytes"] / (1 << 20), err
}

// changes publishes changed tools three times, and records the medians.
func (s *stand) changes(ctx context.Context, n *node, g *growth) error {
	var publications, fetches, builds []float64
	for seed := range 3 {
		publication, fetch, build, err := s.change(ctx, n, 2+seed)
		if err != nil {
			return err
		}
		publications = append(publications, float64(publication))
		fetches, builds = append(fetches, float64(fetch)), append(builds, float64(build))
	}
	g.Change = time.Duration(median(publications))
	g.Fetch, g.Build = time.Duration(median(fetches)), time.Duration(median(builds))
	return nil
}

// change publishes some changed tools and waits until the node serves them.
func (s *stand) change(ctx context.Context, n *node, seed int) (publication, fetch, build time.Duration, err error) {
	err = s.palmares(ctx, n, "generate", n.content, "--mutate", strconv.Itoa(changedTools), "--seed", strconv.Itoa(seed))
	if err != nil {
		return 0, 0, 0, err
	}
	before, err := n.metrics(ctx)
	if err != nil {
		return 0, 0, 0, err
	}
	if publication, err = s.publish(ctx, n); err != nil {
		return 0, 0, 0, err
	}
	// The same figures as in the log's "edition swapped in", to more than a millisecond.
	const fetched, built = "palmares_edition_fetch_seconds_", "palmares_edition_build_seconds_"
	var after map[string]float64
	err = n.process.await(ctx, 30*time.Second, func(ctx context.Context) (err error) {
		if after, err = n.metrics(ctx); err == nil && after[built+"count"] == before[built+"count"] {
			err = errors.New("no new edition yet")
		}
		return err
	})
	seconds := func(name string) time.Duration {
		return time.Duration((after[name] - before[name]) * float64(time.Second))
	}
	return publication, seconds(fetched + "sum"), seconds(built + "sum"), err
}
