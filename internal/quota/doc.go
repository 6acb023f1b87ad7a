// Package quota holds callers to their daily quota, exactly, across all nodes. README.md explains
// the design. Begin at Meter.Charge. Everything that is said to Redis is said here; the package knows
// neither requests nor responses.
//
// Read count.go, subject.go and table.go first: who is counted, and the counts in this node's
// memory. breaker.go and meter.go are the rule, Meter.Charge. The shared counter is Redis: dial.go
// and inflight.go keep rueidis from blocking, redis.go counts. recent.go, redis_hourly.go,
// hourly.go and hourly_end.go limit actions per hour, such as mails for signing in. usage.go,
// redis_usage.go, report.go and history.go are the statistics that account owners see; no quota depends on them.
package quota
