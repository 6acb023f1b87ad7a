package webhook

import (
	"context"
	"sync"
)

// payloads remembers the bodies of recent events. All endpoints hear of the same
// ones at about the same time, and an event never changes.
type payloads struct {
	store interface {
		Events(ctx context.Context, seqs []int64) ([]Event, error)
	}

	mu    sync.Mutex
	known map[int64][]byte
	bytes int
}

// mostPayloads bounds the memory; when it is full all is forgotten.
const mostPayloads = 32 << 20

func newPayloads(s Store) *payloads { return &payloads{store: s, known: make(map[int64][]byte)} }

// bodies gives the body of each delivery's event; one that is not in the log has none.
func (p *payloads) bodies(ctx context.Context, due []Delivery) (map[int64][]byte, error) {
	bodies := make(map[int64][]byte, len(due))
	var missing []int64
	p.mu.Lock()
	for _, d := range due {
		if b, ok := p.known[d.Seq]; ok {
			bodies[d.Seq] = b
		} else {
			missing = append(missing, d.Seq)
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
			p.known, p.bytes = make(map[int64][]byte), len(b)
		}
		p.known[e.Seq] = b
	}
	return bodies, nil
}
