package quota

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/rueidis"
)

// usageName is the Redis key of an account's usage on a day: a hash that has, by key
// id, the requests made with it, and under unlimitedField those that no quota counts.
// One hash for an account and a day is one slot of a cluster.
func usageName(account string, t time.Time) string {
	name, _ := day(t)
	return "palmares:usage:" + name + ":" + account
}

const unlimitedField = "unlimited" // no key's id: those begin with key_

// AddUsage implements UsageStore.
func (r *Redis) AddUsage(ctx context.Context, counts []UsageCount) (later []UsageCount, unknown int, err error) {
	c := r.client.Load()
	if c == nil {
		return counts, 0, errNotConnected
	}
	var all rueidis.Commands
	for _, n := range counts {
		name := usageName(n.Account, n.Day)
		_, end := day(n.Day)
		if n.Requests > 0 {
			all = append(all, (*c).B().Hincrby().Key(name).Field(n.Key).Increment(int64(n.Requests)).Build())
		}
		if n.Unlimited > 0 {
			all = append(all, (*c).B().Hincrby().Key(name).Field(unlimitedField).Increment(int64(n.Unlimited)).Build())
		}
		all = append(all, (*c).B().Expireat().Key(name).Timestamp(soonest(end.Add(keepAccount)).Unix()).Build())
	}
	results := (*c).DoMulti(ctx, all...)
	next := func() error {
		first := results[0].Error()
		results = results[1:]
		return first
	}
	for _, n := range counts {
		var requests, unlimited error
		if n.Requests > 0 {
			requests = next()
		}
		if n.Unlimited > 0 {
			unlimited = next()
		}
		wrong := errors.Join(requests, unlimited, next())
		if wrong == nil {
			continue
		}
		err = wrong
		// What was added, or may have been, is not sent again; the expiry is.
		if !refused(requests) {
			if requests != nil {
				unknown += n.Requests
			}
			n.Requests = 0
		}
		if !refused(unlimited) {
			n.Unlimited = 0
		}
		later = append(later, n)
	}
	if err != nil {
		return later, unknown, fmt.Errorf("adding usage: %w", err)
	}
	return nil, 0, nil
}

// refused reports whether it is certain that nothing was added: Redis itself says so,
// or there was no connection to send anything on.
func refused(err error) bool {
	_, ok := rueidis.IsRedisErr(err)
	return ok || errors.Is(err, errNotConnected)
}

// ReadUsage implements UsageStore.
func (r *Redis) ReadUsage(ctx context.Context, account string, days []time.Time) ([]DayUsage, error) {
	c, err := r.connect()
	if err != nil {
		return nil, err
	}
	var all rueidis.Commands
	for _, d := range days {
		all = append(all, c.B().Get().Key(accountKey(account, d)).Build(), c.B().Hgetall().Key(usageName(account, d)).Build())
	}
	results := c.DoMulti(ctx, all...)
	read := make([]DayUsage, len(days))
	for i := range days {
		charged, err := results[2*i].AsInt64()
		if err != nil && !rueidis.IsRedisNil(err) {
			return nil, fmt.Errorf("reading a counter: %w", err)
		}
		fields, err := results[2*i+1].AsStrMap()
		if err != nil {
			return nil, fmt.Errorf("reading usage: %w", err)
		}
		read[i] = DayUsage{Charged: int(charged), Keys: make(map[string]int, len(fields))}
		for field, text := range fields {
			n, err := strconv.Atoi(text)
			if err != nil {
				return nil, fmt.Errorf("reading usage: %w", err)
			}
			switch {
			case field == unlimitedField:
				read[i].Unlimited = n
			case n > 0:
				read[i].Keys[field] = n
			}
		}
	}
	return read, nil
}
