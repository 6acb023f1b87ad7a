package testkit

import (
	"errors"
	"testing"
	"time"
)

func TestEventually_WaitsForTheCheck(t *testing.T) {
	t.Parallel()
	calls := 0
	Eventually(t, func() error {
		if calls++; calls < 3 {
			return errors.New("not yet")
		}
		return nil
	})
	Equal(t, "calls", calls, 3)
}

func TestClock_MovesWhenTold(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC)
	c := NewClock(start)
	c.Advance(time.Hour)
	Equal(t, "after an hour", c.Now(), start.Add(time.Hour))
	c.Set(start)
	Equal(t, "set back", c.Now(), start)
}
