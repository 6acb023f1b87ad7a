package testkit

import (
	"testing"
	"time"
)

func TestClock_MovesWhenTold(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC)
	c := NewClock(start)
	c.Advance(time.Hour)
	Equal(t, "after an hour", c.Now(), start.Add(time.Hour))
	c.Set(start)
	Equal(t, "set back", c.Now(), start)
}
