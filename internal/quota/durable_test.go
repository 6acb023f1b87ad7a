package quota

import (
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/redistest"
)

// TestBurstsOfResets: a charge whose connection goes is not sent again.
func TestBurstsOfResets(t *testing.T) {
	t.Parallel()
	server := redistest.NewServer(t)
	way := newProxy(t, server.Addr())
	nodes := startNodes(t, way.url(), 2)
	l := newLoad(nodes, 200)
	l.every = 500 * time.Microsecond
	l.apart = true
	stop := l.start()
	for i := range 50 {
		waitBack(t, nodes)
		time.Sleep(time.Duration(i%4) * time.Millisecond)
		heal := way.poison(resetOnAnswer)
		time.Sleep(time.Duration(1+i%4) * 500 * time.Microsecond) // who sends again soon gets through
		heal()
	}
	waitBack(t, nodes)
	stop()

	c := dial(t, server.URL())
	wide, tight := 0, counted(t, c, nodes[0].Account(l.tight).key)
	for i := range l.begun {
		got := counted(t, c, nodes[0].Account(l.account(i)).key)
		if got > 1 {
			t.Errorf("one charge was counted %d times", got)
		}
		wide += got
	}
	unheard := wide + tight - int(acknowledged(nodes))
	t.Logf("%d charges, of which Redis counted %d; %d were counted and never heard of; %d of a quota of %d let through by %d nodes",
		l.begun, wide+tight, unheard, l.through, l.limit, len(nodes))
	if unheard < 10 {
		t.Errorf("only %d charges lost their answer: the resets missed them", unheard)
	}
	checkShared(t, nodes)
	if most := len(nodes) * l.limit; l.through > most {
		t.Errorf("%d let through, at most %d (nodes × quota) wanted", l.through, most)
	}
	if l.refused > 0 {
		t.Errorf("%d charges were refused because Redis was gone", l.refused)
	}
}

// TestKilledRedis kills Redis under load: what it acknowledged, it knows afterwards.
func TestKilledRedis(t *testing.T) {
	t.Parallel()
	server := redistest.NewServer(t)
	nodes := startNodes(t, server.URL(), 2)
	l := newLoad(nodes, 0) // every charge is one of the wide account, or none
	for round := range 3 {
		stop := l.start()
		time.Sleep(300 * time.Millisecond)
		server.Kill()
		time.Sleep(100 * time.Millisecond)
		server.Start()
		took := waitBack(t, nodes)
		time.Sleep(100 * time.Millisecond)
		stop()
		heard := int(acknowledged(nodes))
		got := counted(t, dial(t, server.URL()), nodes[0].Account(l.wide).key)
		t.Logf("round %d: %d acknowledged, %d known afterwards, %d sent; counting together after %v", round, heard, got, l.sent, took)
		if got < heard {
			t.Errorf("round %d: %d charges acknowledged, %d known afterwards", round, heard, got)
		}
		if got > l.sent {
			t.Errorf("round %d: %d counted, %d sent", round, got, l.sent)
		}
	}
	if alone(nodes) == 0 {
		t.Error("Redis was never missed")
	}
}
