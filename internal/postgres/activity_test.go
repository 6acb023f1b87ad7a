package postgres_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// Every verb that changes something leaves one line in the log of the account, and no other verb
// leaves any.
func TestActivity_OneLinePerChange(t *testing.T) {
	t.Parallel()
	s := newServices(t)
	receiver := "127.0.0.1"
	lines := map[string]account.Activity{
		"account.Create":         {Action: account.AccountCreated, Subject: "pro"},
		"account.SetPlan":        {Action: account.PlanChanged, Subject: "developer"},
		"account.SetLanguage":    {Action: account.LanguageChanged, Subject: "en"},
		"account.SetSwitch":      {Action: account.MailChanged},
		"account.SetEmail":       {Action: account.EmailChanged},
		"account.CreateKey":      {Action: account.KeyCreated, Subject: "one more"},
		"account.RenameKey":      {Action: account.KeyRenamed, Subject: "renamed"},
		"account.CreateKeyOnce":  {Action: account.KeyCreated, Subject: "one more"},
		"account.RotateKey":      {Action: account.KeyRotated, Subject: "key of "},
		"account.EndSession":     {Action: account.SessionEnded, Subject: "Firefox, Linux"},
		"account.EndSessions":    {Action: account.SessionEnded},
		"account.RevokeKey":      {Action: account.KeyRevoked, Subject: "key of "},
		"account.PinKeys":        {Action: account.KeysPinned, Subject: "key of "},
		"account.SetDigest":      {Action: account.DigestSet, Subject: "daily"},
		"change.Ask":             {Action: account.EmailAsked},
		"change.Cancel":          {Action: account.EmailCancelled},
		"webhook.Create":         {Action: account.EndpointCreated, Subject: receiver},
		"webhook.Update":         {Action: account.EndpointUpdated, Subject: receiver},
		"webhook.Verify":         {Action: account.EndpointVerified, Subject: receiver},
		"webhook.Enable":         {Action: account.EndpointEnabled, Subject: receiver},
		"webhook.Disable":        {Action: account.EndpointDisabled, Subject: receiver},
		"webhook.Rotate":         {Action: account.EndpointRotated, Subject: receiver},
		"webhook.Delete":         {Action: account.EndpointDeleted, Subject: receiver},
		"webhook.ReplayDelivery": {Action: account.DeliveryReplayed, Subject: receiver},
		"webhook.ReplayRange":    {Action: account.DeliveryReplayed, Subject: receiver},
		"webhook.ReplayFailed":   {Action: account.DeliveryReplayed, Subject: receiver},
	}
	for _, v := range verbs() {
		a := s.newTenant()
		s.now = s.now.Add(time.Second)
		last := ask[int64](s.testDB, `SELECT max(id) FROM activity`)[0]
		by := account.ByAccount(a.ID)
		if _, err := v.call(t.Context(), s, by, a, a); errors.Is(err, account.ErrOperatorOnly) {
			by = operator
			_, err = v.call(t.Context(), s, by, a, a)
			s.must(err)
		} else if err != nil && v.owner == nil && v.stranger != nil && !errors.Is(err, v.stranger) {
			t.Fatalf("%s: %v", v.name, err)
		}
		got := ask[string](s.testDB, `
			SELECT concat_ws('|', action, replace(subject, account_id::text, ''), by_operator) FROM activity WHERE id > $1`, last)
		want := []string{}
		if line, changes := lines[v.name]; changes && (v.owner == nil || by.IsOperator()) {
			operators := "f"
			if by.IsOperator() {
				operators = "t"
			}
			want = append(want, string(line.Action)+"|"+line.Subject+"|"+operators)
		}
		wantSame(t, "the lines of "+v.name, got, want)
	}
	known := each(account.Actions(), func(a account.Action) string { return string(a) })
	for _, action := range ask[string](s.testDB, `SELECT DISTINCT action FROM activity`) {
		if !slices.Contains(known, action) {
			t.Errorf("account.Actions does not have %s", action)
		}
	}
}

// What changes nothing is not recorded; what the service itself does is, as its own.
func TestActivity_WhatCounts(t *testing.T) {
	t.Parallel()
	s := newServices(t)
	a := s.newTenant()
	by := account.ByAccount(a.ID)
	newest := func() account.Activity {
		t.Helper()
		list, err := s.accounts.Activity(t.Context(), by, a.ID, 1)
		s.must(err)
		return list[0]
	}
	s.must(s.accounts.RevokeKey(t.Context(), by, a.key))
	want := s.dump("activity")
	s.must(s.accounts.RevokeKey(t.Context(), by, a.key))
	_, err := s.endpoints.Enable(t.Context(), by, a.active)
	s.must(err)
	_, err = s.endpoints.Enable(t.Context(), by, a.new)
	wantError(t, "enabling one that is not verified", err, webhook.ErrNotVerified)
	_, err = s.endpoints.ReplayFailed(t.Context(), by, a.active, -time.Hour)
	s.must(err)
	wantEqual(t, "the log after nothing changed", s.dump("activity"), want)

	s.must(s.Webhooks.Disable(t.Context(), a.active, inWords("gone"), s.now))
	wantSame(t, "the newest line", newest(), account.Activity{
		At: s.now, Action: account.EndpointDisabled, Subject: "127.0.0.1", By: account.DoneByService,
	})
	s.must(s.endpoints.Disable(t.Context(), operator, a.active, "by hand"))
	wantSame(t, "the newest line", newest(), account.Activity{
		At: s.now, Action: account.EndpointDisabled, Subject: "127.0.0.1", By: account.DoneByOperator, ByOperator: true,
	})
	s.must(s.endpoints.Disable(t.Context(), by, a.active, ""))
	wantSame(t, "the newest line", newest(), account.Activity{
		At: s.now, Action: account.EndpointDisabled, Subject: "127.0.0.1", By: account.DoneByOwner,
	})
	list, err := s.accounts.Activity(t.Context(), by, a.ID, 1000)
	s.must(err)
	wantEqual(t, "all lines", len(list), s.count(`activity WHERE account_id::text = $1`, a.ID))
	wantEqual(t, "the oldest line", list[len(list)-1].Action, account.AccountCreated)
}

// Nothing is recorded of an account that is deleted meanwhile, and nobody waits in a circle.
func TestActivity_DuringADeletion(t *testing.T) {
	t.Parallel()
	s := newServices(t)
	text := "changed"
	for name, change := range map[string]func(a tenant) error{
		"RenameKey": func(a tenant) error { return s.accounts.RenameKey(t.Context(), operator, a.key, "renamed") },
		"SetSwitch": func(a tenant) error {
			return s.accounts.SetSwitch(t.Context(), operator, a.ID, account.UsageMail, false)
		},
		"Update": func(a tenant) error {
			_, _, err := s.endpoints.Update(t.Context(), operator, a.active, webhook.Change{Description: &text})
			return err
		},
		"Rotate": func(a tenant) error { _, err := s.endpoints.Rotate(t.Context(), operator, a.active, true); return err },
		"Delete": func(a tenant) error { return s.endpoints.Delete(t.Context(), operator, a.active) },
		"ReplayRange": func(a tenant) error {
			_, err := s.endpoints.ReplayRange(t.Context(), operator, a.active, a.seq, a.seq)
			return err
		},
		"Ask": func(a tenant) error { return s.changes.Ask(t.Context(), operator, a.ID, "another@example.com") },
	} {
		late := s.newTenant()
		lines := s.count(`activity`)
		_ = s.during(`UPDATE accounts SET email = NULL, deleted_at = now() WHERE id = '`+late.ID+`'`, func() error { return change(late) })
		wantEqual(t, name+": lines after a deletion that it waited for", s.count(`activity`), lines)
		for range 5 {
			a := s.newTenant()
			atOnce(2, func(i int) {
				do := change
				if i == 0 {
					do = func(a tenant) error { return s.accounts.Delete(t.Context(), operator, a.ID) }
				}
				err := do(a)
				gone := errors.Is(err, account.ErrNoAccount) || errors.Is(err, account.ErrNoKey) || errors.Is(err, webhook.ErrNoEndpoint)
				if err != nil && !gone {
					t.Errorf("%s during a deletion: %v", name, err)
				}
			})
			wantEqual(t, name+": lines of a deleted account", s.count(`activity WHERE account_id::text = $1`, a.ID), 0)
			wantEqual(t, name+": its changes of address", s.count(`email_changes WHERE account_id::text = $1`, a.ID), 0)
		}
	}
}

// Lines from before the service was told from the operator: billing events, notices and reasons tell
// whose some of them are. The rest name nobody, and so do those that an older program still writes.
func TestActivity_OlderLines(t *testing.T) {
	t.Parallel()
	db := emptyDB(t)
	db.migrate()
	_, err := db.migrations().DownTo(t.Context(), 18)
	db.must(err)
	at := func(hour int) time.Time { return db.now.Add(time.Duration(hour) * time.Hour) }
	newAccount := func(email string) (id string) {
		t.Helper()
		return ask[string](db, `INSERT INTO accounts (email, plan) VALUES ($1, 'pro') RETURNING id::text`, email)[0]
	}
	line := func(id string, hour int, action account.Action, subject string, operators bool) {
		db.exec(`INSERT INTO activity (account_id, at, action, subject, by_operator) VALUES ($1, $2, $3, $4, $5)`, id, at(hour), action, subject, operators)
	}
	endpoint := func(id string, n int, host, state, reason string) {
		db.exec(`
			INSERT INTO endpoints (id, account_id, slot, url, description, types, categories, state, reason, secret, cursor, created_at, verified_at)
			VALUES ($1, $2, $3, 'https://' || $4::text || '/x', '', '{}', '{}', $5, $6, '', 0, now(), now())`, fmt.Sprint("ep_", n), id, n, host, state, reason)
	}
	buyer, given := newAccount("buyer@example.org"), newAccount("given@example.org")
	db.exec(`INSERT INTO billing_customers (account_id) VALUES ($1)`, buyer)
	db.exec(`INSERT INTO billing_notices (account_id, subscription, kind, occasion, created_at) VALUES ($1, 'sub', 'welcome', '', $2)`, buyer, at(1))
	db.exec(`INSERT INTO billing_events (id, type, account_id, received_at, processed_at) VALUES ('evt', 'x', $1, $2, $2)`, buyer, at(2))
	line(buyer, 1, account.PlanChanged, "pro", true)
	line(buyer, 2, account.PlanChanged, "developer", true)
	line(buyer, 3, account.PlanChanged, "pro", true)
	line(buyer, 4, account.KeyCreated, "k", true)
	line(buyer, 5, account.KeyCreated, "k", false)
	line(given, 1, account.PlanChanged, "pro", true)
	endpoint(given, 1, "gone.example", "disabled", "the receiver answered 410 Gone at 2026-03-01T09:00:00Z")
	endpoint(given, 2, "failing.example", "disabled", "every attempt has failed since 2026-03-01T09:00:00Z")
	endpoint(given, 3, "hand.example", "disabled", "too many complaints")
	endpoint(given, 4, "back.example", "active", "")
	endpoint(given, 5, "two.example", "disabled", "too many complaints")
	endpoint(given, 6, "two.example", "disabled", "every attempt has failed since 2026-03-01T09:00:00Z")
	for i, host := range []string{"gone.example", "failing.example", "hand.example", "back.example", "two.example", "failing.example"} {
		line(given, 2+i, account.EndpointDisabled, host, true)
	}
	db.migrate()
	line(given, 9, account.PlanChanged, "developer", true) // by an older program
	line(given, 10, account.LanguageChanged, "en", true)
	for id, want := range map[string]string{
		buyer: "owner operator  service service",
		given: "operator  service   operator  service operator", // a reason is about the newest line of its host
	} {
		list, err := db.Accounts.Activity(t.Context(), operator, id, 100)
		db.must(err)
		got := each(list, func(a account.Activity) string { return string(a.By) })
		wantEqual(t, "who did it, the newest first", strings.Join(got, " "), want)
	}
}
