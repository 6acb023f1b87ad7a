package webhook

import (
	"context"
	"sync"
)

// A payloadCache holds the bodies of recent events, which all endpoints receive at about the same
// time. Entries are keyed by edition too: a database that is restored from a backup gives the same
// numbers to other events, in other editions.
type payloadCache struct {
	log LogReader

	mu       sync.Mutex
	payloads map[int64]payload
	bytes    int
}

type payload struct {
	edition string
	body    []byte
}

// maxPayloadBytes bounds the cache; when it is full it is emptied.
const maxPayloadBytes = 32 << 20

func newPayloadCache(log LogReader) *payloadCache {
	return &payloadCache{log: log, payloads: make(map[int64]payload)}
}

// bodies returns the body of each delivery's event, by number. Events that are not in the log have
// none.
func (c *payloadCache) bodies(ctx context.Context, due []Delivery) (map[int64][]byte, error) {
	seqs := make([]int64, len(due))
	for i, d := range due {
		seqs[i] = d.Seq
	}
	editions, err := c.log.EventEditions(ctx, seqs)
	if err != nil {
		return nil, err
	}
	bodies := make(map[int64][]byte, len(due))
	var missing []int64
	c.mu.Lock()
	for seq, edition := range editions {
		if p, ok := c.payloads[seq]; ok && p.edition == edition {
			bodies[seq] = p.body
		} else {
			missing = append(missing, seq)
		}
	}
	c.mu.Unlock()
	if len(missing) == 0 {
		return bodies, nil
	}
	events, err := c.log.Events(ctx, missing)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range events {
		b := e.Payload()
		bodies[e.Seq] = b
		if c.bytes += len(b); c.bytes > maxPayloadBytes {
			c.payloads, c.bytes = make(map[int64]payload), len(b)
		}
		c.payloads[e.Seq] = payload{editions[e.Seq], b}
	}
	return bodies, nil
}
