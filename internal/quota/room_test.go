package quota

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// TestRoomIsBounded: a place is free again when its command is answered, and when the
// connection of one that nobody waits for any more must be dead.
func TestRoomIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r room
		fill := func() (n int) {
			for r.enter() {
				n++
			}
			return n
		}
		if n := fill(); n != ringPlace {
			t.Errorf("%d places, want %d", n, ringPlace)
		}
		for _, err := range []error{nil, errors.New("the connection is closed"), nil} {
			r.leave(err)
		}
		if n := fill(); n != 3 {
			t.Errorf("%d places after 3 answers", n)
		}
		for _, err := range []error{context.DeadlineExceeded, fmt.Errorf("counting: %w", context.Canceled)} {
			r.leave(err)
		}
		time.Sleep(abandoned - 1)
		synctest.Wait()
		if n := fill(); n != 0 {
			t.Errorf("%d places while two commands may still be in the ring", n)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if n := fill(); n != 2 {
			t.Errorf("%d places after two commands were abandoned, want 2", n)
		}
	})
}
