package api_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// keyNames has one key for each account, and counts how often it is asked.
type keyNames struct {
	mu    sync.Mutex
	reads int
	err   error // of the database
}

func (k *keyNames) Keys(_ context.Context, by account.Actor, accountID string) ([]account.KeyInfo, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.reads++
	if by != account.ByAccount(accountID) {
		return nil, errors.New("another account's keys")
	}
	return []account.KeyInfo{{ID: "key_" + accountID, Name: "laptop"}}, k.err
}

// newUsageClient counts usage in the Redis at url.
func newUsageClient(t testing.TB, url string, edits ...func(*api.Options)) (c *client, counted *quota.Usage, names *keyNames) {
	t.Helper()
	names = &keyNames{}
	c = newClient(t, func(o *api.Options) {
		counted = usageIn(t, url, o.Now)
		o.Meter, o.Usage, o.KeyNames = meterIn(t, redistest.URL(t), o.Now), counted, names
		for _, edit := range edits {
			edit(o)
		}
	})
	return c, counted, names
}

// usage is what an account is told, as it is and not as it was up to a second ago: the sums, the
// last two days, and the keys with theirs.
func (c *client) usage(h holder) string {
	c.t.Helper()
	c.clock.Advance(time.Second)
	type day struct {
		Date     string
		Requests int
	}
	var u struct {
		Plan, Reset      string
		Limit, Remaining *int
		Used             int
		Days             []day
		Keys             []struct {
			ID   string
			Name *string
			Days []day
		}
	}
	c.get("usage", h.bearer()...).want(200).into(&u)
	today := c.clock.Now().Format(time.DateOnly)
	if u.Reset != c.midnight().Format(time.RFC3339) || len(u.Days) != 30 || u.Days[0].Date != today {
		c.t.Errorf("on %s: reset %s, %d days", today, u.Reset, len(u.Days))
	}
	text := func(n *int) string {
		if n == nil {
			return "null"
		}
		return fmt.Sprint(*n)
	}
	told := fmt.Sprintf("%s %s of %s, used %d, days %d %d", u.Plan, text(u.Remaining), text(u.Limit),
		u.Used, u.Days[0].Requests, u.Days[1].Requests)
	for _, k := range u.Keys {
		name := "null"
		if k.Name != nil {
			name = *k.Name
		}
		told += fmt.Sprintf("; %s %d %d", name, k.Days[0].Requests, k.Days[1].Requests)
	}
	return told
}

// What each plan is told, over two days and two keys, one of which has gone.
func TestUsage(t *testing.T) {
	t.Parallel()
	c, counted, names := newUsageClient(t, redistest.URL(t))
	for plan, want := range map[account.Plan]string{
		account.Developer: "developer 990 of 1000, used 10, days 10 3; laptop 10 3",
		account.Pro:       "pro null of null, used 10, days 10 3; laptop 10 3",
	} {
		h := c.sign(plan)
		ask := func(target string, n int, headers ...string) {
			t.Helper()
			for range n {
				c.get(target, slices.Concat(h.bearer(), headers)...)
			}
		}
		ask("stats", 3)
		c.clock.Advance(24 * time.Hour)
		ask("stats", 5)
		ask("tools/nope", 1)
		ask(keyedRoute, 4)
		for _, free := range []string{"usage", "tools?page=0", "openapi.json", "/nope"} {
			ask(free, 2)
		}
		ask("stats", 2, "If-None-Match", c.get("stats").tag())
		if err := counted.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		testkit.Equal(t, "usage", c.usage(h), want)
		names.err = errors.New("no database")
		testkit.Equal(t, "usage without the database", c.usage(h), strings.Replace(want, "laptop", "null", 1))
		names.err = nil
	}
	testkit.Equal(t, "usage of another account", c.usage(c.sign(account.Pro)),
		"pro null of null, used 0, days 0 0; laptop 0 0")

	// What is refused is not used.
	h := c.sign(account.Developer)
	c.spend(&h, 999)
	for range 5 {
		c.get("stats", h.bearer()...)
	}
	if err := counted.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	testkit.Equal(t, "usage over the quota", c.usage(h), "developer 0 of 1000, used 1000, days 1000 0; laptop 1 0")
}

// It needs a key, is free, answers before the first edition and beyond the quota, and says what is
// left.
func TestUsage_Terms(t *testing.T) {
	t.Parallel()
	// Redis answers late where other tests have the processors.
	c, _, names := newUsageClient(t, redistest.URL(t), func(o *api.Options) { o.UsageWait = testkit.Patience })
	h := c.sign(account.Developer)
	c.get("usage").wantError(401, noKeyText)
	c.get("usage", "Authorization", "Bearer no").want(401)
	c.spend(&h, 999)
	for _, left := range []string{"1", "0"} {
		c.clock.Advance(time.Second)
		got := c.get("usage", h.bearer()...).want(200, "X-RateLimit-Remaining", left)
		got.has("X-RateLimit-Tier", "free", "Cache-Control", "private, no-cache")
		c.get("usage", with(h.bearer(), []string{"If-None-Match", got.tag()})...).want(304)
		c.do("HEAD", "usage", h.bearer()...).want(200)
		c.get("stats", h.bearer()...)
	}
	c.edition.Store(catalog.Empty())
	c.get("usage", h.bearer()...).want(200)

	// However often it is asked for, it is read once a second for each account.
	names.reads = 0
	other := c.sign(account.Pro)
	for second := range 3 {
		c.clock.Advance(time.Second)
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				for _, who := range []holder{h, other} {
					if got, err := c.ask("GET", "usage", who.bearer()...); err != nil || got.status != http.StatusOK {
						t.Errorf("%d, %v", got.status, err)
					}
				}
			})
		}
		wg.Wait()
		c.clock.Advance(time.Second - time.Nanosecond)
		c.get("usage", h.bearer()...)
		testkit.Equal(t, "reads", names.reads, 2*(second+1))
		c.clock.Advance(time.Nanosecond)
	}
}

// Without Redis there is nothing to tell, and counting waits for nobody.
func TestUsage_WithoutRedis(t *testing.T) {
	t.Parallel()
	redis := redistest.NewServer(t)
	c, _, _ := newUsageClient(t, redis.URL())
	h := c.sign(account.Pro)
	testkit.Equal(t, "usage", c.usage(h), "pro null of null, used 0, days 0 0; laptop 0 0")
	redis.Kill()
	c.clock.Advance(time.Second)
	c.get("usage", h.bearer()...).
		wantError(503, "usage cannot be read at the moment: try again shortly", "Retry-After", "5")
	c.get("stats", h.bearer()...).want(200)
}
