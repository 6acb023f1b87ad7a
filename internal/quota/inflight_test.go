package quota

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// A ring has room for the charges that its node makes while one waits, and for no more.
func TestRingScale(t *testing.T) {
	t.Parallel()
	for cpus, want := range map[int]int64{1: 4096, 2: 8192, 3: 16384, 4: 16384, 8: 32768, 9: 32768, 128: 32768} {
		testkit.Equal(t, fmt.Sprintf("commands of %d processors", cpus), mostInFlight(ringScale(cpus)), want-ringReserve)
	}
}

// A slot is free again once its command has a reply, or, if its caller has given up, once the
// connection must be dead.
func TestInFlight_IsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := inFlight{most: 100}
		fill := func() (n int) {
			for f.acquire() {
				n++
			}
			return n
		}
		testkit.Equal(t, "slots", fill(), 100)
		for _, err := range []error{nil, errors.New("the connection is closed"), nil} {
			f.release(err)
		}
		testkit.Equal(t, "slots after three replies", fill(), 3)
		f.release(context.DeadlineExceeded)
		f.release(fmt.Errorf("counting: %w", context.Canceled))
		time.Sleep(abandonedFor - 1)
		synctest.Wait()
		testkit.Equal(t, "slots while two commands may still be in the ring", fill(), 0)
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		testkit.Equal(t, "slots after two commands were abandoned", fill(), 2)
	})
}
