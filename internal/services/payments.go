package services

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/stripe"
	"github.com/palmares-hq/palmares/internal/stripe/events"
)

// KnownSeller returns an error if payments are configured and no VAT can be computed for the seller's country.
func KnownSeller(cfg config.Stripe) error {
	if cfg.Sells() && !slices.Contains(billing.Countries(), cfg.SellerCountry) {
		return fmt.Errorf("PALMARES_SELLER_COUNTRY is %q: VAT is known for sellers in the European Union: %s",
			cfg.SellerCountry, strings.Join(billing.Countries(), " "))
	}
	return nil
}

// InSandbox reports whether the payment provider's key is a sandbox's.
func InSandbox(cfg config.Stripe) bool { return stripe.IsTest(cfg.StripeKey.Reveal()) }

// CheckKey returns an error if the key is a sandbox's, the service is public and no testers are listed: everybody would
// get Pro without paying.
func CheckKey(cfg config.Stripe, public bool) error {
	if InSandbox(cfg) && public && len(cfg.Testers()) == 0 {
		return errors.New("PALMARES_STRIPE_KEY is a test key, and PALMARES_BASE_URL is public; " +
			"set a live key, or list in PALMARES_STRIPE_TEST the e-mail addresses that may try it")
	}
	return nil
}

// NewProvider returns the client of the payment provider.
func NewProvider(cfg config.Stripe) (*stripe.Client, error) {
	c, err := stripe.New(stripe.Options{
		Key: cfg.StripeKey.Reveal(), WebhookSecret: cfg.StripeWebhookSecret.Reveal(), Price: cfg.StripePrice, URL: cfg.StripeURL,
	})
	if err != nil {
		return nil, fmt.Errorf("preparing the payment provider: %w", err)
	}
	return c, nil
}

// AccountPage returns a function from a language to the full URL of an account page.
func AccountPage(base string, p address.Page) billing.Page {
	return func(l account.Language) string { return base + p.At(locale.Tagged(string(l))) }
}

// OperatorTexts returns the operator's terms and legal notice, to which orders refer, as an edition has them.
func OperatorTexts(s *catalog.Snapshot) billing.OperatorTexts {
	return operatorTexts(func(file string) string {
		if f, ok := s.OperatorFile(file); ok {
			return f.Text
		}
		return ""
	})
}

// operatorTexts builds the texts from files. text returns "" for a missing file.
func operatorTexts(text func(file string) string) billing.OperatorTexts {
	page := func(name string) map[account.Language]string {
		return map[account.Language]string{
			account.French: text(name + catalog.FrenchPage), account.English: text(name + catalog.EnglishPage),
		}
	}
	return billing.OperatorTexts{Terms: page(catalog.PageTerms), Legal: page(catalog.PageLegal)}
}

// CheckSetup compares the set-up of the payment provider, and the operator's published texts, with what they must be,
// setting by setting. It changes nothing. It needs Billing.
func (s *Services) CheckSetup(ctx context.Context, now time.Time) ([]billing.Line, error) {
	is, err := s.provider.Setup(ctx)
	if err != nil {
		return nil, err
	}
	published, err := s.db.Catalog.OwnTexts(ctx)
	if err != nil {
		return nil, err
	}
	held, err := s.db.Billing.Binding(ctx)
	if err != nil {
		return nil, err
	}
	heard, err := s.db.Billing.Heard(ctx, now.Add(-heardFor))
	if err != nil {
		return nil, err
	}
	return billing.CheckSetup(is, billing.Wanted{
		Binding: held, Heard: heard,
		Country: s.seller.SellerCountry, Scheme: billing.Scheme(s.seller.SellerVAT), Public: s.own.Public(), Endpoint: endpoint(s.own),
		Version: stripe.Version, Events: stripe.EndpointEvents(), Now: now,
		Texts: operatorTexts(func(file string) string { return published[file] }),
	}), nil
}

// heardFor is how far back CheckSetup counts forged events.
const heardFor = 24 * time.Hour

// endpoint returns the URL to which the provider sends events; "" if PALMARES_BASE_URL is not set.
func endpoint(own config.Address) string {
	if own.BaseURL == "" {
		return ""
	}
	return own.Base() + events.Path
}

// A SetUp sets up the payment provider, with a key of its own.
type SetUp struct {
	Mode        string // of the key: "live" or "test"
	Unbound     bool   // no database is configured, so the key's account was not compared with the customers'
	Registering string // what to do about registrations with tax authorities

	provider *stripe.Client
	wish     billing.SetUpWish
}

// OpenSetUp returns a SetUp with a key, which it checks as nodes do: the mode must fit the address and, if a database
// is configured, the account must be the one that has the customers. Errors do not repeat the key.
func OpenSetUp(ctx context.Context, environ []string, key string) (*SetUp, error) {
	cfg, err := config.ReadSeller(environ)
	own, wrong := config.ReadAddress(environ)
	if err = errors.Join(err, wrong); err == nil && own.BaseURL == "" {
		err = errors.New("PALMARES_BASE_URL is not set: it says where events go")
	}
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	provider, err := stripe.NewForSetUp(stripe.Options{Key: key, URL: cfg.StripeURL})
	if err != nil {
		return nil, err
	}
	s := &SetUp{
		Mode: "live", Registering: billing.Registering(billing.Scheme(cfg.SellerVAT), cfg.SellerCountry), provider: provider,
		wish: billing.SetUpWish{Price: cfg.StripePrice, Version: stripe.Version, Events: stripe.EndpointEvents()},
	}
	if own.Public() {
		s.wish.Endpoint = endpoint(own)
	}
	switch cfg.StripeKey = config.Secret(key); {
	case !InSandbox(cfg) && !own.Public():
		err = errors.New("this is a live key, and nobody else reaches PALMARES_BASE_URL: take one of a sandbox, or set the public address")
	case CheckKey(cfg, own.Public()) != nil:
		err = errors.New("this is a test key, and PALMARES_BASE_URL is public: " +
			"take a live key, or list in PALMARES_STRIPE_TEST the e-mail addresses that may try it")
	case InSandbox(cfg):
		s.Mode = "test"
	}
	if err == nil {
		err = s.checkAccount(ctx, environ)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// checkAccount returns an error if the key is not of the provider's account that has the customers. Without a
// configured database it sets Unbound instead.
func (s *SetUp) checkAccount(ctx context.Context, environ []string) error {
	s.Unbound = !slices.ContainsFunc(environ, func(set string) bool {
		name, value, _ := strings.Cut(set, "=")
		return value != "" && (name == "PALMARES_DATABASE_URL" || name == "PALMARES_DATABASE_URL_FILE")
	})
	if s.Unbound {
		return nil
	}
	held, err := open(ctx, environ, nil)
	if err != nil {
		return err
	}
	defer held.Close()
	return billing.New(billing.Options{Store: held.db.Billing, Provider: s.provider}).CheckAccount(ctx)
}

// Run sets up the provider and returns what it did about each part, and the id of the price. It calls keep to store the
// secret of a new endpoint; kept says that the file for it exists already.
func (s *SetUp) Run(ctx context.Context, dryRun, kept bool, keep func(secret string) error) ([]billing.Part, string, error) {
	wish := s.wish
	wish.DryRun, wish.SecretKept, wish.Keep = dryRun, kept, keep
	return billing.SetUp(ctx, s.provider, wish)
}

// Close closes the connections.
func (s *SetUp) Close() { s.provider.Close() }
