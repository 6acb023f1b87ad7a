package quota

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/redistest"
)

// What a charge may take beyond a healthy one, while the breaker has not opened yet
// and after. One that waits where it should not takes a second or more before, and a
// quarter of one after.
const (
	mostBefore = DefaultWait + 50*time.Millisecond
	mostAfter  = time.Millisecond
	floorAfter = 15 * time.Millisecond
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
	waitShared(t, nodes, time.Minute) // a busy machine is as good as a fault
	for _, n := range nodes {
		n.logs.clear()
	}
	end := begin(way)
	before, after := l.run(brokenFor)
	waitLocal(t, nodes...)
	end()
	back := waitBack(t, nodes)
	for i, n := range nodes {
		got := n.logs.levels()
		if again := strings.ReplaceAll(got, "WARN INFO", ""); strings.TrimSpace(again) != "" || *long && got != "WARN INFO" {
			t.Errorf("node %d logged %q, want one line for each change:\n%s", i, got, n.logs)
		}
	}
	checkShared(t, nodes)

	t.Logf("p99: healthy %v (%d charges), until the breaker opens %v (%d), then %v (%d); counting together %v after the end",
		healthy, len(healthyTimes), p99(before), len(before), p99(after), len(after), back)
	holdTo(t, "p99 until the breaker opens", p99(before), healthy+mostBefore)
	holdTo(t, "p99 with the breaker open", p99(after), max(healthy+mostAfter, floorAfter))
	if *long && len(after) < len(before) {
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
	waitShared(t, nodes, time.Minute)
	through += len(charges(nodes, 10*limit, limit, func(n *node, _ int) Subject { return n.Account("a") }))
	if most := len(nodes) * limit; through > most {
		t.Errorf("%d let through, at most %d (nodes × quota) wanted", through, most)
	}
}

// TestManyChargesIntoABlackHole: all of a crowd wait no longer than one would, be it
// larger than rueidis's ring. They go to Redis itself, since the breaker would keep most
// of them away.
func TestManyChargesIntoABlackHole(t *testing.T) {
	s := redistest.NewServer(t)
	n := startNodes(t, s.URL(), 1)[0]
	thaw := s.Freeze()
	defer thaw()
	crowd := 4_000
	if *long { // which is run without the race detector: it knows 8,128 goroutines at most
		crowd = 5 * ringPlace / 4
	}
	subject := n.Account("a")
	var noRoom atomic.Int64
	charge := func(ctx context.Context) {
		_, err := n.redis.Add(ctx, subject.key, subject.expires, true)
		switch {
		case err == nil:
			t.Error("a frozen Redis counts")
		case errors.Is(err, errNoRoom):
			noRoom.Add(1)
		}
	}
	// longest has all of the crowd do something at once.
	longest := func(do func(ctx context.Context)) time.Duration {
		var wg sync.WaitGroup
		var worst atomic.Int64
		for range crowd {
			wg.Go(func() {
				started := time.Now()
				do(n.patience(started))
				took := int64(time.Since(started))
				for seen := worst.Load(); took > seen && !worst.CompareAndSwap(seen, took); seen = worst.Load() {
				}
			})
		}
		wg.Wait()
		return time.Duration(worst.Load())
	}
	waiting := longest(func(ctx context.Context) { <-ctx.Done() })
	for round := range 2 { // in the second the connection is dead, and no other can be made
		worst := longest(charge)
		t.Logf("round %d: the longest of %d charges took %v, and %v to wait for nothing; %d found no room",
			round, crowd, worst, waiting, noRoom.Load())
		holdTo(t, "the longest charge", worst, waiting+750*time.Millisecond) // one without a place takes two seconds
		if !*long {
			break
		}
		if round == 0 && noRoom.Load() == 0 {
			t.Error("there was room for everybody: the crowd is too small")
		}
		time.Sleep(abandoned)
	}
	thaw()
	waitBack(t, []*node{n})
	checkShared(t, []*node{n})
	// Those that were on their way arrive after all, once.
	if got := counted(t, dial(t, s.URL()), subject.key); got > 2*crowd {
		t.Errorf("%d counted of %d", got, 2*crowd)
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
	waitBack(t, []*node{n})
}
