package billing

import (
	"context"
	"errors"
	"time"
)

// An Inspector tells how the provider is set up.
type Inspector interface {
	// Setup asks for everything that a key may see. What it may not see has ErrUnseen; the error is that of a
	// provider that does not answer.
	Setup(ctx context.Context) (Setup, error)
}

// ErrUnseen says that the key may not see something.
var ErrUnseen = errors.New("the key may not see it")

// Seen is something that the provider was asked for, or why it did not tell.
type Seen[T any] struct {
	Is  T
	Err error
}

// A Setup is how the provider is set up, as far as the key may see.
type Setup struct {
	KeyRefused bool // it may see nothing at all
	Live       bool // the key moves real money
	Restricted bool // the key can do no more than it was given

	Seller        Seen[SellerAccount]
	Price         Seen[Price]
	TaxCode       Seen[string] // of the product of the price; "" for the preset one
	Tax           Seen[TaxSettings]
	Registrations Seen[[]Registration] // that are in force
	Portal        Seen[*PortalSettings]
	Endpoints     Seen[[]Endpoint]
	Undelivered   Seen[Undelivered]
	Receipts      Seen[Receipts]
}

// Receipts are the provider's own mails about the newest invoices that were paid.
type Receipts struct {
	Invoices int // that were looked at
	Mailed   int // of which it has mailed a receipt
}

// UndeliveredFor is how far back Undelivered goes: the provider sends an event for three days.
const UndeliveredFor = 72 * time.Hour

// Undelivered are events of the kinds that nodes need, which the provider could not deliver yet.
type Undelivered struct {
	Events int
	More   bool // there are more than were counted
	Oldest time.Time
	Types  []string // each once
}

// A SellerAccount is the provider's account of who sells.
type SellerAccount struct {
	ID      string
	Country string
	Charges bool // it may take payments
}

// TaxSettings are what the tax of every sale is computed from.
type TaxSettings struct {
	Active     bool
	Missing    []string // why it is not active
	HeadOffice string   // its country
	TaxCode    string   // of products that have none
}

// A Registration is one with a tax authority, as the provider was told of it.
type Registration struct {
	Country string
	Kind    string // such as "standard" or "oss_union"
	Scheme  string // of one that is standard: "standard" or "small_seller"
}

// PortalSettings are what customers can do in the provider's portal.
type PortalSettings struct {
	Invoices, PaymentMethod bool
	Details                 bool // name, addresses or tax id can be changed
	Cancel, SwitchPlan      bool
}

// An Endpoint is where the provider sends events.
type Endpoint struct {
	ID           string // "" for one that is not there yet
	URL, Version string
	Enabled      bool
	Events       []string // "*" for all
}
