package webhook

import (
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// An Event is an entry of the log as it is delivered.
type Event struct {
	catalog.Event
	Seq     int64
	Edition int64
	At      time.Time // of the publication
	Test    bool      // a sample: nothing happened
}

// A DeliveryState says what became of a delivery.
type DeliveryState string

// The states of a delivery.
const (
	Pending   DeliveryState = "pending"   // to be attempted at its time
	Delivered DeliveryState = "delivered" // the receiver said 2xx
	Exhausted DeliveryState = "exhausted" // no attempt is left, or the endpoint went away; it can be replayed
)

// A Delivery is one event on its way to one endpoint. Its id is the webhook-id of
// every attempt and of every replay.
type Delivery struct {
	ID       string // msg_ and 24 letters and digits
	Endpoint string
	Seq      int64
	Type     catalog.EventType
	Slug     string // of the event; only where deliveries are listed
	State    DeliveryState
	Attempts int // since it was made, or replayed
	NextAt   time.Time
	Made     time.Time
	Done     time.Time // of the last attempt
	Status   int       // HTTP's, of the last attempt; 0 when there was no answer
	Error    string    // of the last attempt
	Response string    // the beginning of what the receiver said
	Took     time.Duration
	Ended    string    // why it is exhausted with attempts left: its endpoint ceased to be active
	EndedAt  time.Time // when that was
}

// An Attempt is one request of a delivery, and what came of it.
type Attempt struct {
	At       time.Time
	Status   int    // HTTP's; 0 when there was no answer
	Error    string // "" when it succeeded
	Response string // the beginning of what the receiver said
	Took     time.Duration
}

// Last is the last attempt; ok is false when there was none yet.
func (d Delivery) Last() (a Attempt, ok bool) {
	return Attempt{d.Done, d.Status, d.Error, d.Response, d.Took}, !d.Done.IsZero()
}

// An Outcome is a delivery after an attempt: the state, the number of attempts and
// all that is about the last one are new.
type Outcome = Delivery

// A Lag is how far endpoints are behind the log.
type Lag struct {
	Events    int64     // behind the slowest active endpoint that is not saturated
	Since     time.Time // when the first of them was published; zero when there are none
	Saturated int       // active endpoints whose log waits until deliveries are over
}
