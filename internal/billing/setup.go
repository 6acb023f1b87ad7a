package billing

import (
	"context"
	"errors"
	"time"
)

// An Inspector reads how the provider is set up.
type Inspector interface {
	// Setup asks for everything that the key may see. The parts it may not see have Err set to ErrUnseen. It returns
	// an error only if the provider does not answer.
	Setup(ctx context.Context) (Setup, error)
}

// ErrUnseen says that the key may not see something.
var ErrUnseen = errors.New("the key may not see it")

// Seen is a part of the set-up, or the error with which the provider did not tell it.
type Seen[T any] struct {
	Is  T
	Err error
}

// A Setup is how the provider is set up, as far as the key may see.
type Setup struct {
	KeyRefused bool // the key may see nothing at all
	Live       bool // the key moves real money
	Restricted bool // the key has only the permissions it was given

	Seller        Seen[SellerAccount]
	Price         Seen[Price]
	TaxCode       Seen[string] // of the price's product; "" for the preset one
	Tax           Seen[TaxSettings]
	Registrations Seen[[]Registration] // those in force
	Portal        Seen[*PortalSettings]
	Endpoints     Seen[[]Endpoint]
	Undelivered   Seen[Undelivered]
	Receipts      Seen[Receipts]
}

// Receipts are the provider's own mails about the newest paid invoices.
type Receipts struct {
	Invoices int // how many were looked at
	Mailed   int // for how many of them the provider has mailed a receipt
}

// UndeliveredFor is how far back Undelivered goes: the provider retries an event for three days.
const UndeliveredFor = 72 * time.Hour

// Undelivered are events of the kinds that nodes need, which the provider could not deliver yet.
type Undelivered struct {
	Events int
	More   bool // there are more than were counted
	Oldest time.Time
	Types  []string // each once
}

// A SellerAccount is the seller's account at the provider.
type SellerAccount struct {
	ID      string
	Country string
	Charges bool // it may take payments
}

// TaxSettings are the settings from which the tax of every sale is computed.
type TaxSettings struct {
	Active     bool
	Missing    []string // why it is not active
	HeadOffice string   // its country
	TaxCode    string   // of products that have none
}

// A Registration is the seller's registration with a tax authority, as it was entered at the provider.
type Registration struct {
	Country string
	Kind    string // such as "standard" or "oss_union"
	Scheme  string // of the kind "standard": "standard" or "small_seller"
}

// PortalSettings are what customers can do in the provider's portal.
type PortalSettings struct {
	Invoices, PaymentMethod bool
	Details                 bool // name, addresses or tax id can be changed
	Cancel, SwitchPlan      bool
}

// An Endpoint is a URL that the provider sends events to.
type Endpoint struct {
	ID           string // "" for one that does not exist yet
	URL, Version string
	Enabled      bool
	Events       []string // "*" for all
}
