package webhook

import (
	"errors"
	"fmt"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A State is the state of an endpoint.
type State string

// The states of an endpoint. Only active ones are delivered to.
const (
	Unverified State = "unverified" // it has not answered its challenge yet
	Active     State = "active"
	Paused     State = "paused"   // the account is not on Pro at the moment
	Disabled   State = "disabled" // by its owner, by a 410, or after five days of failures
)

// An Endpoint is a URL to which an account wants events delivered, with its settings and state.
type Endpoint struct {
	ID           string // ep_ and 16 letters and digits
	Account      string
	URL          string
	Description  string
	Types        []catalog.EventType // none means all
	Categories   []string            // none means all
	State        State
	Reason       Reason // why it is not active, or why nothing is delivered although it is
	Cursor       int64  // the last event of the log that deliveries were created from
	CreatedAt    time.Time
	VerifiedAt   time.Time // when it answered its challenge; zero before that
	FailingSince time.Time // since when every attempt has failed; zero if the last one did not
	Slow         bool      // attempts of the last run timed out

	Secret         []byte    // sealed
	OldSecret      []byte    // sealed; nil except during a rotation
	OldSecretUntil time.Time // until when the old secret signs too
}

// Errors of requests about endpoints and deliveries.
var (
	ErrNotVerified  = errors.New("the endpoint has not answered its challenge")
	ErrNoEndpoint   = errors.New("there is no such endpoint")
	ErrTooMany      = errors.New("the account has as many endpoints as its plan allows")
	ErrNotPro       = errors.New("webhooks are part of the Pro plan")
	ErrNoDelivery   = errors.New("there is no such delivery")
	ErrNotActive    = errors.New("the endpoint is not active")
	ErrTooOld       = errors.New("events can be replayed for 30 days: the first that was asked for is older")
	ErrTooManyAsked = errors.New("at most 10,000 events can be replayed at once")
)

// Limits of what owners may do.
const (
	ReplayFor = 30 * 24 * time.Hour // how long after its publication an event can be replayed
	maxReplay = 10_000              // the most events to replay at once
	rotateFor = 24 * time.Hour      // how long the old secret still signs after a rotation
)

// A Replay holds the limits of a replay.
type Replay struct {
	Now    time.Time
	Oldest time.Time // events published before this cannot be replayed
	Max    int       // the most events to replay at once
}

// ReplayAt returns the limits of a replay that is made now.
func ReplayAt(now time.Time) Replay {
	return Replay{Now: now, Oldest: now.Add(-ReplayFor), Max: maxReplay}
}

// Missed is what an endpoint did not receive while it was not active.
type Missed struct {
	From, To    int64     // events without a delivery; none if From is after To
	Replayable  int64     // the first of them that can be replayed; 0 if none can
	Failed      int       // deliveries that are exhausted
	FailedSince time.Time // when the first of these ended in failure
}

// A Change says which fields of an endpoint to change; the others stay. ParseTypes, ParseCategories and
// ParseDescription must accept its fields.
type Change struct {
	Description   *string
	NewTypes      bool
	Types         []catalog.EventType // none means all
	NewCategories bool
	Categories    []string // none means all
}

// A Rotation gives an endpoint a new secret.
type Rotation struct {
	Now   time.Time
	Until time.Time // until then the previous secret still signs
	Force bool      // even if that revokes an older secret that still signs
}

// A RotatingError says that another rotation would revoke a secret that still signs.
type RotatingError struct{ Until time.Time }

// Error implements error.
func (e *RotatingError) Error() string {
	return fmt.Sprintf("another rotation would cut off the secret that signs until %s: "+
		"wait until then, or use --force when no receiver has it any more", e.Until.UTC().Format(time.RFC3339))
}

// An Event is an entry of the change log as it is delivered.
type Event struct {
	catalog.LogEntry
	Test bool // a sample: nothing happened
}

// A DeliveryState is the state of a delivery.
type DeliveryState string

// The states of a delivery.
const (
	Pending   DeliveryState = "pending"   // to be attempted at its time
	Delivered DeliveryState = "delivered" // the receiver answered 2xx
	Exhausted DeliveryState = "exhausted" // out of attempts, or its endpoint ceased to be active
)

// A Delivery is one event on its way to one endpoint. Its id is the webhook-id of every attempt and
// of every replay.
type Delivery struct {
	ID          string // msg_ and 24 letters and digits
	Endpoint    string
	Seq         int64
	Type        catalog.EventType
	Slug        string // of the event; only where deliveries are listed
	State       DeliveryState
	Attempts    int // since it was created, or replayed
	NextAt      time.Time
	CreatedAt   time.Time
	AttemptedAt time.Time // the last time
	Status      int       // the HTTP status of the last attempt; 0 without a response
	Error       Reason    // of the last attempt
	Response    string    // the beginning of the receiver's response
	Took        time.Duration
	EndReason   Reason    // why it is exhausted with attempts left: its endpoint ceased to be active
	EndedAt     time.Time // when that was
}

// A DeliveryFilter selects deliveries to list.
type DeliveryFilter struct {
	ID       string            // this delivery alone, unless it is ""
	State    DeliveryState     // "" means all
	Type     catalog.EventType // "" means all
	Before   int64             // only deliveries of events before this one; all if 0
	Limit    int
	Attempts bool // return every attempt too
}

// DeliveryStats sums up the deliveries of an endpoint over some time.
type DeliveryStats struct {
	Attempted  int           // deliveries whose last attempt was in that time; the latest MaxStats at most
	Delivered  int           // of these
	Pending    int           // pending now; at most MaxStats
	MedianTook time.Duration // of the last attempts that had a response
	Failed     int           // consecutive failed attempts up to now, whenever they were made; counted up to MaxFailed
	Hours      [24]HourStats // those of Attempted, by hour of the last 24, the oldest first
}

// HourStats counts the deliveries that were last attempted in an hour.
type HourStats struct{ Attempted, Delivered int }

// MaxFailed is how many consecutive attempts must fail before an endpoint counts as failing. One or two failures may
// only mean that the receiver is being redeployed.
const MaxFailed = 3

// Failing reports whether deliveries to an active endpoint are failing at the moment. The endpoint stays active, and
// is disabled after FailingLimit.
func (e Endpoint) Failing(s DeliveryStats) bool { return e.State == Active && s.Failed >= MaxFailed }

// An Attempt is one request of a delivery and its outcome.
type Attempt struct {
	At       time.Time
	Status   int    // the HTTP status; 0 without a response
	Error    Reason // zero if it succeeded
	Response string // the beginning of the receiver's response
	Took     time.Duration
}

// Last returns the last attempt; ok is false if there was none yet.
func (d Delivery) Last() (a Attempt, ok bool) {
	return Attempt{d.AttemptedAt, d.Status, d.Error, d.Response, d.Took}, !d.AttemptedAt.IsZero()
}

// An Outcome is a delivery after an attempt, with a new state, number of attempts and last attempt.
type Outcome = Delivery

// A Lag is how far endpoints are behind the log.
type Lag struct {
	Events    int64     // behind the slowest active endpoint that is not saturated
	Since     time.Time // when the first of them was published; zero if there are none
	Saturated int       // active endpoints whose cursor waits for their pending deliveries
}
