package webhook

import (
	"errors"
	"fmt"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A State says whether an endpoint is delivered to.
type State string

// The states of an endpoint. Only active ones are delivered to.
const (
	Unverified State = "unverified" // its owner has not shown yet that it is theirs
	Active     State = "active"
	Paused     State = "paused"   // the account is not Pro at the moment
	Disabled   State = "disabled" // by its owner, by 410, or after five days of failures
)

// An Endpoint is where an account wants to hear of changes.
type Endpoint struct {
	ID          string // ep_ and 16 letters and digits
	Account     string
	URL         string
	Description string
	Types       []catalog.EventType // none is all
	Categories  []string            // none is all
	State       State
	Reason      string // why it is not active, or why nothing is delivered although it is
	Cursor      int64  // the last event of the log that deliveries were made of
	CreatedAt   time.Time
	VerifiedAt  time.Time // when its owner showed that it is theirs; zero before that
	Failing     time.Time // since when every attempt has failed; zero when the last one did not
	Slow        bool      // the last run of deliveries met time-outs

	Secret      []byte    // sealed
	OldSecret   []byte    // sealed; nil but during a rotation
	OldSecretTo time.Time // until when the old secret signs too
}

// Why an endpoint is not active, for its owner to read.
const (
	NotVerified = "it has not answered its challenge yet"                         // unverified
	NotPro      = "the account is no longer on the Pro plan: webhooks are paused" // paused
)

// What cannot be done with endpoints.
var (
	ErrNotVerified  = errors.New("the endpoint has not answered its challenge")
	ErrNoEndpoint   = errors.New("there is no such endpoint")
	ErrTooMany      = errors.New("the account has as many endpoints as its plan allows")
	ErrNotPro       = errors.New("webhooks are part of the Pro plan")
	ErrNoDelivery   = errors.New("there is no such delivery")
	ErrNotReady     = errors.New("the endpoint is not active")
	ErrTooOld       = errors.New("events can be replayed for 30 days: the first that was asked for is older")
	ErrTooManyAsked = errors.New("at most 10,000 events can be replayed at once")
)

// What owners are given.
const (
	ReplayFor  = 30 * 24 * time.Hour // how long after its publication an event can be replayed
	mostReplay = 10_000              // events replayed at once
	rotateFor  = 24 * time.Hour      // how long the old secret signs beside the new one
)

// Missed is what an endpoint did not get while it was not active.
type Missed struct {
	From, To    int64     // events that no delivery was made of; none when From is after To
	Replayable  int64     // the first of them that can be replayed; 0 when none can
	Failed      int       // deliveries that are exhausted
	FailedSince time.Time // when the first of these was given up
}

// A Change is what of an endpoint becomes another; the rest stays.
type Change struct {
	Description   *string
	NewTypes      bool
	Types         []catalog.EventType // none is all
	NewCategories bool
	Categories    []string // none is all
}

// A Rotation gives an endpoint another secret.
type Rotation struct {
	Now   time.Time
	Until time.Time // until then the secret that it had signs too
	Force bool      // even when that cuts off one that still signs from a rotation before
}

// A RotatingError says that another rotation would cut off a secret that still signs.
type RotatingError struct{ Until time.Time }

// Error implements error.
func (e *RotatingError) Error() string {
	return fmt.Sprintf("another rotation would cut off the secret that signs until %s: wait until then, or use --force when no receiver has it any more",
		e.Until.UTC().Format(time.RFC3339))
}
