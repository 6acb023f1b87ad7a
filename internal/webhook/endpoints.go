package webhook

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
)

// EndpointsOptions configure Endpoints. Store and Catalog are required. Verify and Test need Sender
// and Keyring; Create and Rotate need Keyring.
type EndpointsOptions struct {
	Store   EndpointsStore
	Catalog Categories
	Sender  *Sender
	Keyring *Keyring
	Now     func() time.Time // time.Now when nil
}

// Endpoints is the service for all operations on endpoints and their deliveries. Every method says who
// may call it. To any other caller the endpoint does not exist: the error is ErrNoEndpoint,
// ErrNoDelivery or account.ErrNoAccount, the same as for an unknown id.
type Endpoints struct{ o EndpointsOptions }

// NewEndpoints returns the service.
func NewEndpoints(o EndpointsOptions) *Endpoints {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Endpoints{o}
}

var errNoSecret = errors.New("secrets of endpoints cannot be handled here: there is no PALMARES_SECRET")

// ErrSecretChanged says that the secret of the database was changed while an endpoint's secret was
// sealed. The change was made and can be used, but Reseal may have missed it.
var ErrSecretChanged = errors.New("it is done, but PALMARES_SECRET was changed meanwhile: " +
	"run palmares webhook reseal once more")

// checkSecret fails unless there is a secret and it is the database's.
func (s *Endpoints) checkSecret(ctx context.Context) error {
	if s.o.Keyring == nil {
		return errNoSecret
	}
	return CheckSecret(ctx, s.o.Store, s.o.Keyring, s.o.Now())
}

// checkSending is checkSecret for operations that send something to an endpoint.
func (s *Endpoints) checkSending(ctx context.Context) error {
	if s.o.Sender == nil {
		return errNoSecret
	}
	return s.checkSecret(ctx)
}

// checkAfter is checkSecret after something was sealed: it fails with ErrSecretChanged.
func (s *Endpoints) checkAfter(ctx context.Context) error {
	if err := s.checkSecret(ctx); err != nil {
		return fmt.Errorf("%w (%w)", ErrSecretChanged, err)
	}
	return nil
}

// A Draft is an endpoint to create. ParseURL, ParseTypes, ParseCategories and ParseDescription must
// accept its fields.
type Draft struct {
	URL         string
	Description string
	Types       []catalog.EventType // none means all
	Categories  []string            // none means all
	Vouched     bool                // active at once, without a challenge
}

// Created is an endpoint that was just created.
type Created struct {
	ID        string
	Secret    Secret // to be shown this once
	Unchecked bool   // nothing is published yet, so nobody knows whether its categories exist
}

// Create creates an endpoint for an account. It receives events once it is verified. ErrNotPro and
// ErrTooMany say that the plan does not allow it. Despite ErrSecretChanged, it was created.
//
// Only the account itself and the operator may create its endpoints. Returns account.ErrNoAccount
// otherwise. Only the operator may vouch for one. Returns account.ErrOperatorOnly to the account.
func (s *Endpoints) Create(ctx context.Context, by account.Actor, accountID string, d Draft) (
	Created, error,
) {
	switch {
	case !by.Owns(accountID):
		return Created{}, account.ErrNoAccount
	case d.Vouched && !by.IsOperator():
		return Created{}, account.ErrOperatorOnly
	}
	d, err := s.checkDraft(d)
	if err != nil {
		return Created{}, err
	}
	if err := s.checkSecret(ctx); err != nil {
		return Created{}, err
	}
	unchecked, err := s.checkCategories(ctx, d.Categories)
	if err != nil {
		return Created{}, err
	}
	created := Created{ID: NewEndpointID(), Secret: NewSecret(), Unchecked: unchecked}
	e := Endpoint{
		ID: created.ID, Account: accountID, URL: d.URL, Description: d.Description,
		Types: d.Types, Categories: d.Categories, State: Unverified, Reason: Reason{Code: NotVerified},
		Secret: s.o.Keyring.Seal(created.Secret, created.ID),
	}
	if d.Vouched {
		e.State, e.Reason = Active, Reason{}
	}
	if err := s.o.Store.CreateEndpoint(ctx, by, e, s.o.Now()); err != nil {
		return Created{Unchecked: unchecked}, err
	}
	return created, s.checkAfter(ctx)
}

// A FieldError says which field of a Draft or a Change is not valid: url, description, types or
// categories.
type FieldError struct {
	Field string
	Err   error
}

// Error implements error.
func (e *FieldError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong with the field.
func (e *FieldError) Unwrap() error { return e.Err }

// inField wraps err in a FieldError for a field; nil stays nil.
func inField(field string, err error) error {
	if err == nil {
		return nil
	}
	return &FieldError{field, err}
}

// checkDraft parses the fields of a draft again, in case the caller has not.
func (s *Endpoints) checkDraft(d Draft) (Draft, error) {
	var allow []netip.Prefix
	if s.o.Sender != nil {
		allow = s.o.Sender.o.Allow
	}
	var err error
	if d.URL, err = ParseURL(d.URL, allow); err != nil {
		return Draft{}, inField("url", err)
	}
	if d.Description, err = ParseDescription(d.Description); err != nil {
		return Draft{}, inField("description", err)
	}
	if d.Categories, err = ParseCategories(d.Categories); err != nil {
		return Draft{}, inField("categories", err)
	}
	return d, inField("types", checkTypes(d.Types))
}

// checkChange is checkDraft for a change.
func checkChange(c Change) (Change, error) {
	if c.Description != nil {
		text, err := ParseDescription(*c.Description)
		if err != nil {
			return Change{}, inField("description", err)
		}
		c.Description = &text
	}
	var err error
	if c.Categories, err = ParseCategories(c.Categories); err != nil {
		return Change{}, inField("categories", err)
	}
	return c, inField("types", checkTypes(c.Types))
}

// checkCategories returns a CategoryError for categories that the current edition does not have.
// Before the first edition nothing is known, and unchecked is true.
func (s *Endpoints) checkCategories(ctx context.Context, asked []string) (unchecked bool, err error) {
	if len(asked) == 0 {
		return false, nil
	}
	categories, published, err := s.o.Catalog.Categories(ctx)
	if err != nil || !published {
		return err == nil, err
	}
	return false, inField("categories", CheckCategories(asked, categories))
}

// List returns the endpoints of an account, the oldest first.
//
// Only the account itself and the operator may see them. Returns account.ErrNoAccount otherwise.
func (s *Endpoints) List(ctx context.Context, by account.Actor, accountID string) ([]Endpoint, error) {
	if !by.Owns(accountID) {
		return nil, account.ErrNoAccount
	}
	return s.o.Store.Endpoints(ctx, by, accountID)
}

// Show returns an endpoint.
//
// Only its account and the operator may see it. Returns ErrNoEndpoint otherwise.
func (s *Endpoints) Show(ctx context.Context, by account.Actor, id string) (Endpoint, error) {
	return s.o.Store.Endpoint(ctx, by, id)
}

// Missed returns what an endpoint that is not active has missed so far. An endpoint that becomes
// active again starts at the end of the log, and has missed nothing from then on.
//
// Only the endpoint's account and the operator may see it. Returns ErrNoEndpoint otherwise.
func (s *Endpoints) Missed(ctx context.Context, by account.Actor, id string) (Missed, error) {
	return s.o.Store.Missed(ctx, by, id, ReplayAt(s.o.Now()))
}

// Update changes an endpoint and returns it. New filters apply to events from which no delivery has
// been created yet. unchecked means that nothing is published yet, so nobody knows whether the
// categories exist.
//
// Only the endpoint's account and the operator may update it. Returns ErrNoEndpoint otherwise.
func (s *Endpoints) Update(ctx context.Context, by account.Actor, id string, c Change) (
	e Endpoint, unchecked bool, err error,
) {
	if c, err = checkChange(c); err != nil {
		return Endpoint{}, false, err
	}
	if unchecked, err = s.checkCategories(ctx, c.Categories); err != nil {
		return Endpoint{}, false, err
	}
	e, err = s.o.Store.UpdateEndpoint(ctx, by, id, c, s.o.Now())
	return e, unchecked, err
}

// A Verification is the result of a challenge.
type Verification struct {
	Already  bool // it was active, so nothing was sent
	Answered bool // it answered its challenge and is active
	Result   Result
}

// Verify sends an endpoint its challenge and makes it active if it answers. It sends nothing and returns
// ErrNotPro if the plan has no webhooks, and a limit.ReachedError if too much was sent. For an endpoint that was
// never verified, an account gets only the class of the response's status.
//
// Only the endpoint's account and the operator may verify it. Returns ErrNoEndpoint otherwise.
func (s *Endpoints) Verify(ctx context.Context, by account.Actor, id string) (v Verification, err error) {
	e, err := s.o.Store.Endpoint(ctx, by, id)
	if err != nil {
		return v, err
	}
	if e.State == Active {
		return Verification{Already: true}, nil
	}
	if v.Answered, v.Result, err = s.challenge(ctx, by, id); err != nil || !v.Answered {
		return v, err
	}
	return v, s.o.Store.VerifyEndpoint(ctx, by, id, s.o.Now())
}

// challenge counts a challenge against the limits and sends it.
func (s *Endpoints) challenge(ctx context.Context, by account.Actor, id string) (
	answered bool, r Result, err error,
) {
	if err := s.checkSending(ctx); err != nil {
		return false, Result{}, err
	}
	e, err := s.o.Store.CountSend(ctx, by, id, Sending{Now: s.o.Now()})
	if err != nil {
		return false, Result{}, err
	}
	answered, r, err = Challenge(ctx, s.o.Sender, s.o.Keyring, e, s.o.Now())
	if err == nil && e.VerifiedAt.IsZero() && !by.IsOperator() {
		r = r.classOnly()
	}
	return answered, r, err
}

// Test sends an endpoint a webhook.test, or a sample event of another type, whatever its filters. The
// message is sent once and is not listed as a delivery. An endpoint that was never verified can only be
// sent the webhook.test that Verify sends; for other types the error is ErrNotVerified. Limits and other
// errors are those of Verify.
//
// Only the endpoint's account and the operator may test it. Returns ErrNoEndpoint otherwise.
func (s *Endpoints) Test(ctx context.Context, by account.Actor, id string, t catalog.EventType) (
	Result, error,
) {
	if _, err := s.o.Store.Endpoint(ctx, by, id); err != nil { // checked before errors of this process
		return Result{}, err
	}
	if t == TestEvent {
		_, r, err := s.challenge(ctx, by, id)
		return r, err
	}
	sample, ok := Sample(t, s.o.Now())
	if !ok {
		return Result{}, fmt.Errorf("there is no sample of %s", t)
	}
	if err := s.checkSending(ctx); err != nil {
		return Result{}, err
	}
	e, err := s.o.Store.CountSend(ctx, by, id, Sending{Now: s.o.Now(), Sample: true})
	if err != nil {
		return Result{}, err
	}
	return SendSample(ctx, s.o.Sender, s.o.Keyring, e, sample)
}

// Enable makes an endpoint active again and returns what it missed. It receives events published
// from then on. The error is ErrNotVerified if it has not answered its challenge, and ErrNotPro if the
// plan has no webhooks.
//
// Only the endpoint's account and the operator may enable it. Returns ErrNoEndpoint otherwise.
func (s *Endpoints) Enable(ctx context.Context, by account.Actor, id string) (Missed, error) {
	return s.o.Store.EnableEndpoint(ctx, by, id, ReplayAt(s.o.Now()))
}

// Disable disables an endpoint and ends its deliveries. words are the reason shown to its owner; "" means that
// the owner disabled it.
//
// Only the endpoint's account and the operator may disable it. Returns ErrNoEndpoint otherwise.
func (s *Endpoints) Disable(ctx context.Context, by account.Actor, id, words string) error {
	reason := Reason{InWords, words}
	if words == "" {
		reason = Reason{Code: DisabledByOwner}
	}
	return s.o.Store.DisableEndpoint(ctx, by, id, reason, s.o.Now())
}

// Rotated is the result of a rotation.
type Rotated struct {
	Secret  Secret    // to be shown this once
	Until   time.Time // until then the previous secret signs too
	Revoked bool      // a secret older than the previous one still signed, and was revoked
}

// Rotate gives an endpoint a new secret. For 24 hours the previous one signs too; another rotation in
// that time is a RotatingError unless it is forced. Despite ErrSecretChanged, the secret was rotated.
//
// Only the endpoint's account and the operator may rotate it. Returns ErrNoEndpoint otherwise.
func (s *Endpoints) Rotate(ctx context.Context, by account.Actor, id string, force bool) (Rotated, error) {
	if err := s.checkSecret(ctx); err != nil {
		return Rotated{}, err
	}
	now := s.o.Now()
	r := Rotated{Secret: NewSecret(), Until: now.Add(rotateFor)}
	sealed, rotation := s.o.Keyring.Seal(r.Secret, id), Rotation{Now: now, Until: r.Until, Force: force}
	var err error
	r.Revoked, err = s.o.Store.RotateSecret(ctx, by, id, sealed, rotation)
	if err != nil {
		return Rotated{}, err
	}
	return r, s.checkAfter(ctx)
}

// Delete deletes an endpoint with its deliveries.
//
// Only the endpoint's account and the operator may delete it. Returns ErrNoEndpoint otherwise.
func (s *Endpoints) Delete(ctx context.Context, by account.Actor, id string) error {
	return s.o.Store.DeleteEndpoint(ctx, by, id, s.o.Now())
}
