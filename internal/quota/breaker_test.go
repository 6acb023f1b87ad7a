package quota

import (
	"errors"
	"sync"
	"testing"
)

func TestBreaker(t *testing.T) {
	t.Parallel()
	logs := &logBook{}
	b := &breaker{log: logs.logger()}
	fault := errors.New("a fault")
	for _, step := range []struct {
		report func(error)
		err    error
		open   bool
		levels string
	}{
		{b.report, nil, false, ""},
		{b.report, fault, false, ""},
		{b.report, fault, false, ""},
		{b.report, nil, false, ""}, // not in a row
		{b.report, fault, false, ""},
		{b.report, fault, false, ""},
		{b.report, fault, true, "WARN"},
		{b.report, fault, true, "WARN"}, // was on its way
		{b.report, nil, true, "WARN"},   // so was this: only a probe closes
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
		if b.isOpen() != step.open || logs.levels() != step.levels {
			t.Errorf("after %v: open %v, log %q, want %v and %q", step.err, b.isOpen(), logs.levels(), step.open, step.levels)
		}
	}
}

// TestBreakerLogsOnce: a thousand charges that fail together are one change of state.
func TestBreakerLogsOnce(t *testing.T) {
	t.Parallel()
	logs := &logBook{}
	b := &breaker{log: logs.logger()}
	var wg sync.WaitGroup
	for range 1_000 {
		wg.Go(func() { b.report(errors.New("a fault")) })
	}
	wg.Wait()
	for range 10 {
		wg.Go(func() { b.probed(nil) })
	}
	wg.Wait()
	if got := logs.levels(); got != "WARN INFO" || b.isOpen() {
		t.Errorf("log %q, open %v", got, b.isOpen())
	}
}
