package billing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A SetUpProvider is a provider with a key that may read and change its set-up.
type SetUpProvider interface {
	SetUpReader
	SetUpMaker
}

// A SetUpReader reads the set-up.
type SetUpReader interface {
	// Present returns what exists already of what SetUp makes. price is the id of the price in use; "" for none.
	Present(ctx context.Context, price string) (Present, error)
}

// A SetUpMaker creates what is missing, and changes what can be changed. All methods return the id.
type SetUpMaker interface {
	// SaveProduct creates our product, or sets the tax code of the one with that id and makes it active again.
	SaveProduct(ctx context.Context, id string) (string, error)
	// MakePrice creates the price of a product. It moves our lookup key to it from any other price.
	MakePrice(ctx context.Context, product string) (string, error)
	// SavePortal creates our settings of the portal, or changes those with that id.
	SavePortal(ctx context.Context, id string) (string, error)
	// SaveEndpoint creates an endpoint and returns its secret, which the provider tells only once. If e has an ID, it
	// enables that endpoint for e.Events instead.
	SaveEndpoint(ctx context.Context, e Endpoint) (id, secret string, err error)
}

// Present is what exists already of what SetUp makes.
type Present struct {
	Named     *OfferedPrice // the price that is in use; nil for none
	Keyed     *OfferedPrice // the price that has our lookup key; nil for none
	Product   *Product      // the product of one of these prices, or ours; nil for none
	Portal    *Portal       // our settings of it; nil for none
	Endpoints []Endpoint    // at all addresses
}

// An OfferedPrice is a price at the provider.
type OfferedPrice struct {
	ID, Product string
	Price       Price
}

// A Product is a product at the provider.
type Product struct {
	ID, TaxCode string
	Active      bool
}

// A Portal is the provider's portal as it is set.
type Portal struct {
	ID       string
	Settings PortalSettings
}

// A SetUpWish is what SetUp makes.
type SetUpWish struct {
	Price    string // the id of the price that nodes use; "" for none yet
	Endpoint string // the URL where nodes take events; "" if the provider cannot reach them
	Version  string // of events
	Events   []string
	DryRun   bool

	// SecretKept is set if the file for the secret of an endpoint exists already. It is not overwritten.
	SecretKept bool
	// Keep stores the secret of a new endpoint.
	Keep func(secret string) error
}

// ErrSecretKept says that an endpoint must be created, but its secret cannot be stored because the file exists.
var ErrSecretKept = errors.New("an endpoint is to be made, and the file for its secret exists: name another file")

// errSecretLost says that an endpoint was created and its secret could not be stored.
var errSecretLost = errors.New("its secret could not be kept")

// mostEndpoints is how many endpoints the provider allows: docs.stripe.com/webhooks.
const mostEndpoints = 16

// Done is what SetUp did about a part of the set-up.
type Done string

// What SetUp did.
const (
	Found   Done = "found"
	Made    Done = "made"
	Changed Done = "changed"
	ToDo    Done = "to do" // by hand
)

// A Part is a part of the set-up, and what was done about it.
type Part struct {
	What   string
	Done   Done
	ID     string // "" for one that does not exist yet
	Detail string
}

// A setUp is one run of SetUp. If it stops half-way, the next run continues.
type setUp struct {
	at    SetUpProvider
	wish  SetUpWish
	parts []Part
}

// SetUp finds product, price, portal and endpoint at the provider, and creates or changes what is missing or wrong. It
// returns what it did about each, even when it returns an error half-way, and the id of the price.
func SetUp(ctx context.Context, at SetUpProvider, w SetUpWish) (parts []Part, price string, err error) {
	there, err := at.Present(ctx, w.Price)
	if err != nil {
		return nil, "", err
	}
	s := setUp{at: at, wish: w}
	if s.lacksEndpoint(there.Endpoints) {
		switch {
		case w.SecretKept:
			return nil, "", ErrSecretKept
		case len(there.Endpoints) >= mostEndpoints:
			return nil, "", fmt.Errorf("there are %d endpoints, and the provider takes no more: delete one that is not needed", mostEndpoints)
		}
	}
	product, err := s.product(ctx, there)
	if err == nil {
		price, err = s.price(ctx, there, product)
	}
	if err == nil {
		err = s.portal(ctx, there.Portal)
	}
	if err == nil {
		err = s.endpoint(ctx, there.Endpoints)
	}
	return s.parts, price, err
}

func (s *setUp) tell(what string, done Done, id, detail string) {
	s.parts = append(s.parts, Part{what, done, id, detail})
}

func (s *setUp) product(ctx context.Context, there Present) (string, error) {
	is, want := there.Product, "tax code "+TaxCode
	if is == nil {
		id, err := "", error(nil)
		if !s.wish.DryRun {
			id, err = s.at.SaveProduct(ctx, "")
		}
		if err == nil {
			s.tell("product", Made, id, want)
		}
		return id, err
	}
	var differs []string
	if is.TaxCode != TaxCode {
		differs = append(differs, "tax code was "+orNothing(is.TaxCode))
	}
	if !is.Active {
		differs = append(differs, "it was archived")
	}
	if len(differs) == 0 {
		s.tell("product", Found, is.ID, want)
		return is.ID, nil
	}
	if !s.wish.DryRun {
		if _, err := s.at.SaveProduct(ctx, is.ID); err != nil {
			return "", err
		}
	}
	s.tell("product", Changed, is.ID, want+"; "+strings.Join(differs, ", "))
	return is.ID, nil
}

// price finds a right price of the product, or creates one. The amount of a price cannot be changed, so a wrong one is
// replaced (docs.stripe.com/products-prices/manage-prices). Existing subscriptions keep the former price.
func (s *setUp) price(ctx context.Context, there Present, product string) (string, error) {
	var wrong []string
	for _, p := range []*OfferedPrice{there.Named, there.Keyed} {
		switch {
		case p == nil || slices.ContainsFunc(wrong, func(said string) bool { return strings.HasPrefix(said, p.ID) }):
		case p.Price != ProPrice:
			wrong = append(wrong, fmt.Sprintf("%s is %s", p.ID, p.Price))
		case p.Product != product:
			wrong = append(wrong, p.ID+" is of another product")
		default:
			s.tell("price", Found, p.ID, strings.Join(append([]string{ProPrice.String()}, wrong...), "; "))
			return p.ID, nil
		}
	}
	if s.wish.Price != "" && there.Named == nil {
		wrong = append(wrong, s.wish.Price+" is not known at this account")
	}
	id, err := "", error(nil)
	if !s.wish.DryRun {
		id, err = s.at.MakePrice(ctx, product)
	}
	if err == nil {
		s.tell("price", Made, id, strings.Join(append([]string{ProPrice.String()}, wrong...), "; "))
	}
	return id, err
}

func (s *setUp) portal(ctx context.Context, is *Portal) error {
	want := PortalSettings{Invoices: true, PaymentMethod: true}
	said := "invoices, payment methods"
	if is != nil && is.Settings == want {
		s.tell("portal", Found, is.ID, said)
		return nil
	}
	done, id, err := Made, "", error(nil)
	if is != nil {
		done, id = Changed, is.ID
		said += "; it was: " + is.Settings.String()
	}
	if !s.wish.DryRun {
		id, err = s.at.SavePortal(ctx, id)
	}
	if err == nil {
		s.tell("portal", done, id, said)
	}
	return err
}

// String names what customers can do.
func (p PortalSettings) String() string {
	var on []string
	for _, part := range []struct {
		what string
		on   bool
	}{
		{"invoices", p.Invoices},
		{"payment methods", p.PaymentMethod},
		{"billing details", p.Details},
		{"cancelling", p.Cancel},
		{"switching plans", p.SwitchPlan},
	} {
		if part.on {
			on = append(on, part.what)
		}
	}
	return orNothing(strings.Join(on, ", "))
}

// ours reports whether an endpoint has the address and the version of the nodes.
func (s *setUp) ours(e Endpoint) bool { return e.URL == s.wish.Endpoint && e.Version == s.wish.Version }

func (s *setUp) lacksEndpoint(there []Endpoint) bool {
	return s.wish.Endpoint != "" && !slices.ContainsFunc(there, s.ours)
}

// endpoint finds or creates the endpoint of the nodes. The version of an endpoint cannot be changed: beside one of
// another version a second is created, and the operator disables the first when all nodes have the second's secret
// (docs.stripe.com/webhooks/versioning).
func (s *setUp) endpoint(ctx context.Context, there []Endpoint) error {
	if s.wish.Endpoint == "" {
		s.tell("endpoint", ToDo, "", "the provider reaches no node at PALMARES_BASE_URL: "+
			"stripe listen --forward-to brings events to one, and prints the secret for the file")
		return nil
	}
	var err error
	if i := slices.IndexFunc(there, s.ours); i >= 0 {
		err = s.keepEndpoint(ctx, there[i])
	} else {
		err = s.makeEndpoint(ctx)
	}
	for _, e := range there {
		if err == nil && e.URL == s.wish.Endpoint && e.Version != s.wish.Version && e.Enabled {
			s.tell("endpoint", ToDo, e.ID, "it has the version "+orAccounts(e.Version)+": disable it once all nodes have the secret of the other")
		}
	}
	return err
}

func (s *setUp) makeEndpoint(ctx context.Context) error {
	var id, secret string
	if !s.wish.DryRun {
		var err error
		id, secret, err = s.at.SaveEndpoint(ctx, Endpoint{URL: s.wish.Endpoint, Version: s.wish.Version, Events: s.wish.Events})
		if err != nil {
			return err
		}
	}
	s.tell("endpoint", Made, id, fmt.Sprintf("%s, %d events, version %s", s.wish.Endpoint, len(s.wish.Events), s.wish.Version))
	if s.wish.DryRun {
		return nil
	}
	if err := s.wish.Keep(secret); err != nil {
		s.lost(id)
		return fmt.Errorf("%s was made, and %w: %w", id, errSecretLost, err)
	}
	return nil
}

// lost adds a to-do for the secret of an endpoint that is not stored. The provider tells it only at creation:
// docs.stripe.com/api/webhook_endpoints/object, secret.
func (s *setUp) lost(id string) {
	s.tell("secret", ToDo, id, "the provider tells it once: roll it in the dashboard (Webhooks, the endpoint, Roll secret) and write it "+
		"into the file yourself, or delete the endpoint there and run this again")
}

func (s *setUp) keepEndpoint(ctx context.Context, is Endpoint) error {
	lacks := slices.DeleteFunc(slices.Clone(s.wish.Events), func(event string) bool {
		return slices.Contains(is.Events, event) || slices.Contains(is.Events, "*")
	})
	var differs []string
	if len(lacks) > 0 {
		differs = append(differs, "it did not send "+strings.Join(lacks, ", "))
	}
	if !is.Enabled {
		differs = append(differs, "it was disabled")
	}
	if len(differs) == 0 {
		s.tell("endpoint", Found, is.ID, fmt.Sprintf("%s, version %s", is.URL, is.Version))
	} else {
		is.Events = append(slices.Clone(is.Events), lacks...)
		if !s.wish.DryRun {
			if _, _, err := s.at.SaveEndpoint(ctx, is); err != nil {
				return err
			}
		}
		s.tell("endpoint", Changed, is.ID, is.URL+"; "+strings.Join(differs, "; "))
	}
	if !s.wish.SecretKept {
		s.lost(is.ID)
	}
	return nil
}

// Registering says which registrations with tax authorities a seller needs. SetUp makes none of them, because
// registering is a legal act.
func Registering(scheme Scheme, country string) string {
	switch scheme {
	case SmallSeller:
		return fmt.Sprintf("register for VAT in %s with its tax authority, then add the registration to the provider under Tax, Registrations, "+
			"with small seller as place of supply; no One-Stop Shop", country)
	case Franchise:
		return "none: who is exempt must have no registration at the provider, under Tax, Registrations"
	default:
		return fmt.Sprintf("register for VAT in %s and for the One-Stop Shop with its tax authority, then add both to the provider under Tax, "+
			"Registrations (OSS, Union scheme)", country)
	}
}
