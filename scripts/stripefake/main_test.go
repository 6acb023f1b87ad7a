package main

import (
	"context"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ready, ended := make(chan *stripefake.Server, 1), make(chan error, 1)
	go func() {
		ended <- run(ctx, "127.0.0.1:0", stripefake.Options{Price: "price_pro"}, func(s *stripefake.Server) { ready <- s })
	}()
	s := <-ready
	if state := testkit.Get(t, s.URL+"/_control/state"); !state.Says(`"id":"price_pro"`) {
		t.Errorf("its state: %s", state)
	}
	taken := strings.TrimPrefix(s.URL, "http://")
	err := run(ctx, taken, stripefake.Options{}, func(*stripefake.Server) { t.Error("it is ready") })
	if err == nil || !strings.Contains(err.Error(), taken) {
		t.Errorf("a second one at the same address: %v", err)
	}
	cancel()
	testkit.Must(t, <-ended)
}
