package limit_test

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/palmares-hq/palmares/internal/engine"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A crowd asks for turns, and keeps each until it is told to leave.
type crowd struct {
	*limit.Queue

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
			leave, err := c.Enter(t.Context(), of(w))
			c.mu.Lock()
			defer c.mu.Unlock()
			switch {
			case errors.Is(err, limit.ErrBusy):
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

func of(addr string) limit.Caller { return limit.Caller{Addr: netip.MustParseAddr(addr)} }

func times(n int, who string) []string { return slices.Repeat([]string{who}, n) }

func open(t *testing.T, slots int, test func(t *testing.T, c *crowd)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := &crowd{Queue: limit.NewQueue(limit.QueueOptions{Slots: slots, PerClient: 2, Wait: 2 * time.Second})}
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
			_, err := c.Enter(ctx, of(greedy))
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

// Work that waits for an engine does so without its turn, which others get meanwhile. In a turn nobody may wait.
func TestOutside(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := limit.NewQueue(limit.QueueOptions{Slots: 2, PerClient: 1, Wait: time.Second})
		who := limit.Caller{Addr: netip.MustParseAddr("192.0.2.1")}
		ctx, turn, err := g.Take(t.Context(), who)
		testkit.Must(t, err)
		running := func() int { n, _, _ := g.Stats(); return n }
		forbidden := func(ctx context.Context) (forbidden bool) {
			defer func() { forbidden = recover() != nil }()
			engine.Check(ctx)
			return
		}
		ctx = context.WithValue(ctx, "a key", "kept") //nolint:staticcheck // of this test
		testkit.Equal(t, "in a turn", []any{running(), forbidden(ctx), forbidden(t.Context())}, []any{1, true, false})
		testkit.Must(t, limit.Outside(ctx, func(ctx context.Context) error {
			testkit.Equal(t, "outside", []any{running(), forbidden(ctx), ctx.Value("a key")}, []any{0, false, "kept"})
			return limit.Outside(ctx, func(ctx context.Context) error {
				testkit.Equal(t, "outside, twice", []any{running(), forbidden(ctx)}, []any{0, false})
				return nil
			})
		}))
		testkit.Equal(t, "in a turn again", []any{running(), forbidden(ctx)}, []any{1, true})
		failed := errors.New("failed")
		if err := limit.Outside(ctx, func(context.Context) error { return failed }); !errors.Is(err, failed) {
			t.Errorf("the error of what was waited for is %v", err)
		}
		turn.Leave()
		turn.Leave()
		testkit.Equal(t, "after the end", running(), 0)

		// Whoever comes back and finds all turns taken waits like anybody.
		ctx, turn, err = g.Take(t.Context(), who)
		testkit.Must(t, err)
		err = limit.Outside(ctx, func(context.Context) error {
			for _, other := range []string{"192.0.2.2", "192.0.2.3"} {
				_, err := g.Enter(t.Context(), of(other))
				testkit.Must(t, err)
			}
			return nil
		})
		if !errors.Is(err, limit.ErrBusy) {
			t.Errorf("all turns are taken: %v", err)
		}
		turn.Leave()
		testkit.Equal(t, "the turns of others", running(), 2)
	})
}

// An account is one client and one network, from wherever it comes.
func TestTake_Accounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := limit.NewQueue(limit.QueueOptions{Slots: 3, PerClient: 1, Wait: time.Second})
		_, _, err := g.Take(t.Context(), limit.Caller{Account: "ada", Addr: netip.MustParseAddr("192.0.2.1")})
		testkit.Must(t, err)
		go func() { _, _ = g.Enter(t.Context(), of("192.0.2.1")) }() // another client at the same address
		synctest.Wait()
		running, waiting, _ := g.Stats()
		testkit.Equal(t, "an account, and an address", []int{running, waiting}, []int{2, 0})
		for range 3 {
			go func() {
				_, _, _ = g.Take(t.Context(), limit.Caller{Account: "ada", Addr: netip.MustParseAddr("192.0.2.9")})
			}()
		}
		go func() {
			_, _, _ = g.Take(t.Context(), limit.Caller{Account: "bob", Addr: netip.MustParseAddr("192.0.2.9")})
		}()
		synctest.Wait()
		running, waiting, _ = g.Stats()
		testkit.Equal(t, "the account from elsewhere waits, another does not", []int{running, waiting}, []int{3, 3})
		time.Sleep(2 * time.Second)
	})
}

// Whoever waits in vain while his network has turns has his share. Whoever does while others have them all is failed by a
// gate that is full.
func TestGate_ShareOrFull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := limit.NewQueue(limit.QueueOptions{Slots: 3, PerClient: 1, Wait: time.Second})
		ask := func(who string) <-chan error {
			got := make(chan error, 1)
			go func() {
				leave, err := g.Enter(t.Context(), of(who))
				if got <- err; err == nil {
					time.Sleep(1500 * time.Millisecond)
					leave()
				}
			}()
			synctest.Wait()
			return got
		}
		is := func(what string, err, want error) {
			t.Helper()
			if !errors.Is(err, want) || want != nil && !errors.Is(err, limit.ErrBusy) {
				t.Errorf("%s: %v, want %v", what, err, want)
			}
		}
		for _, who := range []string{"2001:db8:1:1::1", "2001:db8:1:2::1", other} {
			is(who, <-ask(who), nil)
		}
		own, neighbour, stranger := ask("2001:db8:1:1::1"), ask("2001:db8:1:3::1"), ask(third)
		is("one whose turn is not over", <-own, limit.ErrShare)
		is("one of the same /48", <-neighbour, limit.ErrShare)
		is("one who has none", <-stranger, limit.ErrFull)
		time.Sleep(time.Second)

		// A turn that came and went while another one of the network waited is a share, too.
		var leave []func()
		for _, who := range []string{other, third, "192.0.2.3"} {
			l, err := g.Enter(t.Context(), of(who))
			testkit.Must(t, err)
			leave = append(leave, l)
		}
		brief := make(chan func(), 1)
		go func() {
			l, err := g.Enter(t.Context(), of(greedy))
			testkit.Must(t, err)
			brief <- l
		}()
		synctest.Wait()
		late, next := ask(greedy), ask("192.0.2.4")
		leave[0]()
		(<-brief)()
		is("the next", <-next, nil)
		is("one whose network had a turn", <-late, limit.ErrShare)
		leave[1]()
		leave[2]()
		time.Sleep(2 * time.Second)
	})
}
