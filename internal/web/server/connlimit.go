package server

import (
	"cmp"
	"errors"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// A connLimit bounds the connections of a server, so that clients that merely hold connections do not use up
// the file descriptors. When there are too many, it closes the one that has waited longest for its client:
// idle, silent from the start, or with half a header or half a body. It never closes one whose request is
// being answered: when all are, new connections wait to be accepted.
type connLimit struct {
	most   int                // 0 is no limit
	closed prometheus.Counter // to make room

	waits     atomic.Int64 // the number of the last wait
	acceptors atomic.Int64 // how many listeners wait for room
	mu        sync.Mutex
	changed   sync.Cond // a connection began to wait for its client, or was closed or spared
	open      map[*limitedConn]struct{}
	closing   int           // how many of the open ones are being closed
	oldest    []waitingConn // the connections that have waited longest, in order
}

// A waitingConn is a connection that waits for its client, and the number of its wait.
type waitingConn struct {
	*limitedConn
	wait int64
}

func newConnLimit(server string, most int, registry prometheus.Registerer) *connLimit {
	labels := prometheus.Labels{"server": server}
	l := &connLimit{most: most, open: make(map[*limitedConn]struct{})}
	l.changed.L = &l.mu
	l.closed = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "palmares_http_connections_closed_total", ConstLabels: labels,
		Help: "Connections closed while they waited for their client, to make room for others.",
	})
	if registry != nil {
		registry.MustRegister(l.closed, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "palmares_http_connections", ConstLabels: labels, Help: "Open connections.",
		}, func() float64 {
			l.mu.Lock()
			defer l.mu.Unlock()
			return float64(len(l.open))
		}), prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "palmares_http_connections_limit", ConstLabels: labels, Help: "The most connections; 0 is no limit.",
		}, func() float64 { return float64(most) }))
	}
	return l
}

// nextWait returns the number of a wait that begins. Numbers rise, so that they show which connection has
// waited longest without reading the clock. They are even, which leaves a bit for silent.
func (l *connLimit) nextWait() int64 { return l.waits.Add(2) }

// waitForRoom returns once there is room, or false when the listener is closed.
func (l *connLimit) waitForRoom(listenerClosed *bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.most == 0 || len(l.open) <= l.most {
		return !*listenerClosed
	}
	l.acceptors.Add(1) // from here on, a connection that becomes idle wakes us
	defer l.acceptors.Add(-1)
	for len(l.open) > l.most && !*listenerClosed {
		if len(l.open)-l.closing <= l.most {
			l.changed.Wait()
			continue
		}
		found, unread := l.closeOldest()
		switch {
		case found:
		case unread: // net/http will soon have read it
			time.AfterFunc(unreadFor, l.wake)
			fallthrough
		default:
			l.changed.Wait()
		}
	}
	return !*listenerClosed
}

// unreadFor is about how long net/http takes to read bytes that have arrived.
const unreadFor = 5 * time.Millisecond

// closeOldest closes the connection that has waited longest for its client, and reports whether it found
// one. It skips connections with bytes that net/http has yet to read; unread reports whether there were any.
func (l *connLimit) closeOldest() (found, unread bool) {
	for attempt := range 2 {
		for len(l.oldest) > 0 {
			next := l.oldest[0]
			l.oldest = l.oldest[1:]
			if _, open := l.open[next.limitedConn]; !open || next.wait != next.limitedConn.wait.Load() {
				continue
			}
			if hasUnread(next.Conn) {
				unread = true
				continue
			}
			if next.endWait(next.wait) {
				l.closing++
				l.closed.Inc()
				return true, false
			}
		}
		if attempt == 0 {
			l.findOldest()
		}
	}
	return false, unread
}

// hasUnread reports whether a connection has received bytes that nobody has read.
func hasUnread(c net.Conn) bool {
	for {
		if raw, ok := c.(syscall.Conn); ok {
			return hasUnreadRaw(raw)
		}
		wrapper, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return false
		}
		c = wrapper.NetConn()
	}
}

func hasUnreadRaw(c syscall.Conn) (has bool) {
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	_ = raw.Control(func(fd uintptr) {
		var first [1]byte
		n, _, err := syscall.Recvfrom(int(fd), first[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		has = err == nil && n > 0
	})
	return has
}

// findOldest fills l.oldest with the 1,000 connections that have waited longest. Going through all
// connections is slow, so it is done once for many that are then closed.
func (l *connLimit) findOldest() {
	const most = 1000
	var all []waitingConn
	for c := range l.open {
		if wait := c.wait.Load(); wait != 0 {
			all = append(all, waitingConn{c, wait})
		}
	}
	slices.SortFunc(all, func(a, b waitingConn) int { return cmp.Compare(a.wait, b.wait) })
	l.oldest = slices.Clone(all[:min(len(all), most)])
}

// wake wakes the listeners that wait for room.
func (l *connLimit) wake() {
	if l.acceptors.Load() > 0 {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.changed.Broadcast()
	}
}

// spared notes that a connection that was to be closed stays open.
func (l *connLimit) spared() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closing--
	l.changed.Broadcast()
}

// stateChanged implements an http.Server's ConnState: it notes when connections become active or idle.
func (l *connLimit) stateChanged(c net.Conn, state http.ConnState) {
	own, ok := c.(*limitedConn)
	if !ok {
		return
	}
	switch state {
	case http.StateActive, http.StateHijacked:
		own.forgetBody()
		if own.startRequest() {
			l.spared()
		}
	case http.StateIdle:
		own.startWait()
		l.wake()
	case http.StateNew, http.StateClosed:
	}
}

// A limitedListener accepts connections that count towards a connLimit.
type limitedListener struct {
	net.Listener
	limit  *connLimit
	closed bool // guarded by limit.mu
}

// Accept implements net.Listener. It accepts one connection beyond the limit, so that none is
// closed before there is another to close it for.
func (l *limitedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
			l.limit.mu.Lock()
			l.limit.closeOldest() // the process is out of descriptors; http.Server tries again
			l.limit.mu.Unlock()
		}
		return nil, err //nolint:wrapcheck // http.Server asks what it is
	}
	own := &limitedConn{Conn: c, limit: l.limit}
	l.limit.mu.Lock()
	l.limit.open[own] = struct{}{}
	l.limit.mu.Unlock()
	if !l.limit.waitForRoom(&l.closed) {
		_ = own.Close()
		return nil, net.ErrClosed
	}
	own.startWait()
	return own, nil
}

// Close implements net.Listener.
func (l *limitedListener) Close() error {
	l.limit.mu.Lock()
	l.closed = true
	l.limit.changed.Broadcast()
	l.limit.mu.Unlock()
	return l.Listener.Close() //nolint:wrapcheck // as above
}
