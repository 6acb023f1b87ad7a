package node

import (
	"context"
	"log/slog"
	"math"
	"time"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/metrics"
	"github.com/palmares-hq/palmares/internal/services"
	"github.com/palmares-hq/palmares/internal/stripe/events"
	"github.com/palmares-hq/palmares/internal/surface"
	"github.com/palmares-hq/palmares/internal/throttle"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/workers"
)

// billingPool is for payments. A connection is held during a request to the provider, which may take seconds, so
// reads of what is already known have planPool, and the provider's events have eventsPool.
var (
	billingPool = pool{"palmares billing", 4, requestPatience}
	planPool    = pool{"palmares plan", 2, requestPatience}
	eventsPool  = pool{"palmares events", 2, requestPatience}
)

// checkKey switches billing off if the provider's key is a sandbox key, the service is public and no testers are
// listed: everybody could have Pro without paying. The node serves without billing.
func (b *builder) checkKey() {
	if !b.cfg.Sells() {
		return
	}
	wrong := services.CheckKey(b.cfg.Stripe, b.cfg.Public())
	b.gauge("palmares_billing_off", "1 while nothing is sold because the payment provider's key is one of a sandbox, else 0.",
		func() float64 {
			if wrong != nil {
				return 1
			}
			return 0
		})
	if wrong != nil {
		b.logger.Error("Pro is not sold: " + wrong.Error())
		b.cfg.StripeKey = ""
	}
}

// sweepOffers looks for checkouts of a former price or former terms, every minute until ctx is done, and inserts the
// jobs that end them. It runs with the account pages rather than on workers, which may not know the current terms.
func (b *builder) sweepOffers(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Minute):
		}
		if err := b.payments.Sweep(ctx); err != nil && ctx.Err() == nil {
			b.logger.Warn("checkouts of a former offer cannot be looked for; that is tried again", "error", err)
		}
	}
}

// billing returns the billing service, made on the first call. Without a provider it sells nothing, and only knows the
// plans of accounts.
func (b *builder) billing(ctx context.Context) (*billing.Service, error) {
	if b.payments != nil {
		return b.payments, nil
	}
	db, err := b.database(ctx, billingPool)
	if err != nil {
		return nil, err
	}
	known, err := b.database(ctx, planPool)
	if err != nil {
		return nil, err
	}
	o := billing.Options{
		Store: db.Billing.ReadingFrom(known), Country: b.cfg.SellerCountry, Scheme: billing.Scheme(b.cfg.SellerVAT), Logger: b.logger,
		Plan: services.AccountPage(b.cfg.Base(), address.Plan), Done: services.AccountPage(b.cfg.Base(), address.PlanPayment),
	}
	if !b.cfg.Sells() {
		b.logger.Info("Pro is not sold here: palmares account plan sets plans; " +
			"set PALMARES_STRIPE_KEY, PALMARES_STRIPE_WEBHOOK_SECRET and PALMARES_STRIPE_PRICE to sell it")
		b.payments = billing.New(o)
		return b.payments, nil
	}
	incoming, err := b.database(ctx, eventsPool)
	if err != nil {
		return nil, err
	}
	provider, err := services.NewProvider(b.cfg.Stripe)
	if err != nil {
		return nil, err
	}
	b.atEnd(func() error { provider.Close(); return nil })
	b.countBilling = workers.NewPaymentCounts(b.registry).Count
	o.Store = db.Billing.ReadingFrom(known).ReceivingOn(incoming)
	o.Provider, o.Count, o.Price = provider, b.countBilling, b.cfg.StripePrice
	if services.InSandbox(b.cfg.Stripe) && b.cfg.Public() {
		o.Testers = b.cfg.Testers()
		b.logger.Warn("the payment provider's key is one of a sandbox: nothing is really paid, and only those may buy who are listed",
			"listed", len(o.Testers))
	}
	o.Texts = func() billing.OperatorTexts { // none on a node without account pages, which takes no orders
		if b.texts == nil {
			return billing.OperatorTexts{}
		}
		return b.texts()
	}
	b.payments = billing.New(o)
	b.gauge("palmares_billing_account_ok",
		"1 while the payment provider's key is one of the account that the customers are of, 0 while it is of another, NaN while that is not known.",
		func() float64 {
			switch right, known := b.payments.AccountRight(); {
			case !known:
				return math.NaN()
			case right:
				return 1
			}
			return 0
		})
	b.logger.Info("Pro is sold", "price", b.cfg.StripePrice, "country", b.cfg.SellerCountry, "vat", b.cfg.SellerVAT)
	warnOfRates(b.logger, time.Now())
	b.background(workers.WatchPrice(b.registry, b.payments, b.logger))
	return b.payments, nil
}

// followTexts sets b.texts to the operator's texts that orders refer to, as of the current edition. With each edition
// it checks whether one is missing, and warns when what is missing has changed.
func (b *builder) followTexts(ctx context.Context) error {
	last := ""
	follower, err := b.catalog(ctx, func(s *catalog.Snapshot, _ *throttle.Throttle) {
		missing := ""
		if err := services.OperatorTexts(s).Check(); err != nil {
			missing = err.Error()
		}
		if missing != last && missing != "" {
			b.logger.Warn("Pro is not sold: palmares new pages writes templates of what is missing", "error", missing)
		}
		last = missing
	})
	if err != nil {
		return err
	}
	b.texts = func() billing.OperatorTexts { return services.OperatorTexts(follower.Current()) }
	b.gauge("palmares_billing_texts_ok", "1 while the terms and the legal notice are there and finished, else 0: nothing is sold.",
		metrics.Working(func() error { return b.texts().Check() }))
	return nil
}

// warnOfRates warns if the table of VAT rates has not been reviewed for more than six months.
func warnOfRates(logger *slog.Logger, now time.Time) {
	if billing.RatesOld(now) {
		logger.Warn("the table of VAT rates is more than six months old: what pages estimate, and what invoices are compared with, "+
			"may be wrong; run a newer release", "of", billing.RatesOf)
	}
}

// addBillingEvents adds the surface that receives the provider's events. It has no readiness check, because the
// provider resends an event that could not be stored.
func (b *builder) addBillingEvents(ctx context.Context) error {
	var service *billing.Service // nil without a provider
	if b.cfg.Sells() {
		var err error
		if service, err = b.billing(ctx); err != nil {
			return err
		}
	}
	e := events.New(service, b.countBilling)
	b.mount(surface.Surface{Name: "billing", Prefixes: []string{"/stripe"}, Handler: e.Handler(), WriteError: web.WritePlainError})
	if service != nil {
		b.background(b.keepForged)
		b.gauge("palmares_billing_event_bodies", "Bodies sent to the address for events that are being read, 16 at most.",
			func() float64 { return float64(e.Bodies()) })
	}
	return nil
}

// keepForged stores every minute, and once more when ctx is done, how many forged events were received, for the command
// palmares billing check.
func (b *builder) keepForged(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-time.After(time.Minute):
		}
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestPatience)
		if err := b.payments.KeepForged(limited); err != nil {
			b.logger.Warn("how many events were forged cannot be stored; that is tried again", "error", err)
		}
		cancel()
	}
}

// addBilling adds the jobs that reconcile with the payment provider, and those that send mail about the results.
func (b *builder) addBilling(ctx context.Context) error {
	service, err := b.billing(ctx)
	if err != nil || !b.cfg.Sells() {
		return err
	}
	mails, err := b.mails(ctx)
	if err != nil {
		return err
	}
	r := &workers.Reconciler{Service: service, Store: mails.DB.Billing, Logger: b.logger}
	b.jobs = append(b.jobs, mails.Payments(service, r))
	b.background(workers.WatchPayments(b.registry, r, b.watchEvery))
	return nil
}
