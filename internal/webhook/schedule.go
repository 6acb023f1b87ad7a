package webhook

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// Attempts is how many times a delivery is attempted.
	Attempts = 10

	// FailingLimit is how long every attempt at an endpoint may fail before it is disabled.
	FailingLimit = 5 * 24 * time.Hour

	maxRetryAfter = 24 * time.Hour
	jitterShare   = 5 // a fifth of the delay, either way
)

// delays are the waits before the second attempt, the third, and so on. They add up to
// 75 h 35 min 5 s, so that a receiver that is down over a weekend misses nothing.
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

// Next returns when to make the next attempt, given how many have been made; again is false if none is
// left. jitter, from -1 to 1, shifts the time by up to a fifth of the delay, so that deliveries that
// failed together are not retried together. A receiver that asks for more time with Retry-After gets
// it, up to a day.
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
	return now.Add(max(delay, min(retryAfter, maxRetryAfter))), true
}

// ParseRetryAfter parses the header Retry-After: seconds or an HTTP date. It returns 0 for a value
// that it cannot parse and for a time that has passed.
func ParseRetryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if value == "" {
		return 0
	}
	if strings.Trim(value, "0123456789") == "" {
		seconds, _ := strconv.ParseUint(value, 10, 31) // the maximum on overflow
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return max(at.Sub(now), 0)
}
