package node

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/stripe/events"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/stripetest"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/web"
)

// A door is the address for events, and what it counts.
type door struct {
	http.Handler
	events *events.Events
	mu     sync.Mutex
	counts map[string]int
}

func newDoor(service billing.Options) *door {
	d := &door{counts: make(map[string]int)}
	d.events = events.New(billing.New(service), func(what string) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.counts[what]++
	})
	observer := web.NewObserver(web.ObserverOptions{Proxies: web.Proxies{netip.MustParsePrefix("127.0.0.1/32")}})
	d.Handler = observer.Wrap(d.events.Handler())
	return d
}

// send sends an event from an address.
func (d *door) send(address, signature string, body io.Reader) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, events.Path, body)
	r.RemoteAddr = "127.0.0.1:1"
	r.Header.Set("X-Forwarded-For", address)
	r.Header.Set("Stripe-Signature", signature)
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w
}

// slow sends events whose body never ends, n at once, until stop is called.
func (d *door) slow(t *testing.T, address string, n int) (stop func()) {
	t.Helper()
	before := d.events.Bodies()
	forged := fmt.Sprintf("t=%d,v1=%s", time.Now().Unix(), strings.Repeat("0", 64))
	body, rest := io.Pipe()
	var sending sync.WaitGroup
	for range n {
		sending.Go(func() { d.send(address, forged, body) })
	}
	testkit.EventuallyTrue(t, "their bodies are waited for", func() bool { return d.events.Bodies() == before+n })
	stop = sync.OnceFunc(func() { _ = rest.Close(); sending.Wait() })
	t.Cleanup(stop)
	return stop
}

// Strangers from one address who send slowly hold two bodies and no more, and those from any number of
// addresses sixteen. An event of the provider is taken beside the first and processed; beside the others it is
// to be sent again, and taken once one of them has gone.
func TestBillingEvents_SlowStrangers(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	p := newTill(t, db)
	startRoles(t, []string{Worker}, db, p.settings()...)
	d := newDoor(billing.Options{Store: open(t, db).Billing, Provider: stripetest.Client(t, p.Server)})
	_, a, _ := p.buy("ada@example.org")
	signed := func(e stripefake.Event) *httptest.ResponseRecorder {
		return d.send("198.51.100.1", p.Sign(e.Body, time.Now()), bytes.NewReader(e.Body))
	}
	sent := p.Events()
	d.slow(t, "192.0.2.1", events.MaxBodiesOfClient)
	again := fmt.Sprintf("t=%d,v1=%s", time.Now().Unix(), strings.Repeat("0", 64))
	if w := d.send("192.0.2.1", again, unread{t}); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("one more of the address: %d %v", w.Code, w.Header())
	}
	for _, e := range sent[1:] {
		if w := signed(e); w.Code != http.StatusNoContent {
			t.Errorf("an event of the provider beside them: %d %s", w.Code, w.Body)
		}
	}
	p.worked()
	testkit.EventuallyTrue(t, "who paid is on Pro", func() bool { return p.plan(a.ID) == "pro by provider" })

	var stop func()
	for i := 2; i <= events.MaxBodies/events.MaxBodiesOfClient; i++ {
		stop = d.slow(t, fmt.Sprintf("192.0.2.%d", i), events.MaxBodiesOfClient)
	}
	if w := signed(sent[0]); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("an event beside %d bodies: %d", events.MaxBodies, w.Code)
	}
	stop()
	if w := signed(sent[0]); w.Code != http.StatusNoContent {
		t.Errorf("an event after some have gone: %d %s", w.Code, w.Body)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	testkit.Equal(t, "refused for the crowd", d.counts[events.Crowded], 2)
}

// unread is a body that nobody may read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body is read")
	return 0, errors.New("not to be read")
}

// The body of an event is not read before its signature says that it was made about now.
func TestBillingEvents_TimeComesFirst(t *testing.T) {
	t.Parallel()
	fake := stripetest.New(t, stripefake.Options{})
	provider := stripetest.Client(t, fake)
	t.Cleanup(provider.Close)
	d := newDoor(billing.Options{Provider: provider})
	sum := strings.Repeat("0", 64)
	now := time.Now().Unix()
	for name, signature := range map[string]string{
		"none": "", "no time": "v1=" + sum, "no sum": fmt.Sprintf("t=%d", now), "a short sum": fmt.Sprintf("t=%d,v1=00", now),
		"an hour ago": fmt.Sprintf("t=%d,v1=%s", now-3600, sum), "in an hour": fmt.Sprintf("t=%d,v1=%s", now+3600, sum),
		"no number": "t=now,v1=" + sum,
	} {
		if w := d.send("192.0.2.1", signature, unread{t}); w.Code != http.StatusBadRequest || d.events.Bodies() != 0 {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
}
