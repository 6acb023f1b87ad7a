package account

import (
	"fmt"
	"strings"
)

// A Plan is what an account has signed up for.
type Plan uint8

// The plans. Anonymous is for callers without an account.
const (
	Anonymous Plan = iota
	Developer
	Pro
)

// Limits are the limits of a plan. Everything that differs between plans is here.
type Limits struct {
	Name      string // in the database and on the command line
	Tier      string // the X-RateLimit-Tier header; "" sends none
	Daily     int    // requests per UTC day; 0 means no limit
	Keys      int    // live API keys per account
	Endpoints int    // webhook endpoints per account
	Watched   int    // tools in the account's list
	Downloads int    // slots for downloads on a node, shared by all with this plan or a lesser one
}

var plans = [...]Limits{
	Anonymous: {Name: "anonymous", Daily: 100, Downloads: 192},
	Developer: {Name: "developer", Tier: "free", Daily: 1000, Keys: 3, Watched: 50, Downloads: 224},
	Pro:       {Name: "pro", Tier: "pro", Keys: 10, Endpoints: 10, Watched: 200, Downloads: 256},
}

// Plans returns every plan, including Anonymous.
func Plans() []Plan { return []Plan{Anonymous, Developer, Pro} }

// Limits returns the limits of the plan.
func (p Plan) Limits() Limits { return plans[p] }

// String returns the plan's name.
func (p Plan) String() string { return plans[p].Name }

// ParsePlan parses the name of a plan that an account can have.
func ParsePlan(name string) (Plan, error) {
	var names []string
	for p := Developer; int(p) < len(plans); p++ {
		if plans[p].Name == name {
			return p, nil
		}
		names = append(names, plans[p].Name)
	}
	return Anonymous, fmt.Errorf("%q is not a plan: it is %s", name, strings.Join(names, " or "))
}

// A PlanSource says who decides the plan of an account.
type PlanSource string

// The sources. FromOperator goes with Pro only: no payment and no event changes such a plan. All
// other plans follow the payment provider, and an account that never paid has Developer.
const (
	FromOperator PlanSource = "operator"
	FromProvider PlanSource = "provider"
)

// SourceOf returns the source of a plan that the operator sets.
func SourceOf(plan Plan) PlanSource {
	if plan == Pro {
		return FromOperator
	}
	return FromProvider
}
