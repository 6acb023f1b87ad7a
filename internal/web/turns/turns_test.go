package turns_test

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/web/turns"
)

// A crowd asks for turns, and keeps each until it is told to leave.
type crowd struct {
	*turns.Gate

	mu     sync.Mutex
	inside []visit // in the order of entering
	busy   []string
}

type visit struct {
	who   string
	leave func()
}

// ask asks for a turn for each of the addresses, and returns when all have it or wait.
func (c *crowd) ask(t *testing.T, who ...string) {
	t.Helper()
	for _, w := range who {
		go func() {
			leave, err := c.Enter(t.Context(), netip.MustParseAddr(w))
			c.mu.Lock()
			defer c.mu.Unlock()
			switch {
			case errors.Is(err, turns.ErrBusy):
				c.busy = append(c.busy, w)
			case err == nil:
				c.inside = append(c.inside, visit{w, leave})
			}
		}()
		synctest.Wait()
	}
}

// leave ends the oldest turn of an address.
func (c *crowd) leave(t *testing.T, who string) {
	t.Helper()
	c.mu.Lock()
	at := slices.IndexFunc(c.inside, func(v visit) bool { return v.who == who })
	if at < 0 {
		t.Fatalf("%s is not inside", who)
	}
	v := c.inside[at]
	c.inside = slices.Delete(c.inside, at, at+1)
	c.mu.Unlock()
	v.leave()
	synctest.Wait()
}

func (c *crowd) is(t *testing.T, what string, inside ...string) {
	t.Helper()
	got := c.who()
	slices.Sort(got)
	slices.Sort(inside)
	if !slices.Equal(got, inside) {
		t.Errorf("%s: inside are %q, want %q", what, got, inside)
	}
}

func (c *crowd) who() (who []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, v := range c.inside {
		who = append(who, v.who)
	}
	return who
}

func (c *crowd) refused() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.busy)
}

// all ends every turn, until nobody waits.
func (c *crowd) all(t *testing.T) {
	t.Helper()
	for inside := c.who(); len(inside) > 0; inside = c.who() {
		c.leave(t, inside[0])
	}
	running, waiting, _ := c.Stats()
	testkit.Equal(t, "running at the end", running, 0)
	testkit.Equal(t, "waiting at the end", waiting, 0)
}

const (
	greedy = "192.0.2.1"
	other  = "192.0.2.2"
	third  = "198.51.100.3"
)

func times(n int, who string) []string { return slices.Repeat([]string{who}, n) }

func open(t *testing.T, slots int, test func(t *testing.T, c *crowd)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := &crowd{Gate: turns.New(turns.Options{Slots: slots, PerClient: 2, Wait: 2 * time.Second})}
		test(t, c)
		c.all(t)
	})
}

// Whoever is alone has all slots but one. When others wait, two.
func TestGate_SharesWhileOthersWait(t *testing.T) {
	t.Parallel()
	open(t, 6, func(t *testing.T, c *crowd) {
		c.ask(t, times(20, greedy)...)
		c.is(t, "alone", times(5, greedy)...)
		c.ask(t, other)
		c.is(t, "one more comes", append(times(5, greedy), other)...)
		c.ask(t, times(3, other)...)
		for left := 5; left > 3; left-- {
			c.leave(t, greedy)
		}
		c.is(t, "others go first", append(times(3, greedy), other, other)...) // the third of each is one too many
		c.leave(t, greedy)
		c.is(t, "both have two", append(times(2, greedy), other, other)...)
		c.ask(t, third)
		c.is(t, "a third one", append(times(2, greedy), other, other, third)...)
		c.leave(t, greedy)
		c.is(t, "its own", append(times(2, greedy), other, other, third)...)
	})
}

// Turns go round: a client that asks for hundreds gets as many as the one that asks for one.
func TestGate_TakesTurns(t *testing.T) {
	t.Parallel()
	open(t, 2, func(t *testing.T, c *crowd) {
		c.ask(t, times(100, greedy)...)
		c.is(t, "alone", greedy)
		c.ask(t, other, third, other)
		c.is(t, "the first of the others", greedy, other)
		c.leave(t, greedy)
		c.is(t, "its next one, as it came before the others", greedy, other)
		c.leave(t, greedy)
		c.is(t, "not the same again", other, third)
		c.leave(t, other)
		c.is(t, "and the other's", third, other)
		c.leave(t, other)
		c.is(t, "its turn", greedy, third)
	})
}

// A /48 is one network, however many addresses of it ask.
func TestGate_CountsNetworks(t *testing.T) {
	t.Parallel()
	open(t, 4, func(t *testing.T, c *crowd) {
		c.ask(t, "2001:db8:1:1::1", "2001:db8:1:2::1", "2001:db8:1:3::1", "2001:db8:1:4::1", "2001:db8:1:4::2", "2001:db8:1:5::1")
		c.is(t, "a network alone", "2001:db8:1:1::1", "2001:db8:1:2::1", "2001:db8:1:3::1")
		c.ask(t, "2001:db8:2::1", "2001:db8:2::2")
		c.is(t, "the slot that was left", "2001:db8:1:1::1", "2001:db8:1:2::1", "2001:db8:1:3::1", "2001:db8:2::1")
		c.leave(t, "2001:db8:1:1::1")
		c.leave(t, "2001:db8:1:2::1")
		c.is(t, "one each", "2001:db8:1:3::1", "2001:db8:1:4::1", "2001:db8:2::1", "2001:db8:2::2")
	})
}

// Whoever waits too long, or leaves, waits no more and takes nobody's turn.
func TestGate_Wait(t *testing.T) {
	t.Parallel()
	open(t, 2, func(t *testing.T, c *crowd) {
		c.ask(t, greedy, greedy)
		ctx, cancel := context.WithCancelCause(t.Context())
		left, gone := errors.New("left"), make(chan error, 1)
		go func() {
			_, err := c.Enter(ctx, netip.MustParseAddr(greedy))
			gone <- err
		}()
		synctest.Wait()
		cancel(left)
		testkit.Equal(t, "one that leaves", <-gone, left)
		time.Sleep(2*time.Second - time.Millisecond)
		synctest.Wait()
		testkit.Equal(t, "before its time", c.refused(), 0)
		time.Sleep(time.Millisecond)
		synctest.Wait()
		testkit.Equal(t, "in its time", c.refused(), 1)
		running, waiting, refused := c.Stats()
		testkit.Equal(t, "running", running, 1)
		testkit.Equal(t, "waiting", waiting, 0)
		testkit.Equal(t, "refused", refused, int64(1))
		c.ask(t, times(3, greedy)...)
		c.leave(t, greedy)
		c.is(t, "the next", greedy)
	})
}
