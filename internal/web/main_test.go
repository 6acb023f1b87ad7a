package web

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// An observed is a handler under an Observer, with its log and its metrics.
type observed struct {
	http.Handler
	log      *testkit.Log
	registry *prometheus.Registry
}

func observe(h http.Handler, opts ObserverOptions) observed {
	o := observed{log: &testkit.Log{}, registry: prometheus.NewRegistry()}
	opts.Logger, opts.Registry = o.log.Logger(), o.registry
	o.Handler = NewObserver(opts).Wrap(h)
	return o
}

// do sends a request and returns the answer, and with what the handler panicked in the end.
func (o observed) do(t *testing.T, method, target string, header http.Header) (w *httptest.ResponseRecorder, panicked any) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, nil)
	r.RemoteAddr = "127.0.0.1:1234"
	maps.Copy(r.Header, header)
	w = httptest.NewRecorder()
	defer func() { panicked = recover() }()
	o.ServeHTTP(w, r)
	return w, nil
}

// line is the line of the last request in the access log.
func (o observed) line(t *testing.T) map[string]any {
	t.Helper()
	lines := o.log.Records(t, "request")
	if len(lines) == 0 {
		t.Fatal("no line in the access log")
	}
	return lines[len(lines)-1]
}

// series reads the counters and gauges, and the counts of histograms, as name{label=value,…}.
func (o observed) series(t *testing.T) map[string]float64 {
	t.Helper()
	families, err := o.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			found[family.GetName()+"{"+strings.Join(labels, ",")+"}"] = m.GetCounter().GetValue() + m.GetGauge().GetValue() +
				float64(m.GetHistogram().GetSampleCount())
		}
	}
	return found
}
