package stripe

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	stripego "github.com/stripe/stripe-go/v86"

	"github.com/palmares-hq/palmares/internal/billing"
)

// missing is Stripe's code for an object that does not exist, or no longer.
const missing = stripego.ErrorCodeResourceMissing

// locationInvalid is Stripe's code for an address for which it cannot compute the tax:
// https://docs.stripe.com/error-codes#customer-tax-location-invalid
const locationInvalid = stripego.ErrorCodeCustomerTaxLocationInvalid

// errUnreadable says that an answer did not come from Stripe, or has a form that is not known here.
var errUnreadable = errors.New("the answer cannot be read")

// errUnknownCustomer says that Stripe does not know a customer. It remembers those that were deleted, so an unknown one
// belongs to another account or to the other mode (https://docs.stripe.com/error-codes#resource-missing).
var errUnknownCustomer = errors.New("it does not know the customer: the key is one of another account or mode")

// requireField returns the error of a call, or errUnreadable if the field that every answer must have is empty:
// a proxy may answer with JSON of its own, which the library decodes into an empty object.
func requireField(must string, err error) error {
	if err == nil && must == "" {
		return errUnreadable
	}
	return err
}

// explain turns an error of the library into one that may be logged: the library's repeats Stripe's
// message or the body of an answer, and both may hold an e-mail address. It keeps Stripe's code and
// the id of the request, by which the message is found in Stripe's log.
func explain(call string, err error) error {
	if err == nil {
		return nil
	}
	if said, ok := errors.AsType[*stripego.Error](err); ok {
		return fmt.Errorf("stripe: %s: %w", call, explainAnswer(said))
	}
	if errors.Is(err, errOtherMode) {
		return fmt.Errorf("stripe: %s: %w: %w", call, billing.ErrRefused, errOtherMode)
	}
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("stripe: %s: %w: %w", call, billing.ErrUnavailable, failed.Err) // without the address
	}
	return fmt.Errorf("stripe: %s: %w: %w", call, billing.ErrUnavailable, errUnreadable)
}

// explainAnswer explains an error that Stripe answered with.
func explainAnswer(said *stripego.Error) error {
	detail := describe(said)
	switch {
	case said.HTTPStatusCode >= http.StatusInternalServerError,
		said.HTTPStatusCode == http.StatusTooManyRequests,
		said.HTTPStatusCode == http.StatusConflict: // a request with the same key is under way
		return fmt.Errorf("%w: %s", billing.ErrUnavailable, detail)
	case said.Code == stripego.ErrorCodeTaxIDInvalid:
		return fmt.Errorf("%w: %s", billing.ErrVATNumber, detail)
	case said.Code == locationInvalid:
		return fmt.Errorf("%w: %s", billing.ErrLocation, detail)
	case said.Code == missing && said.Param == "customer":
		return fmt.Errorf("%w: %w: %s", billing.ErrRefused, errUnknownCustomer, detail)
	default: // https://docs.stripe.com/api/errors
		return fmt.Errorf("%w: %s", billing.ErrRefused, detail)
	}
}

// describe returns what Stripe answered, without its message.
func describe(said *stripego.Error) string {
	parts := []string{fmt.Sprintf("status %d", said.HTTPStatusCode), string(said.Type)}
	if said.Code != "" {
		parts = append(parts, "code "+string(said.Code))
	}
	if said.Param != "" {
		parts = append(parts, "parameter "+said.Param)
	}
	if said.RequestID != "" {
		parts = append(parts, "request "+said.RequestID)
	}
	return strings.Join(parts, ", ")
}

// isMissing reports whether Stripe said that the object a call was about does not exist.
func isMissing(err error) bool {
	said, ok := errors.AsType[*stripego.Error](err)
	return ok && said.Code == missing && said.HTTPStatusCode == http.StatusNotFound
}

// answered reports whether Stripe answered with a status.
func answered(err error, status int) bool {
	said, ok := errors.AsType[*stripego.Error](err)
	return ok && said.HTTPStatusCode == status
}
