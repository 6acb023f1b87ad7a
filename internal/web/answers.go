package web

import (
	"net/http"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// answerClasses are the classes of responses, by the first digit of the status. Responses that were cut off while the
// client still waited have a class of their own, because their status does not show it. So have requests refused
// because a client had its share: see limit.ErrShare.
var answerClasses = [...]string{"1xx", "2xx", "3xx", "4xx", "5xx", answerCut, answerRefused}

const (
	answerCut     = "cut"
	answerRefused = "refused"
)

// Answers counts the responses of one surface by class. The metrics by route count them too, but a route's series
// begins with its first request, which a rate then misses. These series exist from the start.
type Answers struct {
	counts [len(answerClasses)]atomic.Uint64
}

// Wrap counts the responses of next. It counts nothing outside an Observer.
func (a *Answers) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rec := recorderOf(w); rec != nil {
			rec.answers = a
		}
		next.ServeHTTP(w, r)
	})
}

// Register registers the counts as metrics, labelled with the name of the surface.
func (a *Answers) Register(registry prometheus.Registerer, surface string) {
	for i, class := range answerClasses {
		registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name:        "palmares_http_answers_total",
			Help:        "Requests answered, by surface and class of status; cut are answers that ended early though the client waited, refused those to clients that had their share.",
			ConstLabels: prometheus.Labels{"surface": surface, "class": class},
		}, func() float64 { return float64(a.counts[i].Load()) }))
	}
}

// Totals returns how many requests were answered and how many of those failed, with a 5xx or by being cut off. Refused
// requests count as neither, so that a client that asks for too much does not change the availability.
func (a *Answers) Totals() (answered, failed uint64) {
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
