package web

import (
	"net/http"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// answerClasses are the classes of answers, by the first digit of the status. Answers which were cut have their own: the
// client waited for the rest, and its status, if it had one, said nothing of that. So have those that were refused: see
// limit.ErrShare.
var answerClasses = [...]string{"1xx", "2xx", "3xx", "4xx", "5xx", answerCut, answerRefused}

const (
	answerCut     = "cut"
	answerRefused = "refused"
)

// Answers counts what one surface answered, by class. Requests by route say it too, but a route shows with its
// first request, and a rate misses the event that makes a series: these are there from the start.
type Answers struct {
	counts [len(answerClasses)]atomic.Uint64
}

// Wrap counts what next answers, under an Observer.
func (a *Answers) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rec := recorderOf(w); rec != nil {
			rec.answers = a
		}
		next.ServeHTTP(w, r)
	})
}

// Register shows the counts under the name of the surface.
func (a *Answers) Register(registry prometheus.Registerer, surface string) {
	for i, class := range answerClasses {
		registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name:        "palmares_http_answers_total",
			Help:        "Requests answered, by surface and class of status; cut are answers that ended early though the client waited, refused those to clients that had their share.",
			ConstLabels: prometheus.Labels{"surface": surface, "class": class},
		}, func() float64 { return float64(a.counts[i].Load()) }))
	}
}

// Sum is how many requests were answered, and how many of them failed: by a status of 500 or more, or cut. Those that were
// refused are neither: whoever asks for too much makes availability neither worse nor better.
func (a *Answers) Sum() (answered, failed uint64) {
	for i, class := range answerClasses {
		n := a.counts[i].Load()
		switch class {
		case answerRefused:
			continue
		case "5xx", answerCut:
			failed += n
		}
		answered += n
	}
	return answered, failed
}

func (a *Answers) count(status int, cut, refused bool) {
	const cutAt, refusedAt = len(answerClasses) - 2, len(answerClasses) - 1
	i := status/100 - 1
	switch {
	case cut || i < 0 || i >= cutAt:
		i = cutAt
	case refused:
		i = refusedAt
	}
	a.counts[i].Add(1)
}
