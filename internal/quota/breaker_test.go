package quota

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestBreaker(t *testing.T) {
	t.Parallel()
	var log testkit.Log
	b := NewBreaker(nil, 0, log.Logger())
	fault := errors.New("a fault")
	for i, step := range []struct {
		report func(error)
		err    error
		open   bool
		levels string
	}{
		{b.report, nil, false, ""},
		{b.report, fault, false, ""},
		{b.report, fault, false, ""},
		{b.report, nil, false, ""}, // not consecutive
		{b.report, fault, false, ""},
		{b.report, fault, false, ""},
		{b.report, fault, true, "WARN"},
		{b.report, fault, true, "WARN"}, // had been in flight
		{b.report, nil, true, "WARN"},   // so had this: only a probe closes it
		{b.probed, fault, true, "WARN"},
		{b.probed, nil, false, "WARN INFO"},
		{b.probed, nil, false, "WARN INFO"},
		{b.report, fault, false, "WARN INFO"},
		{b.report, fault, false, "WARN INFO"},
		{b.report, fault, true, "WARN INFO WARN"},
		{b.probed, nil, false, "WARN INFO WARN INFO"},
		{b.probed, fault, true, "WARN INFO WARN INFO WARN"},
	} {
		step.report(step.err)
		if got := levels(log.String()); b.isOpen() != step.open || got != step.levels {
			t.Errorf("step %d, %v: open %v, log %q, want %v and %q", i, step.err, b.isOpen(), got, step.open, step.levels)
		}
	}
}

// A reason that outlasts the first one is logged, too, and not with every probe.
func TestBreaker_SaysWhyAgain(t *testing.T) {
	t.Parallel()
	var log testkit.Log
	b := NewBreaker(nil, 0, log.Logger())
	b.probed(errors.New("slow"))
	b.probed(errors.New("soon"))
	b.said = b.said.Add(-sayEvery)
	b.probed(errors.New("a wrong certificate"))
	b.probed(errors.New("soon after"))
	testkit.Equal(t, "log levels", levels(log.String()), "WARN WARN")
	if !strings.Contains(log.String(), "a wrong certificate") {
		t.Errorf("the lasting reason is not logged: %s", log.String())
	}
}

// A thousand charges that fail together are one change of state.
func TestBreaker_LogsOnce(t *testing.T) {
	t.Parallel()
	var log testkit.Log
	b := NewBreaker(nil, 0, log.Logger())
	var wg sync.WaitGroup
	for range 1_000 {
		wg.Go(func() { b.report(errors.New("a fault")) })
	}
	wg.Wait()
	for range 10 {
		wg.Go(func() { b.probed(nil) })
	}
	wg.Wait()
	testkit.Equal(t, "log levels", levels(log.String()), "WARN INFO")
	testkit.Equal(t, "open", b.isOpen(), false)
}
