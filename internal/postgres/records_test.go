package postgres_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// withRecords is a tenant about whom every table holds something.
func (s *services) withRecords() tenant {
	s.Helper()
	a := s.newTenant()
	s.exec(`INSERT INTO usage_notices (account_id, day, percent) VALUES ($1, $2, 80)`, a.ID, s.now)
	s.exec(`INSERT INTO watchlists (account_id, every, cursor, next_at) VALUES ($1, 'weekly', 0, $2)`, a.ID, s.now)
	s.exec(`INSERT INTO watched (account_id, slug, added_at, after) VALUES ($1, $2, $3, 0)`, a.ID, "tool of "+a.ID, s.now)
	s.exec(`INSERT INTO limited_acts (account_id, act, at) VALUES ($1, 'key', $2)`, a.ID, s.now)
	s.exec(`INSERT INTO sign_ins (id, email, language, token_hash, limited, created_at) VALUES (gen_random_uuid(), $1, 'fr', $2, false, $3)`,
		a.Email, []byte(a.ID), s.now)
	s.exec(`INSERT INTO billing_customers (account_id, customer, checkout, checkout_url, checkout_expires_at) VALUES ($1, $2, $3, '-', $4)`,
		a.ID, "cus_"+a.ID, "cs_"+a.ID, s.now)
	s.exec(`INSERT INTO billing_events (id, type, account_id, received_at) VALUES ($1, 'customer.created', $2, $3)`, "evt_"+a.ID, a.ID, s.now)
	s.exec(`INSERT INTO billing_notices (account_id, subscription, kind, occasion, created_at) VALUES ($1, $2, 'ended', '', $3)`, a.ID, "sub_"+a.ID, s.now)
	s.exec(`INSERT INTO billing_cancellations (account_id, at, failing) VALUES ($1, $2, false)`, a.ID, s.now)
	s.exec(`INSERT INTO billing_documents (id, kind, account_id, found_at) VALUES ($1, 'invoice', $2, $3)`, "in_"+a.ID, a.ID, s.now)
	text := strings.Repeat("0", 64)
	s.exec(`INSERT INTO billing_texts (hash, body) VALUES ($1, '-') ON CONFLICT DO NOTHING`, text)
	s.exec(`
		INSERT INTO billing_orders (account_id, id, ordered_at, business, accepted, name, number, country, net, tax, terms, legal, language,
		    legal_language, email)
		VALUES ($1, $2, $3, true, true, 'Ada', '', 'FR', 9900, 1980, $4, $4, 'fr', 'fr', $5)`, a.ID, "order of "+a.ID, s.now, text, "ordered-"+a.Email)
	s.exec(`
		INSERT INTO billing_details (account_id, name, number, country, line1, line2, postcode, city, region, email, reference)
		VALUES ($1, 'Ada', '', 'FR', $3, '', '', '', '', $2, '')`, a.ID, "invoices-"+a.Email, "street of "+a.ID)
	return a
}

// exported says where the export has the rows of a table that names accounts or addresses, or why
// it has none.
var exported = map[string]struct{ key, leftOut string }{
	"accounts":      {key: "account"},
	"keys":          {key: "keys"},
	"sessions":      {key: "sessions"},
	"sign_ins":      {key: "sign_ins"},
	"activity":      {key: "activity"},
	"email_changes": {key: "email_change"},
	"endpoints":     {key: "endpoints"},
	"usage_notices": {key: "usage_notices"},
	"limited_acts":  {key: "limited_acts"},
	"watchlists":    {key: "watchlist"},
	"watched":       {key: "watchlist"},

	"billing_customers": {key: "billing"},
	"billing_details":   {key: "billing"},
	"billing_documents": {key: "billing"},
	"billing_events":    {key: "billing"},
	"billing_notices":   {key: "billing"},
	"billing_orders":    {key: "billing"},

	"billing_cancellations": {key: "billing"},

	"access_changes": {leftOut: "numbers of changes, by which nodes read keys and plans again; it says nothing that the rest does not"},
	"reports":        {leftOut: "whoever typed an address need not be its owner, and an account must not read what strangers typed"},
	"farewells":      {leftOut: "it holds deleted accounts, which have no export"},
}

// The export has something of every table that names accounts or addresses, no secret and no hash,
// and nothing of another account.
func TestExport(t *testing.T) {
	t.Parallel()
	s := newServices(t)
	a, other := s.withRecords(), s.withRecords()
	e, err := s.accounts.Export(t.Context(), account.ByAccount(a.ID), a.ID)
	s.must(err)
	text, err := json.Marshal(e)
	s.must(err)
	var parts map[string]json.RawMessage
	s.must(json.Unmarshal(text, &parts))
	tables := ask[string](s.testDB, `
		SELECT DISTINCT table_name::text FROM information_schema.columns
		WHERE table_schema = 'public' AND column_name IN ('account_id', 'email') ORDER BY 1`)
	for _, table := range append(tables, "accounts") {
		where, known := exported[table]
		part := string(parts[where.key])
		if !known || where.leftOut == "" && (part == "" || part == "null" || part == "[]" || part == "{}") {
			t.Errorf("%s: the export has nothing of it: %q", table, part)
		}
	}
	wantEqual(t, "orders", len(e.Billing.Orders), 1)
	wantEqual(t, "cancelled", e.Billing.CancelledAt != nil, true)
	for _, mark := range append(a.marks(), "ordered-"+a.Email, "invoices-"+a.Email, "tool of "+a.ID) {
		if mark != a.delivery && !strings.Contains(string(text), mark) { // deliveries are counted
			t.Errorf("the export does not have %s:\n%s", mark, text)
		}
	}
	for _, mark := range other.marks() {
		if strings.Contains(string(text), mark) {
			t.Errorf("the export has %s of another account", mark)
		}
	}
	for _, secret := range []string{"hash", "secret", "token"} {
		if strings.Contains(strings.ToLower(string(text)), secret) {
			t.Errorf("the export has a %s:\n%s", secret, text)
		}
	}
	counted := 0
	for _, endpoint := range e.Endpoints {
		for _, d := range endpoint.Deliveries {
			counted += d.Number
			wantEqual(t, "the deliveries of "+d.Type, endpoint.ID+d.Day+d.State, a.active+s.now.Format(time.DateOnly)+"exhausted")
		}
	}
	wantEqual(t, "deliveries", counted, 1)
}

// After a deletion no table has the address or anything else about the owner. The final mail is
// sent once, however often it fails before, and then nothing opens the address any more.
func TestDelete(t *testing.T) {
	t.Parallel()
	s := newServices(t)
	deletions := account.NewDeletionNotices(s.Accounts, s.ring, s.clock)
	mail := func(id string, outcome error) (sent []account.DeletionMail) {
		t.Helper()
		err := deletions.Mail(t.Context(), id, func(_ context.Context, l account.DeletionMail) error {
			sent = append(sent, l)
			return outcome
		})
		wantError(t, "the final mail", err, outcome)
		return sent
	}
	a, other := s.withRecords(), s.withRecords()
	s.must(s.accounts.SetLanguage(t.Context(), account.ByAccount(a.ID), a.ID, account.English))
	s.exec(`UPDATE billing_orders SET subscription = 'sub_1' WHERE account_id = $1`, a.ID) // which was paid
	began := s.now
	s.exec(`UPDATE sessions SET created_at = $2 WHERE id = $1`, a.session, began)
	s.now = began.Add(account.FreshFor)
	by := account.ByAccount(a.ID).InSession(a.session)
	wantError(t, "ten minutes after the sign-in", s.accounts.Delete(t.Context(), by, a.ID), account.ErrNotFresh)
	s.now = s.now.Add(-time.Second)
	wantError(t, "in another's session", s.accounts.Delete(t.Context(), by.InSession(other.session), a.ID), account.ErrNotFresh)
	s.must(s.accounts.Delete(t.Context(), by, strings.ToUpper(a.ID)))
	all := s.dump()
	for _, mark := range []string{a.Email, a.wanted, a.session, a.active, a.delivery, "key of " + a.ID, "street of " + a.ID, "tool of " + a.ID} {
		if strings.Contains(all, mark) {
			t.Errorf("%s is still there", mark)
		}
	}
	for _, table := range []string{"sessions", "sign_ins", "activity", "email_changes", "endpoints", "usage_notices", "watched"} {
		if s.count(table) == 0 {
			t.Errorf("%s: another account's rows are gone", table)
		}
	}
	wantEqual(t, "rows of the other", strings.Contains(all, other.Email) && strings.Contains(all, other.session), true)
	wantEqual(t, "jobs", s.count(`river_job WHERE kind = 'account_mail_farewell' AND args = jsonb_build_object('account', $1::text)`, a.ID), 1)

	want := account.DeletionMail{ID: "farewell-" + a.ID, To: a.Email, Language: account.English, DeletedAt: s.now, Ordered: true}
	for _, outcome := range []error{errors.New("the relay is down"), nil} {
		sent := mail(a.ID, outcome)
		wantEqual(t, "mails", len(sent), 1)
		sent[0].DeletedAt = sent[0].DeletedAt.UTC()
		wantEqual(t, "the mail", sent[0], want)
	}
	wantEqual(t, "mails after that", len(mail(a.ID, nil)), 0)
	wantEqual(t, "addresses kept", s.count(`farewells`), 0)

	// A mail that never gets out, one whose job is late, and an operator without the secret.
	s.must(s.accounts.Delete(t.Context(), operator, other.ID))
	late := s.withRecords()
	s.must(s.accounts.Delete(t.Context(), operator, late.ID))
	sealed := s.dump("farewells")
	s.must(account.NewService(s.Accounts, s.Keys, s.clock).Delete(t.Context(), operator, s.withRecords().ID))
	wantEqual(t, "addresses kept without the secret", s.dump("farewells"), sealed)
	foreign := testkit.Ring(t, strings.Repeat("another secret ", 3))
	err := account.NewDeletionNotices(s.Accounts, foreign, s.clock).Mail(t.Context(), late.ID, nil)
	wantError(t, "with another secret", err, account.ErrSealed)
	s.exec(`UPDATE farewells SET sealed = (SELECT sealed FROM farewells WHERE account_id::text = $1) WHERE account_id::text = $2`, late.ID, other.ID)
	err = deletions.Mail(t.Context(), other.ID, nil)
	wantError(t, "an address moved to another account", err, account.ErrSealed)
	s.now = s.now.Add(23 * time.Hour)
	wantEqual(t, "mails that are too late", len(mail(late.ID, nil)), 0)
	s.must(account.Tidy(t.Context(), s.Accounts, s.now.Add(time.Second)))
	wantEqual(t, "addresses kept after a day", s.count(`farewells`), 0)
}

func TestTidy(t *testing.T) {
	t.Parallel()
	s := newServices(t)
	a := s.signUp(owner, account.Pro)
	s.exec(`DELETE FROM activity`)
	by := account.ByAccount(a.ID)
	s.must(s.accounts.SetSwitch(t.Context(), by, a.ID, account.EndpointMail, false))
	s.now = s.now.Add(account.ActivityFor)
	s.must(s.changes.Ask(t.Context(), by, a.ID, "new@example.com"))
	s.must(account.Tidy(t.Context(), s.Accounts, s.now))
	wantEqual(t, "lines after 90 days", s.count(`activity`), 2)
	wantEqual(t, "changes", s.count(`email_changes`), 1)
	s.now = s.now.Add(time.Second)
	s.must(account.Tidy(t.Context(), s.Accounts, s.now))
	wantSame(t, "lines a second later", ask[string](s.testDB, `SELECT action FROM activity`), []string{"email.asked"})
	s.now = s.now.Add(account.ChangeFor)
	s.must(account.Tidy(t.Context(), s.Accounts, s.now))
	wantEqual(t, "changes after a day", s.count(`email_changes`), 0)
}
