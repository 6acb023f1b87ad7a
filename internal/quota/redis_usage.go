package quota

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/rueidis"
)

// usageRedisKey returns the Redis key of an account's usage on a day. It is a hash from key id to
// number of requests, with those that no quota counts under unlimitedField. One hash per account
// and day stays within one slot of a cluster.
func usageRedisKey(account string, t time.Time) string {
	name, _ := day(t)
	return "palmares:usage:" + name + ":" + account
}

const unlimitedField = "unlimited" // no key's id: those begin with key_

// AddUsage implements UsageStore.
func (r *Redis) AddUsage(ctx context.Context, counts []UsageCount) (
	retry []UsageCount, unknown int, err error,
) {
	c := r.client.Load()
	if c == nil {
		return counts, 0, errNotConnected
	}
	var commands rueidis.Commands
	for _, n := range counts {
		name := usageRedisKey(n.Account, n.Day)
		_, end := day(n.Day)
		if n.Requests > 0 {
			commands = append(commands,
				(*c).B().Hincrby().Key(name).Field(n.Key).Increment(int64(n.Requests)).Build())
		}
		if n.Unlimited > 0 {
			commands = append(commands,
				(*c).B().Hincrby().Key(name).Field(unlimitedField).Increment(int64(n.Unlimited)).Build())
		}
		expires := minExpiry(end.Add(KeepUsage)).Unix()
		commands = append(commands, (*c).B().Expireat().Key(name).Timestamp(expires).Build())
	}
	results := (*c).DoMulti(ctx, commands...)
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
		failed := errors.Join(requests, unlimited, next())
		if failed == nil {
			continue
		}
		err = failed
		// What was added, or may have been, is not sent again. The expiry is.
		if !notApplied(requests) {
			if requests != nil {
				unknown += n.Requests
			}
			n.Requests = 0
		}
		if !notApplied(unlimited) {
			n.Unlimited = 0
		}
		retry = append(retry, n)
	}
	if err != nil {
		return retry, unknown, fmt.Errorf("adding usage: %w", err)
	}
	return nil, 0, nil
}

// notApplied reports whether a command certainly changed nothing: Redis replied with an error, or
// there was no connection.
func notApplied(err error) bool {
	_, ok := rueidis.IsRedisErr(err)
	return ok || errors.Is(err, errNotConnected)
}

// ReadUsage implements UsageStore.
func (r *Redis) ReadUsage(ctx context.Context, account string, days []time.Time) ([]DayUsage, error) {
	c, err := r.connected(ctx)
	if err != nil {
		return nil, err
	}
	var commands rueidis.Commands
	for _, d := range days {
		commands = append(commands,
			c.B().Get().Key(accountKey(account, d)).Build(),
			c.B().Hgetall().Key(usageRedisKey(account, d)).Build())
	}
	results := c.DoMulti(ctx, commands...)
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

// Charged returns how many requests were charged to each of the accounts on a day, in one batch. It
// includes requests beyond the limit.
func (r *Redis) Charged(ctx context.Context, accounts []string, day time.Time) ([]int, error) {
	if len(accounts) == 0 {
		return nil, nil
	}
	c, err := r.connected(ctx)
	if err != nil {
		return nil, err
	}
	var commands rueidis.Commands
	for _, a := range accounts {
		commands = append(commands, c.B().Get().Key(accountKey(a, day)).Build())
	}
	charged := make([]int, len(accounts))
	for i, result := range c.DoMulti(ctx, commands...) {
		n, err := result.AsInt64()
		if err != nil && !rueidis.IsRedisNil(err) {
			return nil, fmt.Errorf("reading the counters of accounts: %w", err)
		}
		charged[i] = int(n)
	}
	return charged, nil
}
