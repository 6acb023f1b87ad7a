package quota

import (
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/redis/rueidis"

	"github.com/palmares-hq/palmares/internal/limit"
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

// Hourly is a limit.Counter. It limits actions per subject, such as mails to an address, to a number in any sixty minutes,
// exactly, across all nodes. While Redis does not answer, each node counts alone.
//
// Subjects are personal data: only their HMAC is stored, and nothing of them is logged.
type Hourly struct {
	o      HourlyOptions
	recent *recent
}

// NewHourly returns a limiter. It connects on first use.
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

// Allow reports whether fewer actions of the subject than the limit were allowed within the last hour,
// and counts this one if so. Refused actions are not counted: a flood does not prolong the wait.
//
// It asks Redis even if this node alone would refuse the action, so that its duration does not
// reveal which subjects are at their limit.
func (h *Hourly) Allow(ctx context.Context, l limit.Limit, subject string) bool {
	if l.Most <= 0 {
		return false
	}
	key, now := h.key(l, subject), h.o.Now().UnixMilli()
	local := h.recent.add(key, now, l.Most)
	shared, err := h.ask(ctx, key, now, l.Most, local)
	if err != nil {
		return local
	}
	if local && !shared {
		h.recent.remove(key, now)
	}
	return local && shared
}

// HasRoom reports whether Allow would allow an action of the subject now. It counts nothing.
func (h *Hourly) HasRoom(ctx context.Context, l limit.Limit, subject string) bool {
	if l.Most <= 0 {
		return false
	}
	key, now := h.key(l, subject), h.o.Now().UnixMilli()
	local := h.recent.hasRoom(key, now, l.Most)
	if shared, err := h.ask(ctx, key, now, l.Most, false); err == nil {
		return local && shared
	}
	return local
}

// key returns the Redis key of a subject.
func (h *Hourly) key(l limit.Limit, subject string) string {
	if l.Within != time.Hour {
		panic("quota: " + l.Name + " is no limit of an hour")
	}
	mac := secrets.Key(h.o.Secret).MAC("palmares hourly limit\x00" + l.Name + "\x00" + subject)
	return "palmares:hourly:" + base64.RawURLEncoding.EncodeToString(mac[:16])
}

// ask asks Redis, unless it is known not to answer. It ignores the end of ctx: a client that hangs
// up says nothing about Redis.
func (h *Hourly) ask(
	ctx context.Context, key string, now int64, most int, count bool,
) (allowed bool, err error) {
	if h.o.Redis == nil || h.o.Breaker.isOpen() {
		return false, errNotConnected
	}
	ctx, cancel := h.o.Breaker.during(context.WithoutCancel(ctx), h.o.Wait)
	defer cancel()
	c, err := h.o.Redis.connected(ctx)
	if err == nil {
		allowed, err = allowHourly(ctx, c, key, now, most, count)
	}
	h.o.Breaker.report(err)
	return allowed, err
}

// End returns when the next action of a subject that Allow refused will be allowed: at most an hour
// from now. It falls back to what this node knows if Redis does not say.
func (h *Hourly) End(ctx context.Context, l limit.Limit, subject string) time.Time {
	key, now := h.key(l, subject), h.o.Now()
	oldest := h.oldest(ctx, key, l.Most)
	if oldest == 0 {
		oldest = h.recent.oldest(key, l.Most)
	}
	end := time.UnixMilli(oldest + slidingHour)
	if oldest == 0 || end.Before(now) || end.After(now.Add(time.Hour)) {
		return now.Add(time.Hour)
	}
	return end
}

// oldest returns the time of the action in Redis that must become an hour old before another is allowed;
// 0 if unknown.
func (h *Hourly) oldest(ctx context.Context, key string, most int) int64 {
	if h.o.Redis == nil || h.o.Breaker.isOpen() || h.o.Redis.client.Load() == nil {
		return 0
	}
	ctx, cancel := h.o.Breaker.during(context.WithoutCancel(ctx), h.o.Wait)
	defer cancel()
	c := *h.o.Redis.client.Load()
	text, err := c.Do(ctx, c.B().Lindex().Key(key).Index(int64(most-1)).Build()).ToString()
	if err != nil {
		return 0
	}
	at, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return at
}

// oldest returns the time of the action on this node that must become an hour old before another is
// allowed; 0 if there is none.
func (r *recent) oldest(key string, most int) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.subjects[key]
	if a == nil || len(a.times) < most {
		return 0
	}
	return a.times[len(a.times)-most]
}

// hourlyScript keeps the times of the last actions in a list, the latest first, as many as the
// limit says. Another action is allowed if the last of them is an hour ago. ARGV: the limit, the
// time in milliseconds, the length of an hour, and whether to count the action if it is allowed.
// The key outlives the hour by a minute, for nodes whose clocks differ. A refusal writes as much as
// a permission, and undoes it, so that the two cannot be told apart by how long they take.
const hourlyScript = `
local oldest = redis.call('LINDEX', KEYS[1], ARGV[1] - 1)
if oldest and tonumber(oldest) > ARGV[2] - ARGV[3] then
	if ARGV[4] == '1' then
		redis.call('LPUSH', KEYS[1], ARGV[2])
		redis.call('LPOP', KEYS[1])
		redis.call('PEXPIRE', KEYS[1], redis.call('PTTL', KEYS[1]))
	end
	return 0
end
if ARGV[4] == '1' then
	redis.call('LPUSH', KEYS[1], ARGV[2])
	redis.call('LTRIM', KEYS[1], 0, ARGV[1] - 1)
	redis.call('PEXPIRE', KEYS[1], ARGV[3] + 60000)
end
return 1`

// allowHourly reports whether an action is within the limit, and counts it if so and count is set.
// EVAL takes one round trip whether or not Redis has cached the script.
func allowHourly(
	ctx context.Context, c rueidis.Client, key string, now int64, most int, count bool,
) (bool, error) {
	flag := "0"
	if count {
		flag = "1"
	}
	allowed, err := c.Do(ctx, c.B().Eval().Script(hourlyScript).Numkeys(1).Key(key).Arg(
		strconv.Itoa(most), strconv.FormatInt(now, 10), strconv.FormatInt(slidingHour, 10), flag,
	).Build()).AsBool()
	if err != nil {
		return false, fmt.Errorf("counting an action: %w", err)
	}
	return allowed, nil
}
