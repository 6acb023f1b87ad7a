package account

import (
	"fmt"
	"time"
)

// An ActLimit is how often something may be done within any such time. The operator's commands are
// not counted.
type ActLimit struct {
	Name   string // in texts and metrics
	Most   int
	Within time.Duration
}

// KeyLimit is how many keys an account may create or rotate. Each leaves a row for ever, and every
// node hears of it.
var KeyLimit = ActLimit{Name: "keys", Most: 50, Within: 24 * time.Hour}

// A LimitError says that something was done as often as it may be for now.
type LimitError struct {
	ActLimit
	Until time.Time // when it can be done again
}

// Error implements error.
func (e *LimitError) Error() string {
	return fmt.Sprintf("the limit of %d in %v (%s) is met until %s",
		e.Most, e.Within, e.Name, e.Until.UTC().Format(time.RFC3339))
}

// A KeyFilter says which revoked keys are listed, beside all others.
type KeyFilter struct {
	Revoked   int       // at most so many, those that were revoked last; 0 for any number
	UsedSince time.Time // only those used since that day, or revoked just now; zero for all
}
