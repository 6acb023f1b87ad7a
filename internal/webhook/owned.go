package webhook

import (
	"context"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
)

// An EndpointsStore keeps what owners see and change of their endpoints. Whatever takes
// an actor touches only what belongs to it, in the same statement or transaction: what is
// another's is not there.
type EndpointsStore interface {
	EndpointStore
	StateStore
	DeliveryStore
	// Categories lists those of the current edition; published is false before the first.
	Categories(ctx context.Context) (categories []catalog.Category, published bool, err error)
}

// An EndpointStore keeps endpoints.
type EndpointStore interface {
	// CreateEndpoint makes an endpoint of its account, which hears of what is published
	// from now on, unless the account has all that its plan allows. One that is created
	// active is vouched for.
	CreateEndpoint(ctx context.Context, e Endpoint, now time.Time) error
	Endpoint(ctx context.Context, by account.Actor, id string) (Endpoint, error)
	// Endpoints lists the endpoints of an account, the oldest first.
	Endpoints(ctx context.Context, by account.Actor, accountID string) ([]Endpoint, error)
	// UpdateEndpoint changes what is named of an endpoint, and gives it as it is then.
	UpdateEndpoint(ctx context.Context, by account.Actor, id string, c Change) (Endpoint, error)
	// DeleteEndpoint deletes an endpoint with its deliveries.
	DeleteEndpoint(ctx context.Context, by account.Actor, id string) error
}

// A StateStore moves endpoints from state to state.
type StateStore interface {
	// VerifyEndpoint notes that the owner of an endpoint has shown that it is theirs, and
	// makes it active. Its account must be Pro.
	VerifyEndpoint(ctx context.Context, by account.Actor, id string, now time.Time) error
	// EnableEndpoint makes an endpoint active: it hears of what is published from then on.
	// It tells what the endpoint missed. Its account must be Pro. One whose owner never
	// showed that it is theirs is left unverified, which is ErrNotVerified.
	EnableEndpoint(ctx context.Context, by account.Actor, id string, now time.Time) (Missed, error)
	// SetEndpointState moves an endpoint to another state. One that ceases to be active has
	// its pending deliveries ended for the reason; active is what EnableEndpoint makes it.
	SetEndpointState(ctx context.Context, by account.Actor, id string, state State, reason string, now time.Time) error
	// RotateSecret gives an endpoint another secret; the one it had signs too for a while.
	// An endpoint has two secrets at most: while it has, a rotation is a RotatingError
	// unless it is forced. It reports whether that cut off a secret.
	RotateSecret(ctx context.Context, by account.Actor, id string, sealed []byte, r Rotation) (cut bool, err error)
}

// A DeliveryStore shows deliveries, and makes them once more.
type DeliveryStore interface {
	// Deliveries lists the deliveries of an endpoint whose event is before that one, or all
	// of them when it is 0, the newest event first.
	Deliveries(ctx context.Context, by account.Actor, endpoint string, before int64, limit int) ([]Delivery, error)
	Delivery(ctx context.Context, by account.Actor, endpoint, id string) (Delivery, error)
	// Attempts lists every attempt of the deliveries that is still known, by delivery, the
	// first one first.
	Attempts(ctx context.Context, by account.Actor, list []Delivery) (map[string][]Attempt, error)
	// ReplayDelivery makes a delivery of an endpoint once more, under its id.
	ReplayDelivery(ctx context.Context, by account.Actor, endpoint, id string, r Replay) error
	// ReplayRange makes deliveries of all events between the two, both included, that the
	// endpoint has asked for: those that there are once more, under their ids. It gives
	// how many.
	ReplayRange(ctx context.Context, by account.Actor, endpoint string, from, to int64, r Replay) (int, error)
	// ReplayFailed makes the deliveries of an endpoint that failed since then once more,
	// and gives how many.
	ReplayFailed(ctx context.Context, by account.Actor, endpoint string, since time.Time, r Replay) (int, error)
}
