package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/billing"
)

// partsOf returns pointers to the parts of details, in the order in which statements name them.
func partsOf(d *billing.Details) []any {
	return []any{&d.Name, &d.Number, &d.Country, &d.Line1, &d.Line2, &d.Postcode, &d.City, &d.Region, &d.Email, &d.Reference}
}

// putDetails stores to whom the invoices of an account are made out.
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
