package node

import "testing"

func TestGCPercent(t *testing.T) {
	t.Parallel()
	for live, want := range map[uint64]int{0: 3200, 4 << 20: 3200, 32 << 20: 400, 128 << 20: 200, 1 << 30: 200} {
		if got := gcPercent(live); got != want {
			t.Errorf("%d MB live: %d, want %d", live>>20, got, want)
		}
	}
}
