package webhook

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// unreadable is why nothing is delivered to an endpoint whose secret cannot be opened. Its
// cursor and its deliveries wait, and no attempt is charged.
const unreadable = "its secret cannot be opened: set the PALMARES_SECRET_PREVIOUS that sealed it, or palmares webhook rotate; " +
	"what is published meanwhile waits"

// secrets are those that sign what an endpoint is sent: two during a rotation, unless the
// old one cannot be opened and is skipped.
func (b *Box) secrets(e Endpoint, now time.Time) (secrets []Secret, skipped bool, err error) {
	current, err := b.Open(e.Secret, e.ID)
	if err != nil {
		return nil, false, fmt.Errorf("opening the secret of %s: %w", e.ID, err)
	}
	secrets = []Secret{current}
	if len(e.OldSecret) > 0 && now.Before(e.OldSecretTo) {
		old, err := b.Open(e.OldSecret, e.ID)
		if err != nil {
			return secrets, true, nil //nolint:nilerr // the current one is enough
		}
		secrets = append(secrets, old)
	}
	return secrets, false, nil
}

// readable notes that an endpoint's secret can be opened, and tells once that its old one
// cannot.
func (w *Worker) readable(ctx context.Context, e Endpoint, skipped bool) error {
	if skipped {
		if _, told := w.skipped.LoadOrStore(e.ID, true); !told {
			w.o.Logger.Warn("an old secret cannot be opened: deliveries are signed with the new one alone", "endpoint", e.ID)
		}
	}
	if e.Reason != unreadable {
		return nil
	}
	changed, err := w.o.Store.SetReason(ctx, e.ID, "")
	if changed {
		w.o.Logger.Info("webhooks are delivered to an endpoint again: its secret can be opened", "endpoint", e.ID)
	}
	return err
}

// leave gives up an endpoint whose secret cannot be opened, for a while. When it is this
// worker's secret that is wrong the endpoint is another's to deliver to, at once.
func (w *Worker) leave(ctx context.Context, e Endpoint, claim int64) error {
	err := w.doubt(ctx)
	if errors.Is(err, ErrWrongSecret) {
		return w.o.Store.Release(ctx, e.ID, claim, time.Time{})
	}
	if err != nil {
		return err
	}
	changed, err := w.o.Store.SetReason(ctx, e.ID, unreadable)
	if err != nil {
		return err
	}
	if changed {
		w.o.Logger.Warn("webhooks are not delivered to an endpoint: its secret cannot be opened", "endpoint", e.ID)
	}
	return w.o.Store.Release(ctx, e.ID, claim, w.o.Now().Add(failuresWait))
}

// doubt looks whether this worker's secret is wrong, and has the runner look too when it is.
func (w *Worker) doubt(ctx context.Context) error {
	err := CheckSecret(ctx, w.o.Store, w.o.Box, w.o.Now())
	if errors.Is(err, ErrWrongSecret) {
		select {
		case w.doubts <- struct{}{}:
		default: // it is about to
		}
	}
	return err
}

// inspect finds active endpoints whose secret cannot be opened before there is something
// to deliver to them, and those whose secret is back.
func (w *Worker) inspect(ctx context.Context) error {
	var lost, back []string
	err := eachSealed(ctx, w.o.Store, func(e Sealed) error {
		current, _ := w.o.Box.opens(e, w.o.Now())
		switch {
		case e.State != Active:
		case !current && e.Reason != unreadable:
			lost = append(lost, e.Endpoint)
		case current && e.Reason == unreadable:
			back = append(back, e.Endpoint)
		}
		return nil
	})
	if err != nil || len(lost)+len(back) == 0 {
		return err
	}
	if err := w.doubt(ctx); err != nil {
		return err
	}
	for _, id := range back {
		if _, err := w.o.Store.SetReason(ctx, id, ""); err != nil {
			return err
		}
	}
	for _, id := range lost {
		if _, err := w.o.Store.SetReason(ctx, id, unreadable); err != nil {
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
