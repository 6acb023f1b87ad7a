package webhook

import (
	"context"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/limit"
)

// An EndpointsStore stores endpoints and deliveries for their owners. Methods that take an Actor apply
// only to what the actor owns, and check ownership in the same statement or transaction: the error for
// anything else is ErrNoEndpoint or ErrNoDelivery. Methods that change something also record it in the
// account's activity.
type EndpointsStore interface {
	EndpointReader
	EndpointWriter
	StateStore
	SendStore
	DeliveryReader
	ReplayStore
	EventReader
	CanaryStore
}

// Categories returns the categories of the catalog.
type Categories interface {
	// Categories returns the categories of the current edition; published is false before the first.
	Categories(ctx context.Context) (categories []catalog.Category, published bool, err error)
}

// An EndpointReader finds endpoints.
type EndpointReader interface {
	// Endpoint finds an endpoint by id.
	Endpoint(ctx context.Context, by account.Actor, id string) (Endpoint, error)
	// Endpoints lists the endpoints of an account, the oldest first.
	Endpoints(ctx context.Context, by account.Actor, accountID string) ([]Endpoint, error)
}

// An EndpointWriter creates, updates and deletes endpoints.
type EndpointWriter interface {
	// CreateEndpoint creates an endpoint for its account, with the cursor at the end of the log. It
	// returns ErrNotPro or ErrTooMany if the plan does not allow it. If it is created active, its
	// VerifiedAt is now.
	CreateEndpoint(ctx context.Context, by account.Actor, e Endpoint, now time.Time) error
	// UpdateEndpoint applies a change and returns the endpoint after it.
	UpdateEndpoint(ctx context.Context, by account.Actor, id string, c Change, now time.Time) (
		Endpoint, error)
	// RotateSecret gives an endpoint a new secret; the previous one signs until the rotation's end.
	// While there are two, it returns a RotatingError unless the rotation is forced. It reports
	// whether it revoked a secret that still signed.
	RotateSecret(ctx context.Context, by account.Actor, id string, sealed []byte, r Rotation) (
		revoked bool, err error)
	// DeleteEndpoint deletes an endpoint with its deliveries.
	DeleteEndpoint(ctx context.Context, by account.Actor, id string, now time.Time) error
}

// A StateStore changes the state of endpoints.
type StateStore interface {
	// VerifyEndpoint records that an endpoint has answered its challenge and makes it active, or
	// returns ErrNotPro.
	VerifyEndpoint(ctx context.Context, by account.Actor, id string, now time.Time) error
	// EnableEndpoint makes an endpoint active, with the cursor at the end of the log, and returns
	// what it missed. It returns ErrNotPro if the plan has no webhooks. An endpoint that was never
	// verified becomes unverified, and the error is ErrNotVerified.
	EnableEndpoint(ctx context.Context, by account.Actor, id string, r Replay) (Missed, error)
	// DisableEndpoint disables an endpoint and ends its pending deliveries for the reason.
	DisableEndpoint(ctx context.Context, by account.Actor, id string, reason Reason, now time.Time) error
	// Missed returns what an endpoint has missed so far; nothing if it is active.
	Missed(ctx context.Context, by account.Actor, id string, r Replay) (Missed, error)
}

// A SendStore counts tests and challenges.
type SendStore interface {
	// CountSend counts a message that is about to be sent to an endpoint, and returns the endpoint. The error is
	// ErrNotPro if the plan has no webhooks, ErrNotVerified for a sample to an endpoint that was never verified, and
	// a limit.ReachedError if SendLimit, SendHostLimit or ChallengeLimit is reached. The operator's messages are
	// not counted.
	CountSend(ctx context.Context, by account.Actor, id string, s Sending) (Endpoint, error)
}

// A DeliveryReader reads deliveries.
type DeliveryReader interface {
	// Deliveries lists the deliveries of an endpoint that match the filter, the newest event first.
	// It does not look at the filter's ID and Attempts.
	Deliveries(ctx context.Context, by account.Actor, endpoint string, f DeliveryFilter) (
		[]Delivery, error)
	// Delivery finds a delivery of an endpoint by id.
	Delivery(ctx context.Context, by account.Actor, endpoint, id string) (Delivery, error)
	// Attempts returns every known attempt of the deliveries, by delivery, the first one first.
	Attempts(ctx context.Context, by account.Actor, list []Delivery) (map[string][]Attempt, error)
	// DeliveryStats sums up the deliveries of an endpoint that were attempted since then; if there are
	// more than most, only the latest ones. It also counts no more than most pending ones, and stops
	// counting failed attempts at MaxFailed.
	DeliveryStats(ctx context.Context, by account.Actor, endpoint string, since time.Time, most int) (
		DeliveryStats, error)
}

// An EventReader reads entries of the event log.
type EventReader interface {
	// Events returns the entries with those numbers that are in the log.
	Events(ctx context.Context, seqs []int64) ([]Event, error)
}

// A ReplayStore makes deliveries pending again, within the limits of a Replay. The endpoint must be
// active, or the error is ErrNotActive.
type ReplayStore interface {
	// ReplayDelivery replays one delivery of an endpoint, under its id.
	ReplayDelivery(ctx context.Context, by account.Actor, endpoint, id string, r Replay) error
	// ReplayRange creates deliveries of all events from one to another, both included, that the
	// endpoint subscribes to; existing ones are replayed under their ids. It returns how many.
	ReplayRange(ctx context.Context, by account.Actor, endpoint string, from, to int64, r Replay) (
		int, error)
	// ReplayFailed replays the deliveries of an endpoint that failed since then, and returns how
	// many.
	ReplayFailed(ctx context.Context, by account.Actor, endpoint string, since time.Time, r Replay) (
		int, error)
}

// How often accounts may have tests and challenges sent. Deliveries are not counted: they go to
// receivers that have answered a challenge.
var (
	SendLimit     = limit.Limit{Name: "tests", Most: 30, Within: time.Hour} // of an account
	SendHostLimit = limit.Limit{Name: "host", Most: 10, Within: time.Hour}  // of an account, to one host
	// ChallengeLimit is for all accounts together, to one host without a verified endpoint, which has not consented.
	ChallengeLimit = limit.Limit{Name: "challenges", Most: 10, Within: time.Hour}
)

// A Sending is a test or a challenge that is about to be sent.
type Sending struct {
	Now    time.Time
	Sample bool // a sample and not the challenge; only verified endpoints get it
}

// classOnly returns what an account may know about the response of a host that has not consented: the class of the
// status, or why there is none. To learn more, the account must prove that the host is its own.
func (r Result) classOnly() Result {
	if r.Status == 0 {
		return Result{Reason: r.Reason, TimedOut: r.TimedOut, Class: true}
	}
	return Result{Status: r.Status / 100 * 100, Class: true}
}
