package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// deadConnections is how many clients ask at a time while Redis dies.
const deadConnections = 512

// A deadRow is what it costs when Redis stops answering under full load.
type deadRow struct {
	Build           string
	Rate            float64       // requests a second while Redis is healthy
	Healthy, Frozen time.Duration // the longest request
	Waited          int           // requests that waited 0.19 s or more
	Alone           int           // requests that the node counted by itself
	Refused         int           // requests that were not answered 200
}

// deadRedis freezes Redis in the middle of a load, until the load ends, once for each build.
func (s *stand) deadRedis(ctx context.Context, b builds) ([]deadRow, error) {
	var rows []deadRow
	for _, side := range []struct {
		name string
		n    *node
	}{{"this build", b.ours}, {"the older one", b.older}} {
		if side.n == nil {
			continue
		}
		row, err := s.deadRedisOf(ctx, side.n)
		if err != nil {
			return rows, fmt.Errorf("a dead Redis: %w", err)
		}
		row.Build = side.name
		fmt.Printf("Redis dies: %+v\n", row)
		rows = append(rows, row)
	}
	return rows, nil
}

func (s *stand) deadRedisOf(ctx context.Context, n *node) (row deadRow, err error) {
	const before, after = 1500 * time.Millisecond, 2500 * time.Millisecond
	run := func(d time.Duration) (count, error) {
		s.queries += 200_000
		return runWrk(ctx, s.dir, load{
			url: n.url, script: floodsLua, args: []string{"stats-spread", strconv.Itoa(s.queries)}, connections: deadConnections,
		}, d)
	}
	if _, err := run(time.Second); err != nil { // warms up: opens connections
		return row, err
	}
	healthy, err := run(before + after)
	if err != nil {
		return row, err
	}
	row.Rate, row.Healthy = healthy.rate, healthy.longest
	was, err := n.metrics(ctx)
	if err != nil {
		return row, err
	}
	freeze := time.AfterFunc(before, func() { s.counter.cmd.Process.Signal(syscall.SIGSTOP) }) //nolint:errcheck,gosec // it is there
	defer freeze.Stop()
	frozen, err := run(before + after)
	s.counter.cmd.Process.Signal(syscall.SIGCONT) //nolint:errcheck,gosec // it is there
	if err != nil {
		return row, err
	}
	row.Frozen, row.Refused = frozen.longest, frozen.refused+frozen.broken
	is, err := n.metrics(ctx)
	if err != nil {
		return row, err
	}
	const alone = `palmares_quota_charges_total{source="local"}`
	row.Alone, row.Waited = int(is[alone]-was[alone]), waited(is)-waited(was)
	// Whatever is measured next needs a healthy Redis.
	return row, n.process.await(ctx, 10*time.Second, func(ctx context.Context) error {
		m, err := n.metrics(ctx)
		if err == nil && m["palmares_quota_shared"] != 1 {
			err = errors.New("the node counts alone")
		}
		return err
	})
}

// waited returns how many charges took 0.19 s or more; 0 for a build whose histogram has no such bucket.
func waited(m map[string]float64) int {
	const bucket = `palmares_quota_charge_seconds_bucket{le="0.19`
	for name, below := range m {
		if strings.HasPrefix(name, bucket) {
			return int(m["palmares_quota_charge_seconds_count"] - below)
		}
	}
	return 0
}
