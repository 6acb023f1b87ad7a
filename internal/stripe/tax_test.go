package stripe_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// What an invoice says about its tax is read off the address and the numbers that it was made with.
func TestBill(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		at     stripefake.Address
		number string
		want   billing.Bill
		tax    int64
	}{
		"at home": {stripefake.Address{Country: "FR", PostalCode: "75011"}, "", billing.Bill{Country: "FR", Postcode: "75011"}, 1980},
		"another member state": {
			stripefake.Address{Country: "DE", PostalCode: "10115"}, "", billing.Bill{Country: "DE", Postcode: "10115"}, 1881,
		},
		"with a number": {
			stripefake.Address{Country: "DE", PostalCode: "10115"},
			"DE123456789",
			billing.Bill{Country: "DE", Postcode: "10115", VATNumber: true},
			0,
		},
		"not supported": {stripefake.Address{Country: "MC"}, "", billing.Bill{Country: "MC", NotSupported: true}, 0},
		"elsewhere":     {stripefake.Address{Country: "US", PostalCode: "97201"}, "", billing.Bill{Country: "US", Postcode: "97201"}, 0},
	} {
		fake, c, _ := newStripe(t)
		customer := newCustomer(t, c)
		testkit.Must(t, fake.SetAddress(customer, tt.at))
		if tt.number != "" {
			_, err := fake.AddTaxID(customer, tt.number)
			testkit.Must(t, err)
		}
		_, err := fake.Subscribe(customer, accountID, "active")
		testkit.Must(t, err)
		got := only(t, c, customer)
		testkit.Equal(t, name, got.Bill, tt.want)
		testkit.Equal(t, name+": tax", got.Tax, tt.tax)
		testkit.Equal(t, name+": not collecting", got.NotCollecting, name == "elsewhere")
	}
}

// A number that is unverified is told by its id, and one that is not compared yet is not. Removing it gives the next
// invoice its tax.
func TestVATNumbers(t *testing.T) {
	t.Parallel()
	fake, c, _ := newStripe(t)
	customer := newCustomer(t, c)
	testkit.Must(t, fake.SetAddress(customer, stripefake.Address{Country: "DE", PostalCode: "10115"}))
	number, err := fake.AddTaxID(customer, "DE123456789")
	testkit.Must(t, err)
	sub, err := fake.Subscribe(customer, accountID, "active")
	testkit.Must(t, err)
	for status, want := range map[string]string{"pending": "", "verified": "", "unavailable": "", "unverified": number.ID} {
		testkit.Must(t, fake.VerifyTaxID(number.ID, status))
		got := only(t, c, customer)
		testkit.Equal(t, status, []any{got.VATNumbers, got.VATRefused}, []any{1, want})
	}
	testkit.Must(t, fake.VerifyTaxID(number.ID, "unverified"))
	for s, err := range c.All(t.Context()) {
		testkit.Must(t, err)
		testkit.Equal(t, "in the list of all", s.VATRefused, number.ID)
	}
	testkit.Must(t, fake.Renew(sub.ID))
	testkit.Equal(t, "the tax of the next invoice with it", only(t, c, customer).Tax, int64(0))
	for range 2 { // what is gone is no error
		testkit.Must(t, c.RemoveVATNumber(t.Context(), customer, number.ID))
	}
	testkit.Must(t, fake.Renew(sub.ID))
	got := only(t, c, customer)
	testkit.Equal(t, "without it", []any{got.VATNumbers, got.VATRefused, got.Tax}, []any{0, "", int64(1881)})
}
