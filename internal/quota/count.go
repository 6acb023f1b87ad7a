package quota

import (
	"sync"
	"sync/atomic"
)

// A count is what this node knows of one subject's counter.
type count struct {
	mu      sync.Mutex   // guards changes
	n       atomic.Int64 // the highest count known, from the shared counter or counted here
	own     int64        // what this node has let through; at most n
	limit   atomic.Int64
	reset   int64       // Unix seconds
	evicted atomic.Bool // it is no longer in the table
}

// add counts one request on this node and returns the new count. Requests over the limit are not
// counted.
func (c *count) add(limit int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := int(c.n.Load()) + 1
	if n <= limit {
		c.n.Store(int64(n))
		c.own++
	}
	return n
}

// reconcile takes the count that the shared counter returned for a charge and returns the one that
// applies. That is the shared count, unless this node alone has let more through: then the counter
// missed charges during an outage, and the node continues from its own number. So no node ever
// lets through more than the limit.
func (c *count) reconcile(n, limit int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Replies arrive in any order. As long as the counter misses nothing, a node that has had k
	// replies has seen a count of at least k.
	known, own := int(c.n.Load()), int(c.own)+1
	if own > min(max(known, n), limit) {
		n = max(n, own)
	}
	if n <= limit {
		c.own = int64(own)
	}
	c.n.Store(int64(max(known, n)))
	return n
}
