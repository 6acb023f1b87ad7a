package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/billing"
)

// addDocuments stores documents and inserts the jobs that mail them. It skips documents that are stored already. It
// locks the accounts first, as all writes about an account do.
func addDocuments(ctx context.Context, tx pgx.Tx, list []billing.OwnedDocument, now time.Time) error {
	if len(list) == 0 {
		return nil
	}
	var ids, kinds, accounts []string
	for _, d := range list {
		ids, kinds, accounts = append(ids, d.ID), append(kinds, string(d.Kind)), append(accounts, d.Account)
	}
	added, err := collect(ctx, tx, pgx.RowTo[string], `
		WITH owners AS (SELECT id FROM accounts WHERE id = ANY($3::uuid[]) ORDER BY id FOR KEY SHARE)
		INSERT INTO billing_documents (id, kind, account_id, found_at)
		SELECT d.id, d.kind, o.id, $4 FROM unnest($1::text[], $2::text[], $3::uuid[]) AS d (id, kind, account) JOIN owners o ON o.id = d.account
		ORDER BY d.id ON CONFLICT (id) DO NOTHING RETURNING id`, ids, kinds, accounts, now)
	if err != nil {
		return fmt.Errorf("storing documents: %w", explain(err))
	}
	if len(added) == 0 {
		return nil
	}
	jobs := make([]river.InsertManyParams, len(added))
	for i, id := range added {
		jobs[i].Args = billing.MailDocument{Document: id}
	}
	return insertJobs(ctx, tx, jobs)
}

// partsOf returns pointers to the parts of details, in the order in which statements name them.
func partsOf(d *billing.Details) []any {
	return []any{&d.Name, &d.Number, &d.Country, &d.Line1, &d.Line2, &d.Postcode, &d.City, &d.Region, &d.Email, &d.Reference}
}

// putDetails stores the billing details of an account that is not deleted.
func putDetails(ctx context.Context, tx pgx.Tx, accountID string, d billing.Details) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO billing_details (account_id, name, number, country, line1, line2, postcode, city, region, email, reference)
		SELECT id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11 FROM accounts WHERE id = $1 AND email IS NOT NULL FOR KEY SHARE
		ON CONFLICT (account_id) DO UPDATE SET name = excluded.name, number = excluded.number, country = excluded.country,
		    line1 = excluded.line1, line2 = excluded.line2, postcode = excluded.postcode, city = excluded.city, region = excluded.region,
		    email = excluded.email, reference = excluded.reference`, append([]any{uuidOf(accountID)}, partsOf(&d)...)...)
	if err != nil {
		return fmt.Errorf("storing to whom invoices are made out: %w", explain(err))
	}
	return nil
}
