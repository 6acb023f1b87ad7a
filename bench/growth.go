package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// A growth is what a catalog of one size costs.
type growth struct {
	tools                    int
	one, firstPage, deepPage float64       // CPU of the server per request, in µs
	heap                     float64       // MB
	first, change            time.Duration // how long it takes to publish everything, and then 100 changed tools
	fetch, build             time.Duration // how long the node takes to fetch that change and to build the edition
}

// measureGrowth returns the table of the costs at several sizes of the catalog, or of those sizes that could be
// measured.
func (s *stand) measureGrowth(ctx context.Context) (text string, err error) {
	var all []growth
	for _, tools := range []int{1_000, 10_000, 100_000} {
		err = attempt(func() { all = append(all, s.grow(ctx, tools)) })
		if err != nil {
			err = fmt.Errorf("a catalog of %d tools: %w", tools, err)
			break
		}
	}
	check(ctx.Err())
	return growthTable(all), err
}

func growthTable(all []growth) string {
	header := []string{"tools"}
	for _, g := range all {
		header = append(header, thousands(g.tools))
	}
	t := newTable(header...)
	row := func(name string, of func(growth) string) {
		cells := []string{name}
		for _, g := range all {
			cells = append(cells, of(g))
		}
		t.add(cells...)
	}
	row("CPU per request: one tool", func(g growth) string { return micro(g.one) + " µs" })
	row("CPU per request: first page of the list", func(g growth) string { return micro(g.firstPage) + " µs" })
	row("CPU per request: tenth page, by name", func(g growth) string { return micro(g.deepPage) + " µs" })
	row("live heap", func(g growth) string { return fmt.Sprintf("%.0f MB", g.heap) })
	row("first publication", func(g growth) string { return duration(g.first) })
	row("a publication that changes 100 tools", func(g growth) string { return duration(g.change) })
	row("the node's swap to it: fetch + build", func(g growth) string { return duration(g.fetch) + " + " + duration(g.build) })
	return t.String()
}

func (s *stand) grow(ctx context.Context, tools int) growth {
	defer s.rewind(len(s.closers))
	n := s.startNode(ctx, tools)
	g := growth{tools: tools, first: n.publication}
	paths := n.toolPaths(ctx)
	g.firstPage = s.cpuPerRequest(ctx, n, paths[list])
	g.deepPage = s.cpuPerRequest(ctx, n, paths[list]+"?sort=name_asc&page=10")
	g.one = s.cpuPerRequest(ctx, n, paths[one])
	g.heap = n.liveHeap(ctx)
	var publications, fetches, builds []float64
	for seed := range 3 {
		s.run(ctx, n, "generate", n.content, "--mutate", "100", "--seed", strconv.Itoa(2+seed))
		before := must(n.metrics(ctx))
		publications = append(publications, s.publish(ctx, n).Seconds())
		// The same figures as in the log's "edition swapped in", to more than a millisecond.
		const fetched, built = "palmares_edition_fetch_seconds_", "palmares_edition_build_seconds_"
		var after map[string]float64
		n.process.await(ctx, 30*time.Second, func(ctx context.Context) (err error) {
			if after, err = n.metrics(ctx); err == nil && after[built+"count"] == before[built+"count"] {
				err = errors.New("no new edition yet")
			}
			return err
		})
		fetches = append(fetches, after[fetched+"sum"]-before[fetched+"sum"])
		builds = append(builds, after[built+"sum"]-before[built+"sum"])
	}
	seconds := func(figures []float64) time.Duration {
		return time.Duration(spreadOf(figures).Median * float64(time.Second))
	}
	g.change, g.fetch, g.build = seconds(publications), seconds(fetches), seconds(builds)
	progress("%+v", g)
	return g
}

// cpuPerRequest returns the median of five slices, after one to warm up.
func (s *stand) cpuPerRequest(ctx context.Context, n *node, path string) float64 {
	l := load{url: n.url + path, headers: []string{"Accept-Encoding: identity", "Authorization: Bearer " + n.pro}}
	must(get(ctx, l.url, n.proHeader(), http.StatusOK))
	var all []slice
	for range 6 {
		sent := timed(ctx, s.dir, n.process, l)
		sent.check(false)
		all = append(all, sent)
	}
	return cpuOf(all[1:]).Median
}
