package quota

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/redistest"
)

// countUsage makes the usage of a node, with a connection of its own.
func countUsage(t testing.TB, url string, now func() time.Time) (*Usage, *logBook) {
	t.Helper()
	r, err := NewRedis(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	logs := &logBook{}
	return NewUsage(UsageOptions{Store: r, Logger: logs.logger(), Now: now}), logs
}

// flushed adds what was counted, however busy the machine is.
func flushed(t testing.TB, u *Usage) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if err = u.Flush(t.Context()); err == nil {
			return
		}
	}
	t.Fatal(err)
}

// What several nodes count adds up, by account, key and day, and is gone some day.
func TestUsage_AddsUpOverNodes(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{"alone": redistest.URL(t), "cluster": redistest.Cluster(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			late := time.Now().UTC().Truncate(24 * time.Hour).Add(24*time.Hour - time.Nanosecond)
			accounts := []string{rand.Text(), rand.Text(), rand.Text()}
			var nodes []*Usage
			var wg sync.WaitGroup
			for range 3 {
				var tick sync.Mutex
				ticks := 0
				u, _ := countUsage(t, url, func() time.Time { // every other request is made after midnight
					tick.Lock()
					defer tick.Unlock()
					ticks++
					return late.Add(time.Duration(ticks % 2))
				})
				nodes = append(nodes, u)
				for g := range 4 {
					wg.Go(func() {
						for i := range 250 {
							id := accounts[i%3]
							u.Count(id, fmt.Sprint("key_", i%3, g%2, id), id == accounts[2])
							if i%100 == 99 {
								_ = u.Flush(t.Context()) // what fails stays
							}
						}
					})
				}
			}
			wg.Wait()
			total, lost := 0, 0 // lost is what a busy machine was too slow to hear of
			for _, u := range nodes {
				flushed(t, u)
				lost += int(u.Lost())
				if u.Pending() != 0 {
					t.Errorf("%d pending", u.Pending())
				}
			}
			c := dial(t, url)
			for _, id := range accounts {
				days, err := nodes[0].o.Store.ReadUsage(t.Context(), id, []time.Time{late.Add(1), late, late.AddDate(0, 0, -1)})
				if err != nil {
					t.Fatal(err)
				}
				for i, d := range days[:2] {
					sum := 0
					for _, n := range d.Keys {
						sum += n
					}
					total += sum
					if sum == 0 || len(d.Keys) != 2 || d.Charged != 0 || (d.Unlimited != 0) != (id == accounts[2]) || d.Unlimited != 0 && d.Unlimited != sum && lost == 0 {
						t.Errorf("day %d: %+v", i, d)
					}
					name := usageName(id, late.Add(time.Duration(1-i)))
					_, end := day(late.Add(time.Duration(1 - i)))
					if at, err := do(t, c, "EXPIRETIME", name).AsInt64(); err != nil || at != end.Add(keepAccount).Unix() {
						t.Errorf("%s expires at %d, %v", name, at, err)
					}
				}
				if len(days[2].Keys) != 0 {
					t.Errorf("the day before: %+v", days[2])
				}
			}
			if all := 3 * 4 * 250; total > all || total+lost < all {
				t.Errorf("%d requests are stored and %d lost, want %d", total, lost, all)
			}
		})
	}
}

// While Redis does not answer everything waits on the node, which says so once; then
// it is added, all of it and once.
func TestUsage_WaitsForRedis(t *testing.T) {
	t.Parallel()
	server := redistest.NewServer(t)
	u, logs := countUsage(t, server.URL(), time.Now)
	id := rand.Text()
	count := func(n int) {
		for range n {
			u.Count(id, "key_a", true)
		}
	}
	count(10)
	flushed(t, u)
	thaw := server.Freeze()
	for range 3 {
		count(10)
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		u.flush(ctx)
		cancel()
	}
	if u.Pending() != 30 || u.Lost() != 0 {
		t.Errorf("%d pending, %d lost", u.Pending(), u.Lost())
	}
	thaw()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	u.o.Every = 10 * time.Millisecond
	go func() { defer close(done); u.Run(ctx) }()
	for end := time.Now().Add(30 * time.Second); u.Pending() != 0 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	count(5)
	cancel() // the end brings what is left
	<-done
	days, err := u.Read(t.Context(), id)
	if err != nil || days[0].Keys["key_a"] != 45 || days[0].Unlimited != 45 || u.Lost() != 0 {
		t.Errorf("%+v, %v; %d lost", days[0], err, u.Lost())
	}
	text := logs.String()
	if strings.Count(text, "not written down") != 1 || strings.Count(text, "written down again") != 1 {
		t.Errorf("the log says:\n%s", text)
	}
}

// What Redis refuses waits; the rest is added.
func TestUsage_Refused(t *testing.T) {
	t.Parallel()
	server := redistest.NewServer(t)
	u, _ := countUsage(t, server.URL(), time.Now)
	c := dial(t, server.URL())
	do(t, c, "SET", usageName("odd", time.Now()), "no hash")
	for i := range 1000 {
		u.Count(fmt.Sprint("account", i), fmt.Sprint("key_", i), false)
	}
	u.Count("odd", "key_odd", true)
	if err := u.Flush(t.Context()); err == nil || u.Pending() != 1 || u.Lost() != 0 {
		t.Errorf("%v, %d pending, %d lost", err, u.Pending(), u.Lost())
	}
	do(t, c, "DEL", usageName("odd", time.Now()))
	u.Count("odd", "key_odd", true)
	flushed(t, u)
	for id, want := range map[string]map[string]int{"odd": {"key_odd": 2}, "account0": {"key_0": 1}, "account999": {"key_999": 1}} {
		if days, err := u.Read(t.Context(), id); err != nil || !maps.Equal(days[0].Keys, want) {
			t.Errorf("%s: %+v, %v", id, days[0], err)
		}
	}
}

// Counts whose answer is lost are not sent again: Redis may have them.
func TestUsage_NothingIsAddedTwice(t *testing.T) {
	t.Parallel()
	server := redistest.NewServer(t)
	way := newProxy(t, server.Addr())
	u, _ := countUsage(t, way.url(), time.Now)
	u.Count("other", "key_other", false)
	flushed(t, u) // it is connected
	heal := way.poison(swallowAnswers)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	later, unknown, err := u.o.Store.AddUsage(ctx, []UsageCount{{"id", "key_a", time.Now(), 5, 5}})
	if err == nil || unknown != 5 || len(later) != 1 || later[0].Requests != 0 || later[0].Unlimited != 0 {
		t.Errorf("%+v, %d unknown, %v", later, unknown, err)
	}
	heal()
	for _, c := range later {
		u.wait(usageKey{c.Key, c.Day.Unix() / secondsOfDay}, &usageNumbers{c.Account, c.Requests, c.Unlimited})
	}
	u.Count("id", "key_a", true)
	flushed(t, u)
	c := dial(t, server.URL())
	if n, err := do(t, c, "HGET", usageName("id", time.Now()), "key_a").AsInt64(); err != nil || n != 6 && n != 1 {
		t.Errorf("%d requests are stored, %v; want 6, or 1 if they never arrived", n, err)
	}
	if ttl, err := do(t, c, "TTL", usageName("id", time.Now())).AsInt64(); err != nil || ttl <= 0 {
		t.Errorf("it expires in %d, %v", ttl, err)
	}
}

// What waits is bounded, and what there is no room for is counted.
func TestUsage_IsBounded(t *testing.T) {
	t.Parallel()
	r, err := NewRedis("redis://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	u := NewUsage(UsageOptions{Store: r, Logger: slog.New(slog.DiscardHandler), Most: 64})
	for i := range 10_000 {
		u.Count(fmt.Sprint("account", i), fmt.Sprint("key_", i), false)
		if i%100 == 99 {
			if err := u.Flush(t.Context()); err == nil {
				t.Fatal("a flush to nowhere was no error")
			}
		}
	}
	if u.Pending() != 64 || u.Lost() != 10_000-64 {
		t.Errorf("%d pending, %d lost", u.Pending(), u.Lost())
	}
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
		{ID: "key_gone", Name: "old", RevokedAt: now},
		{ID: "key_never", Name: "unused", RevokedAt: now},
	}
	for _, x := range []struct {
		plan            account.Plan
		keys            []account.KeyInfo
		used            int
		limit, left     string
		names, requests []string
	}{
		{account.Developer, keys, 1000, "1000", "0", []string{"key_live laptop", "key_new ci", "key_gone old", "key_lost -"}, []string{"1000", "0", "7", "0"}},
		{account.Pro, keys, 1007, "-", "-", []string{"key_live laptop", "key_new ci", "key_gone old", "key_lost -"}, []string{"1000", "0", "7", "0"}},
		{account.Pro, nil, 1007, "-", "-", []string{"key_gone -", "key_live -", "key_lost -"}, []string{"7", "1000", "0"}},
	} {
		r := NewReport(x.plan, now, stored, x.keys)
		number := func(n *int) string {
			if n == nil {
				return "-"
			}
			return fmt.Sprint(*n)
		}
		var names, requests []string
		for _, k := range r.Keys {
			name := "-"
			if k.Name != nil {
				name = *k.Name
			}
			names = append(names, k.ID+" "+name)
			requests = append(requests, fmt.Sprint(k.Days[0].Requests))
			if len(k.Days) != 30 {
				t.Errorf("%d days of a key", len(k.Days))
			}
		}
		if r.Plan != x.plan.String() || r.Used != x.used || number(r.Limit) != x.limit || number(r.Remaining) != x.left ||
			r.Reset != "2026-03-02T00:00:00Z" || !slices.Equal(names, x.names) || !slices.Equal(requests, x.requests) {
			t.Errorf("%v: %+v, keys %q %q", x.plan, r, names, requests)
		}
		days := map[int]DayRequests{0: {"2026-03-01", 1007}, 1: {"2026-02-28", 12}, 2: {"2026-02-27", 0}, 29: {"2026-01-31", 5}}
		for i, want := range days {
			if r.Days[i] != want {
				t.Errorf("day %d is %+v, want %+v", i, r.Days[i], want)
			}
		}
	}
	if keys := NewReport(account.Pro, now, make([]DayUsage, reportedDays), nil).Keys; keys == nil || len(keys) != 0 {
		t.Errorf("no keys are %v", keys)
	}
}
