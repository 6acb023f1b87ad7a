package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

func TestWorker_FollowsThePlan(t *testing.T) {
	t.Parallel()
	e, r := newEnv(t), newReceiver(t)
	s := e.subscribe(r)
	w := e.worker()
	r.answers(status(http.StatusInternalServerError))
	e.publish(2)
	e.work(w)
	r.take()

	r.answers(status(http.StatusOK))
	e.must(pgtest.ByEmail(e.db).SetPlan(t.Context(), owner, account.Developer))
	paused := e.endpoint(s.ID)
	e.equal("the state on Developer", paused.State, webhook.Paused)
	e.equal("the reason", paused.Reason.Code, webhook.NotPro)
	e.publish(3) // 3 to 5
	e.clock.Advance(time.Hour)
	e.equal("jobs while paused", len(e.work(w)), 0)
	e.wantDeliveries(s.ID, webhook.Exhausted, 2)
	if _, err := e.replayRange(s.ID, 3, 5); !errors.Is(err, webhook.ErrNotActive) {
		t.Errorf("replaying while paused: %v", err)
	}

	e.must(pgtest.ByEmail(e.db).SetPlan(t.Context(), owner, account.Pro))
	if got := e.endpoint(s.ID); got.State != webhook.Active || got.Reason != (webhook.Reason{}) || got.Cursor != 5 {
		t.Errorf("back on Pro: %+v", got)
	}
	e.publish(1)
	e.work(w)
	e.equal("what arrives back on Pro", r.takeSeqs(), []int64{6})
	n, err := e.replayRange(s.ID, 1, 5)
	e.must(err)
	e.equal("events to replay", n, 5)
	e.work(w)
	e.equal("what arrives of the replay", r.takeSeqs(), numbers(1, 5))
}

func TestWorker_ARotatedSecretSignsForADay(t *testing.T) {
	t.Parallel()
	e, r := newEnv(t), newReceiver(t)
	s := e.subscribe(r)
	w := e.worker()
	next := webhook.NewSecret()
	check := func(after time.Duration, signatures int, old, current bool) {
		t.Helper()
		e.clock.Set(begin.Add(after))
		e.publish(1)
		e.work(w)
		got := r.take()[0]
		e.equal("signatures", got.signatures(), signatures)
		e.equal("signed with the old one", got.signedWith(t, s.secret), old)
		e.equal("signed with the new one", got.signedWith(t, next), current)
	}
	check(0, 1, true, false)
	rotation := webhook.Rotation{Now: begin, Until: begin.Add(day)}
	_, err := e.store.RotateSecret(t.Context(), account.Operator(), s.ID, e.keyring.Seal(next, s.ID), rotation)
	e.must(err)
	check(0, 2, true, true)
	check(day-time.Second, 2, true, true)
	check(day, 1, false, true)
}

func TestWorker_Filters(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	w := e.worker()
	prices, voices := []catalog.EventType{catalog.PriceChanged, catalog.ToolRetired}, []string{"voix", "image"}
	tests := []struct {
		types      []catalog.EventType
		categories []string
		want       []int64
		replayed   []int64 // of 2 to 4
	}{
		{nil, nil, numbers(1, 6), numbers(2, 4)},
		{prices, nil, []int64{2, 3, 5}, []int64{2, 3}},
		{nil, voices, []int64{3, 4, 5}, []int64{3, 4}},
		{prices, voices, []int64{3, 5}, []int64{3}},
	}
	receivers, endpoints := map[int]*receiver{}, map[int]string{}
	for i, tt := range tests {
		receivers[i] = newReceiver(t)
		endpoints[i] = e.subscribe(receivers[i], func(s *webhook.Endpoint) { s.Types, s.Categories = tt.types, tt.categories }).ID
	}
	e.publishEvents(
		catalog.Event{Type: catalog.ToolUpdated, Categories: []string{"code"}},
		catalog.Event{Type: catalog.PriceChanged, Categories: []string{"code"}},
		catalog.Event{Type: catalog.ToolRetired, Categories: []string{"voix"}},
		catalog.Event{Type: catalog.ToolUpdated, Categories: []string{"code", "voix"}},
		catalog.Event{Type: catalog.PriceChanged, Categories: []string{"image"}},
		catalog.Event{Type: catalog.ComparisonUpdated, Categories: []string{}},
	)
	e.work(w)
	for i, tt := range tests {
		e.equal(fmt.Sprint("what arrives at ", i), receivers[i].takeSeqs(), tt.want)
		_, err := e.replayRange(endpoints[i], 2, 4)
		e.must(err)
		e.work(w)
		e.equal(fmt.Sprint("what is replayed to ", i), receivers[i].takeSeqs(), tt.replayed)
	}
}

func TestWorker_AReplayKeepsItsID(t *testing.T) {
	t.Parallel()
	e, r := newEnv(t), newReceiver(t)
	s := e.subscribe(r)
	w := e.worker()
	e.publish(3)
	e.work(w)
	ids := map[int64]string{}
	for _, got := range r.take() {
		ids[got.Data.Seq] = got.id()
	}
	again := func(want int) {
		t.Helper()
		e.work(w)
		requests := r.take()
		e.equal("requests", len(requests), want)
		for _, got := range requests {
			if ids[got.Data.Seq] != got.id() || !got.sentAt().Equal(e.clock.Now()) || !got.signedWith(t, s.secret) {
				t.Errorf("event %d was %s, is %v", got.Data.Seq, ids[got.Data.Seq], got.header)
			}
		}
	}
	replay := func() error {
		return e.store.ReplayDelivery(t.Context(), account.Operator(), s.ID, ids[2], webhook.ReplayAt(e.clock.Now()))
	}
	e.clock.Advance(29 * day)
	e.must(replay())
	again(1)
	_, err := e.replayRange(s.ID, 1, 3)
	e.must(err)
	again(3)
	again(0)
	e.clock.Advance(day + time.Second)
	if err := replay(); !errors.Is(err, webhook.ErrTooOld) {
		t.Errorf("after 30 days: %v", err)
	}
}

// After a restore from a backup the same number can name another event. What is sent is what the
// database holds, not what the worker has cached.
func TestWorker_SendsTheEventOfTheEdition(t *testing.T) {
	t.Parallel()
	e, r := newEnv(t), newReceiver(t)
	s := e.subscribe(r)
	w := e.worker()
	e.publish(1)
	e.work(w)
	r.take()
	e.exec(`UPDATE editions SET id = gen_random_uuid()`)
	e.exec(`UPDATE events SET type = 'tool.created'`)
	_, err := e.replayRange(s.ID, 1, 1)
	e.must(err)
	e.work(w)
	e.equal("the type", r.take()[0].Type, catalog.ToolCreated)
}

func TestWorker_Prunes(t *testing.T) {
	t.Parallel()
	e, r := newEnv(t), newReceiver(t)
	e.subscribe(r)
	w := e.worker(func(w *webhook.WorkerOptions) { w.EventsKeep = 31 * day })
	left := func(table string) int {
		e.must(w.Tidy(t.Context()))
		return e.count(`SELECT count(*) FROM ` + table)
	}
	e.publish(3)
	e.work(w)
	e.clock.Advance(30*day - time.Second)
	e.equal("deliveries before 30 days", left("deliveries"), 3)
	e.clock.Advance(2 * time.Second)
	e.equal("deliveries after 30 days", left("deliveries"), 0)
	e.equal("events after 30 days", left("events"), 3)
	e.clock.Advance(day)
	e.equal("events after 31 days", left("events"), 0)
	e.publish(2)
	e.work(w)
	e.equal("what arrived", r.takeSeqs(), numbers(1, 5))
}

func TestWorker_PublicationsAreDeliveredAsTheyCommit(t *testing.T) {
	t.Parallel()
	e, r := newEnv(t), newReceiver(t)
	s := e.subscribe(r)
	publish := func(slug string) error {
		next := &catalog.Contents{
			Service:    catalog.Service{Name: "Palmarès", URL: "https://palmares.example"},
			Categories: []catalog.Category{{Slug: "code", Label: "Code"}},
			Tools: []*catalog.Tool{{
				Slug: slug, Name: slug, Domain: slug + ".example", Category: "code", ICP: catalog.Mixed,
				Pricing: catalog.Paid, Price: "10 €/mois", Tagline: "Un outil", Tier: 3, Source: "digest-" + slug,
			}},
		}
		next.Sort()
		_, err := e.db.Catalog.Publish(t.Context(), time.Now, func(_ context.Context, current *catalog.Contents, _ catalog.Edition, _ catalog.Past) (catalog.Changes, error) {
			return catalog.Diff(current, next, catalog.DateOf(time.Now())), nil
		})
		return err
	}
	// The last step of a publication fails, after its events and its job are written.
	e.exec(`
		CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused by the test'; END $$;
		CREATE TRIGGER refuse BEFORE INSERT ON current_edition FOR EACH ROW EXECUTE FUNCTION refuse()`)
	if err := publish("fantome"); err == nil || !strings.Contains(err.Error(), "refused by the test") {
		t.Fatal(err)
	}
	e.equal("jobs of what was rolled back", e.count(`SELECT count(*) FROM river_job`), 0)
	e.exec(`DROP TRIGGER refuse ON current_edition`)
	e.must(publish("reel"))
	// No sweep: the job that committed with the publication is enough.
	stop := e.river(e.db, e.worker(realTime), false)
	r.wait(t, 2) // the catalog itself, and the tool
	testkit.EventuallyTrue(t, "it is delivered", func() bool {
		return e.delivery(s.ID, 1).State == webhook.Delivered && e.delivery(s.ID, 2).State == webhook.Delivered
	})
	stop()
	got := slices.DeleteFunc(r.take(), func(m request) bool { return m.Type == catalog.CatalogUpdated })
	if len(got) != 1 || got[0].Type != catalog.ToolCreated || !strings.Contains(string(got[0].body), `"slug":"reel"`) || !got[0].signedWith(t, s.secret) {
		t.Errorf("arrived: %v", got)
	}
}
