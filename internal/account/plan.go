// Package account says who may call the service and how much: the plans and
// their limits.
package account

// A Plan is what a caller has signed up for.
type Plan int

// Anonymous is the plan of those who have not signed up.
const Anonymous Plan = iota

// Limits are what a plan allows.
type Limits struct {
	Daily int // requests in a UTC day
}

// Limits gives the limits of the plan.
func (p Plan) Limits() Limits { return Limits{Daily: 100} }
