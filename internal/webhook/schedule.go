package webhook

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// Attempts is how often a delivery is tried.
	Attempts = 10

	// FailingLimit is how long an endpoint may do nothing but fail.
	FailingLimit = 5 * 24 * time.Hour

	mostRetryAfter = 24 * time.Hour
	jitterShare    = 5 // a fifth of the delay, either way
)

// delays come before the second attempt, the third, and so on: 75 h 35 min 5 s
// together, so that a receiver that is down over a weekend misses nothing.
var delays = [Attempts - 1]time.Duration{
	5 * time.Second,
	5 * time.Minute,
	30 * time.Minute,
	2 * time.Hour,
	5 * time.Hour,
	10 * time.Hour,
	14 * time.Hour,
	20 * time.Hour,
	24 * time.Hour,
}

// Next says when to try again after that many attempts; again is false when none is
// left. Jitter, from -1 to 1, moves the time by up to a fifth of the delay, so that
// what failed together does not come back together. A receiver that asks for more
// time with Retry-After gets it, up to a day.
func Next(attempts int, now time.Time, retryAfter time.Duration, jitter float64) (next time.Time, again bool) {
	if attempts >= Attempts {
		return time.Time{}, false
	}
	var delay time.Duration // none before the first attempt
	if attempts > 0 {
		delay = delays[attempts-1]
		jitter = min(max(jitter, -1), 1)
		delay += time.Duration(jitter * float64(delay/jitterShare))
	}
	return now.Add(max(delay, min(retryAfter, mostRetryAfter))), true
}

// ParseRetryAfter reads the header Retry-After, seconds or an HTTP date. What it
// cannot read and what has passed is 0.
func ParseRetryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if value == "" {
		return 0
	}
	if strings.Trim(value, "0123456789") == "" {
		seconds, _ := strconv.ParseUint(value, 10, 31) // the largest there is when it is larger
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return max(at.Sub(now), 0)
}
