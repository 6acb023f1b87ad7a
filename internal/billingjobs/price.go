package billingjobs

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/metrics"
)

const (
	priceEvery    = time.Hour
	minPricePause = time.Second // between two looks at a price that is wrong, or not known
	maxPricePause = time.Minute
	priceLimit    = 30 * time.Second
)

// WatchPrice compares the provider's price with that of the plan: at the start, every hour, and every
// minute while it is wrong or the provider does not answer. Until it is right nothing is sold. That
// has no part in readiness: whoever reads, calls or has paid needs no price, and a price that is wrong
// everywhere would take every node out of service.
func WatchPrice(registry prometheus.Registerer, s *billing.Service, logger *slog.Logger) func(ctx context.Context) {
	ok := metrics.NewGauge(registry, "palmares_billing_price_ok",
		"1 while the provider's price is that of the plan, 0 while it is another and nothing is sold, NaN while that is not known.")
	w := priceWatch{check: s.CheckPrice, ok: ok, logger: logger}
	return w.run
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
