package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// sealed creates an endpoint whose secret is sealed with one keyring and, if there is another, whose
// old secret is sealed with that one until then.
func (e *env) sealed(r *receiver, k, old *webhook.Keyring, until time.Time) subscription {
	e.Helper()
	s := e.subscribe(r)
	e.exec(`UPDATE endpoints SET secret = $2 WHERE id = $1`, s.ID, k.Seal(s.secret, s.ID))
	if old != nil {
		e.exec(`UPDATE endpoints SET old_secret = $2, old_secret_until = $3 WHERE id = $1`, s.ID, old.Seal(webhook.NewSecret(), s.ID), until)
	}
	return s
}

func (e *env) canaries() int { e.Helper(); return e.count(`SELECT count(*) FROM secret_canary`) }

func (e *env) wantSecret(what string, k *webhook.Keyring, want error) {
	e.Helper()
	if err := webhook.CheckSecret(e.Context(), e.store, k, e.clock.Now()); !errors.Is(err, want) {
		e.Errorf("%s: %v, want %v", what, err, want)
	}
}

func (e *env) reseal(k *webhook.Keyring, force bool) webhook.Resealed {
	e.Helper()
	done, err := webhook.Reseal(e.Context(), e.store, k, e.clock.Now(), force)
	e.must(err)
	return done
}

func TestCheckSecret(t *testing.T) {
	t.Parallel()
	a, b, c := keyringOf(t, "a"), keyringOf(t, "b"), keyringOf(t, "c")
	wrong := webhook.ErrWrongSecret
	r := newReceiver(t)
	for name, tt := range map[string]struct {
		endpoints []*webhook.Keyring
		old       *webhook.Keyring // of the first
		oldFor    time.Duration
		a, b      error // b asks first
		canaries  int
	}{
		"no endpoints":                    {nil, nil, 0, wrong, nil, 1},
		"endpoints of another":            {[]*webhook.Keyring{a, a}, nil, 0, nil, wrong, 1},
		"most of another":                 {[]*webhook.Keyring{a, b, a}, nil, 0, nil, wrong, 0},
		"half of another":                 {[]*webhook.Keyring{a, b}, nil, 0, nil, nil, 0},
		"an old secret that nobody opens": {[]*webhook.Keyring{a}, c, time.Hour, nil, wrong, 0},
		"an old secret that has expired":  {[]*webhook.Keyring{a}, c, 0, nil, wrong, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEnv(t)
			for i, k := range tt.endpoints {
				old := tt.old
				if i > 0 {
					old = nil
				}
				e.sealed(r, k, old, begin.Add(tt.oldFor))
			}
			for range 2 { // asking again changes nothing
				e.wantSecret("b", b, tt.b)
				e.wantSecret("a", a, tt.a)
			}
			e.equal("canaries", e.canaries(), tt.canaries)
			e.wantSecret("c, which had a", keyringOf(t, "c", "a"), tt.a)
		})
	}
}

// Of processes that start at once on an empty database, those with one of two secrets are right.
func TestCheckSecret_AtOnce(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	for range 5 {
		e.exec(`DELETE FROM secret_canary`)
		var wg sync.WaitGroup
		var failed [2]struct {
			sync.Mutex
			n int
		}
		for i := range 8 {
			k := keyringOf(t, []string{"a", "b"}[i%2])
			wg.Go(func() {
				if webhook.CheckSecret(t.Context(), e.store, k, begin) != nil {
					failed[i%2].Lock()
					defer failed[i%2].Unlock()
					failed[i%2].n++
				}
			})
		}
		wg.Wait()
		if a, b := failed[0].n, failed[1].n; (a == 0) == (b == 0) || e.canaries() != 1 {
			t.Errorf("a failed %d times, b %d times, %d canaries", a, b, e.canaries())
		}
	}
}

// What a worker with a wrong secret has claimed is free for others at once, and the worker knows
// that its secret is wrong before it would check again.
func TestWorker_AWrongSecretLeavesEndpointsToOthers(t *testing.T) {
	t.Parallel()
	e, r := newEnv(t), newReceiver(t)
	s := e.subscribe(r)
	wrong := e.worker(with(keyringOf(t, "b")))
	e.wantSecret("a", e.keyring, nil)
	e.reseal(keyringOf(t, "b", "a"), false)
	e.must(wrong.CheckSecret(t.Context()))
	e.reseal(keyringOf(t, "a", "b"), false)
	e.publish(1)
	e.work(wrong)
	e.equal("the reason", e.endpoint(s.ID).Reason, webhook.Reason{})
	if err := wrong.CheckSecret(t.Context()); !errors.Is(err, webhook.ErrWrongSecret) {
		t.Errorf("after a run that could not open a secret: %v", err)
	}
	e.work(e.worker())
	e.equal("what arrives", r.takeSeqs(), numbers(1, 1))
}

// An endpoint whose secret cannot be opened waits for it; the others do not.
func TestWorker_AnUnreadableSecret(t *testing.T) {
	t.Parallel()
	e, lost, other := newEnv(t), newReceiver(t), newReceiver(t)
	healthy := e.subscribe(other)
	e.wantSecret("a", e.keyring, nil)
	s := e.sealed(lost, keyringOf(t, "b"), nil, time.Time{})
	var log testkit.Log
	w := e.worker(func(w *webhook.WorkerOptions) { w.Logger = log.Logger() })
	e.publish(3)
	for range 3 {
		e.work(w)
		e.clock.Advance(time.Minute)
	}
	got := e.endpoint(s.ID)
	if got.State != webhook.Active || got.Cursor != 0 || !got.FailingSince.IsZero() || !strings.Contains(got.Reason.String(), "its secret cannot be opened") {
		t.Errorf("%+v", got)
	}
	e.equal("deliveries", e.count(`SELECT count(*) FROM deliveries WHERE endpoint_id = $1`, s.ID), 0)
	e.equal("what the other got", len(other.take()), 3)
	e.equal("lines", strings.Count(log.String(), s.ID), 1)
	troubled := func(want int) {
		t.Helper()
		n, err := e.store.CountUnreadable(t.Context())
		e.must(err)
		e.equal("endpoints in trouble", n, want)
	}
	troubled(1)

	// A delivery that was created before waits too, however long it takes.
	e.exec(`UPDATE endpoints SET cursor = 1, due_at = $2 WHERE id = $1`, s.ID, e.clock.Now())
	e.exec(`INSERT INTO deliveries (id, endpoint_id, seq, type, next_at, made_at) VALUES ('msg_1', $1, 1, 'tool.updated', $2, $2)`, s.ID, e.clock.Now())
	e.clock.Advance(6 * day)
	e.work(w)
	e.equal("attempts", e.delivery(s.ID, 1).Attempts, 0)
	e.equal("the state", e.endpoint(s.ID).State, webhook.Active)

	e.clock.Advance(time.Minute)
	e.work(e.worker(with(keyringOf(t, "a", "b"))))
	e.equal("what arrives", lost.takeSeqs(), numbers(1, 3))
	e.equal("the reason", e.endpoint(s.ID).Reason.String()+e.endpoint(healthy.ID).Reason.String(), "")
	troubled(0)
}

// Tidying finds unreadable secrets even when there is nothing to deliver.
func TestWorker_TidyFindsUnreadableSecrets(t *testing.T) {
	t.Parallel()
	e, r := newEnv(t), newReceiver(t)
	e.subscribe(r)
	e.wantSecret("a", e.keyring, nil)
	b := keyringOf(t, "b")
	s, disabled := e.sealed(r, b, nil, time.Time{}), e.sealed(r, b, nil, time.Time{})
	holiday := webhook.Reason{Code: webhook.InWords, Detail: "on holiday"}
	e.must(e.store.DisableEndpoint(t.Context(), account.Operator(), disabled.ID, holiday, e.clock.Now()))
	var log testkit.Log
	e.must(e.worker(func(w *webhook.WorkerOptions) { w.Logger = log.Logger() }).Tidy(t.Context()))
	if e.endpoint(s.ID).Reason.Code == "" || !strings.Contains(log.String(), s.ID) {
		t.Errorf("the log does not name %s:\n%s", s.ID, log.String())
	}
	e.equal("a disabled endpoint's reason", e.endpoint(disabled.ID).Reason, holiday)
	e.must(e.worker(with(keyringOf(t, "a", "b"))).Tidy(t.Context()))
	e.equal("the reason", e.endpoint(s.ID).Reason, webhook.Reason{})
}

// An old secret that cannot be opened signs nothing, and resealing drops it, as it drops one that
// has expired.
// A changing store has its secret changed while an endpoint is written to it.
type changing struct {
	webhook.EndpointsStore
	change func()
}

func (c changing) CreateEndpoint(ctx context.Context, by account.Actor, e webhook.Endpoint, now time.Time) error {
	defer c.change()
	return c.EndpointsStore.CreateEndpoint(ctx, by, e, now)
}

func (c changing) RotateSecret(ctx context.Context, by account.Actor, id string, sealed []byte, r webhook.Rotation) (bool, error) {
	defer c.change()
	return c.EndpointsStore.RotateSecret(ctx, by, id, sealed, r)
}

// What is sealed while all is resealed is done and can be used, and whoever did it is told.
func TestEndpoints_ASecretThatChangesMeanwhile(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	other := false
	change := func() {
		to := keyringOf(t, "b", "a")
		if other {
			to = keyringOf(t, "a", "b")
		}
		e.reseal(to, false)
		other = !other
	}
	endpoints := func(k *webhook.Keyring) *webhook.Endpoints {
		return webhook.NewEndpoints(webhook.EndpointsOptions{
			Store: changing{e.store, change}, Catalog: e.db.Catalog, Keyring: k, Now: e.clock.Now,
		})
	}
	e.wantSecret("a", keyringOf(t, "a"), nil)
	made, err := endpoints(keyringOf(t, "a")).Create(t.Context(), account.Operator(), e.account.ID, webhook.Draft{URL: "https://x.example/"})
	if !errors.Is(err, webhook.ErrSecretChanged) || made.ID == "" || made.Secret.Reveal() == "" {
		t.Errorf("created: %+v, %v", made, err)
	}
	rotated, err := endpoints(keyringOf(t, "b")).Rotate(t.Context(), account.Operator(), made.ID, false)
	if !errors.Is(err, webhook.ErrSecretChanged) || rotated.Secret.Reveal() == "" {
		t.Errorf("rotated: %+v, %v", rotated, err)
	}
}

func TestReseal_DropsOldSecrets(t *testing.T) {
	t.Parallel()
	e, r := newEnv(t), newReceiver(t)
	a, b := e.keyring, keyringOf(t, "b")
	e.wantSecret("a", a, nil)
	s := e.sealed(r, a, b, begin.Add(time.Hour))
	var log testkit.Log
	w := e.worker(func(w *webhook.WorkerOptions) { w.Logger = log.Logger() })
	for range 3 {
		e.publish(1)
		e.work(w)
	}
	for _, got := range r.take() {
		if !got.signedWith(t, s.secret) || got.signatures() != 1 {
			t.Errorf("signed: %v", got.header)
		}
	}
	e.equal("lines", strings.Count(log.String(), s.ID), 1)
	expired := e.sealed(newReceiver(t), a, a, begin)
	done := e.reseal(keyringOf(t, "c", "a"), false)
	if !slices.Equal(done.Dropped, []string{s.ID}) || done.Changed != 2 {
		t.Errorf("resealed: %+v", done)
	}
	for _, id := range []string{s.ID, expired.ID} {
		if got := e.endpoint(id); got.OldSecret != nil || !got.OldSecretUntil.IsZero() {
			t.Errorf("the old secret is still there: %+v", got)
		}
	}
}

// Workers that have both secrets go on delivering while everything is resealed.
func TestReseal_WhileDelivering(t *testing.T) {
	t.Parallel()
	e := newEnv(t)
	a, both, b := e.keyring, keyringOf(t, "b", "a"), keyringOf(t, "b")
	const endpoints, editions, each = 8, 6, 20
	var all []subscription
	var receivers []*receiver
	until := time.Now().Add(time.Hour)
	for range endpoints {
		r := newReceiver(t)
		r.answers(func(w http.ResponseWriter, _ request) { time.Sleep(5 * time.Millisecond); w.WriteHeader(http.StatusOK) })
		receivers = append(receivers, r)
		all = append(all, e.sealed(r, a, a, until))
	}
	e.wantSecret("a", a, nil)
	for range 2 {
		e.river(e.db, e.worker(realTime, with(both)), true)
	}
	resealed := make(chan error, 1)
	for i := range editions {
		e.publish(each)
		if i == 1 {
			receivers[0].wait(t, 1)
			go func() {
				done, err := webhook.Reseal(t.Context(), e.open().Webhooks, both, time.Now(), false)
				if err == nil && (done.Changed != endpoints || done.Endpoints != endpoints || len(done.Unreadable)+len(done.Dropped) != 0) {
					err = fmt.Errorf("resealed: %+v", done)
				}
				resealed <- err
			}()
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err := <-resealed; err != nil {
		t.Error(err)
	}
	for i, r := range receivers {
		r.wait(t, editions*each)
		for _, got := range r.all() {
			if !got.signedWith(t, all[i].secret) || got.signatures() != 2 {
				t.Fatalf("event %d is signed %v", got.Data.Seq, got.header)
			}
		}
		e.equal("what arrived", r.takeSeqs(), numbers(1, editions*each))
		sealed := e.endpoint(all[i].ID)
		for _, s := range [][]byte{sealed.Secret, sealed.OldSecret} {
			if _, err := b.Open(s, sealed.ID); err != nil {
				t.Error(err)
			}
		}
	}
	e.equal("attempts that failed", e.count(`SELECT count(*) FROM deliveries WHERE attempts > 1`), 0)
	e.equal("reasons", e.count(`SELECT count(*) FROM endpoints WHERE reason <> ''`), 0)
	e.wantSecret("b alone", b, nil)
	e.wantSecret("a", a, webhook.ErrWrongSecret)
	e.clock.Set(time.Now())
	e.equal("changed once more", e.reseal(both, false).Changed, 0)
}

func TestReseal_OfALostSecret(t *testing.T) {
	t.Parallel()
	e, r := newEnv(t), newReceiver(t)
	b := keyringOf(t, "b")
	s := e.subscribe(r)
	e.wantSecret("a", e.keyring, nil)
	was := fmt.Sprint(e.endpoint(s.ID))
	if _, err := webhook.Reseal(t.Context(), e.store, b, begin, false); !errors.Is(err, webhook.ErrWrongSecret) {
		t.Errorf("%v", err)
	}
	e.wantSecret("a", e.keyring, nil)
	if done := e.reseal(b, true); !slices.Equal(done.Unreadable, []string{s.ID}) || done.Changed != 0 {
		t.Errorf("by force: %+v", done)
	}
	e.equal("the endpoint", fmt.Sprint(e.endpoint(s.ID)), was)
	e.wantSecret("b", b, nil)
	e.wantSecret("a", e.keyring, webhook.ErrWrongSecret)
}
