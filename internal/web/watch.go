package web

import (
	"context"
	"math"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// What a connection is busy with.
const (
	reading  = iota // a request is coming in
	handling        // it is being answered
	idle            // nothing has come in since the last answer
	hijacked        // what a handler has taken over

	phaseMask = 3
)

// A watch closes connections that take too long. It looks at all of them now and
// then, so that a request costs three writes to memory; a deadline for each step of
// each request, as in http.Server, costs a tenth of the whole.
type watch struct {
	limits [4]time.Duration // by phase
	tick   time.Duration    // how exact it is
	clock  atomic.Int64     // the time in ticks

	mu    sync.Mutex
	conns map[*conn]struct{}
}

func newWatch(read, handle, idling time.Duration) *watch {
	w := &watch{conns: make(map[*conn]struct{})}
	w.limits = [4]time.Duration{reading: read, handling: handle, idle: idling, hijacked: math.MaxInt64}
	w.tick = min(max(min(read, handle, idling)/8, 5*time.Millisecond), time.Second)
	return w
}

// run watches until ctx is done.
func (w *watch) run(ctx context.Context) {
	tick := time.NewTicker(w.tick)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			w.look(w.clock.Add(1))
		}
	}
}

func (w *watch) look(now int64) {
	var late []*conn
	w.mu.Lock()
	for c := range w.conns {
		at := c.phase.Load()
		if time.Duration(now-at>>2)*w.tick > w.limits[at&phaseMask] {
			late = append(late, c)
		}
	}
	w.mu.Unlock()
	for _, c := range late {
		_ = c.Close() // whoever is at it finds out
	}
}

func (w *watch) add(c *conn) {
	c.enter(reading)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.conns[c] = struct{}{}
}

func (w *watch) forget(c *conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.conns, c)
}

func (c *conn) enter(phase int64) { c.phase.Store(c.watch.clock.Load()<<2 | phase) }

// changed is an http.Server's ConnState.
func changed(c net.Conn, state http.ConnState) {
	own, ok := c.(*conn)
	if !ok {
		return
	}
	switch state {
	case http.StateActive:
		own.enter(handling)
	case http.StateIdle:
		own.enter(idle)
	case http.StateHijacked:
		own.enter(hijacked)
		own.watch.forget(own)
	case http.StateNew, http.StateClosed:
	}
}

// A watched listener hands out connections that are watched.
type watched struct {
	net.Listener
	watch *watch
}

// Accept implements net.Listener.
func (l watched) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	own := &conn{Conn: c, watch: l.watch}
	l.watch.add(own)
	return own, nil
}
