package quota

import (
	"context"
	"crypto/rand"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// startHourly returns a limiter with a connection of its own; "" is no Redis.
func startHourly(t *testing.T, url string, secret string, wait time.Duration, now func() time.Time) (*Hourly, *testkit.Log) {
	t.Helper()
	log := &testkit.Log{}
	o := HourlyOptions{Secret: []byte(secret), Logger: log.Logger(), Now: now, Wait: wait}
	if url != "" {
		r, err := NewRedis(url)
		testkit.Must(t, err)
		if wait > MaxWait {
			r.option.ConnWriteTimeout, r.option.Dialer.Timeout = wait, wait
		}
		t.Cleanup(r.Close)
		o.Redis, o.Breaker = r, NewBreaker(r, wait, o.Logger)
		ctx, stop := context.WithCancel(context.Background())
		var running sync.WaitGroup
		running.Go(func() { o.Breaker.Run(ctx) })
		t.Cleanup(func() { stop(); running.Wait() })
	}
	return NewHourly(o), log
}

// The hour slides, and refused actions do not lengthen it. The rule is the same in Redis, in a
// cluster and on a node alone.
func TestHourly_Slides(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{"one Redis": redistest.URL(t), "cluster": redistest.Cluster(t), "alone": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := testkit.NewClock(noon)
			h, log := startHourly(t, url, rand.Text(), patient, clock.Now)
			got := ""
			for _, step := range []struct {
				minutes int // since noon
				times   int
			}{{0, 1}, {20, 1}, {40, 3}, {59, 100}, {60, 2}, {79, 50}, {80, 2}, {99, 1}, {100, 2}, {300, 4}} {
				clock.Set(noon.Add(time.Duration(step.minutes) * time.Minute))
				allowed := 0
				for range step.times {
					if h.Allow(t.Context(), hourly("mail", 3), "ada@example.test") {
						allowed++
					}
				}
				got += " " + strconv.Itoa(allowed)
			}
			testkit.Equal(t, "allowed at each step", got, " 1 1 1 0 1 0 1 0 1 3")
			for _, other := range [][2]string{{"ask", "ada@example.test"}, {"mail", "bob@example.test"}, {"mai", "lada@example.test"}} {
				if !h.Allow(t.Context(), hourly(other[0], 1), other[1]) {
					t.Errorf("%q is counted with another", other)
				}
			}
			if h.Allow(t.Context(), hourly("mail", 0), "eve@example.test") {
				t.Error("allowed with a most of 0")
			}
			testkit.Equal(t, "log", log.String(), "")
		})
	}
}

// Whoever is refused is told when the next action is allowed.
func TestHourly_End(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{"one Redis": redistest.URL(t), "cluster": redistest.Cluster(t), "alone": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := testkit.NewClock(noon)
			h, _ := startHourly(t, url, rand.Text(), patient, clock.Now)
			for _, minutes := range []int{0, 10, 30} {
				clock.Set(noon.Add(time.Duration(minutes) * time.Minute))
				h.Allow(t.Context(), hourly("mail", 2), "a")
			}
			testkit.Equal(t, "the end", h.End(t.Context(), hourly("mail", 2), "a").UTC(), noon.Add(time.Hour))
			testkit.Equal(t, "the end of what nobody did", h.End(t.Context(), hourly("mail", 2), "b"), clock.Now().Add(time.Hour))
			clock.Set(noon.Add(time.Hour))
			if !h.Allow(t.Context(), hourly("mail", 2), "a") {
				t.Error("it is not allowed then")
			}
			testkit.Equal(t, "the next end", h.End(t.Context(), hourly("mail", 2), "a").UTC(), noon.Add(70*time.Minute))
		})
	}
}

// A most that changes counts what was allowed under the one before it.
func TestHourly_LimitChanges(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{"Redis": redistest.URL(t), "alone": ""} {
		h, _ := startHourly(t, url, rand.Text(), patient, testkit.NewClock(noon).Now)
		for i, step := range []struct {
			most int
			want bool
		}{{2, true}, {2, true}, {2, false}, {3, true}, {3, false}, {1, false}, {4, true}, {4, false}} {
			if got := h.Allow(t.Context(), hourly("mail", step.most), "a"); got != step.want {
				t.Errorf("%s, step %d with most %d: %t", name, i, step.most, got)
			}
		}
	}
}

// While Redis answers in time, a most is exact over all nodes, and what Redis holds is small,
// expires and names nobody.
func TestHourly_Exact(t *testing.T) {
	t.Parallel()
	const most, address = 5, "ada@example.test"
	url, secret := redistest.URL(t), rand.Text()
	nodes := make([]*Hourly, 3)
	for i := range nodes {
		nodes[i], _ = startHourly(t, url, secret, patient, nil)
	}
	var allowed atomic.Int64
	var wg sync.WaitGroup
	for w := range 32 {
		wg.Go(func() {
			ctx, cancel := context.WithCancel(context.Background())
			cancel() // a client that has hung up is counted too
			for range 50 {
				if nodes[w%len(nodes)].Allow(ctx, hourly("mail", most), address) {
					allowed.Add(1)
				}
			}
		})
	}
	wg.Wait()
	testkit.Equal(t, "actions allowed", allowed.Load(), int64(most))
	c, key := newClient(t, url), nodes[0].key(hourly("mail", 1), address)
	testkit.Equal(t, "entries", c.integer("LLEN", key), int64(most))
	if ttl := c.integer("TTL", key); ttl <= 0 || ttl > 3660 {
		t.Errorf("the key expires in %d s", ttl)
	}
	if strings.Contains(key, "ada") || strings.Contains(key, "mail") {
		t.Errorf("the key is %s", key)
	}
}

// To ask whether there is room takes none, and tells what Allow would say: in Redis, where another node has counted,
// and on a node alone.
func TestHourly_HasRoom(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{"Redis": redistest.URL(t), "alone": ""} {
		clock, secret := testkit.NewClock(noon), rand.Text()
		counting, _ := startHourly(t, url, secret, patient, clock.Now)
		asking := counting
		if url != "" {
			asking, _ = startHourly(t, url, secret, patient, clock.Now)
		}
		for _, minutes := range []int{0, 10, 20, 60, 70} {
			clock.Set(noon.Add(time.Duration(minutes) * time.Minute))
			var room []bool
			for range 3 {
				room = append(room, asking.HasRoom(t.Context(), hourly("mail", 2), "a"))
			}
			allowed := counting.Allow(t.Context(), hourly("mail", 2), "a")
			testkit.Equal(t, name+": room after "+strconv.Itoa(minutes)+" minutes", room, []bool{allowed, allowed, allowed})
			testkit.Equal(t, name+": allowed", allowed, minutes != 20)
		}
		testkit.Equal(t, name+": room within a most of 0", asking.HasRoom(t.Context(), hourly("mail", 0), "b"), false)
	}
}

// What one node refuses because of another is counted by neither.
func TestHourly_RefusalsAreNotCounted(t *testing.T) {
	t.Parallel()
	url, secret, clock := redistest.URL(t), rand.Text(), testkit.NewClock(noon)
	a, _ := startHourly(t, url, secret, patient, clock.Now)
	b, _ := startHourly(t, url, secret, patient, clock.Now)
	allowed := func(h *Hourly) (n int) {
		for range 20 {
			if h.Allow(t.Context(), hourly("mail", 5), "ada@example.test") {
				n++
			}
		}
		return n
	}
	testkit.Equal(t, "allowed by one", allowed(a), 5)
	clock.Advance(59 * time.Minute)
	testkit.Equal(t, "then by the other", allowed(b), 0)
	clock.Advance(time.Minute)
	newClient(t, url).do("DEL", a.key(hourly("mail", 1), "ada@example.test")) // Redis has lost it
	testkit.Equal(t, "an hour later by the other", allowed(b), 5)
	newClient(t, url).do("DEL", a.key(hourly("mail", 1), "ada@example.test"))
	testkit.Equal(t, "which remembers", allowed(b), 0)
	testkit.Equal(t, "and has not counted in Redis what it refused", allowed(a), 5)
}

// With Redis away or slow, each node allows what it has not allowed before, says so once, and what
// it allowed alone still counts for it when Redis is back.
func TestHourly_CountsAlone(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(*testkit.Proxy) (end func()){
		"refused":       (*testkit.Proxy).Refuse,
		"replies stall": func(p *testkit.Proxy) func() { return p.ToClient(testkit.Fault{Stall: true}) },
		"slow":          func(p *testkit.Proxy) func() { return p.ToClient(testkit.Fault{Delay: time.Second}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const most, address = 5, "ada@example.test"
			server := redistest.NewServer(t)
			proxy := testkit.NewProxy(t, server.Addr())
			h, log := startHourly(t, "redis://"+proxy.Addr, rand.Text(), 0, nil)
			allow := func(times int) (allowed int) {
				for range times {
					if h.Allow(t.Context(), hourly("mail", most), address) {
						allowed++
					}
				}
				return allowed
			}
			testkit.Equal(t, "allowed before", allow(2), 2)
			end := begin(proxy)
			testkit.Equal(t, "allowed alone", allow(50), most-2)
			testkit.EventuallyTrue(t, "the log says so", func() bool {
				h.Allow(t.Context(), hourly("ask", 1), rand.Text())
				return strings.Contains(log.String(), "on this node alone")
			})
			end()
			testkit.EventuallyTrue(t, "Redis is asked again", func() bool {
				h.Allow(t.Context(), hourly("ask", 1), rand.Text())
				return strings.Contains(log.String(), "counted together")
			})
			testkit.Equal(t, "allowed afterwards", allow(50), 0)
			// A machine that stands still makes Redis slow again: each time is told once, the last one perhaps without its end.
			told := strings.TrimSpace(strings.ReplaceAll(levels(log.String()), "WARN INFO", ""))
			if strings.Contains(log.String(), "ada") || told != "" && told != "WARN" {
				t.Errorf("log: %s", log.String())
			}
		})
	}
}

// Redis comes late: the limiter works before it, and with it.
func TestHourly_RedisDownAtTheStart(t *testing.T) {
	t.Parallel()
	server := redistest.NewServer(t)
	server.Kill()
	h, log := startHourly(t, server.URL(), rand.Text(), 0, nil)
	var allowed atomic.Int64
	var wg sync.WaitGroup
	for range 200 { // one connection is tried at a time, and nobody waits for another's turn
		wg.Go(func() {
			if h.Allow(t.Context(), hourly("ask", 20), "192.0.2.1") {
				allowed.Add(1)
			}
		})
	}
	wg.Wait()
	testkit.Equal(t, "allowed", allowed.Load(), int64(20))
	testkit.Equal(t, "log levels", levels(log.String()), "WARN")
	server.Start()
	testkit.EventuallyTrue(t, "Redis is asked", func() bool {
		h.Allow(t.Context(), hourly("ask", 1), rand.Text())
		return levels(log.String()) == "WARN INFO"
	})
}

// A node's memory is bounded, and whoever is at the most is the last to be forgotten.
func TestHourly_MemoryIsBounded(t *testing.T) {
	t.Parallel()
	h := NewHourly(HourlyOptions{Secret: []byte("a secret"), Table: 100, Now: testkit.NewClock(noon).Now})
	for range 2 {
		h.Allow(t.Context(), hourly("mail", 2), "ada@example.test")
	}
	for i := range 10_000 {
		h.Allow(t.Context(), hourly("mail", 2), strconv.Itoa(i))
	}
	testkit.Equal(t, "subjects", len(h.recent.subjects), 100)
	if h.Allow(t.Context(), hourly("mail", 2), "ada@example.test") {
		t.Error("a subject at its most is forgotten")
	}
}

func TestNetworkOf(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		"192.0.2.1": "192.0.2.1/32", "::ffff:192.0.2.1": "192.0.2.1/32", "2001:db8:1:2:3::4": "2001:db8:1:2::/64", "fe80::1%eth0": "fe80::/64",
	} {
		testkit.Equal(t, addr, NetworkOf(netip.MustParseAddr(addr)), want)
	}
	testkit.Equal(t, "the zero address", NetworkOf(netip.Addr{}), netip.Prefix{}.String())
}

func hourly(name string, most int) limit.Limit {
	return limit.Limit{Name: name, Most: most, Within: time.Hour}
}
