package verify

import (
	"context"
	"sync"
	"time"
)

// A pace spaces out the requests to one site: one at a time, with a pause after each.
type pace struct {
	turn  chan struct{} // holds one token while a request is in progress
	pause time.Duration
	ended time.Time // of the last request
}

// begin waits until a request may be sent. After a nil error the caller must call end.
func (p *pace) begin(ctx context.Context) error {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if p.ended.IsZero() {
		return nil
	}
	timer := time.NewTimer(time.Until(p.ended.Add(p.pause)))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		<-p.turn
		return ctx.Err()
	}
}

func (p *pace) end() {
	p.ended = time.Now()
	<-p.turn
}

// slow raises the pause to at least the given one. It waits for a request in progress.
func (p *pace) slow(pause time.Duration) {
	p.turn <- struct{}{}
	p.pause = max(p.pause, pause)
	<-p.turn
}

// paces holds the pace of every site. It is safe for concurrent use.
type paces struct {
	pause time.Duration
	mu    sync.Mutex
	sites map[string]*pace
}

func (p *paces) of(site string) *pace {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sites[site] == nil {
		p.sites[site] = &pace{turn: make(chan struct{}, 1), pause: p.pause}
	}
	return p.sites[site]
}
