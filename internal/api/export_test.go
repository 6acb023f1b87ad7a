package api

import (
	"slices"
	"sync/atomic"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// CountWork counts from now on how often a query is read and how often a response is
// computed. It must be called before the first request.
func (a *API) CountWork() (reads, responses *atomic.Int64) {
	reads, responses = new(atomic.Int64), new(atomic.Int64)
	for _, r := range a.router.all {
		op, read := r.op, r.read
		r.op = func(s *catalog.Snapshot, q question) (answer, error) {
			responses.Add(1)
			return op(s, q)
		}
		if read != nil {
			r.read = func(p *parameters) question {
				reads.Add(1)
				return read(p)
			}
		}
	}
	return reads, responses
}

// Paths lists the registered routes.
func (a *API) Paths() []string {
	paths := make([]string, 0, len(a.router.all))
	for _, r := range a.router.all {
		paths = append(paths, r.pattern)
	}
	slices.Sort(paths)
	return paths
}

// ContractYAML is openapi.yaml as it is embedded.
func ContractYAML() []byte { return openapiYAML }

// What may be compressed.
const (
	BudgetPerSecond = budgetPerSecond
	BudgetAtOnce    = budgetAtOnce
)

// SpendBudget takes from what may be compressed.
func (a *API) SpendBudget(bytes int) { a.budget.take(bytes) }

// MinCompressed is the size from which bodies are compressed.
const MinCompressed = minCompressed
