package quota

import (
	"context"
	"crypto/tls"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/redistest"
)

// TestDeadlineEndsBetweenConnectingAndGreeting: the connection stands, the deadline of
// the charge that opened it has just passed, and Redis says nothing.
func TestDeadlineEndsBetweenConnectingAndGreeting(t *testing.T) {
	t.Parallel()
	s := redistest.NewServer(t)
	r, err := NewRedis(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	late := impatient(func(ctx context.Context, addr string, d *net.Dialer, secure *tls.Config) (net.Conn, error) {
		conn, err := dialTCP(ctx, addr, d, secure)
		if _, ok := ctx.Deadline(); ok {
			<-ctx.Done()
		}
		return conn, err
	})
	r.option.DialCtxFn = late
	if err := r.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Kill() // ends the connection
	s.Start()
	thaw := s.Freeze()
	defer thaw()
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), 25*time.Millisecond)
		started := time.Now()
		_, err := r.Add(ctx, "palmares:quota:test:late", time.Now().Add(time.Hour), true)
		took := time.Since(started)
		cancel()
		if err == nil {
			t.Error("a frozen Redis counts")
		}
		holdTo(t, "a charge", took, 500*time.Millisecond)
	}
}

// TestConnectionsOutliveWhoOpenedThem: the end of the context does not close them once
// Redis has answered.
func TestConnectionsOutliveWhoOpenedThem(t *testing.T) {
	t.Parallel()
	s := redistest.NewServer(t)
	r, err := NewRedis(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := dial(t, s.URL())
	do(t, c, "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
	opened := func() string {
		stats, err := do(t, c, "INFO", "stats").ToString()
		if err != nil {
			t.Fatal(err)
		}
		_, after, _ := strings.Cut(stats, "total_connections_received:")
		number, _, _ := strings.Cut(after, "\r\n")
		return number
	}
	settled := ""
	for i := range 20 {
		if i == 6 { // those before found the connection dead, and opened the next
			settled = opened()
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		_, err := r.Add(ctx, "palmares:quota:test:kept", time.Now().Add(time.Hour), true)
		cancel()
		if err != nil && i >= 6 {
			t.Errorf("charge %d: %v", i, err)
		}
		time.Sleep(time.Millisecond)
	}
	if now := opened(); now != settled || now == "" {
		t.Errorf("%s connections opened, %s before", now, settled)
	}
}
