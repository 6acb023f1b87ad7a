package quota

import (
	"slices"
	"sync"
	"time"
)

// recent holds the times of the actions that this node has allowed within the last hour. It is
// bounded: when it is full it evicts, preferring subjects that are below their limit, so that a
// subject at its limit cannot hide among many others.
type recent struct {
	mu       sync.Mutex
	subjects map[string]*recentActions
	max      int
}

type recentActions struct {
	times []int64 // Unix milliseconds, the latest last; at most limit
	limit int
}

func newRecent(size int) *recent {
	return &recent{subjects: make(map[string]*recentActions), max: size}
}

// slidingHour is the hour of an hourly limit in milliseconds.
const slidingHour = int64(time.Hour / time.Millisecond)

// add adds an action, unless limit actions were added within the last hour.
func (r *recent) add(key string, now int64, limit int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.subjects[key]
	if a == nil {
		if len(r.subjects) >= r.max {
			r.evict(now)
		}
		a = &recentActions{}
		r.subjects[key] = a
	}
	a.limit = limit
	if !a.hasRoom(now, limit) {
		return false
	}
	a.times = append(a.times, now)
	a.times = slices.Delete(a.times, 0, max(len(a.times)-limit, 0))
	return true
}

// hasRoom reports whether add would add an action.
func (r *recent) hasRoom(key string, now int64, limit int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.subjects[key]
	return a == nil || a.hasRoom(now, limit)
}

func (a *recentActions) hasRoom(now int64, limit int) bool {
	n := len(a.times)
	return n < limit || a.times[n-limit] <= now-slidingHour
}

// remove takes back an action that was added at that time.
func (r *recent) remove(key string, at int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.subjects[key]
	if a == nil {
		return
	}
	if i := slices.Index(a.times, at); i >= 0 {
		a.times = slices.Delete(a.times, i, i+1)
	}
	if len(a.times) == 0 {
		delete(r.subjects, key)
	}
}

// evict removes one subject: one without an action in the last hour if it finds any among a few,
// else a random one, preferably below its limit.
func (r *recent) evict(now int64) {
	const sample = 16
	seen, victim := 0, ""
	for key, a := range r.subjects {
		n := len(a.times)
		if n == 0 || a.times[n-1] <= now-slidingHour {
			victim = key
			break
		}
		if victim == "" || n < a.limit {
			victim = key
		}
		if seen++; seen == sample {
			break
		}
	}
	delete(r.subjects, victim)
}
