package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/stripe"
)

// billingPool is that of payments. A connection is held while the provider is asked, which may take
// seconds, so nothing else waits for one of these: planPool is for reading what is known already.
var (
	billingPool = pool{"palmares billing", 4, requestPatience}
	planPool    = pool{"palmares plan", 2, requestPatience}
)

// billing gives all that is done about payments. Without a provider it sells nothing, and tells what
// plan an account has.
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
	o, err := b.billingOptions(db)
	if err != nil {
		return nil, err
	}
	o.Store = db.Billing.ReadingFrom(known)
	b.payments = billing.New(o)
	if !b.cfg.Sells() {
		b.logger.Info("Pro is not sold here: palmares account plan sets plans; " +
			"set PALMARES_STRIPE_KEY, PALMARES_STRIPE_WEBHOOK_SECRET and PALMARES_STRIPE_PRICE to sell it")
		return b.payments, nil
	}
	b.logger.Info("Pro is sold", "price", b.cfg.StripePrice, "country", b.cfg.SellerCountry)
	b.watchPrice(b.payments)
	return b.payments, nil
}

// billingOptions describe a service on a database.
func (b *builder) billingOptions(db *postgres.DB) (billing.Options, error) {
	o := billing.Options{
		Store: db.Billing, BaseURL: b.cfg.Base(), Country: b.cfg.SellerCountry, Logger: b.logger,
	}
	if !b.cfg.Sells() {
		return o, nil
	}
	provider, err := newProvider(b.cfg.Stripe)
	if err != nil {
		return o, err
	}
	b.atEnd(func() error { provider.Close(); return nil })
	if b.countBilling == nil {
		b.countBilling = newBillingCounts(b.registry).count
	}
	o.Provider, o.Count = provider, b.countBilling
	return o, nil
}

// newProvider makes what takes payments.
func newProvider(cfg config.Stripe) (*stripe.Client, error) {
	c, err := stripe.New(stripe.Options{
		Key: cfg.StripeKey.Reveal(), WebhookSecret: cfg.StripeWebhookSecret.Reveal(), Price: cfg.StripePrice, URL: cfg.StripeURL,
	})
	if err != nil {
		return nil, fmt.Errorf("preparing the payment provider: %w", err)
	}
	return c, nil
}

// What became of an event that billing knows nothing of.
const (
	eventTooLarge = "too_large"
	eventFailed   = "failed"
	eventCrowded  = "crowded"
)

// billingCounts are the counters of payments.
type billingCounts struct {
	events, findings *prometheus.CounterVec
	disputes         prometheus.Counter
}

// The outcomes of events, by what billing counts.
var eventOutcomes = map[string]string{
	billing.CountEvent: "stored", billing.CountRepeated: "repeated",
	billing.CountForeign: "foreign", billing.CountForged: "forged",
}

func newBillingCounts(registry prometheus.Registerer) billingCounts {
	c := billingCounts{
		events: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "palmares_billing_events_total",
			Help: "Events of the payment provider, by what came of them: stored, repeated, forged, too_large, failed, crowded; " +
				"foreign are those, among the first two, of another version of its interface.",
		}, []string{"outcome"}),
		findings: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "palmares_billing_findings_total",
			Help: "What was found when the provider was asked: not_collecting, wrong_price, two_subscriptions, other_product, drift.",
		}, []string{"what"}),
		disputes: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "palmares_billing_disputes_total", Help: "Charges that customers disputed.",
		}),
	}
	registry.MustRegister(c.events, c.findings, c.disputes)
	for _, outcome := range []string{"stored", "repeated", "foreign", "forged", eventTooLarge, eventFailed, eventCrowded} {
		c.events.WithLabelValues(outcome) // shown as 0 from the start
	}
	for _, what := range billing.Counts() {
		if eventOutcomes[what] == "" && what != billing.CountDispute {
			c.findings.WithLabelValues(what)
		}
	}
	return c
}

// count counts what billing counts, and what becomes of events before that.
func (c billingCounts) count(what string) {
	switch outcome := eventOutcomes[what]; {
	case outcome != "":
		c.events.WithLabelValues(outcome).Inc()
	case what == eventTooLarge || what == eventFailed || what == eventCrowded:
		c.events.WithLabelValues(what).Inc()
	case what == billing.CountDispute:
		c.disputes.Inc()
	default:
		c.findings.WithLabelValues(what).Inc()
	}
}

const (
	priceEvery    = time.Hour
	minPricePause = time.Second // between two looks at a price that is wrong, or not known
	maxPricePause = time.Minute
	priceLimit    = 30 * time.Second
)

// watchPrice compares the provider's price with that of the plan: at the start, every hour, and every
// minute while it is wrong or the provider does not answer. Until it is right nothing is sold. That
// has no part in readiness: whoever reads, calls or has paid needs no price, and a price that is wrong
// everywhere would take every node out of service.
func (b *builder) watchPrice(s *billing.Service) {
	ok := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "palmares_billing_price_ok",
		Help: "1 while the provider's price is that of the plan, 0 while it is another and nothing is sold, NaN while that is not known.",
	})
	ok.Set(math.NaN())
	b.registry.MustRegister(ok)
	w := priceWatch{check: s.CheckPrice, ok: ok, logger: b.logger}
	b.background(w.run)
}

// A priceWatch knows whether the provider's price is right.
type priceWatch struct {
	check  func(context.Context) error
	ok     prometheus.Gauge
	logger *slog.Logger
	said   string // the last line of the log about it
}

func (w *priceWatch) run(ctx context.Context) {
	pause := minPricePause
	for {
		next := priceEvery
		if right := w.look(ctx); right {
			pause = minPricePause
		} else {
			next, pause = pause, min(2*pause, maxPricePause)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(next):
		}
	}
}

// look reports whether the price is right. It logs what has changed.
func (w *priceWatch) look(ctx context.Context) (right bool) {
	limited, cancel := context.WithTimeout(ctx, priceLimit)
	defer cancel()
	err := w.check(limited)
	level, line := slog.LevelInfo, "the price is that of the plan"
	switch {
	case err == nil:
		w.ok.Set(1)
	case ctx.Err() != nil:
		return false
	case errors.Is(err, billing.ErrWrongPrice):
		w.ok.Set(0)
		w.said = "" // billing says it
		return false
	default: // a price that was right may have changed meanwhile: nobody knows
		w.ok.Set(math.NaN())
		level, line = slog.LevelWarn, "the price at the payment provider cannot be read; it is asked for again"
	}
	if line != w.said {
		var attrs []slog.Attr
		if err != nil {
			attrs = append(attrs, slog.Any("error", err))
		}
		w.logger.LogAttrs(ctx, level, line, attrs...)
		w.said = line
	}
	return err == nil
}
