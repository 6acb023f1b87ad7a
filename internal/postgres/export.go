package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// Activity implements account.Records.
func (s *Accounts) Activity(
	ctx context.Context, by account.Actor, id string, limit int,
) ([]account.Activity, error) {
	if _, err := s.Get(ctx, by, id); err != nil {
		return nil, err
	}
	list, err := collect(ctx, s.pool, scanActivity, `
		SELECT `+activityColumns+` FROM activity t
		WHERE t.account_id = $1 AND ($3::uuid IS NULL OR t.account_id = $3) ORDER BY t.id DESC LIMIT $2`, uuidOf(id), limit, ownerOf(by))
	if err != nil {
		return nil, fmt.Errorf("reading the activity: %w", explain(err))
	}
	return list, nil
}

// PruneActivity implements account.Pruner.
func (s *Accounts) PruneActivity(ctx context.Context, before time.Time, limit int) (int, error) {
	return prune(ctx, s.pool, "activity",
		`DELETE FROM activity WHERE id IN (SELECT id FROM activity WHERE at < $1 LIMIT $2)`, before, limit)
}

// PruneActs implements account.Pruner.
func (s *Accounts) PruneActs(ctx context.Context, before time.Time, limit int) (int, error) {
	return prune(ctx, s.pool, "acts",
		`DELETE FROM limited_acts WHERE id IN (SELECT id FROM limited_acts WHERE at < $1 LIMIT $2)`, before, limit)
}

// Export implements account.Records. Everything is read from one state of the database.
func (s *Accounts) Export(
	ctx context.Context, by account.Actor, id string, now time.Time,
) (e account.Export, err error) {
	err = pgx.BeginTxFunc(ctx, s.pool, readOnly, func(tx pgx.Tx) error {
		a, err := findAccount(ctx, tx, byID, uuidOf(id), ownerOf(by))
		if err != nil {
			return err
		}
		e = account.Export{ExportedAt: now.UTC(), Account: account.ExportedAccount{
			ID: a.ID, Email: a.Email, Confirmed: a.Confirmed, Plan: a.Plan.String(), Settings: a.Settings, CreatedAt: a.CreatedAt.UTC(),
		}}
		if err := exportAccess(ctx, tx, a, &e); err != nil {
			return fmt.Errorf("exporting the account: %w", err)
		}
		if err := exportRecords(ctx, tx, a.ID, now, &e); err != nil {
			return fmt.Errorf("exporting the account's records: %w", err)
		}
		if e.Endpoints, err = exportEndpoints(ctx, tx, a.ID, now.Add(-webhook.ReplayFor)); err != nil {
			return fmt.Errorf("exporting the account's endpoints: %w", err)
		}
		if e.Billing, err = exportBilling(ctx, tx, a.ID); err != nil {
			return fmt.Errorf("exporting the account's payments: %w", err)
		}
		return nil
	})
	if err != nil {
		return account.Export{}, err
	}
	return e, nil
}

// exportAccess reads keys, sessions and sign-ins.
func exportAccess(ctx context.Context, tx pgx.Tx, a account.Account, e *account.Export) (err error) {
	e.Keys, err = collect(ctx, tx, func(row pgx.CollectableRow) (k account.ExportedKey, err error) {
		err = row.Scan(&k.ID, &k.Name, &k.Preview, &k.CreatedAt, &k.LastUsedOn, &k.RevokedAt, &k.Suspended, &k.PinnedAt)
		return k, err
	}, `
		SELECT id, name, preview, created_at, last_used_on, revoked_at, asleep AND revoked_at IS NULL, kept_at
		FROM keys WHERE account_id = $1 ORDER BY created_at, id`, a.ID)
	if err != nil {
		return err
	}
	e.Sessions, err = collect(ctx, tx, func(row pgx.CollectableRow) (s account.ExportedSession, err error) {
		err = row.Scan(&s.ID, &s.Browser, &s.CreatedAt, &s.SeenOn, &s.ExpiresAt)
		return s, err
	}, `SELECT id, browser, created_at, seen_on, expires_at FROM sessions WHERE account_id = $1 AND ended_at IS NULL ORDER BY created_at, id`, a.ID)
	if err != nil {
		return err
	}
	e.SignIns, err = collect(ctx, tx, func(row pgx.CollectableRow) (s account.ExportedSignIn, err error) {
		err = row.Scan(&s.CreatedAt, &s.SentAt, &s.SpentAt)
		return s, err
	}, `SELECT created_at, sent_at, spent_at FROM sign_ins WHERE email = $1 ORDER BY created_at`, a.Email)
	return err
}

// exportRecords reads activity, the change of address, the mails about the quota, the acts that limits count and the list
// of tools.
func exportRecords(
	ctx context.Context, tx pgx.Tx, id string, now time.Time, e *account.Export,
) (err error) {
	e.Activity, err = collect(ctx, tx, scanActivity, `SELECT `+activityColumns+` FROM activity WHERE account_id = $1 ORDER BY id DESC`, id)
	if err != nil {
		return err
	}
	changes, err := collect(ctx, tx, scanChange,
		`SELECT `+changeColumns+` FROM email_changes c WHERE c.account_id = $1 AND c.created_at > $2`, id, now.Add(-account.ChangeFor))
	if err != nil {
		return err
	}
	if len(changes) > 0 {
		e.EmailChange = &changes[0]
	}
	e.UsageNotices, err = collect(ctx, tx, func(row pgx.CollectableRow) (n account.ExportedNotice, err error) {
		err = row.Scan(&n.Day, &n.Percent)
		return n, err
	}, `SELECT day::text, percent FROM usage_notices WHERE account_id = $1 ORDER BY day, percent`, id)
	if err != nil {
		return err
	}
	e.LimitedActs, err = collect(ctx, tx, func(row pgx.CollectableRow) (a account.ExportedAct, err error) {
		err = row.Scan(&a.Act, &a.Host, &a.At)
		return a, err
	}, `SELECT act, host, at FROM limited_acts WHERE account_id = $1 ORDER BY id`, id)
	if err != nil {
		return err
	}
	e.Watchlist, err = exportWatchlist(ctx, tx, id)
	return err
}

// exportEndpoints reads endpoints, and counts their deliveries since a time.
func exportEndpoints(
	ctx context.Context, tx pgx.Tx, id string, since time.Time,
) ([]account.ExportedEndpoint, error) {
	list, err := collect(ctx, tx, func(row pgx.CollectableRow) (e account.ExportedEndpoint, err error) {
		err = row.Scan(&e.ID, &e.URL, &e.Description, &e.Types, &e.Categories, &e.State, &e.Reason, &e.CreatedAt, &e.VerifiedAt)
		return e, err
	}, `
		SELECT id, url, description, types, categories, state, reason, created_at, verified_at
		FROM endpoints WHERE account_id = $1 ORDER BY created_at, id`, id)
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].Deliveries, err = collect(ctx, tx, func(row pgx.CollectableRow) (d account.ExportedDeliveries, err error) {
			err = row.Scan(&d.Day, &d.Type, &d.State, &d.Number)
			return d, err
		}, `
			SELECT (made_at AT TIME ZONE 'UTC')::date::text AS day, type, state, count(*) FROM deliveries
			WHERE endpoint_id = $1 AND made_at > $2 GROUP BY day, type, state ORDER BY day, type, state`, list[i].ID, since)
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// exportBilling reads what is kept about payments; nil for an account that never opened a checkout.
func exportBilling(ctx context.Context, tx pgx.Tx, id string) (*account.ExportedBilling, error) {
	found, err := collect(ctx, tx, func(row pgx.CollectableRow) (b account.ExportedBilling, err error) {
		err = row.Scan(&b.Customer, &b.Checkout, &b.Subscription, &b.Status, &b.SubscribedAt, &b.PeriodEnd, &b.CancelAt,
			&b.EndedAt, &b.UnpaidSince, &b.Unpaid, &b.Net, &b.Tax, &b.VATNumber, &b.VATRefusedAt, &b.SyncedAt,
			&b.EverPaid, &b.Invoice, &b.InvoiceState, &b.InvoiceDate, &b.CancelledAt)
		return b, err
	}, `
		SELECT coalesce(customer, ''), coalesce(checkout, ''), coalesce(subscription, ''), status, subscribed_at, period_end, cancel_at,
		    ended_at, unpaid_since, unpaid, net, tax, vat_number, vat_refused_at, looked_at,
		    ever_paid, invoice, invoice_state, invoice_date, (SELECT at FROM billing_cancellations x WHERE x.account_id = c.account_id)
		FROM billing_customers c WHERE account_id = $1`, id)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	b := &found[0]
	b.Events, err = collect(ctx, tx, func(row pgx.CollectableRow) (e account.ExportedBillingEvent, err error) {
		err = row.Scan(&e.ID, &e.Type, &e.ReceivedAt)
		return e, err
	}, `SELECT id, type, received_at FROM billing_events WHERE account_id = $1 ORDER BY received_at, id`, id)
	if err != nil {
		return nil, err
	}
	b.Notices, err = collect(ctx, tx, func(row pgx.CollectableRow) (n account.ExportedBillingNotice, err error) {
		err = row.Scan(&n.Kind, &n.CreatedAt, &n.SentAt)
		return n, err
	}, `SELECT kind, created_at, sent_at FROM billing_notices WHERE account_id = $1 ORDER BY id`, id)
	if err != nil {
		return nil, err
	}
	b.Documents, err = collect(ctx, tx, func(row pgx.CollectableRow) (d account.ExportedBillingDocument, err error) {
		err = row.Scan(&d.ID, &d.Kind, &d.FoundAt, &d.DoneAt)
		return d, err
	}, `SELECT id, kind, found_at, done_at FROM billing_documents WHERE account_id = $1 ORDER BY found_at, id`, id)
	if err != nil {
		return nil, err
	}
	b.Orders, err = collect(ctx, tx, func(row pgx.CollectableRow) (e account.ExportedOrder, err error) {
		o, err := scanOrder(row)
		return account.ExportedOrder{
			ID: o.ID, OrderedAt: o.At, Business: o.Business, Accepted: o.Accepted, ExportedDetails: account.ExportedDetails(o.Details),
			Net: o.Net, Tax: o.Tax, Terms: o.Terms.Hash, TermsLanguage: o.Terms.Language, Subscription: o.Subscription,
		}, err
	}, orders+`WHERE o.account_id = $1 ORDER BY o.ordered_at, o.id`, id)
	if err != nil {
		return nil, err
	}
	details, err := collect(ctx, tx, func(row pgx.CollectableRow) (d billing.Details, err error) {
		return d, row.Scan(partsOf(&d)...)
	}, `
		SELECT name, number, country, line1, line2, postcode, city, region, email, reference FROM billing_details WHERE account_id = $1`, id)
	if err == nil && len(details) > 0 {
		d := account.ExportedDetails(details[0])
		b.Details = &d
	}
	return b, err
}
