package webhook

import (
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// An Event is an entry of the change log as it is delivered.
type Event struct {
	catalog.LogEntry
	Test bool // a sample: nothing happened
}

// A DeliveryState says what became of a delivery.
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
	Before   int64             // those of events before this one; all if 0
	Limit    int
	Attempts bool // with every attempt
}

// DeliveryStats sums up the deliveries of an endpoint over some time.
type DeliveryStats struct {
	Attempted  int           // whose last attempt was in that time; at most MaxStats, the latest
	Delivered  int           // of these
	Pending    int           // now; at most MaxStats
	MedianTook time.Duration // of the last attempts that had a response
	Failed     int           // attempts in a row until now that failed, whenever they were made; MaxFailed or more are many
}

// MaxFailed is how many attempts in a row an endpoint fails before it is called failing. One or two may be a
// deployment of the receiver.
const MaxFailed = 3

// Failing reports whether an endpoint is delivered to in vain at the moment. It stays active, and is disabled
// after FailingLimit.
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
