package services

import (
	"fmt"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/stripe"
)

// KnownSeller says why no VAT could be estimated.
func KnownSeller(cfg config.Stripe) error {
	if cfg.Sells() && !slices.Contains(billing.Countries(), cfg.SellerCountry) {
		return fmt.Errorf("PALMARES_SELLER_COUNTRY is %q: VAT is known for sellers in the European Union: %s",
			cfg.SellerCountry, strings.Join(billing.Countries(), " "))
	}
	return nil
}

// InSandbox reports whether the payment provider's key is one of a sandbox.
func InSandbox(cfg config.Stripe) bool { return stripe.IsTest(cfg.StripeKey.Reveal()) }

// NewProvider makes what takes payments.
func NewProvider(cfg config.Stripe) (*stripe.Client, error) {
	c, err := stripe.New(stripe.Options{
		Key: cfg.StripeKey.Reveal(), WebhookSecret: cfg.StripeWebhookSecret.Reveal(), Price: cfg.StripePrice, URL: cfg.StripeURL,
	})
	if err != nil {
		return nil, fmt.Errorf("preparing the payment provider: %w", err)
	}
	return c, nil
}

// AccountPage is a page of accounts, with the address of the service before its path.
func AccountPage(base string, p address.Page) billing.Page {
	return func(l account.Language) string { return base + p.At(locale.Tagged(string(l))) }
}

// OperatorTexts are what the operator wrote that orders stand on, as an edition has it.
func OperatorTexts(s *catalog.Snapshot) billing.OperatorTexts {
	return operatorTexts(func(file string) string {
		if f, ok := s.OperatorFile(file); ok {
			return f.Text
		}
		return ""
	})
}

// operatorTexts are those of files, of which text returns "" for one that there is not.
func operatorTexts(text func(file string) string) billing.OperatorTexts {
	page := func(name string) map[account.Language]string {
		return map[account.Language]string{
			account.French: text(name + catalog.FrenchPage), account.English: text(name + catalog.EnglishPage),
		}
	}
	return billing.OperatorTexts{Terms: page(catalog.PageTerms), Legal: page(catalog.PageLegal)}
}
