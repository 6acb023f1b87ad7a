package webhook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
)

// EndpointsOptions are what Endpoints stand on. Store is required; Sender is for Verify
// and Test, and Box for what handles secrets: these, Create and Rotate.
type EndpointsOptions struct {
	Store  EndpointsStore
	Sender *Sender
	Box    *Box
	Now    func() time.Time // time.Now when nil
}

// Endpoints are what can be done with endpoints and their deliveries, and by whom. What
// belongs to another account does not exist for whoever asks: it is ErrNoEndpoint,
// ErrNoDelivery or account.ErrNoAccount, as if nobody had it.
type Endpoints struct{ o EndpointsOptions }

// NewEndpoints makes Endpoints.
func NewEndpoints(o EndpointsOptions) *Endpoints {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Endpoints{o}
}

var errNoSecret = errors.New("secrets of endpoints cannot be handled here: there is no PALMARES_SECRET")

// A Draft is an endpoint to be made, of what ParseURL, ParseTypes, ParseCategories and
// ParseDescription gave.
type Draft struct {
	URL         string
	Description string
	Types       []catalog.EventType // none is all
	Categories  []string            // none is all
	Vouched     bool                // active at once, without a challenge
}

// Created is an endpoint that was just made.
type Created struct {
	ID        string
	Secret    Secret // to be shown this once
	Unchecked bool   // nothing is published yet, so nobody knows whether its categories exist
}

// Create makes an endpoint of an account, which hears of what is published once it is
// verified. Only the account's owner and the operator may; account.ErrNoAccount for
// others. Only the operator vouches for one; account.ErrOperatorOnly for its owner.
func (s *Endpoints) Create(ctx context.Context, by account.Actor, accountID string, d Draft) (Created, error) {
	switch {
	case !by.Owns(accountID):
		return Created{}, account.ErrNoAccount
	case d.Vouched && !by.IsOperator():
		return Created{}, account.ErrOperatorOnly
	case s.o.Box == nil:
		return Created{}, errNoSecret
	}
	unchecked, err := s.checkCategories(ctx, d.Categories)
	if err != nil {
		return Created{}, err
	}
	made := Created{ID: NewEndpointID(), Secret: NewSecret(), Unchecked: unchecked}
	e := Endpoint{
		ID: made.ID, Account: accountID, URL: d.URL, Description: d.Description, Types: d.Types, Categories: d.Categories,
		State: Unverified, Reason: NotVerified, Secret: s.o.Box.Seal(made.Secret, made.ID),
	}
	if d.Vouched {
		e.State, e.Reason = Active, ""
	}
	if err := s.o.Store.CreateEndpoint(ctx, e, s.o.Now()); err != nil {
		return Created{Unchecked: unchecked}, err
	}
	return made, nil
}

// checkCategories refuses categories that the current edition does not have. Before the
// first one nothing is known, and they are unchecked.
func (s *Endpoints) checkCategories(ctx context.Context, asked []string) (unchecked bool, err error) {
	if len(asked) == 0 {
		return false, nil
	}
	categories, published, err := s.o.Store.Categories(ctx)
	if err != nil || !published {
		return err == nil, err
	}
	return false, CheckCategories(asked, categories)
}

// List lists the endpoints of an account, the oldest first. Only the account's owner and
// the operator may; account.ErrNoAccount for others.
func (s *Endpoints) List(ctx context.Context, by account.Actor, accountID string) ([]Endpoint, error) {
	if !by.Owns(accountID) {
		return nil, account.ErrNoAccount
	}
	return s.o.Store.Endpoints(ctx, by, accountID)
}

// Show gives an endpoint. Only its owner and the operator may; ErrNoEndpoint for others.
func (s *Endpoints) Show(ctx context.Context, by account.Actor, id string) (Endpoint, error) {
	return s.o.Store.Endpoint(ctx, by, id)
}

// Update changes what is named of an endpoint, and gives it as it is then. What it wants
// to hear of holds from the next event that deliveries are made of. Categories are
// unchecked while nothing is published. Only the endpoint's owner and the operator may;
// ErrNoEndpoint for others.
func (s *Endpoints) Update(ctx context.Context, by account.Actor, id string, c Change) (e Endpoint, unchecked bool, err error) {
	if unchecked, err = s.checkCategories(ctx, c.Categories); err != nil {
		return Endpoint{}, false, err
	}
	e, err = s.o.Store.UpdateEndpoint(ctx, by, id, c)
	return e, unchecked, err
}

// A Verification is what came of a challenge.
type Verification struct {
	Already  bool // it was active: nothing was sent
	Answered bool // it answered its challenge, and is active
	Result   Result
}

// Verify sends an endpoint its challenge; an answer makes it active. Only its owner and
// the operator may; ErrNoEndpoint for others.
func (s *Endpoints) Verify(ctx context.Context, by account.Actor, id string) (v Verification, err error) {
	e, err := s.o.Store.Endpoint(ctx, by, id)
	if err != nil {
		return v, err
	}
	if e.State == Active {
		return Verification{Already: true}, nil
	}
	if v.Answered, v.Result, err = s.challenge(ctx, e); err != nil || !v.Answered {
		return v, err
	}
	return v, s.o.Store.VerifyEndpoint(ctx, by, id, s.o.Now())
}

func (s *Endpoints) challenge(ctx context.Context, e Endpoint) (answered bool, r Result, err error) {
	if s.o.Box == nil || s.o.Sender == nil {
		return false, Result{}, errNoSecret
	}
	return Challenge(ctx, s.o.Sender, s.o.Box, e, s.o.Now())
}

// Test sends an endpoint a webhook.test, or a sample of another type, whatever it asked
// for. It is not among its deliveries. Only its owner and the operator may; ErrNoEndpoint
// for others.
func (s *Endpoints) Test(ctx context.Context, by account.Actor, id string, t catalog.EventType) (Result, error) {
	e, err := s.o.Store.Endpoint(ctx, by, id)
	if err != nil {
		return Result{}, err
	}
	if t == TestEvent {
		_, r, err := s.challenge(ctx, e)
		return r, err
	}
	sample, ok := Sample(t, s.o.Now())
	switch {
	case !ok:
		return Result{}, fmt.Errorf("there is no sample of %s", t)
	case s.o.Box == nil || s.o.Sender == nil:
		return Result{}, errNoSecret
	}
	return SendSample(ctx, s.o.Sender, s.o.Box, e, sample)
}

// Enable makes an endpoint active: it hears of what is published from then on. It tells
// what the endpoint missed. Only its owner and the operator may; ErrNoEndpoint for others.
func (s *Endpoints) Enable(ctx context.Context, by account.Actor, id string) (Missed, error) {
	return s.o.Store.EnableEndpoint(ctx, by, id, s.o.Now())
}

// Disable ends an endpoint's deliveries, for a reason that its owner reads. Only its owner
// and the operator may; ErrNoEndpoint for others.
func (s *Endpoints) Disable(ctx context.Context, by account.Actor, id, reason string) error {
	return s.o.Store.SetEndpointState(ctx, by, id, Disabled, reason, s.o.Now())
}

// Rotated is what came of a rotation.
type Rotated struct {
	Secret Secret    // to be shown this once
	Until  time.Time // until then the one before signs too
	Cut    bool      // a secret from a rotation before signed too, and does no more
}

// Rotate gives an endpoint another secret; the one before signs too for 24 hours. While
// there are two, a rotation that is not forced is a RotatingError. Only the endpoint's
// owner and the operator may; ErrNoEndpoint for others.
func (s *Endpoints) Rotate(ctx context.Context, by account.Actor, id string, force bool) (Rotated, error) {
	if s.o.Box == nil {
		return Rotated{}, errNoSecret
	}
	now := s.o.Now()
	r := Rotated{Secret: NewSecret(), Until: now.Add(rotateFor)}
	cut, err := s.o.Store.RotateSecret(ctx, by, id, s.o.Box.Seal(r.Secret, id), Rotation{Now: now, Until: r.Until, Force: force})
	if err != nil {
		return Rotated{}, err
	}
	r.Cut = cut
	return r, nil
}

// Delete deletes an endpoint with its deliveries. Only its owner and the operator may;
// ErrNoEndpoint for others.
func (s *Endpoints) Delete(ctx context.Context, by account.Actor, id string) error {
	return s.o.Store.DeleteEndpoint(ctx, by, id)
}
