package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func floodsCommand(flags *flag.FlagSet) func(context.Context) {
	older := flags.String("older", "", "a palmares of before, to compare with")
	short := flags.Bool("short", false, "for CI: briefly, on a small catalog, to see that all of this works; write nothing")
	return func(ctx context.Context) {
		tools, pairs := 100_000, 8
		switch {
		case *short:
			tools, pairs = 2_000, 2
		case *older == "":
			check(errors.New("floods are compared with an older build: -older names it; docs/floods.md tells how to make one"))
		}
		withStand(ctx, func(s *stand) {
			parts := s.floods(ctx, *older, tools, pairs, *short)
			if !*short {
				writeParts("docs/floods.md", parts)
			}
		})
	}
}

// floods returns the parts of docs/floods.md. In short it measures queries on one catalog only.
func (s *stand) floods(ctx context.Context, older string, tools, pairs int, short bool) map[string]string {
	builds := s.startBuilds(ctx, tools, older)
	parts := map[string]string{
		"machine":        measuredOn(ctx),
		"over the quota": s.overQuota(ctx, builds, pairs),
		"dead redis":     s.deadRedis(ctx, builds),
	}
	t := newTable("tools", "CPU", "CPU before", "ratio", "bytes of an answer", "before")
	add := func(tools int) { t.add(append([]string{thousands(tools)}, s.unique(ctx, builds, pairs)...)...) }
	add(tools)
	for _, size := range []int{5_000, 500} {
		if !short {
			builds = s.startBuilds(ctx, size, older)
			add(size)
		}
	}
	parts["queries"] = t.String()
	return parts
}

// startBuilds serves the same catalog with this build and an older one, or with this one only.
func (s *stand) startBuilds(ctx context.Context, tools int, older string) []*node {
	n := s.startNode(ctx, tools)
	if older == "" {
		return []*node{n}
	}
	return []*node{n, s.startBeside(ctx, n, older)}
}

// A flood is the kind of requests sent by somebody malicious or careless.
type flood struct {
	name     string
	kind     string   // the name in floods.lua
	headers  []string // "Name: value"
	answered bool     // not refused
}

var overQuota = []flood{
	{name: "/stats", kind: "stats"},
	{name: "lists, no two alike", kind: "list"},
	{name: "the same with a tag", kind: "list", headers: []string{`If-None-Match: "0123456789abcdef"`}},
	{name: "the same with `If-None-Match: *`", kind: "list", headers: []string{"If-None-Match: *"}},
	{name: "`/export/identifiers`, gzip", kind: "identifiers"},
	{name: "`/mcp`: a call", kind: "mcp-call"},
	{name: "`/mcp`: 60 KB that is no JSON", kind: "mcp-junk"},
	{name: "`/mcp`: a ping of 60 KB", kind: "mcp-ping"},
	{name: "`/mcp`: the same with its method last", kind: "mcp-last"},
}

// flood returns a function that sends a flood for a slice. It fails if a response is not what was expected; of an
// older build all responses must be of one kind.
func (s *stand) flood(ctx context.Context, n *node, f flood) func() slice {
	return func() slice {
		sent := timed(ctx, s.dir, n.process, s.floodLoad(n, f))
		sent.check(!f.answered && (n.program == s.palmares || sent.refused > 0))
		return sent
	}
}

func (s *stand) floodLoad(n *node, f flood) load {
	s.queries += 200_000 // numbers that no other slice sends
	args := append([]string{f.kind, strconv.Itoa(s.queries), "Accept-Encoding: gzip"}, f.headers...)
	return load{url: n.url, script: floodsLua, args: args}
}

// usual returns the lower quartile of the CPU per request, because anything else that runs on the machine can only
// add to a cost.
func usual(slices []slice) float64 { return cpuOf(slices).Q1 }

// overQuota measures each flood from an address that is out of quota, in alternation with /stats from the same
// address.
func (s *stand) overQuota(ctx context.Context, builds []*node, pairs int) string {
	t := newTable("requests", "CPU", "share of /stats", "CPU before", "share before")
	for _, f := range overQuota {
		row := []string{f.name, "", "", "", ""}
		for i, n := range builds {
			from := http.Header{"X-Forwarded-For": {"10.0.0.0"}, "Accept-Encoding": {"gzip"}}
			exhaust(ctx, n.url+"/api/v1/stats", from)
			exhaust(ctx, n.url+"/api/v1/export/identifiers.jsonl", from) // the free ones, too
			var flooded, stats []slice
			for pair := range pairs {
				sent := inTurn(pair, s.flood(ctx, n, f), s.flood(ctx, n, overQuota[0]))
				flooded, stats = append(flooded, sent[0]), append(stats, sent[1])
			}
			share := ratio(usual(flooded) / usual(stats))
			row[1+2*i], row[2+2*i] = micro(usual(flooded))+" µs", []string{"**" + share + "**", share}[i]
		}
		t.add(row...)
	}
	return t.String()
}

// unique measures queries that nobody has sent before, from many addresses, and returns a row without its first
// cell. It restarts the builds without Redis: on a busy machine an older one does not wait for Redis, and would be
// spared a cost that this one pays.
func (s *stand) unique(ctx context.Context, builds []*node, pairs int) []string {
	var sides []func() slice
	for _, n := range builds {
		n.process.stop()
		n.alone = true
		s.serve(ctx, n)
		sides = append(sides, s.flood(ctx, n, flood{kind: "list-spread", answered: true}))
	}
	// First use up the allowance for compressing new responses, if the node is fast enough to get there.
	for range 10 {
		sides[0]()
		if must(builds[0].metrics(ctx))["palmares_responses_uncompressed_total"] > 0 {
			break
		}
	}
	inTurn(0, sides...) // a warm-up
	all := make([][]slice, len(sides))
	for pair := range pairs {
		for i, sent := range inTurn(pair+1, sides...) {
			all[i] = append(all[i], sent)
		}
	}
	row := []string{"", "", "", "", ""}
	for i, sent := range all {
		last := sent[pairs-1]
		row[i], row[3+i] = micro(usual(sent))+" µs", fmt.Sprintf("%.0f", last.bytes/float64(last.requests)) //nolint:gosec // there are two builds at most
	}
	if len(all) > 1 {
		row[2] = "**" + ratio(usual(all[0])/usual(all[1])) + "**"
	}
	return row
}

// deadRedis freezes Redis in the middle of a load, until the load ends, once for each build.
func (s *stand) deadRedis(ctx context.Context, builds []*node) string {
	t := newTable("build", "requests a second", "longest request in health", "with the freeze",
		"waited 0.19 s or more", "counted on the node", "not answered 200")
	for i, n := range builds {
		run := func(seconds int) slice {
			l := s.floodLoad(n, flood{kind: "stats-spread"})
			l.args, l.connections = l.args[:2], 512
			return runWrk(ctx, s.dir, l, seconds)
		}
		run(1) // warms up: opens connections
		healthy := run(4)
		was := must(n.metrics(ctx))
		freeze := time.AfterFunc(1500*time.Millisecond, func() { s.redis.Process.Signal(syscall.SIGSTOP) }) //nolint:errcheck,gosec // it is there
		frozen := run(4)
		freeze.Stop()
		check(s.redis.Process.Signal(syscall.SIGCONT))
		is := must(n.metrics(ctx))
		const alone = `palmares_quota_charges_total{source="local"}`
		t.add([]string{"this build", "the older one"}[i],
			fmt.Sprintf("%.0f", healthy.rate), duration(healthy.longest), duration(frozen.longest),
			thousands(waited(is)-waited(was)), thousands(int(is[alone]-was[alone])), thousands(frozen.refused+frozen.broken))
		// Whatever is measured next needs a healthy Redis.
		n.process.await(ctx, 10*time.Second, func(ctx context.Context) error {
			m, err := n.metrics(ctx)
			if err == nil && m["palmares_quota_shared"] != 1 {
				err = errors.New("the node counts alone")
			}
			return err
		})
	}
	return t.String()
}

// waited returns how many charges took 0.19 s or more; 0 for a build whose histogram has no such bucket.
func waited(m map[string]float64) int {
	for name, below := range m {
		if strings.HasPrefix(name, `palmares_quota_charge_seconds_bucket{le="0.19`) {
			return int(m["palmares_quota_charge_seconds_count"] - below)
		}
	}
	return 0
}
