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
	// latencyMinutes is how many minutes a Latency looks back on, including the current one.
	latencyMinutes = 60
	// latencySlots is a few more than latencyMinutes, so that a minute being read is never cleared.
	latencySlots = 64

	// Durations are counted in microseconds: one bucket for each up to 32, then sixteen to a doubling. A
	// percentile is at most a sixteenth too long, and never too short.
	latencySteps   = 16
	latencyBuckets = 24 * latencySteps // up to about two minutes; the last one also has everything longer
)

// A Latency keeps a histogram of a handler's response times over the last hour. It is safe for
// concurrent use: counting a request is one atomic addition, and a lock is taken once a minute, to clear
// the counters of the minute that begins.
type Latency struct {
	now     func() time.Time
	since   time.Time
	turning sync.Mutex
	slots   [latencySlots]latencyMinute
}

// A latencyMinute has the counters of one minute.
type latencyMinute struct {
	number atomic.Int64 // of the minute, from 1; 0 before its first
	counts [latencyBuckets]atomic.Uint32
}

// NewLatency returns a Latency that counts from now on. A nil now is time.Now.
func NewLatency(now func() time.Time) *Latency {
	if now == nil {
		now = time.Now
	}
	return &Latency{now: now, since: now()}
}

// Since returns when the Latency began to count.
func (l *Latency) Since() time.Time { return l.since }

// Wrap measures how long next takes, also when it panics. Under an Observer it counts the Observer's own
// measurement, from the request's header on, and saves reading the clock.
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

// minute returns the number of the minute since the Latency began, from 1. Setting the system's clock
// does not change it.
func (l *Latency) minute(t time.Time) int64 { return int64(t.Sub(l.since)/time.Minute) + 1 }

// slot returns the counters of a minute, cleared if the minute begins.
func (l *Latency) slot(minute int64) *latencyMinute {
	s := &l.slots[minute%latencySlots]
	if s.number.Load() < minute {
		l.turn(s, minute)
	}
	return s
}

// turn clears a slot for a minute that begins.
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

// Percentiles summarise response times: half of the requests took at most P50, 99 in 100 at most P99.
type Percentiles struct {
	Requests uint64
	P50, P99 time.Duration
}

// LastHour returns the percentiles of the last hour, or of the time since Since if that is shorter.
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

// percentile returns the duration that this share of the requests, from 0 to 1, did not exceed.
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

// latencyBucket returns the index of a duration's bucket.
func latencyBucket(d time.Duration) int {
	micros := uint64(max(d.Microseconds(), 0))
	shift := max(bits.Len64(micros)-bits.Len(2*latencySteps-1), 0)
	return min(shift*latencySteps+int(micros>>shift), latencyBuckets-1) //nolint:gosec // below 32
}

// latencyBound returns the upper bound of a bucket's durations.
func latencyBound(bucket int) time.Duration {
	shift := max(bucket/latencySteps-1, 0)
	return time.Duration(bucket-shift*latencySteps+1) << shift * time.Microsecond
}
