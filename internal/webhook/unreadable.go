package webhook

import (
	"context"
	"errors"
	"time"
)

// markReadable records that an endpoint's secret can be opened. skipped says that its old one
// cannot, which is logged once.
func (w *Worker) markReadable(ctx context.Context, e Endpoint, skipped bool) error {
	if skipped {
		if _, logged := w.loggedSkipped.LoadOrStore(e.ID, true); !logged {
			w.o.Logger.Warn("an old secret cannot be opened: deliveries are signed with the new one alone",
				"endpoint", e.ID)
		}
	}
	if e.Reason.Code != SecretUnreadable {
		return nil
	}
	changed, err := w.o.Store.SetReason(ctx, e.ID, Reason{})
	if changed {
		w.o.Logger.Info("webhooks are delivered to an endpoint again: its secret can be opened",
			"endpoint", e.ID)
	}
	return err
}

// markUnreadable records that an endpoint's secret cannot be opened and leaves the endpoint alone
// for a while. If it is this worker's secret that is wrong, another worker may take over at once.
func (w *Worker) markUnreadable(ctx context.Context, e Endpoint, claim int64) error {
	err := w.recheckSecret(ctx)
	if errors.Is(err, ErrWrongSecret) {
		return w.o.Store.Release(ctx, e.ID, claim, time.Time{})
	}
	if err != nil {
		return err
	}
	changed, err := w.o.Store.SetReason(ctx, e.ID, Reason{Code: SecretUnreadable})
	if err != nil {
		return err
	}
	if changed {
		w.o.Logger.Warn("webhooks are not delivered to an endpoint: its secret cannot be opened",
			"endpoint", e.ID)
	}
	return w.o.Store.Release(ctx, e.ID, claim, w.o.Now().Add(failureDelay))
}

// recheckSecret checks this worker's secret. If it is wrong, the worker's next CheckSecret says so
// too.
func (w *Worker) recheckSecret(ctx context.Context) error {
	err := CheckSecret(ctx, w.o.Store, w.o.Keyring, w.o.Now())
	if errors.Is(err, ErrWrongSecret) {
		w.recheck.Store(true)
	}
	return err
}

// findUnreadable finds active endpoints whose secret cannot be opened before there is something to
// deliver to them, and those whose secret is readable again.
func (w *Worker) findUnreadable(ctx context.Context) error {
	var lost, back []string
	err := eachSealed(ctx, w.o.Store, func(e Sealed) error {
		current, _ := w.o.Keyring.opens(e, w.o.Now())
		switch {
		case e.State != Active:
		case !current && e.Reason.Code != SecretUnreadable:
			lost = append(lost, e.Endpoint)
		case current && e.Reason.Code == SecretUnreadable:
			back = append(back, e.Endpoint)
		}
		return nil
	})
	if err != nil || len(lost)+len(back) == 0 {
		return err
	}
	if err := w.recheckSecret(ctx); err != nil {
		return err
	}
	for _, id := range back {
		if _, err := w.o.Store.SetReason(ctx, id, Reason{}); err != nil {
			return err
		}
	}
	for _, id := range lost {
		if _, err := w.o.Store.SetReason(ctx, id, Reason{Code: SecretUnreadable}); err != nil {
			return err
		}
	}
	if len(lost) > 0 {
		const shown = 10
		w.o.Logger.Warn("webhooks are not delivered to endpoints: their secrets cannot be opened",
			"endpoints", len(lost), "first", lost[:min(len(lost), shown)])
	}
	return nil
}
