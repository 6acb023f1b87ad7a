package account

import (
	"fmt"
	"strings"
)

// A Plan is what a caller has signed up for.
type Plan uint8

// The plans. Anonymous is for those who have not signed up.
const (
	Anonymous Plan = iota
	Developer
	Pro
)

// Limits are what a plan allows. All that is particular to a plan is here.
type Limits struct {
	Name      string // in the database and on the command line
	Tier      string // in X-RateLimit-Tier; "" sends none
	Daily     int    // requests in a UTC day; 0 is without limit
	Keys      int    // live API keys of an account
	Endpoints int    // webhook endpoints of an account
}

var plans = [...]Limits{
	Anonymous: {Name: "anonymous", Daily: 100},
	Developer: {Name: "developer", Tier: "free", Daily: 1000, Keys: 3},
	Pro:       {Name: "pro", Tier: "pro", Keys: 10, Endpoints: 10},
}

// Plans lists every plan, the anonymous one included.
func Plans() []Plan { return []Plan{Anonymous, Developer, Pro} }

// Limits gives the limits of the plan.
func (p Plan) Limits() Limits { return plans[p] }

// String is the plan's name.
func (p Plan) String() string { return plans[p].Name }

// ParsePlan reads the name of a plan that an account can have.
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
