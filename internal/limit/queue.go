package limit

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"
)

// ErrBusy means that a caller waited QueueOptions.Wait without getting a turn. It is also an ErrShare if the caller's
// network had turns meanwhile, or an ErrFull if it had none because others took them all.
var ErrBusy = errors.New("waited for a turn in vain")

var (
	errBusyShare = fmt.Errorf("%w: %w", ErrBusy, ErrShare)
	errBusyFull  = fmt.Errorf("%w: %w", ErrBusy, ErrFull)
)

// QueueOptions configure a Queue.
type QueueOptions struct {
	// Slots is how much work runs at once, at least 2. One network may hold all slots but one: the last is kept for
	// another network, which then need not wait for anybody's work.
	Slots int
	// PerClient is how many slots a client may hold while another client waits.
	PerClient int
	// Wait is how long a client waits for its turn.
	Wait time.Duration
}

// A Queue shares an expensive resource between callers: the CPU, for pages that are not cached, or the few
// connections of a pool. It bounds how much work runs at once, and networks take turns, so that a network that asks
// for much waits for its own work and delays nobody else.
type Queue struct {
	o QueueOptions

	mu       sync.Mutex
	networks map[group]*network // those with running or waiting work
	ring     list.List          // of networks with waiters, the next one first
	clients  int                // how many have waiters
	running  int
	waiting  int
	refused  int64
}

// A Caller asks for turns. It is an account if Account is set, otherwise an address.
type Caller struct {
	Account string // its id; "" for a caller known only by its address
	Addr    netip.Addr
}

// A group is an account or a range of addresses.
type group struct {
	account string
	prefix  netip.Prefix
}

// A network is the unit that takes turns: an account, an IPv4 address, or an IPv6 /48, which is what providers give
// to a site. The /64 of a client would be too narrow: the owner of a /48 has 65,536 of them.
type network struct {
	group   group
	clients map[group]*client
	ring    list.List // of clients that wait, the next one first
	at      *list.Element
	running int
	given   int64 // turns so far
}

// A client is an IPv4 address, an IPv6 /64 or an account, as quotas count them.
type client struct {
	network *network
	group   group
	waiters list.List // of *waiter, in their order
	at      *list.Element
	running int
}

type waiter struct {
	client *client
	turn   chan struct{} // closed when its turn has come
	at     *list.Element // in client.waiters; nil once its turn has come
	given  int64         // turns its network had been given when it began to wait
}

// NewQueue returns a queue. It has two slots at least.
func NewQueue(o QueueOptions) *Queue {
	o.Slots = max(o.Slots, 2)
	return &Queue{o: o, networks: make(map[group]*network)}
}

// Enter waits for a turn. The caller must call leave exactly once, when its work is done. The error is ErrBusy, or the
// cause of ctx if that ends first.
func (q *Queue) Enter(ctx context.Context, who Caller) (leave func(), err error) {
	c, err := q.enter(ctx, who)
	if err != nil {
		return nil, err
	}
	return func() { q.leave(c) }, nil
}

func (q *Queue) enter(ctx context.Context, who Caller) (*client, error) {
	w := q.queue(who)
	select {
	case <-w.turn: // the usual case: a slot is free
		return w.client, nil
	default:
	}
	timer := time.NewTimer(q.o.Wait)
	defer timer.Stop()
	select {
	case <-w.turn:
		return w.client, nil
	case <-ctx.Done():
		_ = q.giveUp(w, false) // a caller that has left needs no reason
		return nil, context.Cause(ctx)
	case <-timer.C:
		return nil, q.giveUp(w, true)
	}
}

// Stats returns how much work is running, how many callers are waiting, and how many have got ErrBusy so far.
func (q *Queue) Stats() (running, waiting int, refused int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running, q.waiting, q.refused
}

// queue adds a waiter for the caller, and gives it a turn at once if a slot is free for it.
func (q *Queue) queue(who Caller) *waiter {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := q.client(who)
	w := &waiter{client: c, turn: make(chan struct{}), given: c.network.given}
	w.at = c.waiters.PushBack(w)
	q.waiting++
	if c.at == nil {
		q.clients++
		c.at = c.network.ring.PushBack(c)
	}
	if c.network.at == nil {
		c.network.at = q.ring.PushBack(c.network)
	}
	q.admit()
	return w
}

func (q *Queue) leave(c *client) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running--
	c.running--
	c.network.running--
	q.forget(c)
	q.admit()
}

// giveUp removes a waiter and returns its ErrBusy, which says whether its own network or others had the turns. inVain
// counts it as refused. If its turn came at the same moment, the turn passes to the next waiter.
func (q *Queue) giveUp(w *waiter, inVain bool) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	c, err := w.client, errBusyFull
	if c.network.running > 0 || c.network.given > w.given {
		err = errBusyShare
	}
	if inVain {
		q.refused++
	}
	if w.at == nil {
		q.running--
		c.running--
		c.network.running--
	} else {
		q.unqueue(w)
	}
	q.forget(c)
	q.admit() // if only one client still waits, PerClient no longer limits it
	return err
}

// admit gives the free slots to waiters.
func (q *Queue) admit() {
	for q.running < q.o.Slots {
		w := q.next()
		if w == nil {
			return
		}
		c := w.client
		q.unqueue(w)
		q.running++
		c.running++
		c.network.running++
		c.network.given++
		if c.at != nil {
			c.network.ring.MoveToBack(c.at)
		}
		if c.network.at != nil {
			q.ring.MoveToBack(c.network.at)
		}
		close(w.turn)
	}
}

// next returns the waiter whose turn it is, or nil if the networks and clients that wait hold all the slots they may.
func (q *Queue) next() *waiter {
	for at := q.ring.Front(); at != nil; at = at.Next() {
		n, _ := at.Value.(*network)
		if n.running >= q.o.Slots-1 {
			continue
		}
		for at := n.ring.Front(); at != nil; at = at.Next() {
			c, _ := at.Value.(*client)
			if c.running < q.o.PerClient || q.clients == 1 {
				w, _ := c.waiters.Front().Value.(*waiter)
				return w
			}
		}
	}
	return nil
}

// unqueue takes a waiter out of its queue, and its client out of the rings if it was the last.
func (q *Queue) unqueue(w *waiter) {
	c := w.client
	c.waiters.Remove(w.at)
	w.at = nil
	q.waiting--
	if c.waiters.Len() > 0 {
		return
	}
	q.clients--
	c.network.ring.Remove(c.at)
	c.at = nil
	if c.network.ring.Len() == 0 {
		q.ring.Remove(c.network.at)
		c.network.at = nil
	}
}

// client returns the client of a caller, adding it and its network if need be.
func (q *Queue) client(who Caller) *client {
	wide, narrow := groups(who)
	n := q.networks[wide]
	if n == nil {
		n = &network{group: wide, clients: make(map[group]*client)}
		q.networks[wide] = n
	}
	c := n.clients[narrow]
	if c == nil {
		c = &client{network: n, group: narrow}
		n.clients[narrow] = c
	}
	return c
}

// forget drops a client that has no running or waiting work, and its network if that was its last client.
func (q *Queue) forget(c *client) {
	if c.running > 0 || c.at != nil {
		return
	}
	n := c.network
	delete(n.clients, c.group)
	if len(n.clients) == 0 {
		delete(q.networks, n.group)
	}
}

// groups returns the network and the client of a caller. All callers without account and address count as one client.
func groups(who Caller) (wide, narrow group) {
	if who.Account != "" {
		narrow = group{account: who.Account}
		return narrow, narrow
	}
	addr := who.Addr.Unmap().WithZone("")
	if !addr.IsValid() {
		return group{}, group{}
	}
	if addr.Is4() {
		narrow = group{prefix: netip.PrefixFrom(addr, addr.BitLen())}
		return narrow, narrow
	}
	return group{prefix: netip.PrefixFrom(addr, 48).Masked()}, group{prefix: netip.PrefixFrom(addr, 64).Masked()}
}
