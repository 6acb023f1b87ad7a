package main

import (
	"slices"
	"time"
)

// stats are what /stats reports of one kind of endpoint.
type stats struct {
	Count        int `json:"count"` // all requests, whatever their outcome
	Acknowledged int `json:"acknowledged"`
	Distinct     int `json:"distinct"`   // webhook-ids that were acknowledged
	Duplicates   int `json:"duplicates"` // acknowledgements beyond the first
	Forged       int `json:"forged"`     // wrong signatures
	Unchecked    int `json:"unchecked"`  // requests for endpoints whose secret is not known

	First time.Time `json:"first,omitzero"` // arrival of the first delivery acknowledged
	Last  time.Time `json:"last,omitzero"`

	Latency *latency `json:"latency,omitempty"` // if the query has a time to count from
}

// latency is how long after that time deliveries arrived, in seconds.
type latency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

func (t *tally) stats(since time.Time) stats {
	s := stats{
		Count: t.requests, Acknowledged: t.acknowledged, Distinct: len(t.times), Duplicates: t.acknowledged - len(t.times),
		Forged: t.forged, Unchecked: t.unchecked,
	}
	n := len(t.arrivals)
	if n == 0 {
		return s
	}
	sorted := slices.SortedFunc(slices.Values(t.arrivals), time.Time.Compare)
	s.First, s.Last = sorted[0], sorted[n-1]
	if since.IsZero() {
		return s
	}
	after := func(percent int) float64 { return sorted[min(n*percent/100, n-1)].Sub(since).Seconds() }
	s.Latency = &latency{P50: after(50), P95: after(95), P99: after(99), Max: after(100)}
	return s
}
