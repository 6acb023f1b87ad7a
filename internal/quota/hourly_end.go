package quota

import (
	"context"
	"strconv"
	"time"
)

// End returns when the next action of a subject that Allow refused is allowed: an hour from now at the
// latest. Where Redis does not say it, what this node knows decides.
func (h *Hourly) End(ctx context.Context, action, subject string, limit int) time.Time {
	key, now := h.key(action, subject), h.o.Now()
	oldest := h.oldest(ctx, key, limit)
	if oldest == 0 {
		oldest = h.recent.oldest(key, limit)
	}
	end := time.UnixMilli(oldest + slidingHour)
	if oldest == 0 || end.Before(now) || end.After(now.Add(time.Hour)) {
		return now.Add(time.Hour)
	}
	return end
}

// oldest returns the time of the action in Redis that has to be an hour ago; 0 where nobody knows.
func (h *Hourly) oldest(ctx context.Context, key string, limit int) int64 {
	if h.o.Redis == nil || h.o.Breaker.isOpen() || h.o.Redis.client.Load() == nil {
		return 0
	}
	ctx, cancel := h.o.Breaker.during(context.WithoutCancel(ctx), h.o.Wait)
	defer cancel()
	c := *h.o.Redis.client.Load()
	text, err := c.Do(ctx, c.B().Lindex().Key(key).Index(int64(limit-1)).Build()).ToString()
	if err != nil {
		return 0
	}
	at, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return at
}

// oldest returns the time of the action on this node that has to be an hour ago; 0 without one.
func (r *recent) oldest(key string, limit int) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.subjects[key]
	if a == nil || len(a.times) < limit {
		return 0
	}
	return a.times[len(a.times)-limit]
}
