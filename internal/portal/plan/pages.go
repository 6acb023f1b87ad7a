package plan

import (
	"context"
	"embed"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// Templates are the templates of the pages of the plan and its payment.
//
//go:embed templates
var Templates embed.FS

// Pages has the handlers of the pages of the plan and its payment.
type Pages struct {
	Billing   Billing // nil where nothing is sold: the operator sets plans
	Accounts  *account.Service
	Endpoints *webhook.Endpoints
	Limits    limit.Counter
}

// Billing is what owners can do about their subscription. Every method returns account.ErrNoAccount for an
// account that is not the actor's.
type Billing interface {
	Shop
	// Overview returns what is known, without asking the provider.
	Overview(ctx context.Context, by account.Actor, id string) (billing.Overview, error)
	// Refresh asks the provider, and returns what is known then.
	Refresh(ctx context.Context, by account.Actor, id string) (billing.Overview, error)
	// Checkout returns the provider's page on which a pending order is paid.
	Checkout(ctx context.Context, by account.Actor, id string) (billing.Checkout, error)
	// Statement asks the provider for the invoices, the payer and the means of payment.
	Statement(ctx context.Context, by account.Actor, id string) (billing.Statement, error)
	// Portal returns the provider's page with the invoices and the means of payment.
	Portal(ctx context.Context, by account.Actor, id string) (url string, err error)
	// Cancel ends the subscription at the end of its period, and Resume undoes that.
	Cancel(ctx context.Context, by account.Actor, id string) (billing.Overview, error)
	Resume(ctx context.Context, by account.Actor, id string) (billing.Overview, error)
}

// Shop is how Pro is ordered. Order decides whether a form is complete.
type Shop interface {
	// Total returns the price of a month for a form, complete or not, or the faults that prevent a price.
	Total(f billing.OrderForm) (billing.VAT, []billing.Fault)
	// Details returns to whom invoices are made out, nil if that is unknown, and ChangeDetails changes it for
	// future ones.
	Details(ctx context.Context, by account.Actor, id string) (*billing.Details, error)
	ChangeDetails(ctx context.Context, by account.Actor, id string, d billing.Details) error
	// Terms returns the terms that an order accepts.
	Terms(l account.Language) billing.Text
	// Order orders Pro, and returns the provider's page on which it is paid.
	Order(ctx context.Context, by account.Actor, id string, f billing.OrderForm) (billing.Checkout, error)
}
