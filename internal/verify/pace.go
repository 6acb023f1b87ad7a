package verify

import (
	"context"
	"sync"
	"time"
)

// A pace keeps the requests to one site apart: one at a time, and a pause after each.
type pace struct {
	turn  chan struct{} // has room for the one whose turn it is
	pause time.Duration
	ended time.Time // of the last request
}

// begin waits until a request may be sent. Whoever gets no error calls end.
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

// slow makes the pause longer, if it is shorter. It waits for a request that is under way.
func (p *pace) slow(pause time.Duration) {
	p.turn <- struct{}{}
	p.pause = max(p.pause, pause)
	<-p.turn
}

// paces are those of all sites.
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
