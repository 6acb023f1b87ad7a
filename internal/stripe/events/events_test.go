package events

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/stripetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A forgery is a request that is refused.
type forgery struct {
	signature string
	body      []byte
	status    int
}

// forgeries are what somebody sends who is not the provider. An event has 2 KB.
func forgeries(tb testing.TB) (handler http.Handler, all map[string]forgery) {
	tb.Helper()
	fake := stripetest.New(tb, stripefake.Options{})
	body := bytes.Repeat([]byte("{}"), 1<<10)
	changed := bytes.Clone(body)
	changed[len(changed)-1]++
	now := time.Now().Add(time.Minute) // within the tolerance for as long as this runs
	provider := stripetest.Client(tb, fake)
	tb.Cleanup(provider.Close)
	// There is no store: whatever is stored panics.
	service := billing.New(billing.Options{Provider: provider})
	other := &stripefake.Server{Secret: "whsec_of_somebody_else"}
	handler = New(service, func(string) {}).Handler()
	return handler, map[string]forgery{
		"forged":  {other.Sign(body, now), body, http.StatusBadRequest},
		"stale":   {fake.Sign(body, now.Add(-time.Hour)), body, http.StatusBadRequest},
		"changed": {fake.Sign(body, now), changed, http.StatusBadRequest},
		"bare":    {"", body, http.StatusBadRequest},
		"1 MB":    {fake.Sign(body, now), bytes.Repeat([]byte{' '}, 1<<20), http.StatusRequestEntityTooLarge},
	}
}

// send sends a forgery past the network.
func (f forgery) send(tb testing.TB, handler http.Handler) {
	r := httptest.NewRequest(http.MethodPost, Path, bytes.NewReader(f.body))
	if f.signature != "" {
		r.Header.Set("Stripe-Signature", f.signature)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	if w.Code != f.status {
		tb.Fatalf("%d, want %d", w.Code, f.status)
	}
}

// cost sends a forgery many times and returns the CPU time of one, the test's own request and recorder
// included. Time on the clock would tell how busy the machine is.
func (f forgery) cost(tb testing.TB, handler http.Handler, times int) time.Duration {
	tb.Helper()
	before := cpuTime(tb)
	for range times {
		f.send(tb, handler)
	}
	return (cpuTime(tb) - before) / time.Duration(times)
}

// cpuTime is what this process has used so far.
func cpuTime(tb testing.TB) time.Duration {
	tb.Helper()
	var used syscall.Rusage
	testkit.Must(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// What it costs to refuse an event.
func BenchmarkBillingEvents(b *testing.B) {
	handler, all := forgeries(b)
	for name, f := range all {
		b.Run(name, func(b *testing.B) {
			b.ReportMetric(float64(f.cost(b, handler, b.N).Nanoseconds()), "cpu-ns/op")
		})
	}
}

// An event that is refused costs no more than docs/operations/billing.md says. That is held to in the
// long form.
func TestBillingEvents_AreCheapToRefuse(t *testing.T) { //nolint:paralleltest // it measures the whole process
	const most = 50 * time.Microsecond
	handler, all := forgeries(t)
	for name, f := range all {
		took := f.cost(t, handler, 2000)
		t.Logf("%s: %v", name, took)
		if testkit.Long() && took > most {
			t.Errorf("%s costs %v, want %v at most", name, took, most)
		}
	}
}
