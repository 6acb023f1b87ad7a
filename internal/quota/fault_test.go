package quota

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/redistest"
)

// What a charge may take beyond a healthy one, while the breaker has not opened yet
// and after: 30 ms and 1 ms on a machine that does nothing else, and more on a busy one
// of two cores under the race detector. It still tells: a charge that waits where it
// should not takes 25 ms with the breaker open, and half a second or more before.
const (
	mostBefore  = 30 * time.Millisecond
	slackBefore = 70 * time.Millisecond
	mostAfter   = time.Millisecond
	floorAfter  = 15 * time.Millisecond
)

// TestFaults breaks the way to Redis under load, in each of the ways there are. It
// measures time, and so runs alone.
func TestFaults(t *testing.T) {
	for _, fault := range []struct {
		name  string
		begin func(*proxy) (end func())
	}{
		{"black hole", func(p *proxy) func() { return p.poison(swallowRequests) }},
		{"black hole for answers", func(p *proxy) func() { return p.poison(swallowAnswers) }},
		{"black hole for new connections", func(p *proxy) func() {
			heal := p.refuse() // which ends those there are
			end := p.poison(swallowAnswers)
			heal()
			return end
		}},
		{"resets", func(p *proxy) func() { return p.poison(resetOnAnswer) }},
		{"refused", func(p *proxy) func() { return p.refuse() }},
	} {
		t.Run(fault.name, func(t *testing.T) { testFault(t, fault.begin) })
	}
}

func testFault(t *testing.T, begin func(*proxy) (end func())) {
	t.Helper()
	healthyFor, brokenFor := 500*time.Millisecond, 1500*time.Millisecond
	if *long {
		healthyFor, brokenFor = 3*time.Second, 10*time.Second
	}
	server := redistest.NewServer(t)
	way := newProxy(t, server.Addr())
	nodes := startNodes(t, way.url(), 3)
	l := newLoad(nodes, 60)

	healthyTimes, _ := l.run(healthyFor)
	healthy := p99(healthyTimes)
	waitShared(t, nodes, 5*time.Second) // a busy machine is as good as a fault
	for _, n := range nodes {
		n.logs.clear()
	}
	end := begin(way)
	before, after := l.run(brokenFor)
	waitLocal(t, nodes...)
	end()
	back := waitShared(t, nodes, 2*time.Second)
	for i, n := range nodes {
		if got := n.logs.levels(); got != "WARN INFO" {
			t.Errorf("node %d logged %q, want one line for each change:\n%s", i, got, n.logs)
		}
	}
	checkShared(t, nodes)

	t.Logf("p99: healthy %v (%d charges), until the breaker opens %v (%d), then %v (%d); counting together %v after the end",
		healthy, len(healthyTimes), p99(before), len(before), p99(after), len(after), back)
	if most := healthy + mostBefore + slackBefore; p99(before) > most {
		t.Errorf("until the breaker opens: p99 %v, at most %v wanted", p99(before), most)
	}
	if most := max(healthy+mostAfter, floorAfter); p99(after) > most {
		t.Errorf("with the breaker open: p99 %v, at most %v wanted", p99(after), most)
	}
	if len(after) < len(before) {
		t.Errorf("%d charges before the breaker opened, only %d after", len(before), len(after))
	}
	if l.refused > 0 {
		t.Errorf("%d charges were refused because Redis was gone", l.refused)
	}
	if most := len(nodes) * l.limit; l.through > most {
		t.Errorf("%d let through, at most %d (nodes × quota) wanted", l.through, most)
	}
	if got := counted(t, dial(t, server.URL()), nodes[0].Account(l.wide).key); got > l.sent {
		t.Errorf("Redis counted %d, only %d were sent", got, l.sent)
	}
}

// TestOutageWithQuotasNearlyUsed: what nodes let through while Redis was gone still
// counts when it is back and knows nothing of it.
func TestOutageWithQuotasNearlyUsed(t *testing.T) {
	t.Parallel()
	const limit = 100
	s := redistest.NewServer(t)
	var nodes []*node
	for range 3 {
		nodes = append(nodes, startPatientNode(t, s.URL(), time.Second))
	}
	waitShared(t, nodes, 10*time.Second)
	s.Kill()
	through := 0
	for _, n := range nodes {
		for range limit - 1 {
			if n.Charge(n.Account("a"), limit).Allowed {
				through++
			}
		}
	}
	if want := len(nodes) * (limit - 1); through != want {
		t.Errorf("%d let through without Redis, want %d", through, want)
	}
	waitLocal(t, nodes...)
	s.Start()
	waitShared(t, nodes, 5*time.Second)
	through += len(charges(nodes, 10*limit, limit, func(n *node, _ int) Subject { return n.Account("a") }))
	if most := len(nodes) * limit; through > most {
		t.Errorf("%d let through, at most %d (nodes × quota) wanted", through, most)
	}
}

// TestManyChargesIntoABlackHole: all of a crowd wait no longer than one would. They go
// to Redis itself, since the breaker would keep most of them away.
func TestManyChargesIntoABlackHole(t *testing.T) {
	s := redistest.NewServer(t)
	n := startNodes(t, s.URL(), 1)[0]
	thaw := s.Freeze()
	defer thaw()
	const crowd = 4_000
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		worst time.Duration
	)
	subject := n.Account("a")
	for range crowd {
		wg.Go(func() {
			started := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), deadline)
			defer cancel()
			if _, err := n.redis.Add(ctx, subject.key, subject.expires, true); err == nil {
				t.Error("a frozen Redis counts")
			}
			mu.Lock()
			defer mu.Unlock()
			worst = max(worst, time.Since(started))
		})
	}
	wg.Wait()
	t.Logf("the longest of %d charges took %v", crowd, worst)
	if worst > time.Second { // it takes 2.5 until a dead connection lets go
		t.Errorf("a charge took %v", worst)
	}
	thaw()
	checkShared(t, []*node{n})
	// Those that were on their way arrive after all, once.
	if got := counted(t, dial(t, s.URL()), subject.key); got > crowd {
		t.Errorf("%d counted of %d", got, crowd)
	}
}

// TestSlowRedis: one that answers, but too late for a charge, is gone until it is
// faster. The breaker does not go to and fro.
func TestSlowRedis(t *testing.T) {
	t.Parallel()
	way := newProxy(t, redistest.NewServer(t).Addr())
	nodes := startNodes(t, way.url(), 1)
	heal := way.poison(slowAnswers)
	testStaysOpen(t, nodes[0], heal)
}

// TestFullRedis: one that answers a ping, and counts nothing.
func TestFullRedis(t *testing.T) {
	t.Parallel()
	s := redistest.NewServer(t)
	n := startPatientNode(t, s.URL(), time.Second)
	waitShared(t, []*node{n}, 10*time.Second)
	c := dial(t, s.URL())
	do(t, c, "CONFIG", "SET", "maxmemory", "1")
	testStaysOpen(t, n, func() { do(t, c, "CONFIG", "SET", "maxmemory", "0") })
}

func testStaysOpen(t *testing.T, n *node, heal func()) {
	t.Helper()
	n.logs.clear()
	l := newLoad([]*node{n}, 60)
	l.run(1200 * time.Millisecond)
	if got := n.logs.levels(); got != "WARN" {
		t.Errorf("logged %q, want one warning:\n%s", got, n.logs)
	}
	if l.refused > 0 {
		t.Errorf("%d charges were refused", l.refused)
	}
	heal()
	waitShared(t, []*node{n}, 2*time.Second)
}
