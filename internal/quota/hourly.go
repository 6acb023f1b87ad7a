package quota

import (
	"context"
	"encoding/base64"
	"log/slog"
	"time"

	"github.com/palmares-hq/palmares/internal/secrets"
)

// HourlyOptions configure an Hourly. Secret and Logger are required.
type HourlyOptions struct {
	Redis   *Redis // nil counts on this node alone
	Secret  []byte
	Logger  *slog.Logger
	Now     func() time.Time // time.Now when nil
	Wait    time.Duration    // how long an action waits for Redis, DefaultWait when 0
	Table   int              // how many subjects this node keeps, 50,000 when 0
	Breaker *Breaker         // the node's, which says whether Redis answers; nil makes one that nobody runs
}

// Hourly limits actions per subject, such as mails to an address, to a number in any sixty
// minutes, exactly, across all nodes. While Redis does not answer, each node counts alone.
//
// Subjects are personal data: only their HMAC is stored, and nothing of them is logged.
type Hourly struct {
	o      HourlyOptions
	recent *recent
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
	if o.Breaker == nil {
		o.Breaker = NewBreaker(o.Redis, o.Wait, o.Logger)
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

// HasRoom reports whether Allow would allow an action of the subject now. It counts nothing.
func (h *Hourly) HasRoom(ctx context.Context, action, subject string, limit int) bool {
	if limit <= 0 {
		return false
	}
	key, now := h.key(action, subject), h.o.Now().UnixMilli()
	local := h.recent.hasRoom(key, now, limit)
	if shared, err := h.ask(ctx, key, now, limit, false); err == nil {
		return local && shared
	}
	return local
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
	if h.o.Redis == nil || h.o.Breaker.isOpen() {
		return false, errNotConnected
	}
	ctx, cancel := h.o.Breaker.during(context.WithoutCancel(ctx), h.o.Wait)
	defer cancel()
	c, err := h.o.Redis.connected(ctx)
	if err == nil {
		allowed, err = allowHourly(ctx, c, key, now, limit, count)
	}
	h.o.Breaker.report(err)
	return allowed, err
}
