package quota

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A load charges at an even rate, spread over the nodes, whether or not earlier charges have come
// back. One charge in five goes to an account with a small quota, the others to one that nobody can
// use up.
type load struct {
	nodes       []*node
	wide, tight string // accounts
	limit       int    // of the tight account
	every       time.Duration
	apart       bool // each charge of the wide account goes to an account of its own

	mu       sync.Mutex
	begun    int             // charges of either
	sent     int             // charges of the wide account
	through  int             // of the tight account
	refused  int             // of the wide account, which is never right
	together []time.Duration // of charges that began while the node counted with the others
	alone    []time.Duration
}

const wideLimit = 1_000_000_000

// newLoad charges 500 times a second.
func newLoad(nodes []*node, limit int) *load {
	return &load{nodes: nodes, wide: rand.Text(), tight: rand.Text(), limit: limit, every: 2 * time.Millisecond}
}

// start begins to charge; stop waits for all charges to come back.
func (l *load) start() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		var wg sync.WaitGroup
		defer wg.Wait()
		tick := time.NewTicker(l.every)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				l.begun = i + 1
				wg.Go(func() { l.charge(l.nodes[i%len(l.nodes)], i) })
			}
		}
	}()
	return func() { cancel(); <-done }
}

func (l *load) account(i int) string {
	if l.apart {
		return l.wide + strconv.Itoa(i)
	}
	return l.wide
}

func (l *load) charge(n *node, i int) {
	if i%5 == 0 {
		d := n.Charge(n.Account(l.tight), l.limit)
		l.mu.Lock()
		defer l.mu.Unlock()
		if d.Allowed {
			l.through++
		}
		return
	}
	times := &l.together
	if n.Shared() != nil {
		times = &l.alone
	}
	started := time.Now()
	d := n.Charge(n.Account(l.account(i)), wideLimit)
	took := time.Since(started)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent++
	if !d.Allowed {
		l.refused++
	}
	*times = append(*times, took)
}

// run charges for that long.
func (l *load) run(d time.Duration) {
	l.together, l.alone = nil, nil
	stop := l.start()
	time.Sleep(d)
	stop()
}

// check checks what holds whatever happens to Redis: nobody is refused because of it, and no node
// lets through more than the quota.
func (l *load) check(t *testing.T) {
	t.Helper()
	testkit.Equal(t, "charges refused because Redis was down", l.refused, 0)
	if limit := len(l.nodes) * l.limit; l.through > limit {
		t.Errorf("%d let through, at most %d (nodes × quota) wanted", l.through, limit)
	}
	// Counting together again: exactly, but for charges that a busy machine kept from Redis.
	const limit = 30
	before, account, through := sum(l.nodes, alone), rand.Text(), 0
	for range limit {
		for _, n := range l.nodes {
			if n.Charge(n.Account(account), limit).Allowed {
				through++
			}
		}
	}
	if late := sum(l.nodes, alone) - before; through < limit-late || through > limit+late {
		t.Errorf("after the fault %d nodes let %d through, want %d; %d charges were counted alone",
			len(l.nodes), through, limit, late)
	}
}

func p99(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[(len(times)-1)*99/100]
}

// What a charge may take longer than a healthy one, before the breaker opens and after.
const (
	maxBefore  = DefaultWait + 50*time.Millisecond
	maxAfter   = time.Millisecond
	floorAfter = 15 * time.Millisecond
)

// TestFaults breaks the connection to Redis under load, in every way there is. A fault towards Redis
// is the better case: nothing is counted. In the other direction Redis counts and nobody hears of it.
func TestFaults(t *testing.T) { //nolint:paralleltest // it measures time
	for name, begin := range map[string]func(*testkit.Proxy) (end func()){
		"requests stall": func(p *testkit.Proxy) func() { return p.ToServer(testkit.Fault{Stall: true}) },
		"replies stall":  func(p *testkit.Proxy) func() { return p.ToClient(testkit.Fault{Stall: true}) },
		"resets":         func(p *testkit.Proxy) func() { return p.ToClient(testkit.Fault{Reset: true}) },
		"refused":        (*testkit.Proxy).Refuse,
		"new connections": func(p *testkit.Proxy) func() { // stall, and the existing ones are closed
			heal := p.Refuse()
			end := p.ToClient(testkit.Fault{Stall: true})
			heal()
			return end
		},
	} {
		t.Run(name, func(t *testing.T) { testFault(t, begin) })
	}
}

func testFault(t *testing.T, begin func(*testkit.Proxy) (end func())) {
	t.Helper()
	healthyFor, brokenFor := 500*time.Millisecond, 1500*time.Millisecond
	if testkit.Long() {
		healthyFor, brokenFor = 3*time.Second, 10*time.Second
	}
	server := redistest.NewServer(t)
	proxy := testkit.NewProxy(t, server.Addr())
	nodes := startNodes(t, "redis://"+proxy.Addr, 3, DefaultWait)
	l := newLoad(nodes, 60)
	l.run(healthyFor)
	healthy := p99(l.together)
	waitShared(t, nodes...) // a busy machine is as good as a fault
	marks := make([]int, len(nodes))
	for i, n := range nodes {
		marks[i] = len(n.log.String())
	}

	end := begin(proxy)
	l.run(brokenFor)
	waitLocal(t, nodes...)
	end()
	waitShared(t, nodes...)
	for i, n := range nodes {
		got := levels(n.log.String()[marks[i]:])
		if strings.TrimSpace(strings.ReplaceAll(got, "WARN INFO", "")) != "" || testkit.Long() && got != "WARN INFO" {
			t.Errorf("node %d logged %q, want one line for each change:\n%s", i, got, n.log)
		}
	}
	l.check(t)
	t.Logf("p99: healthy %v, until the breaker opens %v (%d charges), then %v (%d)",
		healthy, p99(l.together), len(l.together), p99(l.alone), len(l.alone))
	holdTo(t, "p99 until the breaker opens", p99(l.together), healthy+maxBefore)
	holdTo(t, "p99 with the breaker open", p99(l.alone), max(healthy+maxAfter, floorAfter))
	if got := newClient(t, server.URL()).integer("GET", nodes[0].Account(l.wide).key); int(got) > l.sent {
		t.Errorf("Redis counted %d, only %d were sent", got, l.sent)
	}
}

// A Redis that replies too late for a charge, or that answers a ping and counts nothing, is down
// until that is over. The breaker does not flap.
func TestFaults_TheBreakerStaysOpen(t *testing.T) {
	t.Parallel()
	slow, full := redistest.NewServer(t), redistest.NewServer(t)
	proxy, c := testkit.NewProxy(t, slow.Addr()), newClient(t, full.URL())
	for name, tt := range map[string]struct {
		url   string
		wait  time.Duration
		begin func() (end func())
	}{
		"slow": {"redis://" + proxy.Addr, DefaultWait, func() func() { return proxy.ToClient(testkit.Fault{Delay: 400 * time.Millisecond}) }},
		"full": {full.URL(), time.Second, func() func() {
			c.do("CONFIG", "SET", "maxmemory", "1")
			return func() { c.do("CONFIG", "SET", "maxmemory", "0") }
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := startNodes(t, tt.url, 1, tt.wait)[0]
			mark := len(n.log.String())
			end := tt.begin()
			l := newLoad([]*node{n}, 60)
			l.run(1200 * time.Millisecond)
			testkit.Equal(t, "log levels", levels(n.log.String()[mark:]), "WARN")
			end()
			waitShared(t, n)
			l.check(t)
		})
	}
}

// A command that would have to wait for a slot in the client's ring fails at once instead.
func TestFaults_NoSlotInTheRing(t *testing.T) {
	t.Parallel()
	r, c := connected(t, redistest.URL(t))
	key, expires := "palmares:quota:test:"+rand.Text(), time.Now().Add(time.Hour)
	bounded := (*r.client.Load()).(*boundedClient)
	bounded.inFlight.n.Add(bounded.inFlight.most)
	for _, first := range []bool{true, false} {
		if _, err := r.Add(t.Context(), key, expires, first); !errors.Is(err, errTooManyInFlight) {
			t.Errorf("first %t: %v", first, err)
		}
	}
	bounded.inFlight.n.Add(-bounded.inFlight.most)
	if n, err := r.Add(t.Context(), key, expires, false); n != 1 || err != nil || c.integer("GET", key) != 1 {
		t.Errorf("%d, %v", n, err)
	}
}

// A charge whose connection is reset is not sent again.
func TestFaults_BurstsOfResets(t *testing.T) {
	t.Parallel()
	server := redistest.NewServer(t)
	proxy := testkit.NewProxy(t, server.Addr())
	nodes := startNodes(t, "redis://"+proxy.Addr, 2, DefaultWait)
	l := newLoad(nodes, 200)
	l.every, l.apart = 500*time.Microsecond, true
	stop := l.start()
	for i := range 50 {
		waitShared(t, nodes...)
		time.Sleep(time.Duration(i%4) * time.Millisecond)
		end := proxy.ToClient(testkit.Fault{Reset: true})
		time.Sleep(time.Duration(1+i%4) * 500 * time.Microsecond) // a client that retried at once would get through
		end()
	}
	waitShared(t, nodes...)
	stop()

	c := newClient(t, server.URL())
	counted := c.integer("GET", nodes[0].Account(l.tight).key)
	for i := range l.begun {
		n := c.integer("GET", nodes[0].Account(l.account(i)).key)
		if n > 1 {
			t.Errorf("one charge was counted %d times", n)
		}
		counted += n
	}
	if lost := int(counted) - sum(nodes, byRedis); lost < 10 {
		t.Errorf("only %d charges lost their reply: the resets missed them", lost)
	}
	l.check(t)
}

// A killed Redis still knows what it has acknowledged. It writes before it replies, unless it syncs
// by itself (appendfsync everysec) and the disk is slow: then it puts writes off for up to two
// seconds. The system's own syncing keeps the test true on any disk.
func TestFaults_KilledRedis(t *testing.T) {
	t.Parallel()
	server := redistest.NewServer(t, "--appendfsync", "no")
	nodes := startNodes(t, server.URL(), 2, DefaultWait)
	l := newLoad(nodes, 0) // every charge is one of the wide account, or none
	for round := range 3 {
		stop := l.start()
		time.Sleep(300 * time.Millisecond)
		server.Kill()
		time.Sleep(100 * time.Millisecond)
		server.Start()
		waitShared(t, nodes...)
		time.Sleep(100 * time.Millisecond)
		stop()
		acknowledged := sum(nodes, byRedis)
		known := int(newClient(t, server.URL()).integer("GET", nodes[0].Account(l.wide).key))
		if known < acknowledged || known > l.sent {
			t.Errorf("round %d: %d charges sent, %d acknowledged, %d known afterwards", round, l.sent, acknowledged, known)
		}
	}
	if sum(nodes, alone) == 0 {
		t.Error("Redis was never missed")
	}
}

// Charges to the slots of a dead master are counted on the node alone, the others together until the
// cluster gives up.
func TestFaults_ClusterLosesAMaster(t *testing.T) {
	t.Parallel()
	url := redistest.Cluster(t)
	n := startNodes(t, url, 1, DefaultWait)[0]
	shutDown(t, url)
	var times []time.Duration
	for i := 0; i < 300 || i < 5000 && (n.local.Load() == 0 || n.shared.Load() == 0); i++ {
		started := time.Now()
		if d := n.Charge(n.Account(rand.Text()), wideLimit); !d.Allowed {
			t.Fatal("a charge was refused because a master was down")
		}
		times = append(times, time.Since(started))
		time.Sleep(time.Millisecond)
	}
	holdTo(t, "p99 without a master", p99(times), maxBefore)
	if n.local.Load() == 0 || n.shared.Load() == 0 {
		t.Errorf("%d charges were counted together, %d alone", n.shared.Load(), n.local.Load())
	}
}

// shutDown shuts the first server of the URL down.
func shutDown(t *testing.T, url string) {
	t.Helper()
	first, _, _ := strings.Cut(url, "?")
	o, err := rueidis.ParseURL(first)
	testkit.Must(t, err)
	o.ForceSingleClient, o.DisableCache, o.DisableRetry = true, true, true
	c, err := rueidis.NewClient(o)
	testkit.Must(t, err)
	defer c.Close()
	if err := c.Do(t.Context(), c.B().Arbitrary("SHUTDOWN", "NOSAVE").Build()).Error(); err == nil {
		t.Fatal("the server still answers")
	}
}
