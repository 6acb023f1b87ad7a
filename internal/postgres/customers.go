package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
)

// records selects what is kept about the payments of accounts, including accounts that never paid. A condition
// follows it.
var records = `
	SELECT a.id::text, coalesce(a.email, ''), a.plan, a.plan_source, a.created_at,
	       (SELECT count(*) FROM billing_events e WHERE e.account_id = a.id AND e.processed_at IS NULL),
	       coalesce(c.customer, ''), coalesce(c.generation, 0), coalesce(c.vat_number, ''), c.vat_refused_at, coalesce(c.vat_refusals, 0),
	       coalesce(c.checkout, ''), coalesce(c.checkout_url, ''), c.checkout_opened_at, c.checkout_expires_at,
	       coalesce(c.checkout_completed, false), coalesce(c.checkout_after, ''),
	       coalesce(c.subscription, ''), coalesce(c.status, ''), c.subscribed_at, c.period_end, c.cancel_at, c.ended_at,
	       c.unpaid_since, coalesce(c.unpaid, ''), coalesce(c.net, 0), coalesce(c.tax, 0),
	       coalesce(c.reverse_charge, false), coalesce(c.not_collecting, false),
	       coalesce(c.gives, 'developer'), coalesce(c.cancellations, 0), coalesce(c.endings, 0), c.looked_at, c.look_at,
	       coalesce(c.ever_paid, false), coalesce(c.invoice, ''), coalesce(c.invoice_state, ''), c.invoice_date,
	       coalesce(c.not_final, ''), coalesce(c.offer, ''), a.deleted_at, x.at, coalesce(x.failing, false), d.account_id IS NOT NULL,
	       coalesce(d.name, ''), coalesce(d.number, ''), coalesce(d.country, ''), coalesce(d.line1, ''), coalesce(d.line2, ''),
	       coalesce(d.postcode, ''), coalesce(d.city, ''), coalesce(d.region, ''), coalesce(d.email, ''), coalesce(d.reference, ''),
	       ` + settings + `
	FROM accounts a LEFT JOIN billing_customers c ON c.account_id = a.id LEFT JOIN billing_details d ON d.account_id = a.id
	    LEFT JOIN billing_cancellations x ON x.account_id = a.id `

func scanRecord(row pgx.CollectableRow) (r billing.Record, err error) {
	a, c := &r.Account, &r.Customer
	var open billing.Checkout
	var sub billing.Subscription
	var plan, gives string
	var refused, clicked *time.Time
	var failing bool
	var opened, expires, created, end, cancel, ended, unpaid, synced, next, dated, deleted *time.Time
	var detailed bool
	var details billing.Details
	err = row.Scan(settingsOf(&a.Settings, append([]any{
		&a.ID, &a.Email, &plan, &a.Source, &a.CreatedAt,
		&r.Events, &c.ID, &c.Generation, &c.VATNumber, &refused, &c.VATRefusals, &open.ID, &open.URL, &opened, &expires, &c.Completed, &c.CheckoutAfter,
		&sub.ID, &sub.Status, &created, &end, &cancel, &ended, &unpaid, &sub.Unpaid, &sub.Net, &sub.Tax,
		&sub.ReverseCharge, &sub.NotCollecting, &gives, &c.Cancellations, &c.Endings, &synced, &next,
		&sub.EverPaid, &sub.Latest.ID, &sub.Latest.State, &dated, &sub.Latest.NotFinal, &c.Offer, &deleted, &clicked, &failing, &detailed,
	}, partsOf(&details)...)...)...)
	if err != nil {
		return r, err
	}
	if a.Plan, err = account.ParsePlan(plan); err != nil {
		return r, err
	}
	if c.GrantedPlan, err = account.ParsePlan(gives); err != nil {
		return r, err
	}
	if detailed {
		r.Details = &details
	}
	if open.ID != "" {
		open.OpenedAt, open.ExpiresAt = fromNull(opened), fromNull(expires)
		c.Checkout = &open
	}
	if sub.ID != "" {
		sub.Customer, sub.Account = c.ID, a.ID
		sub.CreatedAt, sub.PeriodEnd, sub.CancelAt = fromNull(created), fromNull(end), fromNull(cancel)
		sub.EndedAt, sub.UnpaidSince, sub.Latest.Date = fromNull(ended), fromNull(unpaid), fromNull(dated)
		c.Subscription = &sub
	}
	if clicked != nil {
		r.Cancellation = &billing.Cancellation{At: fromNull(clicked), Failing: failing}
	}
	r.DeletedAt = fromNull(deleted)
	c.VATRefusedAt = fromNull(refused)
	c.SyncedAt, c.NextSyncAt = fromNull(synced), fromNull(next)
	return r, nil
}

// isSubscribed reports whether an account has a live subscription according to our records. It does not
// wait for calls that are asking the provider.
func isSubscribed(ctx context.Context, tx pgx.Tx, id string) (bool, error) {
	list, err := collect(ctx, tx, pgx.RowTo[string], `
		SELECT status FROM billing_customers WHERE account_id = $1 AND subscription IS NOT NULL`, uuidOf(id))
	if err != nil {
		return false, fmt.Errorf("looking for a subscription: %w", explain(err))
	}
	return len(list) > 0 && billing.Subscription{Status: billing.Status(list[0])}.Live(), nil
}

// tellProvider inserts a job about an account if that is a customer, or about to become one. The account
// must be locked, so that it cannot become one meanwhile.
func tellProvider(ctx context.Context, tx pgx.Tx, id string, job river.JobArgs) error {
	var is bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM billing_customers WHERE account_id = $1)`, uuidOf(id)).Scan(&is)
	if err != nil {
		return fmt.Errorf("looking for the customer: %w", explain(err))
	}
	if !is {
		return nil
	}
	return insertJobs(ctx, tx, []river.InsertManyParams{{Args: job}})
}
