package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// inWords is an operator's reason.
func inWords(s string) webhook.Reason { return webhook.Reason{Code: webhook.InWords, Detail: s} }

// Migration 23 gives endpoints the code of their reason, and leaves the text. What it finds is what this
// program would have parsed.
func TestMigrate_Reasons(t *testing.T) {
	t.Parallel()
	db := emptyDB(t)
	_, err := db.migrations().UpTo(t.Context(), 22)
	db.must(err)
	reasons := map[string]string{
		"":                                      "- -",
		"it has not answered its challenge yet": "not_verified -",
		"the account is no longer on the Pro plan: webhooks are paused": "not_pro -",
		"disabled by its owner":                                  "disabled_by_owner -",
		"every attempt has failed since 2026-03-01T09:00:00Z":    "all_failed 2026-03-01T09:00:00Z",
		"the receiver answered 410 Gone at 2026-03-01T09:00:00Z": "answered_gone 2026-03-01T09:00:00Z",
		"its secret cannot be opened: set the PALMARES_SECRET_PREVIOUS that sealed it, or palmares webhook rotate; " +
			"what is published meanwhile waits": "secret_unreadable -",
		"every attempt has failed since Monday": "in_words every attempt has failed since Monday",
		"disabled by its owner's host":          "in_words disabled by its owner's host",
		"déménagé\n%s":                          "in_words déménagé\n%s",
	}
	insert := func(account, reason string) string {
		return ask[string](db, `
			INSERT INTO endpoints (id, account_id, slot, url, description, types, categories, state, reason, secret, cursor, created_at)
			VALUES (gen_random_uuid()::text, $1, 1, '', '', '{}', '{}', 'disabled', $2, '', 0, $3) RETURNING id`, account, reason, db.now)[0]
	}
	ids := make(map[string]string)
	for reason := range reasons {
		owner := ask[string](db, `INSERT INTO accounts (email, plan) VALUES ($1, 'pro') RETURNING id::text`, fmt.Sprint(len(ids), "@example.test"))[0]
		ids[reason] = insert(owner, reason)
	}
	one := ids["disabled by its owner"]
	db.exec(`
		INSERT INTO deliveries (id, endpoint_id, seq, type, state, next_at, made_at, done_at, error, ended, ended_at)
		VALUES ('msg_a', $1, 1, '', 'exhausted', $2, $2, $2, 'connection refused', 'disabled by its owner', $2),
		       ('msg_b', $1, 2, '', 'delivered', $2, $2, $2, NULL, NULL, NULL)`, one, db.now)
	db.exec(`INSERT INTO attempts (delivery_id, made_at, error) VALUES ('msg_a', $1, 'timed out after 15 s')`, db.now)
	db.migrate()

	columns := func(id string) string {
		return ask[string](db, `
			SELECT coalesce(reason_code, '-') || ' ' || coalesce(reason_detail, '-') FROM endpoints WHERE id = $1`, id)[0]
	}
	for reason, want := range reasons {
		got := db.endpoint(ids[reason]).Reason
		wantEqual(t, reason, columns(ids[reason]), want)
		wantEqual(t, "the text", got.String(), reason)
		wantEqual(t, "what this program parses", webhook.StoredReason(reason, "", ""), got)
	}
	list := db.deliveries(one)
	wantEqual(t, "an old delivery's error", list[1].Error, webhook.Reason{Code: webhook.ConnectionRefused})
	wantEqual(t, "its end", list[1].EndReason, webhook.Reason{Code: webhook.DisabledByOwner})
	wantEqual(t, "the error and the end of one that succeeded", list[0].Error.String()+list[0].EndReason.String(), "")
	attempts, err := db.Webhooks.Attempts(t.Context(), operator, list)
	db.must(err)
	wantEqual(t, "an old attempt's error", attempts["msg_a"][0].Error, webhook.Reason{Code: webhook.TimedOut, Detail: "15 s"})
	_, err = db.migrations().DownTo(t.Context(), 22)
	db.must(err)
	wantEqual(t, "the text after going back", ask[string](db, `SELECT reason FROM endpoints WHERE id = $1`, one)[0], "disabled by its owner")
}

// Every change of a reason writes the text that older programs read, with its code and its detail.
func TestReasons_Columns(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	ada := db.signUp(owner, account.Pro)
	id := db.endpointOf(ada.ID)
	wants := func(what, want string) {
		t.Helper()
		wantEqual(t, what, ask[string](db, `
			SELECT concat_ws('|', reason, coalesce(reason_code, '-'), coalesce(reason_detail, '-')) FROM endpoints WHERE id = $1`, id)[0], want)
	}
	wants("a new endpoint", "|-|-")
	unreadable := webhook.Reason{Code: webhook.SecretUnreadable}
	set := func(r webhook.Reason) {
		t.Helper()
		changed, err := db.Webhooks.SetReason(t.Context(), id, r)
		db.must(err)
		wantEqual(t, "changed", changed, true)
	}
	set(unreadable)
	wants("an active endpoint", unreadable.String()+"|secret_unreadable|-")
	changed, err := db.Webhooks.SetReason(t.Context(), id, unreadable)
	db.must(err)
	wantEqual(t, "the same once more", changed, false)
	set(webhook.Reason{})
	wants("an active endpoint again", "|-|-")
	set(unreadable)
	_, err = db.Webhooks.RotateSecret(t.Context(), operator, id, []byte("new"), webhook.Rotation{Now: db.now, Until: db.now})
	db.must(err)
	wants("a rotated endpoint", "|-|-")

	db.logMany(2)
	db.advance(id)
	list := db.deliveries(id)
	list[0].State, list[0].Attempts, list[0].AttemptedAt = webhook.Pending, 1, db.now
	list[0].Error = webhook.Reason{Code: webhook.TimedOut, Detail: "15 s"}
	db.record(id, list[0])
	db.must(db.Webhooks.Disable(t.Context(), id, webhook.Reason{Code: webhook.AnsweredGone, Detail: "2026-03-01T09:00:00Z"}, db.now))
	wants("a disabled endpoint", "the receiver answered 410 Gone at 2026-03-01T09:00:00Z|answered_gone|2026-03-01T09:00:00Z")
	deliveries := func(what string, want ...string) {
		t.Helper()
		wantSame(t, what, ask[string](db, `
			SELECT concat_ws('|', coalesce(error, '-'), coalesce(error_code, '-'), coalesce(error_detail, '-'),
			    coalesce(ended, '-'), coalesce(ended_code, '-'), coalesce(ended_detail, '-')) FROM deliveries ORDER BY seq DESC`), want)
	}
	const gone = "the receiver answered 410 Gone at 2026-03-01T09:00:00Z|answered_gone|2026-03-01T09:00:00Z"
	deliveries("what was pending", "timed out after 15 s|timed_out|15 s|"+gone, "-|-|-|"+gone)

	// An attempt that ends after its endpoint.
	list[1].State, list[1].Attempts, list[1].AttemptedAt, list[1].Error = webhook.Pending, 1, db.now, webhook.Reason{Code: webhook.NotHTTP}
	db.record(id, list[1])
	deliveries("what ended late", "timed out after 15 s|timed_out|15 s|"+gone, "the answer is not HTTP|not_http|-|"+gone)
	db.enable(id)
	wants("an enabled endpoint", "|-|-")
	db.must(db.Webhooks.ReplayDelivery(t.Context(), operator, id, list[0].ID, db.replay()))
	deliveries("what is replayed", "-|-|-|-|-|-", "the answer is not HTTP|not_http|-|"+gone)
	wantSame(t, "its attempt", ask[string](db, `SELECT concat_ws('|', error, error_code, error_detail) FROM attempts`), []string{"timed out after 15 s|timed_out|15 s"})

	db.setPlan(owner, account.Developer)
	wants("a paused endpoint", "the account is no longer on the Pro plan: webhooks are paused|not_pro|-")
	db.setPlan(owner, account.Pro)
	wants("a resumed endpoint", "|-|-")
	db.disable(id, "moved")
	wants("an endpoint that the operator disabled", "moved|in_words|moved")
}

// During a deployment a program that knows no codes works on the same rows. It writes the text alone,
// also beside a code that this program wrote.
func TestReasons_BesideAnOlderProgram(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	id := db.newEndpoint()
	db.logMany(1)
	db.advance(id)
	older := func(reason string) { db.exec(`UPDATE endpoints SET reason = $2 WHERE id = $1`, id, reason) }
	wants := func(what string, want webhook.Reason) {
		t.Helper()
		wantEqual(t, what, db.endpoint(id).Reason, want)
		sealed, err := db.Webhooks.Sealed(t.Context(), "", 1)
		db.must(err)
		wantEqual(t, what+", with its secret", sealed[0].Reason, want)
	}
	unreadable := webhook.Reason{Code: webhook.SecretUnreadable}
	older(unreadable.String())
	wants("a text without a code", unreadable)
	changed, err := db.Webhooks.SetReason(t.Context(), id, unreadable)
	db.must(err)
	wantEqual(t, "what both programs know is new", changed, false)
	older("")
	wants("no text", webhook.Reason{})

	db.disable(id, "moved")
	older("every attempt has failed since 2026-03-01T09:00:00Z")
	wants("another text beside the code of the last one", webhook.Reason{Code: webhook.AllFailed, Detail: "2026-03-01T09:00:00Z"})
	older("gone fishing")
	wants("other words beside the code of the last ones", inWords("gone fishing"))
	db.exec(`UPDATE endpoints SET state = 'active', reason = '' WHERE id = $1`, id)
	wants("an endpoint that it enabled", webhook.Reason{})

	d := db.deliveries(id)[0]
	d.State, d.Attempts, d.AttemptedAt, d.Error = webhook.Pending, 1, db.now, webhook.Reason{Code: webhook.TimedOut, Detail: "15 s"}
	db.record(id, d)
	db.exec(`INSERT INTO attempts (delivery_id, made_at, error) SELECT id, done_at, error FROM deliveries`)
	db.exec(`UPDATE deliveries SET attempts = 2, done_at = $1, error = 'connection refused'`, db.now.Add(time.Minute))
	attempts, err := db.Webhooks.Attempts(t.Context(), operator, db.deliveries(id))
	db.must(err)
	wantSame(t, "the attempts of both programs", each(attempts[d.ID], func(a webhook.Attempt) webhook.Reason { return a.Error }),
		[]webhook.Reason{{Code: webhook.TimedOut, Detail: "15 s"}, {Code: webhook.ConnectionRefused}})
	db.exec(`UPDATE deliveries SET state = 'pending', attempts = 0, done_at = NULL, error = NULL`)
	wantEqual(t, "what it replays", db.deliveries(id)[0].Error, webhook.Reason{})

	older("the receiver answered 410 Gone at 2026-03-01T09:00:00Z")
	db.exec(`UPDATE endpoints SET state = 'disabled' WHERE id = $1`, id)
	d.Attempts = 1
	db.record(id, d)
	wantEqual(t, "the end of what this program attempted at last", db.deliveries(id)[0].EndReason,
		webhook.Reason{Code: webhook.AnsweredGone, Detail: "2026-03-01T09:00:00Z"})
}
