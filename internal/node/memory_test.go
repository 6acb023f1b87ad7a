package node

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestGCPercent(t *testing.T) {
	t.Parallel()
	for live, want := range map[uint64]int{0: 3200, 4 << 20: 3200, 32 << 20: 400, 128 << 20: 200, 1 << 30: 200} {
		if got := gcPercent(live); got != want {
			t.Errorf("%d MB live: %d, want %d", live>>20, got, want)
		}
	}
}

// A heap is that of a process whose garbage collector a collector sets.
type heap struct {
	collector
	mu   sync.Mutex
	size uint64
	sets []int
}

func newHeap() *heap {
	h := &heap{}
	size := func() uint64 { h.mu.Lock(); defer h.mu.Unlock(); return h.size }
	h.collector = collector{live: size, heap: size, set: func(percent int) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.sets = append(h.sets, percent)
	}}
	return h
}

func (h *heap) grow(size uint64) { h.mu.Lock(); h.size = size; h.mu.Unlock() }

func (h *heap) want(t *testing.T, sets ...int) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.Equal(h.sets, sets) {
		t.Errorf("it was set to %v, want %v", h.sets, sets)
	}
}

// While a real disk copy is loaded, the heap is looked at again and again: what is set for the load
// lasts as long as the load, and then that of the heap as it has become.
func TestCollector_LooksWhileACopyIsLoaded(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "copy")
	testkit.Must(t, live.WriteCopy(file, catalogtest.Fixture(t)))
	h := newHeap()
	h.adjust()
	n := live.New(live.Options{
		Open:   func(context.Context) (live.Feed, error) { return nil, errors.New("no database") },
		File:   file,
		Logger: slog.New(slog.DiscardHandler),
		Loading: func() func() {
			done := h.loading()
			h.grow(1 << 30)
			h.adjust() // a look falls into the load
			return func() { h.adjust(); done() }
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { n.Run(ctx) })
	defer running.Wait()
	defer cancel()
	testkit.EventuallyTrue(t, "the copy is loaded", func() bool { return n.Current().Edition().Number > 0 })
	h.adjust()
	h.want(t, 3200, loadPercent, 200)
}

// Loads that overlap are one, and looks at once with them leave nothing behind.
func TestCollector_ManyAtOnce(t *testing.T) {
	t.Parallel()
	h := newHeap()
	first, second := h.loading(), h.loading()
	first()
	first()
	h.adjust()
	h.want(t, loadPercent)
	second()
	h.want(t, loadPercent, 3200)

	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				done := h.loading()
				h.adjust()
				done()
			}
		})
	}
	all.Wait()
	h.grow(1 << 30)
	h.adjust()
	if got := h.sets[len(h.sets)-1]; got != 200 {
		t.Errorf("%d stays, want 200", got)
	}
}

// A node that does not have the process for itself leaves its garbage collector alone.
func TestCollector_OwnsNothingAtFirst(t *testing.T) {
	t.Parallel()
	c := newCollector()
	c.loading()()
	c.adjust()
	if c.percent != 0 {
		t.Errorf("it set %d", c.percent)
	}
}

// The smallest limit counts, of whichever version of control groups, and however far up.
func TestCgroupLimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  uint64
	}{
		"no control groups":         {nil, 0},
		"version 2, no limit":       {map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"}, 0},
		"version 2":                 {map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "300\n"}, 300},
		"version 2, the one around": {map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "300\n", "sys/fs/cgroup/a/memory.max": "200\n"}, 200},
		"version 2, in a container": {map[string]string{"proc/self/cgroup": "0::/../../docker/x\n", "sys/fs/cgroup/memory.max": "400\n"}, 400},
		"version 1": {map[string]string{
			"proc/self/cgroup": "5:cpu,cpuacct:/a\n4:memory:/a\n", "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "500\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, 500},
		"version 1, no limit": {map[string]string{"proc/self/cgroup": "4:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 0},
		"both": {map[string]string{
			"proc/self/cgroup": "4:memory:/a\n0::/a\n", "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "500\n", "sys/fs/cgroup/a/memory.max": "450\n",
		}, 450},
		"nonsense": {map[string]string{"proc/self/cgroup": "hello\n\n4:memory\n0::/a", "sys/fs/cgroup/a/memory.max": "a lot\n"}, 0},
	} {
		root := t.TempDir()
		for file, text := range c.files {
			file = filepath.Join(root, file)
			if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		testkit.Equal(t, name, cgroupLimit(root), c.want)
	}
}

// Nine tenths of the limit are Go's; the operator hears once that they are not enough, and again after they were.
func TestCollector_WarnsOfTooLittle(t *testing.T) {
	t.Parallel()
	var live uint64
	var said int
	c := &collector{live: func() uint64 { return live }, limit: 1000, tooLittle: func(uint64, uint64) { said++ }}
	for _, step := range []struct {
		live uint64
		said int
	}{{100, 0}, {500, 0}, {501, 1}, {600, 1}, {100, 1}, {700, 2}} {
		live = step.live
		c.adjust()
		testkit.Equal(t, "warnings", said, step.said)
	}
}
