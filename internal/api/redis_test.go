package api_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

var discardLogger = slog.New(slog.DiscardHandler)

// redisAt connects to Redis before it is needed: on a busy machine that may take longer than a node
// waits for it.
func redisAt(t testing.TB, url string) *quota.Redis {
	t.Helper()
	r, err := quota.NewRedis(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	testkit.Eventually(t, func() error { return r.Ping(context.Background()) })
	return r
}

// patient is Redis without the limits of time that a node and its client have: a busy test machine
// must not pass for a Redis that is gone. A charge without a reply is looked up, and sent again if
// it was not counted; only this test adds to its keys.
type patient struct {
	*quota.Redis

	mu     *sync.Mutex
	counts map[string]int
}

func (p patient) Add(ctx context.Context, key string, expires time.Time, first bool) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ctx = context.WithoutCancel(ctx)
	n, err := p.Redis.Add(ctx, key, expires, first)
	for err != nil && p.Ping(ctx) == nil {
		if n, err = p.Redis.Count(ctx, key); err == nil && n == p.counts[key] {
			n, err = p.Redis.Add(ctx, key, expires, first)
		}
	}
	if err == nil {
		p.counts[key] = n
	}
	return n, err
}

func (p patient) Count(ctx context.Context, key string) (int, error) {
	return p.Redis.Count(context.WithoutCancel(ctx), key)
}

// meterIn charges in Redis, usageIn counts usage there once it is flushed.
func meterIn(t testing.TB, url string, now func() time.Time) *quota.Meter {
	t.Helper()
	return quota.New(quota.Options{
		Counter: patient{redisAt(t, url), &sync.Mutex{}, map[string]int{}}, Secret: []byte("secret"), Logger: discardLogger, Now: now,
	})
}

func usageIn(t testing.TB, url string, now func() time.Time) *quota.Usage {
	t.Helper()
	return quota.NewUsage(quota.UsageOptions{Store: redisAt(t, url), Logger: discardLogger, Now: now})
}

// Without its counter a node does not know what is left.
func TestCharge_RemainingWithoutRedis(t *testing.T) {
	t.Parallel()
	redis := redistest.NewServer(t)
	c := newClient(t, func(o *api.Options) { o.Meter = meterIn(t, redis.URL(), o.Now) })
	key := c.sign(account.Developer).bearer()
	for _, left := range []string{"1000", ""} {
		for range 5 { // more than it takes to open the breaker
			c.get("tools?page=0", key...).want(400, "X-RateLimit-Tier", "free",
				"X-RateLimit-Remaining", left, "X-RateLimit-Reset", c.midnight().Format(time.RFC3339))
		}
		redis.Kill()
	}
}
