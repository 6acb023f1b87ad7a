package stripefake

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// An event that is not taken is sent again, later each time, for three days, while others go out (docs.stripe.com/webhooks,
// automatic retries); what the endpoint did not ask for is not sent at all.
func TestSender_BacksOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		began, sent := time.Now(), map[string][]time.Duration{}
		s := startSender(
			func() []Event {
				return []Event{{ID: "1", Type: "refused"}, {ID: "2", Type: "taken"}, {ID: "3", Type: "unwanted"}}
			},
			func(kind string) bool { return kind != "unwanted" },
			func(_ context.Context, e Event) error {
				mu.Lock()
				defer mu.Unlock()
				sent[e.Type] = append(sent[e.Type], time.Since(began))
				if e.Type == "refused" {
					return errors.New("503")
				}
				return nil
			})
		time.Sleep(7 * 24 * time.Hour)
		s.stop()
		if got := len(sent["taken"]); got != 2 { // doubled
			t.Errorf("what is taken is sent %d times", got)
		}
		if len(sent["unwanted"]) > 0 {
			t.Error("what nobody asked for is sent")
		}
		tries := sent["refused"]
		if last := slices.Max(tries); last < 60*time.Hour || last > 72*time.Hour {
			t.Errorf("the last attempt is after %v", last)
		}
		if len(tries) < 20 || len(tries) > 80 { // two deliveries of it
			t.Errorf("%d attempts: %v", len(tries), tries)
		}
	})
}
