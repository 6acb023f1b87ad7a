package quota

import (
	"context"
	"crypto/rand"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// A load charges at an even rate, spread over the nodes, whether or not earlier
// charges have come back. One charge in five goes to a subject whose quota is
// small, the others to one that nobody can use up.
type load struct {
	nodes []*node
	wide  string // accounts
	tight string
	limit int // of the tight account
	every time.Duration
	apart bool // each charge of the wide account goes to an account of its own

	mu       sync.Mutex
	begun    int // charges of either
	sent     int // charges of the wide account
	through  int // of the tight account
	refused  int // of the wide account, which never may
	together []time.Duration
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
	return func() {
		cancel()
		<-done
	}
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
	alone := n.Shared() != nil
	started := time.Now()
	d := n.Charge(n.Account(l.account(i)), wideLimit)
	took := time.Since(started)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent++
	if !d.Allowed {
		l.refused++
	}
	if alone {
		l.alone = append(l.alone, took)
	} else {
		l.together = append(l.together, took)
	}
}

// run charges for that long, and gives how long charges took that began before and
// after the breaker opened.
func (l *load) run(d time.Duration) (together, alone []time.Duration) {
	l.mu.Lock()
	l.together, l.alone = nil, nil
	l.mu.Unlock()
	stop := l.start()
	time.Sleep(d)
	stop()
	return l.together, l.alone
}

func p99(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[(len(times)-1)*99/100]
}

// checkShared charges a new account on all nodes and wants its quota held: exactly, but
// for charges that a busy machine kept from Redis, each of which may add or take one.
func checkShared(t *testing.T, nodes []*node) {
	t.Helper()
	before := alone(nodes)
	account, through := rand.Text(), 0
	const limit = 30
	for range limit {
		for _, n := range nodes {
			if n.Charge(n.Account(account), limit).Allowed {
				through++
			}
		}
	}
	if late := int(alone(nodes) - before); through < limit-late || through > limit+late {
		t.Errorf("after the fault %d nodes let %d through, want %d; %d charges were counted alone", len(nodes), through, limit, late)
	}
}

// holdTo holds what was measured to a bound, in the long form: on a machine that does
// something else beside, a time says nothing.
func holdTo(t *testing.T, what string, took, most time.Duration) {
	t.Helper()
	switch {
	case took <= most:
	case *long:
		t.Errorf("%s: %v, at most %v wanted", what, took, most)
	default:
		t.Logf("%s: %v; the long form wants %v at most", what, took, most)
	}
}

// waitBack waits until all nodes count together again, as they should after 2 s.
func waitBack(t *testing.T, nodes []*node) time.Duration {
	t.Helper()
	took := waitShared(t, nodes, time.Minute)
	holdTo(t, "counting together after the fault", took, 2*time.Second)
	return took
}

// acknowledged is how many charges Redis has counted and told the nodes so.
func acknowledged(nodes []*node) (total int64) {
	for _, n := range nodes {
		total += n.shared.Load()
	}
	return total
}

// alone is how many charges the nodes have counted by themselves.
func alone(nodes []*node) (total int64) {
	for _, n := range nodes {
		total += n.local.Load()
	}
	return total
}
