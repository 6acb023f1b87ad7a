package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
)

// Billing holds customers of the payment provider, its events and the mails about them.
//
// Locks are taken in this order: the customer, current_access, the account, events, notices and documents.
type Billing struct {
	pool  *pgxpool.Pool
	reads *pgxpool.Pool // for Find and others that must not wait for Hold
	takes *pgxpool.Pool // for Receive and AddForged
	now   func() time.Time
}

// ReadingFrom returns a Billing that uses the connections of another DB for Find and the like. Hold keeps a
// connection for as long as the payment provider takes to answer, and reading must not wait for that.
func (b *Billing) ReadingFrom(db *DB) *Billing {
	return &Billing{pool: b.pool, reads: db.pool, takes: b.takes, now: b.now}
}

// ReceivingOn returns a Billing that uses the connections of another DB for Receive: storing an event must
// not wait for calls that wait for the payment provider.
func (b *Billing) ReceivingOn(db *DB) *Billing {
	return &Billing{pool: b.pool, reads: b.reads, takes: db.pool, now: b.now}
}

// Find implements billing.Customers.
func (b *Billing) Find(
	ctx context.Context, by account.Actor, accountID string,
) (billing.Record, error) {
	found, err := collect(ctx, b.reads, scanRecord, records+`WHERE `+byID, uuidOf(accountID), ownerOf(by))
	if err != nil {
		return billing.Record{}, fmt.Errorf("reading what is known about payments: %w", explain(err))
	}
	if len(found) == 0 {
		return billing.Record{}, account.ErrNoAccount
	}
	return found[0], nil
}

// Leaving returns what is kept about the customer of a deleted account, or account.ErrNoAccount if nothing is any more.
// Only the operator may read it. Returns account.ErrNoAccount otherwise.
func (b *Billing) Leaving(ctx context.Context, by account.Actor, accountID string) (billing.Record, error) {
	found, err := collect(ctx, b.reads, scanRecord, records+`
		WHERE a.id = $1 AND a.email IS NULL AND c.account_id IS NOT NULL AND $2`, uuidOf(accountID), by.IsOperator())
	if err != nil {
		return billing.Record{}, fmt.Errorf("reading what is known about payments: %w", explain(err))
	}
	if len(found) == 0 {
		return billing.Record{}, account.ErrNoAccount
	}
	return found[0], nil
}

// Add implements billing.Customers. A concurrent deletion of the account either waits for Add, and then
// sees the customer, or comes first, and Add returns account.ErrNoAccount.
func (b *Billing) Add(ctx context.Context, by account.Actor, accountID string) error {
	return pgx.BeginTxFunc(ctx, b.pool, readCommitted, func(tx pgx.Tx) error {
		var id string
		err := tx.QueryRow(ctx, `SELECT a.id::text FROM accounts a WHERE `+byID+` FOR KEY SHARE`, uuidOf(accountID), ownerOf(by)).Scan(&id)
		if errors.Is(err, pgx.ErrNoRows) {
			return account.ErrNoAccount
		}
		if err == nil {
			_, err = tx.Exec(ctx, `
				INSERT INTO billing_customers (account_id) SELECT $1::uuid
				WHERE NOT EXISTS (SELECT FROM billing_customers WHERE account_id = $1) ON CONFLICT DO NOTHING`, id)
		}
		if err != nil {
			return fmt.Errorf("adding the customer: %w", explain(err))
		}
		return nil
	})
}

// Cancel implements billing.Customers.
func (b *Billing) Cancel(ctx context.Context, by account.Actor, accountID string, c billing.Cancellation) error {
	return pgx.BeginTxFunc(ctx, b.reads, readCommitted, func(tx pgx.Tx) error {
		stored, err := collect(ctx, tx, pgx.RowTo[bool], `
			WITH a AS (SELECT a.id FROM accounts a WHERE `+byID+` FOR KEY SHARE),
			new AS (
				INSERT INTO billing_cancellations (account_id, at, failing) SELECT id, $3, $4 FROM a
				ON CONFLICT (account_id) DO NOTHING RETURNING true)
			SELECT EXISTS (SELECT FROM new) FROM a`, uuidOf(accountID), ownerOf(by), c.At, c.Failing)
		switch {
		case err != nil:
			return fmt.Errorf("storing the cancellation: %w", explain(err))
		case len(stored) == 0:
			return account.ErrNoAccount
		case !stored[0]: // an earlier one is stored, and its job goes on
			return nil
		}
		return insertJob(ctx, tx, billing.CancelSubscription{Account: accountID})
	})
}

// Hold implements billing.Customers. An update marks only those events as processed that were stored
// before decide asked the provider.
func (b *Billing) Hold(
	ctx context.Context, by account.Actor, accountID string, wait time.Duration, decide billing.Decide,
) error {
	conn, err := b.acquire(ctx, wait)
	if err != nil {
		return err
	}
	defer conn.Release()
	none := false
	err = pgx.BeginTxFunc(ctx, conn, readCommitted, func(tx pgx.Tx) error {
		err := lockCustomer(ctx, tx, by, accountID, wait)
		if none = errors.Is(err, billing.ErrNotSubscribed); none && by.IsOperator() {
			return markProcessed(ctx, tx, `account_id = $2`, b.now(), uuidOf(accountID))
		}
		if err != nil {
			return err
		}
		found, err := collect(ctx, tx, scanRecord, records+`WHERE a.id = $1`, uuidOf(accountID))
		if err != nil {
			return fmt.Errorf("reading the customer: %w", err)
		}
		waiting, err := collect(ctx, tx, pgx.RowTo[string],
			`SELECT id FROM billing_events WHERE account_id = $1 AND processed_at IS NULL`, uuidOf(accountID))
		if err != nil {
			return fmt.Errorf("reading the events: %w", err)
		}
		found[0].Events = len(waiting)
		if found[0].Order, err = uncompared(ctx, tx, accountID); err != nil {
			return fmt.Errorf("reading the order: %w", err)
		}
		u, err := decide(ctx, found[0])
		if err != nil || u == nil {
			return err
		}
		return updateCustomer(ctx, tx, found[0].Account.ID, *u, waiting)
	})
	if err == nil && none {
		err = billing.ErrNotSubscribed
	}
	return err
}

// acquire takes a connection from the pool, to hold a customer with. If all of them stay in use, because
// the provider does not answer, it returns billing.ErrBusy after wait; with a wait of 0, it waits as long
// as ctx.
func (b *Billing) acquire(ctx context.Context, wait time.Duration) (*pgxpool.Conn, error) {
	soon, cancel := ctx, context.CancelFunc(func() {})
	if wait > 0 {
		soon, cancel = context.WithTimeout(ctx, wait)
	}
	defer cancel()
	conn, err := b.pool.Acquire(soon)
	switch stat := b.pool.Stat(); {
	case err == nil:
		return conn, nil
	case ctx.Err() == nil && soon.Err() != nil && stat.AcquiredConns() == stat.MaxConns():
		return nil, billing.ErrBusy
	default:
		return nil, fmt.Errorf("connecting to hold the customer: %w", err)
	}
}

// lockCustomer locks an actor's customer, or returns account.ErrNoAccount, billing.ErrNotSubscribed or,
// if another transaction has the lock for longer than wait, billing.ErrBusy.
func lockCustomer(
	ctx context.Context, tx pgx.Tx, by account.Actor, accountID string, wait time.Duration,
) error {
	lock := `SELECT account_id::text FROM billing_customers WHERE account_id = $1 AND ($2::uuid IS NULL OR account_id = $2) FOR UPDATE`
	if wait == 0 {
		lock += ` SKIP LOCKED`
	} else if _, err := tx.Exec(ctx, `SELECT set_config('lock_timeout', $1, true)`, strconv.FormatInt(wait.Milliseconds(), 10)); err != nil {
		return fmt.Errorf("limiting the wait for the customer: %w", explain(err))
	}
	var id string
	err := tx.QueryRow(ctx, lock, uuidOf(accountID), ownerOf(by)).Scan(&id)
	switch {
	case isViolation(err, lockNotAvailable):
		return billing.ErrBusy
	case errors.Is(err, pgx.ErrNoRows):
		return whyNotLocked(ctx, tx, by, accountID)
	case err != nil:
		return fmt.Errorf("locking the customer: %w", explain(err))
	}
	if _, err := tx.Exec(ctx, `SET LOCAL lock_timeout TO DEFAULT`); err != nil {
		return fmt.Errorf("ending the limit of the wait: %w", err)
	}
	return nil
}

// whyNotLocked returns the reason that lockCustomer got no row: account.ErrNoAccount, billing.ErrBusy or
// billing.ErrNotSubscribed.
func whyNotLocked(ctx context.Context, tx pgx.Tx, by account.Actor, accountID string) error {
	var is bool
	err := tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM billing_customers c WHERE c.account_id = a.id) FROM accounts a
		WHERE a.id = $1 AND ($2::uuid IS NULL OR a.id = $2 AND a.email IS NOT NULL)`, uuidOf(accountID), ownerOf(by)).Scan(&is)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return account.ErrNoAccount
	case err != nil:
		return fmt.Errorf("looking for the customer: %w", explain(err))
	case is:
		return billing.ErrBusy
	}
	return billing.ErrNotSubscribed
}

// updateCustomer writes an update of a locked customer.
func updateCustomer(
	ctx context.Context, tx pgx.Tx, id string, u billing.Update, events []string,
) error {
	docs := make([]billing.OwnedDocument, len(u.Documents))
	for i, d := range u.Documents {
		docs[i] = billing.OwnedDocument{Account: id, DocumentID: d}
	}
	if u.Forget {
		if err := addDocuments(ctx, tx, docs, u.Now); err != nil {
			return err
		}
		return forgetCustomer(ctx, tx, id)
	}
	if u.Synced {
		if err := lockAccess(ctx, tx); err != nil {
			return err
		}
	}
	if err := writeCustomer(ctx, tx, id, u.Customer); err != nil {
		return fmt.Errorf("writing what the payment provider said: %w", err)
	}
	if u.FirstOf != nil {
		if err := bindFirst(ctx, tx, *u.FirstOf, u.Now); err != nil {
			return err
		}
	}
	if u.Order != nil {
		if err := addOrder(ctx, tx, *u.Order); err != nil {
			return err
		}
	}
	if u.CancellationDone {
		if _, err := tx.Exec(ctx, `DELETE FROM billing_cancellations WHERE account_id = $1`, id); err != nil {
			return fmt.Errorf("forgetting the cancellation: %w", explain(err))
		}
	}
	if u.Compared != "" {
		if err := noteCompared(ctx, tx, id, u.Compared, u.Now); err != nil {
			return err
		}
	}
	if u.Details != nil {
		if err := putDetails(ctx, tx, id, *u.Details); err != nil {
			return err
		}
	}
	if err := fulfilOrder(ctx, tx, id, u.Customer.Subscription); err != nil {
		return err
	}
	if u.Synced {
		if err := followProvider(ctx, tx, id, u); err != nil {
			return err
		}
	}
	if err := addDocuments(ctx, tx, docs, u.Now); err != nil {
		return err
	}
	if u.Processed {
		return markProcessed(ctx, tx, `id = ANY($2)`, u.Now, events)
	}
	return nil
}

// noteCompared records that an order was compared with its first invoice.
func noteCompared(ctx context.Context, tx pgx.Tx, id, order string, now time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE billing_orders SET compared_at = $3 WHERE account_id = $1 AND id = $2`, uuidOf(id), order, now)
	if err != nil {
		return fmt.Errorf("noting that an order was compared: %w", explain(err))
	}
	return nil
}

// bindFirst stores the provider's account, in the transaction that stores the first customer, or returns
// billing.ErrOtherAccount if another account is stored.
func bindFirst(ctx context.Context, tx pgx.Tx, a billing.ProviderAccount, now time.Time) error {
	var same bool
	err := tx.QueryRow(ctx, `
		INSERT INTO billing_provider AS p (account, live, since) VALUES ($1, $2, $3)
		ON CONFLICT (only_row) DO UPDATE SET account = CASE WHEN p.account = '' THEN excluded.account ELSE p.account END
		WHERE p.live = excluded.live AND (p.account = excluded.account OR '' IN (p.account, excluded.account))
		RETURNING true`, a.ID, a.Live, now).Scan(&same)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return billing.ErrOtherAccount
	case err != nil:
		return fmt.Errorf("storing the provider's account: %w", explain(err))
	}
	return nil
}

func markProcessed(ctx context.Context, tx pgx.Tx, which string, now time.Time, arg any) error {
	_, err := tx.Exec(ctx, `UPDATE billing_events SET processed_at = $1 WHERE processed_at IS NULL AND `+which, now, arg)
	if err != nil {
		return fmt.Errorf("working off the events: %w", explain(err))
	}
	return nil
}

func writeCustomer(ctx context.Context, tx pgx.Tx, id string, c billing.Customer) error {
	var sub billing.Subscription
	if c.Subscription != nil {
		sub = *c.Subscription
	}
	var open billing.Checkout
	if c.Checkout != nil {
		open = *c.Checkout
	}
	_, err := tx.Exec(ctx, `
		UPDATE billing_customers SET customer = nullif($2, ''), generation = $3,
		    checkout = nullif($4, ''), checkout_url = nullif($5, ''), checkout_expires_at = $6,
		    checkout_completed = $7, checkout_after = $8,
		    subscription = nullif($9, ''), status = $10, subscribed_at = $11, period_end = $12, cancel_at = $13, ended_at = $14,
		    unpaid_since = $15, unpaid = $16, net = $17, tax = $18, reverse_charge = $19, not_collecting = $20,
		    gives = $21, cancellations = $22, endings = $23, looked_at = $24, look_at = $25,
		    ever_paid = $26, invoice = $27, invoice_state = $28, invoice_date = $29, not_final = $30, offer = $31,
		    vat_number = $32, vat_refused_at = $33, vat_refusals = $34, checkout_opened_at = $35
		WHERE account_id = $1`,
		id, c.ID, c.Generation, open.ID, open.URL, toNull(open.ExpiresAt), c.Completed, c.CheckoutAfter,
		sub.ID, sub.Status, toNull(sub.CreatedAt), toNull(sub.PeriodEnd), toNull(sub.CancelAt), toNull(sub.EndedAt),
		toNull(sub.UnpaidSince), sub.Unpaid, sub.Net, sub.Tax, sub.ReverseCharge, sub.NotCollecting,
		max(c.GrantedPlan, account.Developer).String(), c.Cancellations, c.Endings, toNull(c.SyncedAt), toNull(c.NextSyncAt),
		sub.EverPaid, sub.Latest.ID, sub.Latest.State, toNull(sub.Latest.Date), sub.Latest.NotFinal, c.Offer,
		c.VATNumber, toNull(c.VATRefusedAt), c.VATRefusals, toNull(open.OpenedAt))
	return err
}

// followProvider gives an account the plan that the provider's answer grants, and adds the notices. If the
// operator decides about the plan, it only adds notices about invoices; if the account is deleted, it does
// nothing. The transaction must have locked current_access.
func followProvider(ctx context.Context, tx pgx.Tx, id string, u billing.Update) error {
	var plan string
	var source account.PlanSource
	err := tx.QueryRow(ctx, `
		SELECT plan, plan_source FROM accounts WHERE id = $1 AND email IS NOT NULL FOR UPDATE`, id).Scan(&plan, &source)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("reading the plan: %w", err)
	case source != account.FromProvider:
		u.Notices = slices.DeleteFunc(u.Notices, func(n billing.NewNotice) bool { return !n.Kind.OfInvoices() })
		return addNotices(ctx, tx, id, u)
	}
	if plan != u.Customer.GrantedPlan.String() {
		if err := setPlan(ctx, tx, account.ByService(), id, u.Customer.GrantedPlan, account.FromProvider, u.Now); err != nil {
			return err
		}
	}
	return addNotices(ctx, tx, id, u)
}

// addNotices stores notices and inserts the jobs that mail them. It skips notices that are stored already.
func addNotices(ctx context.Context, tx pgx.Tx, id string, u billing.Update) error {
	for _, n := range u.Notices {
		added, err := collect(ctx, tx, pgx.RowTo[int64], `
			INSERT INTO billing_notices (account_id, subscription, kind, occasion, created_at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (subscription, kind, occasion) DO NOTHING RETURNING id`, id, n.Subscription, n.Kind, n.Occasion, u.Now)
		if err != nil {
			return fmt.Errorf("storing a notice: %w", err)
		}
		for _, notice := range added {
			if err := insertJob(ctx, tx, billing.MailNotice{Notice: notice}); err != nil {
				return err
			}
		}
	}
	return nil
}

func forgetCustomer(ctx context.Context, tx pgx.Tx, id string) error {
	for _, table := range []string{"billing_events", "billing_notices", "billing_cancellations", "billing_customers"} {
		if _, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE account_id = $1`, id); err != nil {
			return fmt.Errorf("forgetting the customer: %w", err)
		}
	}
	return nil
}

// List implements billing.CustomerList.
func (b *Billing) List(ctx context.Context, after string, limit int) ([]billing.Record, error) {
	first := pgtype.UUID{Valid: true} // the lowest, which no account has
	if after != "" {
		first = uuidOf(after)
	}
	list, err := collect(ctx, b.pool, scanRecord, records+`
		WHERE c.account_id > $1 ORDER BY c.account_id LIMIT $2`, first, limit)
	if err != nil {
		return nil, fmt.Errorf("listing the customers: %w", explain(err))
	}
	return list, nil
}

// Sweep implements billing.CustomerList.
func (b *Billing) Sweep(ctx context.Context, now, again time.Time, offer string, limit int) (int, error) {
	var jobs []river.InsertManyParams
	err := pgx.BeginTxFunc(ctx, b.pool, readCommitted, func(tx pgx.Tx) (err error) {
		jobs, err = collect(ctx, tx, func(row pgx.CollectableRow) (river.InsertManyParams, error) {
			job := billing.SyncAccount{Due: now}
			err := row.Scan(&job.Account)
			return river.InsertManyParams{Args: job}, err
		}, `
			WITH due AS (
				SELECT account_id FROM billing_customers WHERE look_at <= $1
				    OR $4 <> '' AND checkout IS NOT NULL AND NOT checkout_completed AND offer NOT IN ('', $4)
				ORDER BY look_at LIMIT $3 FOR UPDATE SKIP LOCKED)
			UPDATE billing_customers c SET look_at = $2,
			    offer = CASE WHEN $4 <> '' AND checkout IS NOT NULL AND offer <> $4 THEN '' ELSE offer END
			FROM due WHERE c.account_id = due.account_id RETURNING c.account_id::text`,
			now, again, limit, offer)
		if err != nil || len(jobs) == 0 {
			return explain(err)
		}
		return insertJobs(ctx, tx, jobs)
	})
	if err != nil {
		return 0, fmt.Errorf("looking for subscriptions that are due: %w", err)
	}
	return len(jobs), nil
}
