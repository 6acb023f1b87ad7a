package config

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
)

// ReadStripe reads the settings for selling Pro.
func ReadStripe(environ []string) (Stripe, error) {
	var c Stripe
	err := parse(&c, environ)
	return c, errors.Join(err, c.validate())
}

// ReadSeller is ReadStripe for when not everything is set yet: it requires only the seller and the VAT rules to
// be valid.
func ReadSeller(environ []string) (Stripe, error) {
	var c Stripe
	err := parse(&c, environ)
	return c, errors.Join(err, c.validateSeller())
}

// Sells reports whether Pro can be bought.
func (c Stripe) Sells() bool {
	_, missing := c.settings()
	return len(missing) == 0
}

// Testers returns the e-mail addresses, in lower case, that may buy while the Stripe key belongs to a sandbox.
func (c Stripe) Testers() (list []string) {
	for email := range strings.SplitSeq(c.StripeTest, ",") {
		if email = strings.ToLower(strings.TrimSpace(email)); email != "" {
			list = append(list, email)
		}
	}
	return list
}

var country = regexp.MustCompile(`^[A-Z]{2}$`)

func (c Stripe) validate() error {
	var errs []error
	if set, missing := c.settings(); len(set) > 0 && len(missing) > 0 {
		errs = append(errs, fmt.Errorf("%s not set: %s cannot be used without; set all three, or none to sell nothing",
			areOrIs(missing), strings.Join(set, " and ")))
	}
	return errors.Join(append(errs, c.validateSeller())...)
}

func (c Stripe) validateSeller() error {
	var errs []error
	if !country.MatchString(c.SellerCountry) {
		errs = append(errs, fmt.Errorf("PALMARES_SELLER_COUNTRY is %q: "+
			"it is the two capital letters of a country, such as FR", c.SellerCountry))
	}
	switch c.SellerVAT {
	case "standard", "small_seller":
	case "franchise":
		if c.SellerCountry != "FR" {
			errs = append(errs, fmt.Errorf("PALMARES_SELLER_VAT is franchise, which is of article 293 B of the French tax code, "+
				"and PALMARES_SELLER_COUNTRY is %q", c.SellerCountry))
		}
	default:
		errs = append(errs, fmt.Errorf("PALMARES_SELLER_VAT is %q: it is standard, small_seller or franchise", c.SellerVAT))
	}
	switch c.SellsTo {
	case "businesses":
	case "everybody":
		errs = append(errs, errors.New("PALMARES_SELLS_TO is everybody: consumers may withdraw from what they buy at a distance "+
			"within 14 days (article L. 221-18 of the French consumer code), and withdrawal is not built; write businesses"))
	default:
		errs = append(errs, fmt.Errorf("PALMARES_SELLS_TO is %q: businesses is the only value there is", c.SellsTo))
	}
	for _, email := range c.Testers() {
		if !strings.Contains(email, "@") {
			errs = append(errs, fmt.Errorf("PALMARES_STRIPE_TEST has %q: it lists e-mail addresses, with commas between", email))
		}
	}
	if c.StripeURL != "" && !loopbackURL(c.StripeURL) {
		errs = append(errs, fmt.Errorf("PALMARES_STRIPE_URL is %q: "+
			"it is for tests, and names a stand-in on this machine, such as http://127.0.0.1:12111", c.StripeURL))
	}
	return errors.Join(errs...)
}

// settings returns which of the variables that must be set together are set, and which are missing.
func (c Stripe) settings() (set, missing []string) {
	for _, v := range []struct {
		name string
		set  bool
	}{
		{"PALMARES_STRIPE_KEY", c.StripeKey != ""},
		{"PALMARES_STRIPE_WEBHOOK_SECRET", c.StripeWebhookSecret != ""},
		{"PALMARES_STRIPE_PRICE", c.StripePrice != ""},
	} {
		if v.set {
			set = append(set, v.name)
		} else {
			missing = append(missing, v.name)
		}
	}
	return set, missing
}

func areOrIs(names []string) string {
	if len(names) == 1 {
		return names[0] + " is"
	}
	return strings.Join(names, " and ") + " are"
}

// loopbackURL reports whether a URL is on this machine: the provider's key is sent there.
func loopbackURL(s string) bool {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || strings.Trim(u.Path, "/") != "" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.IsLoopback()
}
