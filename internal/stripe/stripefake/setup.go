package stripefake

import (
	"slices"
	"strings"
	"time"
)

// A Setup is what a seller sets up in Stripe's dashboard.
type Setup struct {
	Account       Account
	TaxCode       *string // of the product; nil for the preset one
	Tax           TaxSettings
	Registrations []Registration
	Portals       []PortalConfiguration
	Endpoints     []WebhookEndpoint
	Dunning       Dunning
	Receipts      bool     // Stripe mails a receipt for each payment: https://docs.stripe.com/receipts
	Forbidden     []string // prefixes of the paths that the key may not call
}

// forbids reports whether the key may not call a path.
func (s *Setup) forbids(path string) bool {
	return slices.ContainsFunc(s.Forbidden, func(begins string) bool { return strings.HasPrefix(path, begins) })
}

// An Account is the seller's account at Stripe.
type Account struct {
	ID             string `json:"id"`
	Object         string `json:"object"`
	ChargesEnabled bool   `json:"charges_enabled"`
	Country        string `json:"country"`
}

// TaxSettings are the settings of Stripe Tax.
type TaxSettings struct {
	Object        string         `json:"object"`
	Defaults      TaxDefaults    `json:"defaults"`
	HeadOffice    *HeadOffice    `json:"head_office"`
	Livemode      bool           `json:"livemode"`
	Status        string         `json:"status"` // active or pending
	StatusDetails map[string]any `json:"status_details"`
}

// TaxDefaults apply to products that say nothing else.
type TaxDefaults struct {
	TaxBehavior *string `json:"tax_behavior"`
	TaxCode     *string `json:"tax_code"`
}

// A HeadOffice is the seller's head office.
type HeadOffice struct {
	Address HeadOfficeAddress `json:"address"`
}

// A HeadOfficeAddress is the address of a HeadOffice.
type HeadOfficeAddress struct {
	Country string `json:"country"`
}

// A Registration is a registration with a tax authority.
type Registration struct {
	ID             string         `json:"id"`
	Object         string         `json:"object"`
	ActiveFrom     int64          `json:"active_from"`
	Country        string         `json:"country"`
	CountryOptions map[string]any `json:"country_options"`
	Created        int64          `json:"created"`
	ExpiresAt      *int64         `json:"expires_at"`
	Livemode       bool           `json:"livemode"`
	Status         string         `json:"status"` // active, expired or scheduled
}

// NewRegistration returns a registration in a member state of the European Union. Its kind is standard, oss_union or
// small_seller, which is a standard one with another place of supply
// (https://docs.stripe.com/api/tax/registrations/create).
func NewRegistration(country, kind string, from time.Time) Registration {
	options := map[string]any{"type": kind}
	if kind != "oss_union" {
		options = map[string]any{"type": "standard", "standard": map[string]any{"place_of_supply_scheme": kind}}
	}
	return Registration{
		ID: "taxreg_" + strings.ToLower(country+kind[:3]), Object: "tax.registration", Country: country,
		ActiveFrom: from.Unix(), Created: from.Unix(), Status: "active",
		CountryOptions: map[string]any{strings.ToLower(country): options},
	}
}

// A PortalConfiguration is what customers can do in the portal.
type PortalConfiguration struct {
	ID        string            `json:"id"`
	Object    string            `json:"object"`
	Active    bool              `json:"active"`
	Created   int64             `json:"created"`
	Features  PortalFeatures    `json:"features"`
	IsDefault bool              `json:"is_default"`
	Livemode  bool              `json:"livemode"`
	Metadata  map[string]string `json:"metadata"`
}

// PortalFeatures are the parts of the portal.
type PortalFeatures struct {
	CustomerUpdate      CustomerUpdate `json:"customer_update"`
	InvoiceHistory      Feature        `json:"invoice_history"`
	PaymentMethodUpdate Feature        `json:"payment_method_update"`
	SubscriptionCancel  Feature        `json:"subscription_cancel"`
	SubscriptionUpdate  Feature        `json:"subscription_update"`
}

// A Feature is a part of the portal that is on or off.
type Feature struct {
	Enabled bool `json:"enabled"`
}

// A CustomerUpdate says what customers can change about themselves.
type CustomerUpdate struct {
	AllowedUpdates []string `json:"allowed_updates"`
	Enabled        bool     `json:"enabled"`
}

// A WebhookEndpoint is a URL that events are sent to.
type WebhookEndpoint struct {
	ID            string   `json:"id"`
	Object        string   `json:"object"`
	APIVersion    *string  `json:"api_version"`
	Created       int64    `json:"created"`
	EnabledEvents []string `json:"enabled_events"`
	Livemode      bool     `json:"livemode"`
	Secret        string   `json:"secret,omitempty"` // only in the answer to its creation
	Status        string   `json:"status"`           // enabled or disabled
	URL           string   `json:"url"`
}

// newSetup returns a correct set-up of a French seller. Without an endpoint it has none.
func newSetup(now time.Time, endpoint, version string) Setup {
	code := "txcd_10103001"
	s := Setup{
		Account: Account{ID: "acct_", Object: "account", ChargesEnabled: true, Country: "FR"},
		TaxCode: &code, Dunning: Documented(),
		Tax: TaxSettings{
			Object: "tax.settings", Status: "active", Defaults: TaxDefaults{TaxCode: &code},
			HeadOffice: &HeadOffice{HeadOfficeAddress{"FR"}}, StatusDetails: map[string]any{"active": map[string]any{}},
		},
		Registrations: []Registration{NewRegistration("FR", "standard", now), NewRegistration("FR", "oss_union", now)},
		Portals: []PortalConfiguration{{
			ID: "bpc_1", Object: "billing_portal.configuration", Active: true, Created: now.Unix(), IsDefault: true,
			Features: PortalFeatures{
				CustomerUpdate: CustomerUpdate{[]string{}, false}, InvoiceHistory: Feature{true}, PaymentMethodUpdate: Feature{true},
			},
		}},
	}
	if endpoint != "" {
		s.Endpoints = []WebhookEndpoint{{
			ID: "we_1", Object: "webhook_endpoint", APIVersion: &version, Created: now.Unix(), EnabledEvents: []string{"*"},
			Status: "enabled", URL: endpoint,
		}}
	}
	return s
}

// collects reports whether there is an active registration of a kind (standard, oss_union or small_seller) in a
// country.
func (s *Setup) collects(country, kind string) bool {
	return slices.ContainsFunc(s.Registrations, func(r Registration) bool {
		options, _ := r.CountryOptions[strings.ToLower(country)].(map[string]any)
		standard, _ := options["standard"].(map[string]any)
		return r.Country == country && r.Status == "active" && (options["type"] == kind && kind == "oss_union" || standard["place_of_supply_scheme"] == kind)
	})
}

// Dunning is the seller's setting for failed payments: https://docs.stripe.com/billing/revenue-recovery
type Dunning struct {
	Retries []time.Duration // the pause before each retry
	Then    string          // what happens to the subscription then: cancel, unpaid, or past_due to leave it
	Invoice string          // the state of the invoice then: open or uncollectible. Either can still be paid
}

// Documented returns the setting of docs/operations/billing.md: retries within a week, then the end.
func Documented() Dunning {
	return Dunning{Retries: []time.Duration{24 * time.Hour, 72 * time.Hour, 72 * time.Hour}, Then: "cancel", Invoice: "open"}
}

// wants reports whether an enabled endpoint takes events of a kind: only those in enabled_events are sent
// (https://docs.stripe.com/api/webhook_endpoints/object).
func (s *Setup) wants(kind string) bool {
	return slices.ContainsFunc(s.Endpoints, func(e WebhookEndpoint) bool {
		return e.Status == "enabled" && (slices.Contains(e.EnabledEvents, "*") || slices.Contains(e.EnabledEvents, kind))
	})
}
