package webhook

import (
	"context"
	"sync"
)

// payloads remembers the bodies of recent events. All endpoints hear of the same
// ones at about the same time, and an event of an edition never changes. A database
// that is restored from a backup counts its events anew, in other editions.
type payloads struct {
	store interface {
		Events(ctx context.Context, seqs []int64) ([]Event, error)
		EventEditions(ctx context.Context, seqs []int64) (map[int64]string, error)
	}

	mu    sync.Mutex
	known map[int64]payload
	bytes int
}

type payload struct {
	edition string
	body    []byte
}

// mostPayloads bounds the memory; when it is full all is forgotten.
const mostPayloads = 32 << 20

func newPayloads(s Store) *payloads { return &payloads{store: s, known: make(map[int64]payload)} }

// bodies gives the body of each delivery's event; one that is not in the log has none.
func (p *payloads) bodies(ctx context.Context, due []Delivery) (map[int64][]byte, error) {
	seqs := make([]int64, len(due))
	for i, d := range due {
		seqs[i] = d.Seq
	}
	editions, err := p.store.EventEditions(ctx, seqs)
	if err != nil {
		return nil, err
	}
	bodies := make(map[int64][]byte, len(due))
	var missing []int64
	p.mu.Lock()
	for seq, edition := range editions {
		if k, ok := p.known[seq]; ok && k.edition == edition {
			bodies[seq] = k.body
		} else {
			missing = append(missing, seq)
		}
	}
	p.mu.Unlock()
	if len(missing) == 0 {
		return bodies, nil
	}
	events, err := p.store.Events(ctx, missing)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range events {
		b := e.Payload()
		bodies[e.Seq] = b
		if p.bytes += len(b); p.bytes > mostPayloads {
			p.known, p.bytes = make(map[int64]payload), len(b)
		}
		p.known[e.Seq] = payload{editions[e.Seq], b}
	}
	return bodies, nil
}
