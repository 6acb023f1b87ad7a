package picture_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/palmares-hq/palmares/internal/site/picture"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestCache_DrawsOnceAndOneAtATime(t *testing.T) {
	t.Parallel()
	c := picture.NewCache(1 << 20)
	var draws, busy atomic.Int32
	var all sync.WaitGroup
	begin := make(chan struct{})
	for i := range 100 {
		key := fmt.Sprint("tool", i%2) // 50 askers each
		all.Go(func() {
			<-begin
			got, err := c.Get(t.Context(), key, func() ([]byte, error) {
				draws.Add(1)
				if busy.Add(1) > 1 {
					t.Error("two draw at once")
				}
				defer busy.Add(-1)
				b, err := picture.Card{Title: key}.Draw()
				return append(b[:0:0], b...), err
			})
			if err != nil || len(got) == 0 {
				t.Errorf("%s: %d bytes, %v", key, len(got), err)
			}
		})
	}
	close(begin)
	all.Wait()
	testkit.Equal(t, "drawings", draws.Load(), int32(2))
}

func TestCache_KeepsItsBound(t *testing.T) {
	t.Parallel()
	const most = 10_000
	c := picture.NewCache(most)
	draws := make(map[string]int)
	get := func(key string, size int) {
		got, err := c.Get(t.Context(), key, func() ([]byte, error) {
			draws[key]++
			return make([]byte, size), nil
		})
		testkit.Must(t, err)
		testkit.Equal(t, key, len(got), size)
		if bytes, n := c.Stats(); bytes > most || bytes < 0 || n == 0 && bytes != 0 {
			t.Fatalf("after %s: %d bytes in %d drawings", key, bytes, n)
		}
	}
	for i := range 100 {
		get("favourite", 1000)
		get(fmt.Sprint("tool", i), 1000)
	}
	testkit.Equal(t, "drawings of what is always asked for", draws["favourite"], 1)
	_, n := c.Stats()
	get("huge", most) // with its key it is above the bound: drawn, not kept, and nothing makes room
	get("huge", most)
	testkit.Equal(t, "drawings of what is too large", draws["huge"], 2)
	_, after := c.Stats()
	testkit.Equal(t, "drawings kept", after, n)
	get("tool99", 1000)
	get("tool0", 1000)
	testkit.Equal(t, "drawings of the last and the first", [2]int{draws["tool99"], draws["tool0"]}, [2]int{1, 2})
}

func TestCache_WaitersMayLeave(t *testing.T) {
	t.Parallel()
	c := picture.NewCache(1 << 20)
	drawing, finish := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		_, err := c.Get(t.Context(), "slow", func() ([]byte, error) {
			close(drawing)
			<-finish
			return []byte("slow"), nil
		})
		testkit.Must(t, err)
	})
	<-drawing
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	for _, key := range []string{"slow", "other"} {
		_, err := c.Get(ctx, key, func() ([]byte, error) {
			t.Errorf("%s is drawn for nobody", key)
			return nil, nil
		})
		testkit.Equal(t, key, errors.Is(err, gone), true)
	}
	close(finish)
	all.Wait()

	// Nor does a caller that has left draw when it is its turn; what is there it gets.
	_, err := c.Get(ctx, "other", func() ([]byte, error) { t.Error("drawn for nobody"); return nil, nil })
	testkit.Equal(t, "the error", errors.Is(err, gone), true)
	got, err := c.Get(ctx, "slow", nil)
	testkit.Must(t, err)
	testkit.Equal(t, "what is there", string(got), "slow")
}

// A drawing that fails is not kept, and one that panics lets the next draw.
func TestCache_Failures(t *testing.T) {
	t.Parallel()
	c := picture.NewCache(1 << 20)
	broken := errors.New("broken")
	_, err := c.Get(t.Context(), "tool", func() ([]byte, error) { return nil, broken })
	testkit.Equal(t, "the error", errors.Is(err, broken), true)
	func() {
		defer func() { _ = recover() }()
		_, _ = c.Get(t.Context(), "tool", func() ([]byte, error) { panic("torn paper") })
	}()
	got, err := c.Get(t.Context(), "tool", func() ([]byte, error) { return []byte("drawn"), nil })
	testkit.Must(t, err)
	testkit.Equal(t, "the third try", string(got), "drawn")
}
