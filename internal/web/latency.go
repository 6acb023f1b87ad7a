package web

import (
	"math"
	"math/bits"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// latencyMinutes is the span that a Latency looks back on: the minute that runs, and those
	// before it.
	latencyMinutes = 60
	// latencySlots leaves some minutes more, so that a minute being read is never cleared.
	latencySlots = 64

	// Durations are counted in microseconds: each one up to 32, then sixteen steps to a doubling. What
	// is read is at most a sixteenth too long, never too short.
	latencySteps   = 16
	latencyBuckets = 24 * latencySteps // some two minutes; the last one has all that took longer
)

// A Latency knows how long a handler took to answer during the last hour. Counting a request is one
// atomic addition; a lock is taken once a minute, to clear the counters of the minute that begins.
type Latency struct {
	now     func() time.Time
	since   time.Time
	turning sync.Mutex
	slots   [latencySlots]latencyMinute
}

// A latencyMinute has what was counted in one minute.
type latencyMinute struct {
	number atomic.Int64 // of the minute, from 1; 0 before its first
	counts [latencyBuckets]atomic.Uint32
}

// NewLatency makes a Latency that counts from now on. A nil now is time.Now.
func NewLatency(now func() time.Time) *Latency {
	if now == nil {
		now = time.Now
	}
	return &Latency{now: now, since: now()}
}

// Since is when it began to count.
func (l *Latency) Since() time.Time { return l.since }

// Wrap counts how long next takes, also when it panics. Under an Observer that is the time from the
// request's header on: the Observer has read the clock already.
func (l *Latency) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rec := recorderOf(w); rec != nil {
			rec.latency = l
			next.ServeHTTP(w, r)
			return
		}
		start := l.now()
		defer func() { l.count(start, l.now()) }()
		next.ServeHTTP(w, r)
	})
}

func (l *Latency) count(start, end time.Time) {
	l.slot(l.minute(end)).counts[latencyBucket(end.Sub(start))].Add(1)
}

// minute numbers the minutes since the beginning, from 1. Clocks that are set change nothing in it.
func (l *Latency) minute(t time.Time) int64 { return int64(t.Sub(l.since)/time.Minute) + 1 }

// slot has the counters of a minute.
func (l *Latency) slot(minute int64) *latencyMinute {
	s := &l.slots[minute%latencySlots]
	if s.number.Load() < minute {
		l.turn(s, minute)
	}
	return s
}

// turn gives a slot to the minute that begins.
func (l *Latency) turn(s *latencyMinute, minute int64) {
	l.turning.Lock()
	defer l.turning.Unlock()
	if s.number.Load() >= minute {
		return
	}
	for i := range s.counts {
		s.counts[i].Store(0)
	}
	s.number.Store(minute)
}

// Percentiles are how long requests took: half of them at most P50, 99 in 100 at most P99.
type Percentiles struct {
	Requests uint64
	P50, P99 time.Duration
}

// LastHour gives the percentiles of the last hour, or of the time since it began to count.
func (l *Latency) LastHour() Percentiles {
	var counts [latencyBuckets]uint64
	var p Percentiles
	last := l.minute(l.now())
	for i := range l.slots {
		s := &l.slots[i]
		if n := s.number.Load(); n == 0 || n <= last-latencyMinutes {
			continue
		}
		for b := range s.counts {
			n := uint64(s.counts[b].Load())
			counts[b] += n
			p.Requests += n
		}
	}
	p.P50, p.P99 = percentile(&counts, p.Requests, .50), percentile(&counts, p.Requests, .99)
	return p
}

// percentile is the duration that a share of all requests did not exceed.
func percentile(counts *[latencyBuckets]uint64, requests uint64, share float64) time.Duration {
	if requests == 0 {
		return 0
	}
	left := uint64(math.Ceil(share * float64(requests)))
	for b, n := range counts {
		if n >= left {
			return latencyBound(b)
		}
		left -= n
	}
	return latencyBound(latencyBuckets - 1)
}

// latencyBucket is the number of the bucket of a duration.
func latencyBucket(d time.Duration) int {
	micros := uint64(max(d.Microseconds(), 0))
	shift := max(bits.Len64(micros)-bits.Len(2*latencySteps-1), 0)
	return min(shift*latencySteps+int(micros>>shift), latencyBuckets-1) //nolint:gosec // below 32
}

// latencyBound is the duration below which those of a bucket are.
func latencyBound(bucket int) time.Duration {
	shift := max(bucket/latencySteps-1, 0)
	return time.Duration(bucket-shift*latencySteps+1) << shift * time.Microsecond
}
