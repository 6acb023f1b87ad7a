package quota

import (
	"context"
	"encoding/base64"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/palmares-hq/palmares/internal/secrets"
)

// HourlyOptions configure an Hourly. Secret and Logger are required.
type HourlyOptions struct {
	Redis  *Redis // nil counts on this node alone
	Secret []byte
	Logger *slog.Logger
	Now    func() time.Time // time.Now when nil
	Wait   time.Duration    // how long an action waits for Redis, DefaultWait when 0
	Table  int              // how many subjects this node keeps, 50,000 when 0
}

// Hourly limits actions per subject, such as mails to an address, to a number in any sixty
// minutes, exactly, across all nodes. While Redis does not answer, each node counts alone.
//
// Subjects are personal data: only their HMAC is stored, and nothing of them is logged.
type Hourly struct {
	o          HourlyOptions
	recent     *recent
	connecting singleflight.Group

	mu       sync.Mutex
	failures int       // consecutive
	down     bool      // this node counts alone, and the log says so
	retry    time.Time // while down, Redis is asked again then
}

// NewHourly returns a limiter. It connects when it is first asked.
func NewHourly(o HourlyOptions) *Hourly {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Wait == 0 {
		o.Wait = DefaultWait
	}
	if o.Table == 0 {
		o.Table = 50_000
	}
	return &Hourly{o: o, recent: newRecent(o.Table)}
}

// Allow reports whether fewer than limit actions of the subject were allowed within the last hour,
// and counts this one if so. Actions that are refused are not counted: a flood does not lengthen
// the wait.
//
// An action that this node would refuse asks Redis all the same, so that the time it takes does
// not tell which subjects are at their limit.
func (h *Hourly) Allow(ctx context.Context, action, subject string, limit int) bool {
	if limit <= 0 {
		return false
	}
	key, now := h.key(action, subject), h.o.Now().UnixMilli()
	local := h.recent.add(key, now, limit)
	shared, err := h.ask(ctx, key, now, limit, local)
	if err != nil {
		return local
	}
	if local && !shared {
		h.recent.remove(key, now)
	}
	return local && shared
}

// key returns the Redis key of a subject.
func (h *Hourly) key(action, subject string) string {
	mac := secrets.Key(h.o.Secret).MAC("palmares hourly limit\x00" + action + "\x00" + subject)
	return "palmares:hourly:" + base64.RawURLEncoding.EncodeToString(mac[:16])
}

// ask asks Redis, unless it is known not to answer. It ignores the end of ctx: a client that hangs
// up says nothing about Redis.
func (h *Hourly) ask(
	ctx context.Context, key string, now int64, limit int, count bool,
) (allowed bool, err error) {
	if h.o.Redis == nil || !h.mayAsk() {
		return false, errNotConnected
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), h.o.Wait)
	defer cancel()
	if err = h.connect(ctx); err == nil {
		allowed, err = allowHourly(ctx, *h.o.Redis.client.Load(), key, now, limit, count)
	}
	h.report(err)
	return allowed, err
}

// connect makes the first connection. Nobody waits for it longer than ctx, and a server that
// does not answer is dialled once at a time.
func (h *Hourly) connect(ctx context.Context) error {
	if h.o.Redis.client.Load() != nil {
		return nil
	}
	connected := h.connecting.DoChan("", func() (any, error) {
		_, err := h.o.Redis.connect()
		return nil, err
	})
	select {
	case result := <-connected:
		return result.Err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// hourlyRetry is how often a Redis that does not answer is asked again. One action waits for it.
const hourlyRetry = time.Second

// mayAsk reports whether to ask Redis: always while it answers, else one action each second.
func (h *Hourly) mayAsk() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.down {
		return true
	}
	now := h.o.Now()
	if now.Before(h.retry) {
		return false
	}
	h.retry = now.Add(hourlyRetry)
	return true
}

// report takes the outcome of asking Redis.
func (h *Hourly) report(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err == nil {
		h.failures = 0
		if h.down {
			h.down = false
			h.o.Logger.Info("Redis answers again: hourly limits are counted together")
		}
		return
	}
	if h.failures++; h.failures >= maxFailures && !h.down {
		h.down, h.retry = true, h.o.Now().Add(hourlyRetry)
		h.o.Logger.Warn("Redis does not answer: hourly limits are counted on this node alone",
			"error", err, "wait", h.o.Wait)
	}
}
