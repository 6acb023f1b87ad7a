package postgres_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/webhook"
)

func anEndpoint(accountID string) webhook.Endpoint {
	return webhook.Endpoint{
		ID: webhook.NewEndpointID(), Account: accountID, URL: "https://example.org/in", Description: "Production",
		State: webhook.Active, Secret: []byte("sealed"),
	}
}

// endpointOf makes an active endpoint of the account that subscribes to the types, or to all.
func (db *testDB) endpointOf(accountID string, types ...catalog.EventType) string {
	db.Helper()
	e := anEndpoint(accountID)
	e.Types = types
	db.must(db.Webhooks.CreateEndpoint(db.Context(), operator, e, db.now))
	return e.ID
}

// newEndpoint makes a Pro account and an endpoint of it.
func (db *testDB) newEndpoint(types ...catalog.EventType) string {
	db.Helper()
	return db.endpointOf(db.signUp(owner, account.Pro).ID, types...)
}

func (db *testDB) endpoint(id string) webhook.Endpoint {
	db.Helper()
	e, err := db.Webhooks.Endpoint(db.Context(), operator, id)
	db.must(err)
	return e
}

func (db *testDB) disable(id, reason string) {
	db.Helper()
	db.must(db.Webhooks.DisableEndpoint(db.Context(), operator, id, inWords(reason), db.now))
}

func (db *testDB) tryEnable(id string) error {
	_, err := db.Webhooks.EnableEndpoint(db.Context(), operator, id, db.replay())
	return err
}

func (db *testDB) enable(id string) { db.Helper(); db.must(db.tryEnable(id)) }

// replay is what may be replayed now.
func (db *testDB) replay() webhook.Replay { return webhook.ReplayAt(db.now) }

// log publishes an edition with events of those types, straight into the tables.
func (db *testDB) log(types ...string) {
	db.Helper()
	db.exec(`
		WITH last AS (SELECT coalesce(max(number), 0) AS number, coalesce(max(last_seq), 0) AS seq FROM editions),
		e AS (INSERT INTO editions (number, published_at, last_seq) SELECT number + 1, $1, seq + cardinality($2::text[]) FROM last RETURNING number),
		c AS (INSERT INTO current_edition (number) SELECT number FROM e ON CONFLICT (only_row) DO UPDATE SET number = excluded.number)
		INSERT INTO events (seq, edition, type, slug, categories)
		SELECT last.seq + t.i, e.number, t.type, 'outil', ARRAY['code'] FROM last, e, unnest($2::text[]) WITH ORDINALITY AS t (type, i)`, db.now, types)
}

func (db *testDB) logMany(n int) {
	db.Helper()
	db.log(each(make([]int, n), func(int) string { return string(catalog.ToolUpdated) })...)
}

// advance makes deliveries of all events.
func (db *testDB) advance(id string) {
	db.Helper()
	for more := true; more; {
		var err error
		_, more, err = db.Webhooks.Advance(db.Context(), id, db.now, 1000, 100_000)
		db.must(err)
	}
}

// states are the deliveries of an endpoint, in the order of the log.
func (db *testDB) states(id string) []string {
	db.Helper()
	return ask[string](db, `SELECT seq || ' ' || state || coalesce(' ' || coalesce(ended, error), '') FROM deliveries WHERE endpoint_id = $1 ORDER BY seq`, id)
}

func TestEndpoint(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	ctx := t.Context()
	ada := db.signUp(owner, account.Pro)
	db.logMany(3)
	e := anEndpoint(ada.ID)
	e.Types, e.Categories = []catalog.EventType{catalog.ToolCreated}, []string{"code", "voix"}
	e.State, e.Reason = webhook.Unverified, inWords("not verified yet")
	db.must(db.Webhooks.CreateEndpoint(ctx, operator, e, db.now))
	e.Cursor, e.CreatedAt = 3, db.now
	wantSame(t, "the endpoint", db.endpoint(e.ID), e)
	db.nextDay()
	second := db.endpointOf(ada.ID)
	list, err := db.Webhooks.Endpoints(ctx, operator, ada.ID)
	db.must(err)
	wantSame(t, "the endpoints", each(list, func(e webhook.Endpoint) string { return e.ID }), []string{e.ID, second})

	// An update changes what it names, and nothing else.
	text := "Essais"
	for _, u := range []struct {
		change webhook.Change
		want   func()
	}{
		{webhook.Change{Description: &text}, func() { e.Description = text }},
		{webhook.Change{NewTypes: true, Types: []catalog.EventType{catalog.PriceChanged}}, func() { e.Types = []catalog.EventType{catalog.PriceChanged} }},
		{webhook.Change{NewCategories: true, Categories: []string{"voix"}}, func() { e.Categories = []string{"voix"} }},
		{webhook.Change{NewTypes: true}, func() { e.Types = []catalog.EventType{} }},
		{webhook.Change{NewCategories: true}, func() { e.Categories = []string{} }},
	} {
		u.want()
		got, err := db.Webhooks.UpdateEndpoint(ctx, operator, e.ID, u.change, db.now)
		db.must(err)
		wantSame(t, "what an update returns", got, e)
		wantSame(t, "the endpoint after an update", db.endpoint(e.ID), e)
	}

	until := db.now.Add(24 * time.Hour)
	rotate := func(sealed string, now time.Time, force bool) error {
		_, err := db.Webhooks.RotateSecret(ctx, operator, e.ID, []byte(sealed), webhook.Rotation{Now: now, Until: now.Add(24 * time.Hour), Force: force})
		return err
	}
	wantError(t, "rotating", rotate("sealed anew", db.now, false), nil)
	e.Secret, e.OldSecret, e.OldSecretUntil = []byte("sealed anew"), e.Secret, until
	wantSame(t, "the endpoint after a rotation", db.endpoint(e.ID), e)
	var rotating *webhook.RotatingError
	if err := rotate("too soon", until.Add(-time.Second), false); !errors.As(err, &rotating) || !rotating.Until.Equal(until) {
		t.Errorf("rotating while the old secret signs: %v", err)
	}
	wantSame(t, "the endpoint after a rotation that was refused", db.endpoint(e.ID), e)
	wantError(t, "rotating by force", rotate("forced", until.Add(-time.Second), true), nil)
	wantError(t, "rotating when the old secret is out", rotate("later", until.Add(24*time.Hour-time.Second), false), nil)
	e.Secret, e.OldSecret, e.OldSecretUntil = []byte("later"), []byte("forced"), until.Add(48*time.Hour-time.Second)
	wantSame(t, "the endpoint after all", db.endpoint(e.ID), e)

	db.logMany(1)
	db.advance(second)
	wantError(t, "deleting", db.Webhooks.DeleteEndpoint(ctx, operator, second, db.now), nil)
	wantSame(t, "deliveries of a deleted endpoint", db.states(second), []string{})
}

func TestEndpoints_AreForPro(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	bob, eve := db.signUp("bob@example.org", account.Developer), db.signUp("eve@example.org", account.Pro)
	db.deleteAccount("eve@example.org")
	for _, id := range []string{bob.ID, eve.ID, nobody} {
		wantError(t, "an endpoint of "+id, db.Webhooks.CreateEndpoint(t.Context(), operator, anEndpoint(id), db.now), webhook.ErrNotPro)
	}
	wantEqual(t, "endpoints", db.count(`endpoints`), 0)
}

func TestEndpoints_UnderRaces(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	for _, level := range []string{"read committed", "serializable"} {
		processes := []*postgres.DB{db.isolated(level), db.isolated(level)}
		a := db.signUp(fmt.Sprintf("a%d@example.org", len(level)), account.Pro)
		create := func(i int) error {
			return processes[i%2].Webhooks.CreateEndpoint(t.Context(), operator, anEndpoint(a.ID), db.now)
		}
		var made atomic.Int64
		atOnce(50, func(i int) {
			if err := create(i); err == nil {
				made.Add(1)
			} else {
				wantError(t, level, err, webhook.ErrTooMany)
			}
		})
		wantEqual(t, "endpoints made, "+level, made.Load(), 10)
		list, err := db.Webhooks.Endpoints(t.Context(), operator, a.ID)
		db.must(err)
		wantEqual(t, "endpoints stored, "+level, len(list), 10)
		// A slot that becomes free is used again.
		db.must(db.Webhooks.DeleteEndpoint(t.Context(), operator, list[4].ID, db.now))
		wantError(t, "in the free slot", create(0), nil)
		wantError(t, "one more", create(0), webhook.ErrTooMany)
	}
}

func TestEndpoint_IsDisabledAndEnabled(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	id := db.newEndpoint()
	db.logMany(2)
	db.advance(id)
	db.enable(id) // it is
	wantSame(t, "what is pending", db.states(id), []string{"1 pending", "2 pending"})
	db.disable(id, "by its owner")
	wantSame(t, "after its end", db.states(id), []string{"1 exhausted by its owner", "2 exhausted by its owner"})
	wantEqual(t, "the reason", db.endpoint(id).Reason, inWords("by its owner"))
	db.logMany(3)
	db.exec(`UPDATE endpoints SET failing_since = now(), claimed_until = 'infinity'`)
	db.enable(id)
	e := db.endpoint(id)
	wantEqual(t, "the endpoint that is back", fmt.Sprint(e.State, e.Reason.String(), e.Cursor, e.FailingSince.IsZero()), "active5 true")
	db.logMany(1)
	wantEqual(t, "endpoints with something to do", db.enqueue(), 1)
	db.disable(id, "by its owner")
	db.exec(`UPDATE accounts SET plan = 'developer'`)
	wantError(t, "enabling without Pro", db.tryEnable(id), webhook.ErrNotPro)
}

// wantRefused wants a constraint to have refused a change.
func wantRefused(t *testing.T, what string, err error) {
	t.Helper()
	var refused *pgconn.PgError
	if !errors.As(err, &refused) || refused.Code != "23514" { // check_violation
		t.Errorf("%s: %v", what, err)
	}
}

// An endpoint becomes active after a proof only, whatever states it goes through.
func TestEndpoint_NeedsAProof(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	ctx := t.Context()
	e := anEndpoint(db.signUp(owner, account.Pro).ID)
	e.State, e.Reason = webhook.Unverified, webhook.Reason{Code: webhook.NotVerified}
	db.must(db.Webhooks.CreateEndpoint(ctx, operator, e, db.now))
	want := func(what, want string) {
		t.Helper()
		got := db.endpoint(e.ID)
		wantEqual(t, what, fmt.Sprint(got.State, " ", !got.VerifiedAt.IsZero(), " ", got.Reason), want)
	}
	verify := func() error { return db.Webhooks.VerifyEndpoint(ctx, operator, e.ID, db.now) }
	unproven := "unverified false " + e.Reason.String()
	wantError(t, "enabling", db.tryEnable(e.ID), webhook.ErrNotVerified)
	want("an unverified one that is enabled", unproven)
	db.disable(e.ID, "by its owner")
	wantError(t, "enabling", db.tryEnable(e.ID), webhook.ErrNotVerified)
	want("a disabled one that is enabled", unproven)
	for _, state := range []string{"active", "paused"} {
		_, err := db.conn().Exec(ctx, `UPDATE endpoints SET state = $1`, state)
		wantRefused(t, state+" without a proof", err)
	}
	db.setPlan(owner, account.Developer)
	wantError(t, "verifying without Pro", verify(), webhook.ErrNotPro)
	db.setPlan(owner, account.Pro)
	want("after another plan", unproven)
	wantError(t, "verifying", verify(), nil)
	want("a verified one", "active true ")
	db.disable(e.ID, "by its owner")
	wantError(t, "enabling", db.tryEnable(e.ID), nil)
	want("a verified one that is enabled", "active true ")
}

// An endpoint that is enabled again is told what it missed: events, as far as they can be
// replayed, and deliveries that were given up.
func TestEndpoint_IsToldWhatItMissed(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	id := db.newEndpoint()
	missed := func(what, want string) {
		t.Helper()
		so, err := db.Webhooks.Missed(t.Context(), operator, id, db.replay())
		db.must(err)
		if db.endpoint(id).State == webhook.Active { // it is told of no failures
			so.Failed, so.FailedSince = 0, time.Time{}
		}
		m, err := db.Webhooks.EnableEndpoint(t.Context(), operator, id, db.replay())
		db.must(err)
		wantEqual(t, "what it missed so far", so, m)
		got := fmt.Sprintf("%v %d to %d from %d, %d failed", m.From <= m.To, m.From, m.To, m.Replayable, m.Failed)
		if m.Failed > 0 {
			got += m.FailedSince.Format(" since 02 15:04")
		}
		wantEqual(t, what, got, want)
	}
	missed("an active one", "false 1 to 0 from 0, 0 failed")
	db.logMany(3)
	db.advance(id)
	db.disable(id, "by its owner")
	missed("one that was at the end of the log", "false 4 to 3 from 0, 3 failed since 01 09:00")
	db.disable(id, "by its owner")
	db.nextDay()
	db.logMany(2)
	db.now = db.now.AddDate(0, 0, 29)
	db.logMany(4)
	missed("events 4 to 9", "true 4 to 9 from 4, 3 failed since 01 09:00")
	missed("events 4 to 9 are not told twice", "false 1 to 0 from 0, 0 failed")
	for _, later := range []struct {
		days       int
		what, want string
	}{
		{2, "4 and 5 are too old", "true 4 to 9 from 6, 3 failed since 01 09:00"},
		{30, "all are too old", "true 4 to 9 from 0, 3 failed since 01 09:00"},
	} {
		db.disable(id, "by its owner")
		db.exec(`UPDATE endpoints SET cursor = 3`)
		db.now = db.now.AddDate(0, 0, later.days)
		missed(later.what, later.want)
	}
}

func TestEndpoints_FollowThePlan(t *testing.T) {
	t.Parallel()
	const reason = "the account is no longer on the Pro plan: webhooks are paused"
	db := newDB(t)
	ada, bob := db.signUp(owner, account.Pro), db.signUp("bob@example.org", account.Pro)
	active, unverified, disabled, other := db.endpointOf(ada.ID), db.endpointOf(ada.ID), db.endpointOf(ada.ID), db.endpointOf(bob.ID)
	db.exec(`UPDATE endpoints SET state = 'unverified', reason = 'not yet', verified_at = NULL WHERE id = $1`, unverified)
	db.disable(disabled, "gone")
	db.logMany(2)
	db.advance(active)
	db.advance(other)
	states := func() []string {
		return each([]string{active, unverified, disabled, other}, func(id string) string {
			e := db.endpoint(id)
			return fmt.Sprintf("%s %d %s", e.State, e.Cursor, e.Reason)
		})
	}
	db.setPlan(owner, account.Developer)
	wantSame(t, "without Pro", states(), []string{"paused 2 " + reason, "unverified 0 not yet", "disabled 0 gone", "active 2 "})
	wantSame(t, "its deliveries", db.states(active), []string{"1 exhausted " + reason, "2 exhausted " + reason})
	wantSame(t, "another's deliveries", db.states(other), []string{"1 pending", "2 pending"})
	db.logMany(2)
	db.setPlan(owner, account.Developer)
	db.setPlan(owner, account.Pro)
	wantSame(t, "with Pro again", states(), []string{"active 4 ", "unverified 0 not yet", "disabled 0 gone", "active 2 "})
	db.setPlan(owner, account.Pro)
	db.logMany(1)
	db.advance(active)
	wantSame(t, "what is delivered from then on", db.states(active)[2:], []string{"5 pending"})
	db.wantFirstDue()

	db.deleteAccount(owner)
	wantSame(t, "the endpoints left", ask[string](db, `SELECT id FROM endpoints`), []string{other})
	wantSame(t, "the deliveries left", ask[string](db, `SELECT DISTINCT endpoint_id FROM deliveries`), []string{other})
}

// Plans change, jobs run and owners enable endpoints at once. Afterwards an account without
// Pro has no active endpoint and nothing pending.
func TestEndpoints_ThePlanChangesMeanwhile(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	ctx := t.Context()
	id := db.newEndpoint()
	adaID := db.account(owner).ID
	db.logMany(200)
	work := []func(i int) error{
		func(i int) error {
			return db.Accounts.SetPlan(ctx, adaID, []account.Plan{account.Developer, account.Pro}[i%2], db.now)
		},
		func(int) error { return db.tryEnable(id) },
		func(i int) error {
			_, err := db.Webhooks.ReplayRange(ctx, operator, id, int64(i), int64(i+9), db.replay())
			return err
		},
		func(int) error {
			due, err := db.Webhooks.Due(ctx, id, db.now, 4)
			for i := range due {
				due[i].Attempts, due[i].NextAt = 1, db.now.Add(time.Hour)
			}
			return errors.Join(err, db.Webhooks.Record(ctx, id, due, webhook.Health{}, db.now))
		},
	}
	atOnce(len(work), func(w int) {
		for i := range 25 {
			if err := work[w](i); err != nil && !errors.Is(err, webhook.ErrNotPro) && !errors.Is(err, webhook.ErrNotActive) {
				t.Error(err)
			}
		}
	})
	db.wantFirstDue()
	db.setPlan(owner, account.Developer)
	wantEqual(t, "the state", db.endpoint(id).State, webhook.Paused)
	wantEqual(t, "pending", db.count(`deliveries WHERE state = 'pending'`), 0)
	db.wantFirstDue()
}

// An endpoint ceases to be active while something is done with it: no delivery is left pending
// that no job would ever come for.
func TestEndpoint_IsPausedMeanwhile(t *testing.T) {
	t.Parallel()
	db := newDB(t)
	ctx := t.Context()
	id := db.newEndpoint()
	db.logMany(1)
	db.advance(id)
	d := db.deliveries(id)[0]
	db.logMany(1)
	for name, f := range map[string]func() error{
		"Advance":        func() error { _, _, err := db.Webhooks.Advance(ctx, id, db.now, 10, 10); return err },
		"ReplayDelivery": func() error { return db.Webhooks.ReplayDelivery(ctx, operator, id, d.ID, db.replay()) },
		"ReplayRange":    func() error { _, err := db.Webhooks.ReplayRange(ctx, operator, id, 1, 2, db.replay()); return err },
		"Record":         func() error { return db.Webhooks.Record(ctx, id, []webhook.Outcome{d}, webhook.Health{}, db.now) },
	} {
		db.exec(`UPDATE endpoints SET state = 'active', cursor = 1`)
		db.exec(`UPDATE deliveries SET state = 'exhausted'`)
		err := db.during(`UPDATE endpoints SET state = 'paused', due_at = NULL`, f)
		if err != nil && !errors.Is(err, webhook.ErrNotActive) {
			t.Errorf("%s: %v", name, err)
		}
		wantEqual(t, "pending after "+name, db.count(`deliveries WHERE state = 'pending'`), 0)
	}
	err := db.during(`UPDATE accounts SET plan = 'developer'`, func() error { return db.tryEnable(id) })
	wantError(t, "enabling while the plan changes", err, webhook.ErrNotPro)
}

// wantFirstDue checks due_at, which is derived from the deliveries.
func (db *testDB) wantFirstDue() {
	db.Helper()
	wantSame(db, "endpoints whose due_at is wrong", ask[string](db, `
		SELECT e.id || ': ' || coalesce(e.due_at::text, 'none') FROM endpoints e
		WHERE due_at IS DISTINCT FROM (SELECT min(next_at) FROM deliveries d WHERE d.endpoint_id = e.id AND d.state = 'pending')`), []string{})
}
