package web

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A logRecorder is where a test's log goes.
type logRecorder struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logRecorder) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logRecorder) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// lines decodes what was logged with the given message.
func (l *logRecorder) lines(t *testing.T, message string) []map[string]any {
	t.Helper()
	var found []map[string]any
	for text := range strings.Lines(l.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(text), &fields); err != nil {
			t.Fatalf("a log line is not JSON: %q: %v", text, err)
		}
		if fields["msg"] == message {
			found = append(found, fields)
		}
	}
	return found
}

func (l *logRecorder) logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// start serves h on a real listener.
func start(t *testing.T, h http.Handler) (url string, client *http.Client) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	client = server.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return server.URL, client
}

// series reads the counters and gauges of a registry, and the counts of its
// histograms, as name{label="value",…} -> value.
func series(t *testing.T, g prometheus.Gatherer) map[string]float64 {
	t.Helper()
	families, err := g.Gather()
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
			name := family.GetName() + "{" + strings.Join(labels, ",") + "}"
			switch {
			case m.GetCounter() != nil:
				found[name] = m.GetCounter().GetValue()
			case m.GetGauge() != nil:
				found[name] = m.GetGauge().GetValue()
			case m.GetHistogram() != nil:
				found[name] = float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	return found
}
