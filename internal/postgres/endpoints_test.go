package postgres_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/webhook"
)

const owner = "ada@example.org"

func anEndpoint(accountID string) webhook.Endpoint {
	return webhook.Endpoint{
		ID: webhook.NewEndpointID(), Account: accountID, URL: "https://example.org/in", Description: "Production",
		State: webhook.Active, Secret: []byte("sealed"),
	}
}

// endpointOf makes an active endpoint of the account that hears of those types, or of
// everything.
func (b *bench) endpointOf(accountID string, types ...catalog.EventType) string {
	b.Helper()
	e := anEndpoint(accountID)
	e.Types = types
	if err := b.db.CreateEndpoint(b.Context(), e, b.now); err != nil {
		b.Fatal(err)
	}
	return e.ID
}

// newEndpoint makes a Pro account and an endpoint of it.
func (b *bench) newEndpoint(types ...catalog.EventType) string {
	b.Helper()
	return b.endpointOf(b.signUp(owner, account.Pro).ID, types...)
}

func (b *bench) endpoint(id string) webhook.Endpoint {
	b.Helper()
	e, err := b.db.Endpoint(b.Context(), account.Operator(), id)
	if err != nil {
		b.Fatal(err)
	}
	return e
}

func (b *bench) setState(id string, s webhook.State, reason string) {
	b.Helper()
	if err := b.db.SetEndpointState(b.Context(), account.Operator(), id, s, reason, b.now); err != nil {
		b.Fatal(err)
	}
}

// log publishes an edition with events of those types, straight into the tables.
func (b *bench) log(types ...string) {
	b.Helper()
	b.exec(`
		WITH last AS (SELECT coalesce(max(number), 0) AS number, coalesce(max(last_seq), 0) AS seq FROM editions),
		e AS (INSERT INTO editions (number, published_at, last_seq) SELECT number + 1, $1, seq + cardinality($2::text[]) FROM last RETURNING number),
		c AS (INSERT INTO current_edition (number) SELECT number FROM e ON CONFLICT (only_row) DO UPDATE SET number = excluded.number)
		INSERT INTO events (seq, edition, type, slug, categories)
		SELECT last.seq + t.i, e.number, t.type, 'outil', ARRAY['code'] FROM last, e, unnest($2::text[]) WITH ORDINALITY AS t (type, i)`, b.now, types)
}

func (b *bench) logMany(n int) {
	b.Helper()
	types := make([]string, n)
	for i := range types {
		types[i] = string(catalog.ToolUpdated)
	}
	b.log(types...)
}

// advance makes deliveries of all there is in the log.
func (b *bench) advance(id string) {
	b.Helper()
	for more := true; more; {
		var err error
		if _, more, err = b.db.Advance(b.Context(), id, b.now, 1000, 100_000); err != nil {
			b.Fatal(err)
		}
	}
}

// states are the deliveries of an endpoint, in the order of the log.
func (b *bench) states(id string) []string {
	b.Helper()
	return ask[string](b, `SELECT seq || ' ' || state || coalesce(' ' || coalesce(ended, error), '') FROM deliveries WHERE endpoint_id = $1 ORDER BY seq`, id)
}

func TestAnEndpoint(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx := t.Context()
	ada := b.signUp(owner, account.Pro)
	b.logMany(3)
	e := anEndpoint(ada.ID)
	e.Types, e.Categories = []catalog.EventType{catalog.ToolCreated}, []string{"code", "voix"}
	e.State, e.Reason = webhook.Unverified, "not verified yet"
	if err := b.db.CreateEndpoint(ctx, e, b.now); err != nil {
		t.Fatal(err)
	}
	e.Cursor, e.CreatedAt = 3, b.now
	wantSame(t, "the endpoint", b.endpoint(e.ID), e)
	b.nextDay()
	second := b.endpointOf(ada.ID)
	list, err := b.db.Endpoints(ctx, account.Operator(), ada.ID)
	if err != nil {
		t.Fatal(err)
	}
	wantSame(t, "the endpoints", slugs(list, func(e webhook.Endpoint) string { return e.ID }), []string{e.ID, second})

	email, err := b.db.EndpointOwner(ctx, e.ID)
	wantEqual(t, "the owner", email, owner)
	wantError(t, "the owner", err, nil)

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
		got, err := b.db.UpdateEndpoint(ctx, account.Operator(), e.ID, u.change)
		wantError(t, "updating", err, nil)
		wantSame(t, "what an update gives", got, e)
		wantSame(t, "the endpoint after an update", b.endpoint(e.ID), e)
	}

	until := b.now.Add(24 * time.Hour)
	rotate := func(sealed string, now time.Time, force bool) error {
		_, err := b.db.RotateSecret(ctx, account.Operator(), e.ID, []byte(sealed), webhook.Rotation{Now: now, Until: now.Add(24 * time.Hour), Force: force})
		return err
	}
	wantError(t, "rotating", rotate("sealed anew", b.now, false), nil)
	e.Secret, e.OldSecret, e.OldSecretTo = []byte("sealed anew"), e.Secret, until
	wantSame(t, "the endpoint after a rotation", b.endpoint(e.ID), e)
	var rotating *webhook.RotatingError
	if err := rotate("too soon", until.Add(-time.Second), false); !errors.As(err, &rotating) || !rotating.Until.Equal(until) {
		t.Errorf("rotating while the old secret signs: %v", err)
	}
	wantSame(t, "the endpoint after a rotation that was refused", b.endpoint(e.ID), e)
	wantError(t, "rotating by force", rotate("forced", until.Add(-time.Second), true), nil)
	wantError(t, "rotating when the old secret is out", rotate("later", until.Add(24*time.Hour-time.Second), false), nil)
	e.Secret, e.OldSecret, e.OldSecretTo = []byte("later"), []byte("forced"), until.Add(48*time.Hour-time.Second)
	wantSame(t, "the endpoint after all", b.endpoint(e.ID), e)

	b.logMany(1)
	b.advance(second)
	wantError(t, "deleting", b.db.DeleteEndpoint(ctx, account.Operator(), second), nil)
	wantSame(t, "deliveries of a deleted endpoint", b.states(second), []string{})

	_, err = b.db.Endpoint(ctx, account.Operator(), second)
	wantError(t, "Endpoint", err, webhook.ErrNoEndpoint)
	_, err = b.db.EndpointOwner(ctx, second)
	wantError(t, "EndpointOwner", err, webhook.ErrNoEndpoint)
	_, err = b.db.UpdateEndpoint(ctx, account.Operator(), second, webhook.Change{})
	wantError(t, "UpdateEndpoint", err, webhook.ErrNoEndpoint)
	_, err = b.db.RotateSecret(ctx, account.Operator(), second, []byte("x"), webhook.Rotation{Now: b.now, Until: until})
	wantError(t, "RotateSecret", err, webhook.ErrNoEndpoint)
	wantError(t, "SetEndpointState", b.db.SetEndpointState(ctx, account.Operator(), second, webhook.Active, "", b.now), webhook.ErrNoEndpoint)
	wantError(t, "DeleteEndpoint", b.db.DeleteEndpoint(ctx, account.Operator(), second), webhook.ErrNoEndpoint)

	// The address may be erased before the endpoint is.
	b.exec(`UPDATE accounts SET email = NULL, deleted_at = now()`)
	if email, err := b.db.EndpointOwner(ctx, e.ID); email != "" || err != nil {
		t.Errorf("the owner of an erased account's endpoint: %q, %v", email, err)
	}
}

func TestEndpointsAreForPro(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	bob, eve := b.signUp("bob@example.org", account.Developer), b.signUp("eve@example.org", account.Pro)
	b.deleteAccount("eve@example.org")
	for _, id := range []string{bob.ID, eve.ID, "00000000-0000-0000-0000-000000000000"} {
		wantError(t, "an endpoint of "+id, b.db.CreateEndpoint(t.Context(), anEndpoint(id), b.now), webhook.ErrNotPro)
	}
	wantEqual(t, "endpoints", ask[int](b, `SELECT count(*) FROM endpoints`)[0], 0)
}

func TestEndpointsUnderRaces(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, level := range []string{"read committed", "serializable"} {
		processes := []*postgres.DB{b.at(level), b.at(level)}
		a := b.signUp(fmt.Sprintf("a%d@example.org", len(level)), account.Pro)
		var wg sync.WaitGroup
		var mu sync.Mutex
		made := 0
		for i := range 50 {
			wg.Go(func() {
				err := processes[i%2].CreateEndpoint(t.Context(), anEndpoint(a.ID), b.now)
				if err != nil {
					wantError(t, level, err, webhook.ErrTooMany)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				made++
			})
		}
		wg.Wait()
		wantEqual(t, "endpoints made, "+level, made, 10)
		list, err := b.db.Endpoints(t.Context(), account.Operator(), a.ID)
		if err != nil || len(list) != 10 {
			t.Fatalf("%d endpoints kept: %v", len(list), err)
		}
		// A place that becomes free is given again.
		if err := b.db.DeleteEndpoint(t.Context(), account.Operator(), list[4].ID); err != nil {
			t.Fatal(err)
		}
		wantError(t, "in the free place", b.db.CreateEndpoint(t.Context(), anEndpoint(a.ID), b.now), nil)
		wantError(t, "one more", b.db.CreateEndpoint(t.Context(), anEndpoint(a.ID), b.now), webhook.ErrTooMany)
	}
}

func TestAnEndpointComesAndGoes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.newEndpoint()
	b.logMany(2)
	b.advance(id)
	b.setState(id, webhook.Active, "") // it is
	wantSame(t, "what is pending", b.states(id), []string{"1 pending", "2 pending"})

	b.setState(id, webhook.Disabled, "by its owner")
	wantSame(t, "after its end", b.states(id), []string{"1 exhausted by its owner", "2 exhausted by its owner"})
	wantEqual(t, "the reason", b.endpoint(id).Reason, "by its owner")
	b.logMany(3)
	b.exec(`UPDATE endpoints SET failing_since = now(), claimed_until = 'infinity'`)

	b.setState(id, webhook.Active, "")
	e := b.endpoint(id)
	wantEqual(t, "the cursor of an endpoint that is back", e.Cursor, 5)
	if !e.Failing.IsZero() || e.Reason != "" || e.State != webhook.Active {
		t.Errorf("the endpoint that is back: %+v", e)
	}
	b.logMany(1)
	wantEqual(t, "endpoints with something to do", b.enqueue(), 1)

	b.setState(id, webhook.Disabled, "by its owner")
	b.exec(`UPDATE accounts SET plan = 'developer'`)
	wantError(t, "activating without Pro", b.db.SetEndpointState(t.Context(), account.Operator(), id, webhook.Active, "", b.now), webhook.ErrNotPro)
}

// An endpoint becomes active by a proof alone, whatever states it goes through.
func TestNoEndpointIsActiveWithoutAProof(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx := t.Context()
	e := anEndpoint(b.signUp(owner, account.Pro).ID)
	e.State, e.Reason = webhook.Unverified, webhook.NotVerified
	wantError(t, "creating", b.db.CreateEndpoint(ctx, e, b.now), nil)
	shown := func() string {
		got := b.endpoint(e.ID)
		return fmt.Sprint(got.State, " ", !got.VerifiedAt.IsZero(), " ", got.Reason)
	}
	enable := func() error { _, err := b.db.EnableEndpoint(ctx, account.Operator(), e.ID, b.now); return err }
	const unproven = "unverified false " + webhook.NotVerified
	wantError(t, "enabling", enable(), webhook.ErrNotVerified)
	wantEqual(t, "an unverified one that is enabled", shown(), unproven)
	b.setState(e.ID, webhook.Disabled, "by its owner")
	wantError(t, "enabling", enable(), webhook.ErrNotVerified)
	wantEqual(t, "a disabled one that is enabled", shown(), unproven)
	for _, state := range []string{"active", "paused"} {
		_, err := b.conn().Exec(ctx, `UPDATE endpoints SET state = $1`, state)
		wantRefused(t, state+" without a proof", err)
	}

	b.setPlan(owner, account.Developer)
	wantError(t, "verifying without Pro", b.db.VerifyEndpoint(ctx, account.Operator(), e.ID, b.now), webhook.ErrNotPro)
	b.setPlan(owner, account.Pro)
	wantEqual(t, "after another plan", shown(), unproven)
	wantError(t, "verifying", b.db.VerifyEndpoint(ctx, account.Operator(), e.ID, b.now), nil)
	wantEqual(t, "a verified one", shown(), "active true ")
	b.setState(e.ID, webhook.Disabled, "by its owner")
	wantError(t, "enabling", enable(), nil)
	wantEqual(t, "a verified one that is enabled", shown(), "active true ")
}

// An endpoint that is enabled again is told what it missed: events of the log, as far
// as they can be replayed, and deliveries that were given up.
func TestWhatAnEndpointMissed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.newEndpoint()
	missed := func() string {
		t.Helper()
		m, err := b.db.EnableEndpoint(t.Context(), account.Operator(), id, b.now)
		if err != nil {
			t.Fatal(err)
		}
		since := ""
		if m.Failed > 0 {
			since = m.FailedSince.Format(" since 02 15:04")
		}
		return fmt.Sprintf("%v %d to %d from %d, %d failed%s", m.From <= m.To, m.From, m.To, m.Replayable, m.Failed, since)
	}
	wantEqual(t, "an active one", missed(), "false 1 to 0 from 0, 0 failed")
	b.logMany(3)
	b.advance(id)
	b.setState(id, webhook.Disabled, "by its owner")
	wantEqual(t, "one that was at the end of the log", missed(), "false 4 to 3 from 0, 3 failed since 01 09:00")
	b.setState(id, webhook.Disabled, "by its owner")
	b.nextDay()
	b.logMany(2)
	b.now = b.now.AddDate(0, 0, 29)
	b.logMany(4)
	wantEqual(t, "events 4 to 9", missed(), "true 4 to 9 from 4, 3 failed since 01 09:00")
	wantEqual(t, "events 4 to 9 are not told twice", missed(), "false 1 to 0 from 0, 0 failed")
	b.setState(id, webhook.Disabled, "by its owner")
	b.exec(`UPDATE endpoints SET cursor = 3`)
	b.now = b.now.AddDate(0, 0, 2)
	wantEqual(t, "4 and 5 are too old", missed(), "true 4 to 9 from 6, 3 failed since 01 09:00")
	b.setState(id, webhook.Disabled, "by its owner")
	b.exec(`UPDATE endpoints SET cursor = 3`)
	b.now = b.now.AddDate(0, 0, 30)
	wantEqual(t, "all are too old", missed(), "true 4 to 9 from 0, 3 failed since 01 09:00")
}

// wantRefused wants a constraint to have refused a change.
func wantRefused(t *testing.T, what string, err error) {
	t.Helper()
	var refused *pgconn.PgError
	if !errors.As(err, &refused) || refused.Code != "23514" { // check_violation
		t.Errorf("%s: %v", what, err)
	}
}

func TestEndpointsFollowThePlan(t *testing.T) {
	t.Parallel()
	const reason = "the account is no longer on the Pro plan: webhooks are paused"
	b := newBench(t)
	ada, bob := b.signUp(owner, account.Pro), b.signUp("bob@example.org", account.Pro)
	active, unverified, disabled, other := b.endpointOf(ada.ID), b.endpointOf(ada.ID), b.endpointOf(ada.ID), b.endpointOf(bob.ID)
	b.setState(unverified, webhook.Unverified, "not yet")
	b.setState(disabled, webhook.Disabled, "gone")
	b.logMany(2)
	b.advance(active)
	b.advance(other)
	states := func() []string {
		return slugs([]string{active, unverified, disabled, other}, func(id string) string {
			e := b.endpoint(id)
			return fmt.Sprintf("%s %d %s", e.State, e.Cursor, e.Reason)
		})
	}

	b.setPlan(owner, account.Developer)
	wantSame(t, "without Pro", states(), []string{"paused 2 " + reason, "unverified 0 not yet", "disabled 0 gone", "active 2 "})
	wantSame(t, "its deliveries", b.states(active), []string{"1 exhausted " + reason, "2 exhausted " + reason})
	wantSame(t, "another's deliveries", b.states(other), []string{"1 pending", "2 pending"})
	b.logMany(2)
	b.setPlan(owner, account.Developer)
	b.setPlan(owner, account.Pro)
	wantSame(t, "with Pro again", states(), []string{"active 4 ", "unverified 0 not yet", "disabled 0 gone", "active 2 "})
	b.setPlan(owner, account.Pro)
	b.logMany(1)
	b.advance(active)
	wantSame(t, "what is delivered from then on", b.states(active)[2:], []string{"5 pending"})
	b.firstDueIsKnown()

	b.deleteAccount(owner)
	wantSame(t, "the endpoints left", ask[string](b, `SELECT id FROM endpoints`), []string{other})
	wantSame(t, "the deliveries left", ask[string](b, `SELECT DISTINCT endpoint_id FROM deliveries`), []string{other})
}

// Plans change, jobs run and owners switch at once. Whatever the order, an account
// without Pro is left with no active endpoint and none with anything pending.
func TestAPlanChangesWhileJobsRun(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.newEndpoint()
	var wg sync.WaitGroup
	run := func(f func(i int) error) {
		wg.Go(func() {
			for i := range 25 {
				if err := f(i); err != nil && !errors.Is(err, webhook.ErrNotPro) && !errors.Is(err, webhook.ErrNotReady) {
					t.Error(err)
				}
			}
		})
	}
	b.logMany(200)
	ctx := t.Context()
	run(func(i int) error {
		return pgtest.ByEmail(b.db).SetPlan(ctx, owner, []account.Plan{account.Developer, account.Pro}[i%2])
	})
	run(func(int) error { return b.db.SetEndpointState(ctx, account.Operator(), id, webhook.Active, "", b.now) })
	run(func(i int) error {
		_, err := b.db.ReplayRange(ctx, account.Operator(), id, int64(i), int64(i+9), webhook.ReplayAt(b.now))
		return err
	})
	run(func(int) error {
		due, err := b.db.Due(ctx, id, b.now, 4)
		if err != nil {
			return err
		}
		for i := range due {
			due[i].Attempts, due[i].NextAt = 1, b.now.Add(time.Hour)
		}
		return b.db.Record(ctx, id, due, webhook.Health{}, b.now)
	})
	wg.Wait()
	b.firstDueIsKnown()
	b.setPlan(owner, account.Developer)
	wantEqual(t, "the state", b.endpoint(id).State, webhook.Paused)
	wantEqual(t, "pending", ask[int](b, `SELECT count(*) FROM deliveries WHERE state = 'pending'`)[0], 0)
	b.firstDueIsKnown()
}

// during runs a change in a transaction of its own, and f before its commit, which
// comes when f has ended or waits, and after the looks at that.
func (b *bench) during(change string, f func() error, looks ...func()) error {
	b.Helper()
	other := b.conn()
	exec := func(sql string) {
		b.Helper()
		if _, err := other.Exec(b.Context(), sql); err != nil {
			b.Fatal(err)
		}
	}
	exec(`BEGIN`)
	exec(change)
	done := make(chan error, 1)
	go func() { done <- f() }()
	for deadline := time.Now().Add(soon); len(done) == 0 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if ask[int](b, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)[0] > 0 {
			break
		}
	}
	for _, look := range looks {
		look()
	}
	exec(`COMMIT`)
	return <-done
}

// An endpoint ceases to be active while something is done with it: nothing is left
// pending that nobody would ever come for.
func TestAnEndpointIsPausedMeanwhile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx := t.Context()
	id := b.newEndpoint()
	b.logMany(1)
	b.advance(id)
	d := b.deliveries(id)[0]
	b.logMany(1)
	for name, f := range map[string]func() error{
		"Advance":        func() error { _, _, err := b.db.Advance(ctx, id, b.now, 10, 10); return err },
		"ReplayDelivery": func() error { return b.db.ReplayDelivery(ctx, account.Operator(), id, d.ID, webhook.ReplayAt(b.now)) },
		"ReplayRange": func() error {
			_, err := b.db.ReplayRange(ctx, account.Operator(), id, 1, 2, webhook.ReplayAt(b.now))
			return err
		},
		"Record": func() error { return b.db.Record(ctx, id, []webhook.Outcome{d}, webhook.Health{}, b.now) },
	} {
		b.exec(`UPDATE endpoints SET state = 'active', cursor = 1`)
		b.exec(`UPDATE deliveries SET state = 'exhausted'`)
		err := b.during(`UPDATE endpoints SET state = 'paused', due_at = NULL`, f)
		if err != nil && !errors.Is(err, webhook.ErrNotReady) {
			t.Errorf("%s: %v", name, err)
		}
		wantEqual(t, "pending after "+name, ask[int](b, `SELECT count(*) FROM deliveries WHERE state = 'pending'`)[0], 0)
	}
	err := b.during(`UPDATE accounts SET plan = 'developer'`, func() error {
		return b.db.SetEndpointState(ctx, account.Operator(), id, webhook.Active, "", b.now)
	})
	wantError(t, "activating while the plan changes", err, webhook.ErrNotPro)
}

// firstDueIsKnown checks what is derived from the deliveries.
func (b *bench) firstDueIsKnown() {
	b.Helper()
	wrong := ask[string](b, `
		SELECT e.id || ': ' || coalesce(e.due_at::text, 'none') FROM endpoints e
		WHERE due_at IS DISTINCT FROM (SELECT min(next_at) FROM deliveries d WHERE d.endpoint_id = e.id AND d.state = 'pending')`)
	wantSame(b.T, "endpoints that do not know what is due first", wrong, []string{})
}
