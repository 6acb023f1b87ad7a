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

// A slot is free again once its command has a reply, or, if its caller has given up, once the
// connection must be dead.
func TestInFlight_IsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var f inFlight
		fill := func() (n int) {
			for f.acquire() {
				n++
			}
			return n
		}
		testkit.Equal(t, "slots", fill(), maxInFlight)
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
