package stripe

import (
	"context"
	"fmt"
	"net/http"

	stripego "github.com/stripe/stripe-go/v86"

	"github.com/palmares-hq/palmares/internal/billing"
)

// accountID is the name under which Stripe keeps an account's id with a customer, a checkout and a
// subscription. It joins the two sides; an e-mail address never does.
const accountID = "account_id"

// CreateCustomer implements billing.Provider.
func (c *Client) CreateCustomer(ctx context.Context, n billing.NewCustomer) (string, error) {
	var created stripego.Customer
	err := c.call(ctx, http.MethodPost, "/v1/customers", &stripego.CustomerCreateParams{
		Params:           stripego.Params{IdempotencyKey: new(n.Key)},
		Email:            new(n.Email),
		Metadata:         map[string]string{accountID: n.Account},
		PreferredLocales: stripego.StringSlice([]string{string(n.Language)}),
	}, &created)
	if err = checked(created.ID, err); err == nil {
		err = c.sameMode(created.Livemode)
	}
	if err != nil {
		return "", explain("creating a customer", err)
	}
	return created.ID, nil
}

// SetEmail implements billing.Provider.
func (c *Client) SetEmail(ctx context.Context, customer, email string) error {
	var changed stripego.Customer
	params := &stripego.CustomerUpdateParams{Email: new(email)}
	err := c.call(ctx, http.MethodPost, stripego.FormatURLPath("/v1/customers/%s", customer), params, &changed)
	return explainCustomer("changing a customer's address", checked(changed.ID, err))
}

// Email implements billing.Provider.
func (c *Client) Email(ctx context.Context, customer string) (string, error) {
	found, err := c.customer(ctx, customer)
	return found.Email, err
}

// checkCustomer returns ErrNoCustomer for a customer that was deleted.
func (c *Client) checkCustomer(ctx context.Context, customer string) error {
	_, err := c.customer(ctx, customer)
	return err
}

// customer reads one that was not deleted.
func (c *Client) customer(ctx context.Context, customer string) (found stripego.Customer, err error) {
	path := stripego.FormatURLPath("/v1/customers/%s", customer)
	err = c.call(ctx, http.MethodGet, path, &stripego.CustomerRetrieveParams{}, &found)
	if err == nil && found.Deleted { // Stripe remembers them
		return found, fmt.Errorf("stripe: reading a customer: %w: it was deleted", billing.ErrNoCustomer)
	}
	if err = checked(found.ID, err); err == nil {
		err = c.sameMode(found.Livemode)
	}
	return found, explainCustomer("reading a customer", err)
}

// explainCustomer is explain for a call about a customer itself, where what is missing is the
// customer.
func explainCustomer(call string, err error) error {
	if isMissing(err) {
		return fmt.Errorf("%w: %w", billing.ErrNoCustomer, explain(call, err))
	}
	return explain(call, err)
}
