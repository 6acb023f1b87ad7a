package quota

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// newUsage returns the usage of a node, with a connection of its own, and its log.
func newUsage(tb testing.TB, url string, now func() time.Time) (*Usage, *testkit.Log) {
	tb.Helper()
	r, err := NewRedis(url)
	testkit.Must(tb, err)
	tb.Cleanup(r.Close)
	log := &testkit.Log{}
	return NewUsage(UsageOptions{Store: r, Logger: log.Logger(), Now: now}), log
}

// flush sends what was counted, however busy the machine is.
func flush(tb testing.TB, u *Usage) {
	tb.Helper()
	testkit.Eventually(tb, func() error { return u.Flush(tb.Context()) })
}

// The counts of several nodes add up, by account, key and day, and expire.
func TestUsage_AddsUpOverNodes(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{"one Redis": redistest.URL(t), "cluster": redistest.Cluster(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			late := time.Now().UTC().Truncate(24 * time.Hour).Add(24*time.Hour - time.Nanosecond)
			accounts := []string{rand.Text(), rand.Text(), rand.Text()}
			var nodes []*Usage
			var wg sync.WaitGroup
			for range 3 {
				var ticks atomic.Int64 // every other request is made after midnight
				u, _ := newUsage(t, url, func() time.Time { return late.Add(time.Duration(ticks.Add(1) % 2)) })
				nodes = append(nodes, u)
				for g := range 4 {
					wg.Go(func() {
						for i := range 250 {
							id := accounts[i%3]
							u.Count(id, fmt.Sprint("key_", i%3, g%2, id), id == accounts[2])
							if i%100 == 99 {
								_ = u.Flush(t.Context()) // what fails is kept
							}
						}
					})
				}
			}
			wg.Wait()
			total, lost := 0, 0 // lost is what a busy machine did not hear of in time
			for _, u := range nodes {
				flush(t, u)
				lost += int(u.Lost())
				testkit.Equal(t, "pending", u.Pending(), int64(0))
			}
			c := newClient(t, url)
			for _, id := range accounts {
				days, err := nodes[0].o.Store.ReadUsage(t.Context(), id, []time.Time{late.Add(1), late, late.AddDate(0, 0, -1)})
				if err != nil || len(days[2].Keys) != 0 {
					t.Fatalf("the day before: %+v, %v", days, err)
				}
				for i, d := range days[:2] {
					requests := 0
					for _, n := range d.Keys {
						requests += n
					}
					total += requests
					unlimited := id == accounts[2]
					if requests == 0 || len(d.Keys) != 2 || d.Charged != 0 || (d.Unlimited != 0) != unlimited ||
						unlimited && d.Unlimited != requests && lost == 0 {
						t.Errorf("day %d: %+v", i, d)
					}
					at := late.Add(time.Duration(1 - i))
					_, end := day(at)
					testkit.Equal(t, "expiry", c.integer("EXPIRETIME", usageRedisKey(id, at)), end.Add(KeepUsage).Unix())
				}
			}
			if all := 3 * 4 * 250; total > all || total+lost < all {
				t.Errorf("%d requests are stored and %d lost, want %d", total, lost, all)
			}
		})
	}
}

// While Redis does not answer the node keeps everything and logs it once. Then it is added, once.
func TestUsage_WaitsForRedis(t *testing.T) {
	t.Parallel()
	server := redistest.NewServer(t)
	u, log := newUsage(t, server.URL(), time.Now)
	id := rand.Text()
	count := func(n int) {
		for range n {
			u.Count(id, "key_a", true)
		}
	}
	count(10)
	flush(t, u)
	thaw := server.Freeze()
	for range 3 {
		count(10)
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		u.flush(ctx)
		cancel()
	}
	testkit.Equal(t, "pending", u.Pending(), int64(30))
	thaw()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	u.o.Every = 10 * time.Millisecond
	go func() { defer close(done); u.Run(ctx) }()
	testkit.EventuallyTrue(t, "nothing is pending", func() bool { return u.Pending() == 0 })
	count(5)
	cancel() // the last flush sends the rest
	<-done
	days, err := u.Read(t.Context(), id)
	if err != nil || days[0].Keys["key_a"] != 45 || days[0].Unlimited != 45 || u.Lost() != 0 {
		t.Errorf("%+v, %v; %d lost", days[0], err, u.Lost())
	}
	if text := log.String(); strings.Count(text, "not written down") != 1 || strings.Count(text, "written down again") != 1 {
		t.Errorf("the log says:\n%s", text)
	}
}

// A node that stops while Redis is away says how many requests nobody will have counted.
func TestUsage_LostAtTheEnd(t *testing.T) {
	t.Parallel()
	server := redistest.NewServer(t)
	u, log := newUsage(t, server.URL(), time.Now)
	server.Kill()
	u.Count(rand.Text(), "key_a", true)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	u.Run(ctx)
	text := log.String()
	if !strings.Contains(text, "is lost") || !strings.Contains(text, `"requests":1`) || strings.Count(text, "not written down") != 1 {
		t.Errorf("the log says:\n%s", text)
	}
}

// What Redis rejects is kept; the rest is added.
func TestUsage_Rejected(t *testing.T) {
	t.Parallel()
	server := redistest.NewServer(t)
	u, _ := newUsage(t, server.URL(), time.Now)
	c := newClient(t, server.URL())
	c.do("SET", usageRedisKey("odd", time.Now()), "not a hash")
	for i := range 1000 {
		u.Count(fmt.Sprint("account", i), fmt.Sprint("key_", i), false)
	}
	u.Count("odd", "key_odd", true)
	if err := u.Flush(t.Context()); err == nil || u.Pending() != 1 || u.Lost() != 0 {
		t.Errorf("%v, %d pending, %d lost", err, u.Pending(), u.Lost())
	}
	c.do("DEL", usageRedisKey("odd", time.Now()))
	u.Count("odd", "key_odd", true)
	flush(t, u)
	for id, want := range map[string]map[string]int{"odd": {"key_odd": 2}, "account0": {"key_0": 1}, "account999": {"key_999": 1}} {
		if days, err := u.Read(t.Context(), id); err != nil || !maps.Equal(days[0].Keys, want) {
			t.Errorf("%s: %+v, %v", id, days[0], err)
		}
	}
}

// Counts whose reply is lost are not sent again: Redis may have them.
func TestUsage_NothingIsAddedTwice(t *testing.T) {
	t.Parallel()
	server := redistest.NewServer(t)
	proxy := testkit.NewProxy(t, server.Addr())
	u, _ := newUsage(t, "redis://"+proxy.Addr, time.Now)
	u.Count("other", "key_other", false)
	flush(t, u) // it is connected
	end := proxy.ToClient(testkit.Fault{Stall: true})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	retry, unknown, err := u.o.Store.AddUsage(ctx, []UsageCount{{"id", "key_a", time.Now(), 5, 5}})
	if err == nil || unknown != 5 || len(retry) != 1 || retry[0].Requests != 0 || retry[0].Unlimited != 0 {
		t.Errorf("%+v, %d unknown, %v", retry, unknown, err)
	}
	end()
	for _, c := range retry { // the expiry alone
		u.keep(usageKey{c.Key, c.Day.Unix() / secondsPerDay}, &usageNumbers{c.Account, c.Requests, c.Unlimited})
	}
	u.Count("id", "key_a", true)
	flush(t, u)
	c, key := newClient(t, server.URL()), usageRedisKey("id", time.Now())
	if n := c.integer("HGET", key, "key_a"); n != 6 && n != 1 {
		t.Errorf("%d requests are stored; want 6, or 1 if they never arrived", n)
	}
	if ttl := c.integer("TTL", key); ttl <= 0 {
		t.Errorf("it expires in %d", ttl)
	}
}

// Counters are read for many accounts at once, from whichever servers have them.
func TestRedis_Charged(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{"one Redis": redistest.URL(t), "cluster": redistest.Cluster(t)} {
		r, c := connected(t, url)
		accounts, want := make([]string, 1000), make([]int, 1000)
		for i := range accounts {
			accounts[i] = rand.Text()
			if want[i] = i % 3 * i; want[i] > 0 {
				c.do("SET", accountKey(accounts[i], noon), fmt.Sprint(want[i]), "EX", "3600")
				c.do("SET", accountKey(accounts[i], noon.Add(12*time.Hour)), "7", "EX", "3600") // another day
			}
		}
		got, err := r.Charged(t.Context(), accounts, noon)
		testkit.Must(t, err)
		testkit.Equal(t, name, got, want)
		if got, err := r.Charged(t.Context(), nil, noon); len(got) != 0 || err != nil {
			t.Errorf("%s, of nobody: %v, %v", name, got, err)
		}
		c.do("SET", accountKey(accounts[5], noon), "wrong", "EX", "3600")
		if _, err := r.Charged(t.Context(), accounts, noon); err == nil {
			t.Errorf("%s: a counter that is no number is no error", name)
		}
		r.Close()
		if _, err := r.Charged(t.Context(), accounts, noon); err == nil {
			t.Errorf("%s: no Redis is no error", name)
		}
	}
}

// What waits to be sent is bounded, and what does not fit is counted as lost.
func TestUsage_IsBounded(t *testing.T) {
	t.Parallel()
	u, _ := newUsage(t, "redis://127.0.0.1:1", time.Now)
	u.o.MaxPending = 64
	for i := range 10_000 {
		u.Count(fmt.Sprint("account", i), fmt.Sprint("key_", i), false)
		if i%100 == 99 && u.Flush(t.Context()) == nil {
			t.Fatal("a flush to nowhere was no error")
		}
	}
	testkit.Equal(t, "pending", u.Pending(), int64(64))
	testkit.Equal(t, "lost", u.Lost(), int64(10_000-64))
}

func TestUsage_CountAllocatesNothing(t *testing.T) { //nolint:paralleltest // it counts the whole process's
	u := NewUsage(UsageOptions{Logger: slog.New(slog.DiscardHandler)})
	for range 10_000 {
		u.Count("account", "key", true)
	}
	if n := testing.AllocsPerRun(1000, func() { u.Count("account", "key", true) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkUsageCount(b *testing.B) {
	u := NewUsage(UsageOptions{Logger: slog.New(slog.DiscardHandler)})
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			u.Count("4b7d4d0e-6f0a-4b58-8b0a-3c1f6f3d2a10", "key_kfbs2jw2gdnk", true)
		}
	})
}

func TestNewReport(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 13, 0, 0, 0, time.FixedZone("", 2*3600))
	stored := make([]DayUsage, reportedDays)
	stored[0] = DayUsage{Charged: 1003, Unlimited: 7, Keys: map[string]int{"key_live": 1000, "key_gone": 7}}
	stored[1] = DayUsage{Charged: 12, Keys: map[string]int{"key_lost": 12}}
	stored[29] = DayUsage{Unlimited: 5, Keys: map[string]int{"key_gone": 5}}
	keys := []account.KeyInfo{
		{ID: "key_live", Name: "laptop"},
		{ID: "key_new", Name: "ci"},
		{ID: "key_ending", Name: "rotated", EndsAt: now.Add(time.Hour)},
		{ID: "key_gone", Name: "old", RevokedAt: now},
		{ID: "key_never", Name: "unused", RevokedAt: now},
	}
	text := func(n *int) string {
		if n == nil {
			return "-"
		}
		return fmt.Sprint(*n)
	}
	for _, tt := range []struct {
		plan account.Plan
		keys []account.KeyInfo
		used string   // of what, and what remains
		want []string // id, name and requests today of each key
	}{
		{account.Developer, keys, "1000 of 1000, 0", []string{"key_live laptop 1000", "key_new ci 0", "key_ending rotated 0", "key_gone old 7", "key_lost - 0"}},
		{account.Pro, keys, "1007 of -, -", []string{"key_live laptop 1000", "key_new ci 0", "key_ending rotated 0", "key_gone old 7", "key_lost - 0"}},
		{account.Pro, nil, "1007 of -, -", []string{"key_gone - 7", "key_live - 1000", "key_lost - 0"}},
	} {
		r := NewReport(tt.plan, now, stored, tt.keys)
		var got []string
		for _, k := range r.Keys {
			name := "-"
			if k.Name != nil {
				name = *k.Name
			}
			got = append(got, fmt.Sprint(k.ID, " ", name, " ", k.Days[0].Requests))
			testkit.Equal(t, "days of a key", len(k.Days), 30)
		}
		testkit.Equal(t, "keys", got, tt.want)
		testkit.Equal(t, "used", fmt.Sprintf("%d of %s, %s", r.Used, text(r.Limit), text(r.Remaining)), tt.used)
		testkit.Equal(t, "plan", r.Plan, tt.plan.String())
		testkit.Equal(t, "reset", r.Reset, "2026-03-02T00:00:00Z")
		for i, want := range map[int]DayRequests{0: {"2026-03-01", 1007}, 1: {"2026-02-28", 12}, 2: {"2026-02-27", 0}, 29: {"2026-01-31", 5}} {
			testkit.Equal(t, fmt.Sprint("day ", i), r.Days[i], want)
		}
	}
	if keys := NewReport(account.Pro, now, make([]DayUsage, reportedDays), nil).Keys; keys == nil || len(keys) != 0 {
		t.Errorf("no keys are %v", keys)
	}
}
