package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

//go:embed floods.lua
var floodsLua []byte

// A flood is the kind of requests sent by somebody malicious or careless.
type flood struct {
	name    string
	kind    string   // the name in floods.lua
	headers []string // "Name: value"
	status  int      // expected of every response
	before  int      // expected of the older build; 0 if the same
}

var (
	statsOver = flood{name: "/stats", kind: "stats", status: http.StatusTooManyRequests}
	overQuota = []flood{
		statsOver,
		{name: "lists, no two alike", kind: "list", status: http.StatusTooManyRequests},
		{name: "the same with a tag", kind: "list", headers: []string{`If-None-Match: "0123456789abcdef"`}, status: http.StatusTooManyRequests},
		{
			name: "the same with `If-None-Match: *`", kind: "list", headers: []string{"If-None-Match: *"},
			status: http.StatusTooManyRequests, before: http.StatusNotModified,
		},
		{name: "`/mcp`: a call", kind: "mcp-call", status: http.StatusTooManyRequests},
		{name: "`/mcp`: 60 KB that is no JSON", kind: "mcp-junk", status: http.StatusTooManyRequests},
		{name: "`/mcp`: a ping of 60 KB", kind: "mcp-ping", status: http.StatusTooManyRequests, before: http.StatusOK},
		{name: "`/mcp`: the same with its method last", kind: "mcp-last", status: http.StatusTooManyRequests, before: http.StatusOK},
	}
)

// A floodRow is what a flood costs: CPU of the server per request, in µs.
type floodRow struct {
	Name          string
	Ours, Older   float64
	Share, Before float64 // the cost as a multiple of that of /stats
}

// A floodReport is what docs/floods.md is made of.
type floodReport struct {
	Machine machine
	Tools   int
	Pairs   int
	Slice   time.Duration
	Over    []floodRow
	Unique  []uniqueRow
	Dead    []deadRow
}

// A uniqueRow is what it costs to answer queries that nobody has sent before.
type uniqueRow struct {
	Tools            int
	Ours, Older      float64 // CPU of the server per request, in µs
	Ratio            float64
	Bytes, OlderSize float64 // size of a response, headers included
}

// builds are the nodes that floods are sent to: the build under test and an older one, which may be nil.
type builds struct{ ours, older *node }

// measureFloods measures what floods cost this build and an older one.
func (s *stand) measureFloods(ctx context.Context, o options) (floodReport, error) {
	r := floodReport{Machine: machineOf(ctx), Tools: o.tools, Pairs: o.pairs, Slice: o.slice}
	b, err := s.startBuilds(ctx, o.tools, o.older)
	if err != nil {
		return r, err
	}
	if r.Over, err = s.overQuota(ctx, b, o.plan); err != nil {
		return r, err
	}
	if r.Dead, err = s.deadRedis(ctx, b); err != nil {
		return r, err
	}
	for _, tools := range []int{o.tools, 5_000, 500} {
		if tools != o.tools {
			if b, err = s.startBuilds(ctx, tools, o.older); err != nil {
				return r, err
			}
		}
		if b, err = s.countAlone(ctx, b); err != nil {
			return r, err
		}
		row, err := s.unique(ctx, b, tools, o.plan)
		if err != nil || o.short {
			return r, err
		}
		r.Unique = append(r.Unique, row)
	}
	return r, nil
}

// countAlone restarts both builds without Redis. On a busy machine the older one does not wait for Redis, and
// would be spared a cost that this one pays.
func (s *stand) countAlone(ctx context.Context, b builds) (builds, error) {
	for _, n := range []*node{b.ours, b.older} {
		if n == nil {
			continue
		}
		n.process.stop()
		n.alone = true
		dir, err := os.MkdirTemp(s.dir, "alone-")
		if err != nil {
			return b, fmt.Errorf("making a directory: %w", err)
		}
		if err := s.serve(ctx, n, dir); err != nil {
			return b, err
		}
	}
	return b, nil
}

// unique measures queries that nobody has sent before, from many addresses.
func (s *stand) unique(ctx context.Context, b builds, tools int, p plan) (uniqueRow, error) {
	row := uniqueRow{Tools: tools}
	f := flood{name: "queries that nobody sent before", kind: "list-spread", status: http.StatusOK}
	// First use up the allowance for compressing new responses, if the node is fast enough to get there.
	for range 10 {
		if _, _, err := s.flood(ctx, b.ours, f, p.slice); err != nil {
			return row, fmt.Errorf("%s: %w", f.name, err)
		}
		m, err := b.ours.metrics(ctx)
		if err != nil {
			return row, err
		}
		if m["palmares_responses_uncompressed_total"] > 0 {
			break
		}
	}
	var ours, older []float64
	for pair := range p.pairs + 1 {
		cost := map[*node]float64{}
		nodes := []*node{b.ours, b.older}
		if pair%2 == 1 {
			slices.Reverse(nodes)
		}
		for _, n := range nodes {
			if n == nil {
				continue
			}
			sl, c, err := s.flood(ctx, n, f, p.slice)
			if err != nil {
				return row, fmt.Errorf("%s: %w", f.name, err)
			}
			cost[n] = sl.cpu
			if n == b.ours {
				row.Bytes = c.bytes / float64(c.requests)
			} else {
				row.OlderSize = c.bytes / float64(c.requests)
			}
		}
		if pair == 0 { // the first pair is a warm-up
			continue
		}
		ours, older = append(ours, cost[b.ours]), append(older, cost[b.older])
	}
	row.Ours, row.Older = usual(ours), usual(older)
	if b.older != nil {
		row.Ratio = row.Ours / row.Older
	}
	fmt.Printf("%d tools: %.1f µs, before %.1f µs: %.2f; %.0f bytes, before %.0f\n", tools, row.Ours, row.Older, row.Ratio, row.Bytes, row.OlderSize)
	return row, nil
}

// startBuilds serves the same catalog with both builds; without an older one, with this build only.
func (s *stand) startBuilds(ctx context.Context, tools int, older string) (b builds, err error) {
	if b.ours, err = s.startNode(ctx, tools); err != nil {
		return b, err
	}
	if older == "" {
		return b, nil
	}
	if older, err = filepath.Abs(older); err != nil {
		return b, fmt.Errorf("-older: %w", err)
	}
	dir := filepath.Join(s.dir, fmt.Sprintf("older-%d", tools))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return b, fmt.Errorf("making a directory: %w", err)
	}
	b.older = &node{database: b.ours.database, content: b.ours.content, pro: b.ours.pro, program: older}
	return b, s.serve(ctx, b.older, dir)
}

// overQuota measures each flood from an address that is out of quota, in alternation with /stats from the same
// address.
func (s *stand) overQuota(ctx context.Context, b builds, p plan) ([]floodRow, error) {
	var rows []floodRow
	for _, f := range overQuota {
		row := floodRow{Name: f.name}
		for _, side := range []struct {
			n           *node
			cost, share *float64
			status      int
		}{{b.ours, &row.Ours, &row.Share, f.status}, {b.older, &row.Older, &row.Before, f.before}} {
			if side.n == nil {
				continue
			}
			g := f
			if side.status != 0 {
				g.status = side.status
			}
			if err := exhaust(ctx, side.n.url+"/api/v1/stats", http.Header{"X-Forwarded-For": {"10.0.0.0"}}); err != nil {
				return rows, err
			}
			var costs, stats []float64
			for pair := range p.pairs {
				pairOf := []flood{g, statsOver}
				if pair%2 == 1 {
					slices.Reverse(pairOf)
				}
				for _, f := range pairOf {
					sl, _, err := s.flood(ctx, side.n, f, p.slice)
					if err != nil {
						return rows, fmt.Errorf("%s: %w", f.name, err)
					}
					if f.kind == g.kind {
						costs = append(costs, sl.cpu)
					}
					if f.kind == statsOver.kind {
						stats = append(stats, sl.cpu)
					}
				}
			}
			*side.cost, *side.share = usual(costs), usual(costs)/usual(stats)
		}
		fmt.Printf("%s: %.1f µs, %.2f of /stats; before %.1f µs, %.2f\n", row.Name, row.Ours, row.Share, row.Older, row.Before)
		rows = append(rows, row)
	}
	return rows, nil
}

// usual returns the lower quartile, because anything else that runs on the machine can only add to a cost.
func usual(costs []float64) float64 { return spreadOf(costs).Q1 }

// flood sends a flood for a duration. It returns an error if any response has another status class than
// expected.
func (s *stand) flood(ctx context.Context, n *node, f flood, d time.Duration) (slice, count, error) {
	s.queries += 200_000 // numbers that no other slice sends
	l := load{
		url: n.url, script: floodsLua,
		args: append([]string{f.kind, strconv.Itoa(s.queries), "Accept-Encoding: gzip"}, f.headers...),
	}
	sl, c, err := s.timed(ctx, &n.server, l, d)
	if err != nil {
		return sl, c, err
	}
	refused := 0
	if f.status >= http.StatusBadRequest {
		refused = c.requests
	}
	if c.broken > 0 || c.refused != refused {
		return sl, c, fmt.Errorf("of %d answers %d are neither 2xx nor 3xx and %d sockets broke", c.requests, c.refused, c.broken)
	}
	return sl, c, nil
}

//go:embed floods.md.tmpl
var floodsPage string

// write writes floods.md into the directory out; a relative one is below root.
func (r floodReport) write(root, out string) error {
	if !filepath.IsAbs(out) {
		out = filepath.Join(root, out)
	}
	text, err := render(floodsPage, r)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "floods.md"), text, 0o644); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	fmt.Println("written:", filepath.Join(out, "floods.md"))
	return nil
}

// floods runs what make floods asks for.
func floods(ctx context.Context, s *stand, root string, o options) error {
	if o.older == "" && !o.short {
		return errors.New("-floods compares with an older build: -older names it; docs/floods.md tells how to make one")
	}
	r, err := s.measureFloods(ctx, o)
	if err != nil || o.out == "" {
		return err
	}
	return r.write(root, o.out)
}
