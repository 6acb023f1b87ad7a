package web

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Every answer counts once, in the class that the client saw; one that was cut is none of those, unless its
// client had gone.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status  int // 0 writes none
		panics  any
		gone    bool // the client
		err     error
		class   string
		failure uint64
	}{
		"nothing written":       {class: "2xx"},
		"not changed":           {status: 304, class: "3xx"},
		"not found":             {status: 404, class: "4xx"},
		"unavailable":           {status: 503, class: "5xx", failure: 1},
		"panic before answer":   {panics: "x", class: "5xx", failure: 1},
		"panic within answer":   {status: 200, panics: "x", class: "cut", failure: 1},
		"cut before answer":     {panics: http.ErrAbortHandler, class: "cut", failure: 1},
		"the client went away":  {status: 200, panics: http.ErrAbortHandler, gone: true, class: "2xx"},
		"it went before answer": {panics: http.ErrAbortHandler, gone: true, class: "4xx"},
		"refused":               {status: 503, err: Wrap(503, "later", fmt.Errorf("a turn: %w", limit.ErrShare)), class: "refused"},
		"the node is full":      {status: 503, err: Wrap(503, "later", limit.ErrFull), class: "5xx", failure: 1},
		"no status at all":      {status: 999, class: "cut", failure: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var a Answers
			registry := prometheus.NewRegistry()
			a.Register(registry, "api")
			h := NewObserver(ObserverOptions{}).Wrap(a.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				SetError(w, c.err)
				if c.status != 0 {
					w.WriteHeader(c.status)
				}
				if c.panics != nil {
					panic(c.panics)
				}
			})))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.gone {
				cancel()
			}
			func() {
				defer func() { _ = recover() }()
				h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/", http.NoBody))
			}()
			answered, failed := a.Totals()
			want := uint64(1)
			if c.class == answerRefused {
				want = 0
			}
			testkit.Equal(t, "answered", answered, want)
			testkit.Equal(t, "failed", failed, c.failure)
			families, err := registry.Gather()
			testkit.Must(t, err)
			for _, m := range families[0].GetMetric() {
				want := 0.0
				if m.GetLabel()[0].GetValue() == c.class {
					want = 1
				}
				testkit.Equal(t, m.GetLabel()[0].GetValue(), m.GetCounter().GetValue(), want)
			}
			testkit.Equal(t, "series", len(families[0].GetMetric()), len(answerClasses))
		})
	}
}
