package workers

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/metrics"
	"github.com/palmares-hq/palmares/internal/postgres"
)

// A Reconciler compares our subscriptions with the provider's, and records when it did.
type Reconciler struct {
	Service *billing.Service
	Store   *postgres.Billing
	Logger  *slog.Logger // of the daily jobs
}

// daily reconciles, unless the last recorded reconciliation began within a day. It logs ErrLosses without returning it:
// the job must not be retried before its next turn.
func (r *Reconciler) daily(ctx context.Context, _ reconcile) error {
	last, err := r.Store.LastReconciliation(ctx)
	if err != nil || time.Since(last.At) < reconcileEvery {
		return err
	}
	report, err := r.Run(ctx, billing.Run{})
	switch {
	case errors.Is(err, billing.ErrLosses): // not again at once: the next is in an hour
		r.Logger.Error("subscriptions were compared with the payment provider: palmares billing reconcile --dry-run has the findings", "error", err)
		return nil
	case err != nil:
		return err
	}
	r.log(ctx, report)
	return nil
}

// Run reconciles. A run that was complete, without an error, is recorded unless it was a dry run.
func (r *Reconciler) Run(ctx context.Context, run billing.Run) (billing.Report, error) {
	began := time.Now()
	report, err := r.Service.Reconcile(ctx, run)
	if err != nil || run.DryRun {
		return report, err
	}
	done := postgres.Reconciliation{At: began, Untaxed: report.Untaxed}
	for _, f := range report.Findings {
		switch f.Kind {
		case billing.FoundNotCollecting:
			done.NotCollecting++
		case billing.FoundVATNumber:
			done.VATNumbers++
		case billing.FoundDrift, billing.FoundLost, billing.FoundDeleted, billing.FoundEndedInvoice:
			done.Drift++
		case billing.FoundTwoSubscriptions, billing.FoundGivenAndPaid, billing.FoundWrongPrice,
			billing.FoundOtherProduct, billing.FoundUnpaidInvoice,
			billing.FoundNoAccount, billing.FoundOtherCurrency, billing.FoundQuantity, billing.FoundMoved, billing.FoundUnknown, billing.FoundMention,
			billing.FoundNotSupported, billing.FoundNotSold, billing.FoundWrongRate, billing.FoundRemains, billing.FoundDocument: // both sides agree about these
		}
	}
	return report, r.Store.NoteReconciliation(ctx, done)
}

// log logs each finding, with ids only, and a summary.
func (r *Reconciler) log(ctx context.Context, report billing.Report) {
	for _, f := range report.Findings {
		attrs := []slog.Attr{
			slog.String("what", string(f.Kind)), slog.String("account", f.Account), slog.String("subscription", f.Subscription),
			slog.String("was", f.Was), slog.String("is", f.Is), slog.Bool("mended", f.Repaired),
		}
		if f.Err != nil {
			attrs = append(attrs, slog.Any("error", f.Err))
		}
		r.Logger.LogAttrs(ctx, slog.LevelWarn, "the payment provider and this service differed", attrs...)
	}
	r.Logger.Info("subscriptions were compared with the payment provider", "subscriptions", report.Subscriptions,
		"customers", report.Customers, "findings", len(report.Findings))
}

// WatchPayments registers the gauges of how long events wait and what the last reconciliation on any node
// found, and returns a function that sets them until ctx is done. A value that cannot be read from the
// database is NaN.
func WatchPayments(registry prometheus.Registerer, r *Reconciler, every time.Duration) func(ctx context.Context) {
	lag := metrics.NewGauge(registry, "palmares_billing_event_lag_seconds",
		"How long the event of the payment provider has waited that has waited longest.")
	age := metrics.NewGauge(registry, "palmares_billing_reconcile_age_seconds",
		"How long ago the last complete reconciliation began; that is done every day.")
	drift := metrics.NewGauge(registry, "palmares_billing_drift", "Subscriptions that the last reconciliation found to differ.")
	untaxed := metrics.NewGauge(registry, "palmares_billing_not_collecting",
		"Subscriptions without tax, for want of a registration, as of the last reconciliation.")
	numbers := metrics.NewGauge(registry, "palmares_billing_vat_numbers",
		"VAT numbers that the register does not know, as of the last reconciliation.")
	elsewhere := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "palmares_billing_untaxed",
		Help: "Subscriptions without tax outside the seller's tax union, where there is no registration, by country, as of the last reconciliation.",
	}, []string{"country"})
	registry.MustRegister(elsewhere)
	look := func(ctx context.Context) bool {
		waited, noLag := r.Service.Lag(ctx)
		metrics.Set(lag, waited.Seconds(), noLag)
		last, err := r.Store.LastReconciliation(ctx)
		if err == nil && last.At.IsZero() {
			err = errNoReconciliation
		}
		metrics.Set(age, metrics.Since(last.At), err)
		metrics.Set(drift, float64(last.Drift), err)
		metrics.Set(untaxed, float64(last.NotCollecting), err)
		metrics.Set(numbers, float64(last.VATNumbers), err)
		elsewhere.Reset() // an unknown count is left out
		for country, n := range last.Untaxed {
			elsewhere.WithLabelValues(country).Set(float64(n))
		}
		return errors.Join(noLag, err) == nil
	}
	return func(ctx context.Context) { metrics.Watch(ctx, every, look) }
}

var errNoReconciliation = errors.New("no reconciliation was complete yet")
