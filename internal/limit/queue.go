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

// ErrBusy is the error of a client that waited for its turn in vain. It is an ErrShare where the client's network had turns
// meanwhile, and an ErrFull where it had none: others took them all.
var ErrBusy = errors.New("waited for a turn in vain")

var (
	errBusyShare = fmt.Errorf("%w: %w", ErrBusy, ErrShare)
	errBusyFull  = fmt.Errorf("%w: %w", ErrBusy, ErrFull)
)

// QueueOptions say how much is done at a time, and for whom.
type QueueOptions struct {
	// Slots are how much is done at a time, 2 at least. One network gets all of them but one, which
	// is left to whoever comes next, who then waits for nobody's work.
	Slots int
	// PerClient is how much is done at a time for a client while another one waits.
	PerClient int
	// Wait is how long a client waits for its turn.
	Wait time.Duration
}

// A Queue shares what is dear: the CPU, for pages that are not cached, or the few connections of a pool. It bounds how much is
// done at a time, and lets networks take turns, so that whoever asks for much waits for work of their own and keeps nobody
// else waiting.
type Queue struct {
	o QueueOptions

	mu       sync.Mutex
	networks map[group]*network // those that work or wait
	ring     list.List          // of networks in which somebody waits, the next one first
	clients  int                // that wait
	running  int
	waiting  int
	refused  int64
}

// A Caller is who asks for a turn: an account, or else an address.
type Caller struct {
	Account string // its id; "" for one that is known by the address alone
	Addr    netip.Addr
}

// A group is an account or a range of addresses.
type group struct {
	account string
	prefix  netip.Prefix
}

// A network is an IPv6 /48, which is what providers give to a site, an IPv4 address, or an account. Networks
// take turns: whoever owns a /48 has 65,536 addresses by which we count.
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
	turn   chan struct{} // closed when it has come
	at     *list.Element // nil from then on
	given  int64         // to its network before it came
}

// NewQueue makes a queue.
func NewQueue(o QueueOptions) *Queue {
	o.Slots = max(o.Slots, 2)
	return &Queue{o: o, networks: make(map[group]*network)}
}

// Enter waits for a turn of a caller. Whoever got one calls leave when its work is done. The error is ErrBusy, or that
// of a context that has ended.
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
	case <-w.turn: // at once, mostly
		return w.client, nil
	default:
	}
	timer := time.NewTimer(q.o.Wait)
	defer timer.Stop()
	select {
	case <-w.turn:
		return w.client, nil
	case <-ctx.Done():
		_ = q.giveUp(w, false) // whoever has left does not ask why
		return nil, context.Cause(ctx)
	case <-timer.C:
		return nil, q.giveUp(w, true)
	}
}

// Stats tell how much is being done, how many wait, and how many waited in vain so far.
func (q *Queue) Stats() (running, waiting int, refused int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running, q.waiting, q.refused
}

// queue adds a waiter for the client, and gives it its turn if it is free.
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

// giveUp removes a waiter, and says why it waited in vain if it did. When its turn came in the same moment, it goes to the
// next.
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
	q.admit() // a client may have become the only one
	return err
}

// admit gives out the turns that are free.
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

// next finds whose turn it is; nil when those who wait have what they may have.
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

// client finds the client of a caller.
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

// forget drops a client that neither works nor waits.
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

// groups returns the network and the client of a caller. Those without an address count as one client.
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
