// Package quota holds callers to their daily quota, exactly, across all nodes. README.md explains the
// design. All communication with Redis is here; the package knows neither requests nor responses.
//
// Begin at Meter.Charge. Each file uses those before it:
//
//   - subject.go, table.go: who is counted, and the counts in this node's memory
//   - breaker.go, meter.go: the rule, Meter.Charge
//   - client.go, redis.go: the shared counter, and what keeps rueidis from blocking
//   - recent.go, hourly.go: limits of actions per hour, such as mails for signing in
//   - usage.go, redis_usage.go, report.go: the statistics that owners see; no quota depends on them
package quota
