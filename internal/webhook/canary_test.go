package webhook_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// boxOf is the box of a process whose secrets are those: its own, and earlier ones.
func boxOf(t *testing.T, own string, previous ...string) *webhook.Box {
	t.Helper()
	long := func(s string) []byte { return []byte(strings.Repeat(s, 32)) }
	var earlier [][]byte
	for _, p := range previous {
		earlier = append(earlier, long(p))
	}
	b, err := webhook.NewBox(long(own), earlier...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sealed makes an endpoint whose secret is sealed with a box, and whose old one, if there is
// an old box, with that until then.
func (o *office) sealed(in *inbox, box, old *webhook.Box, oldTo time.Time) subscription {
	o.Helper()
	s := o.subscribe(in)
	o.exec(`UPDATE endpoints SET secret = $2 WHERE id = $1`, s.ID, box.Seal(s.secret, s.ID))
	if old != nil {
		o.exec(`UPDATE endpoints SET old_secret = $2, old_secret_until = $3 WHERE id = $1`, s.ID, old.Seal(webhook.NewSecret(), s.ID), oldTo)
	}
	return s
}

func (o *office) canaries() int { o.Helper(); return o.count(`SELECT count(*) FROM secret_canary`) }

func (o *office) wantSecret(what string, b *webhook.Box, want error) {
	o.Helper()
	if err := webhook.CheckSecret(o.Context(), o.db, b, o.clock.Now()); !errors.Is(err, want) {
		o.Errorf("%s: %v, want %v", what, err, want)
	}
}

func TestCheckSecret(t *testing.T) {
	t.Parallel()
	a, b, c := boxOf(t, "a"), boxOf(t, "b"), boxOf(t, "c")
	wrong := webhook.ErrWrongSecret
	in := newInbox(t)
	for name, tt := range map[string]struct {
		endpoints []*webhook.Box
		old       *webhook.Box  // of the first
		oldFor    time.Duration // from now
		a, b      error         // what they are told, b first
		canaries  int
	}{
		"no endpoints":                    {nil, nil, 0, wrong, nil, 1},
		"endpoints of another":            {[]*webhook.Box{a, a}, nil, 0, nil, wrong, 1},
		"most of another":                 {[]*webhook.Box{a, b, a}, nil, 0, nil, wrong, 0},
		"an old secret that nobody opens": {[]*webhook.Box{a}, c, time.Hour, nil, wrong, 0},
		"one that signs nothing any more": {[]*webhook.Box{a}, c, 0, nil, wrong, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			for i, box := range tt.endpoints {
				old := tt.old
				if i > 0 {
					old = nil
				}
				o.sealed(in, box, old, o.clock.Now().Add(tt.oldFor))
			}
			for range 2 { // what they are told once they are told again
				o.wantSecret("b", b, tt.b)
				o.wantSecret("a", a, tt.a)
			}
			wantEqual(t, "canaries", o.canaries(), tt.canaries)
			o.wantSecret("c, which had a", boxOf(t, "c", "a"), tt.a)
		})
	}
}

func TestCheckSecretAtOnce(t *testing.T) {
	t.Parallel()
	for range 5 {
		o := newOffice(t)
		var wg sync.WaitGroup
		var mu sync.Mutex
		told := map[string][]error{}
		for i := range 8 {
			name := []string{"a", "b"}[i%2]
			box := boxOf(t, name)
			wg.Go(func() {
				err := webhook.CheckSecret(t.Context(), o.db, box, o.clock.Now())
				mu.Lock()
				defer mu.Unlock()
				told[name] = append(told[name], err)
			})
		}
		wg.Wait()
		right := func(errs []error) bool { return !slices.ContainsFunc(errs, func(err error) bool { return err != nil }) }
		if right(told["a"]) == right(told["b"]) || o.canaries() != 1 {
			t.Errorf("a is told %v, b %v, %d canaries", told["a"], told["b"], o.canaries())
		}
	}
}

// A worker with another secret delivers nothing and charges nothing. It goes on by itself
// once all is sealed with its secret, and stops when that is over.
func TestRunner_AWrongSecret(t *testing.T) {
	t.Parallel()
	o, in := newOffice(t), newInbox(t)
	a, b := boxOf(t, "a"), boxOf(t, "b")
	s := o.sealed(in, a, nil, time.Time{})
	o.wantSecret("a", a, nil)
	o.publish(3)
	var log journal
	r, _ := o.runner(func(w *webhook.WorkerOptions) { w.Box, w.Logger = b, log.logger() })
	o.run(r)
	wrong := func() bool { return errors.Is(r.Running(), webhook.ErrWrongSecret) }
	eventually(t, wrong)
	wantEqual(t, "deliveries", o.count(`SELECT count(*) FROM deliveries`), 0)

	done, err := webhook.Reseal(t.Context(), o.db, boxOf(t, "b", "a"), time.Now(), false)
	if err != nil || done.Changed != 1 || done.Endpoints != 1 || len(done.Unreadable)+len(done.Dropped) != 0 {
		t.Errorf("resealed: %+v, %v", done, err)
	}
	in.until(t, 3)
	for _, got := range in.take() {
		if !got.signedWith(t, s.secret) {
			t.Errorf("event %d is not signed as before", got.Data.Seq)
		}
	}
	o.awaitRunning(r)

	// As a restore from an older backup would: everything is sealed with a again.
	if _, err := webhook.Reseal(t.Context(), o.db, boxOf(t, "a", "b"), time.Now(), false); err != nil {
		t.Error(err)
	}
	o.publish(2)
	eventually(t, wrong)
	// A run that was under way may end with the secret that it has opened before.
	e := o.endpoint(s.ID)
	if e.State != webhook.Active || e.Reason != "" || !e.Failing.IsZero() {
		t.Errorf("the endpoint: %+v", e)
	}
	wantEqual(t, "attempts that failed", o.count(`SELECT count(*) FROM deliveries WHERE attempts > 0 AND state <> 'delivered'`), 0)
	if got := log.String(); strings.Count(got, "webhooks are not delivered\" error=\"PALMARES_SECRET ") != 2 ||
		strings.Count(got, "webhooks are delivered again") != 1 || strings.Contains(got, "a job failed") {
		t.Errorf("the log:\n%s", got)
	}
}

// What a worker with a wrong secret has claimed is another's at once.
func TestAWrongSecretLeavesEndpointsToOthers(t *testing.T) {
	t.Parallel()
	o, in := newOffice(t), newInbox(t)
	o.box = boxOf(t, "a")
	s := o.subscribe(in)
	o.wantSecret("a", o.box, nil)
	o.publish(1)
	o.turn(o.worker(func(w *webhook.WorkerOptions) { w.Box = boxOf(t, "b") }))
	wantEqual(t, "the reason", o.endpoint(s.ID).Reason, "")
	o.turn(o.worker())
	wantEqual(t, "what arrives", in.takeSeqs(), numbers(1, 1))
}

// An endpoint whose secret cannot be opened waits for it, and the others do not.
func TestAnUnreadableSecret(t *testing.T) {
	t.Parallel()
	o, lost, other := newOffice(t), newInbox(t), newInbox(t)
	a, b := boxOf(t, "a"), boxOf(t, "b")
	o.box = a
	healthy := o.subscribe(other)
	o.wantSecret("a", a, nil)
	s := o.sealed(lost, b, nil, time.Time{})
	var log journal
	w := o.worker(func(w *webhook.WorkerOptions) { w.Logger = log.logger() })
	o.publish(3)
	for range 3 {
		o.turn(w)
		o.clock.Add(time.Minute)
	}
	e := o.endpoint(s.ID)
	if e.State != webhook.Active || e.Cursor != 0 || !e.Failing.IsZero() || !strings.Contains(e.Reason, "its secret cannot be opened") {
		t.Errorf("%+v", e)
	}
	wantEqual(t, "deliveries made", o.count(`SELECT count(*) FROM deliveries WHERE endpoint_id = $1`, s.ID), 0)
	wantEqual(t, "what the other got", len(other.take()), 3)
	wantEqual(t, "lines", strings.Count(log.String(), s.ID), 1)
	wantEqual(t, "tellings", o.tellings(s.ID), 0)
	troubled := func(want int) {
		t.Helper()
		n, err := o.db.Troubled(t.Context())
		o.must(err)
		wantEqual(t, "endpoints in trouble", n, want)
	}
	troubled(1)

	// A delivery that was made before waits too, however long it takes.
	o.exec(`UPDATE endpoints SET cursor = 1, due_at = $2 WHERE id = $1`, s.ID, o.clock.Now())
	o.exec(`INSERT INTO deliveries (id, endpoint_id, seq, type, next_at, made_at) VALUES ('msg_1', $1, 1, 'tool.updated', $2, $2)`, s.ID, o.clock.Now())
	o.clock.Add(6 * 24 * time.Hour)
	o.turn(w)
	wantEqual(t, "attempts", o.delivery(s.ID, 1).Attempts, 0)
	wantEqual(t, "the state", o.endpoint(s.ID).State, webhook.Active)

	back := o.worker(func(w *webhook.WorkerOptions) { w.Box = boxOf(t, "a", "b") })
	o.clock.Add(time.Minute)
	o.turn(back)
	wantEqual(t, "what arrives", lost.takeSeqs(), numbers(1, 3))
	wantEqual(t, "the reason", o.endpoint(s.ID).Reason, "")
	troubled(0)
	wantEqual(t, "the other's reason", o.endpoint(healthy.ID).Reason, "")
}

// Somebody looks at all secrets even when there is nothing to deliver.
func TestRunner_FindsUnreadableSecrets(t *testing.T) {
	t.Parallel()
	o, in := newOffice(t), newInbox(t)
	a := boxOf(t, "a")
	o.box = a
	o.subscribe(in)
	o.wantSecret("a", a, nil)
	s := o.sealed(in, boxOf(t, "b"), nil, time.Time{})
	paused := o.sealed(in, boxOf(t, "b"), nil, time.Time{})
	o.must(o.db.SetEndpointState(t.Context(), account.Operator(), paused.ID, webhook.Disabled, "on holiday", o.clock.Now()))
	var log journal
	r, _ := o.runner(func(w *webhook.WorkerOptions) { w.Logger = log.logger() })
	stop := o.run(r)
	eventually(t, func() bool { return o.endpoint(s.ID).Reason != "" && strings.Contains(log.String(), s.ID) })
	wantEqual(t, "a disabled endpoint's reason", o.endpoint(paused.ID).Reason, "on holiday")
	stop()
	r, _ = o.runner(func(w *webhook.WorkerOptions) { w.Box = boxOf(t, "a", "b") })
	o.run(r)
	eventually(t, func() bool { return o.endpoint(s.ID).Reason == "" })
}

func TestAnOldSecretThatCannotBeOpenedIsSkipped(t *testing.T) {
	t.Parallel()
	o, in := newOffice(t), newInbox(t)
	a, b := boxOf(t, "a"), boxOf(t, "b")
	o.box = a
	o.wantSecret("a", a, nil)
	s := o.sealed(in, a, b, o.clock.Now().Add(time.Hour))
	var log journal
	w := o.worker(func(w *webhook.WorkerOptions) { w.Logger = log.logger() })
	for range 3 {
		o.publish(1)
		o.turn(w)
	}
	for _, got := range in.take() {
		if !got.signedWith(t, s.secret) || strings.Count(got.header.Get("webhook-signature"), "v1,") != 1 {
			t.Errorf("signed: %v", got.header)
		}
	}
	wantEqual(t, "lines", strings.Count(log.String(), s.ID), 1)
	done, err := webhook.Reseal(t.Context(), o.db, boxOf(t, "c", "a"), o.clock.Now(), false)
	if err != nil || !slices.Equal(done.Dropped, []string{s.ID}) || done.Changed != 1 {
		t.Errorf("resealed: %+v, %v", done, err)
	}
	if e := o.endpoint(s.ID); e.OldSecret != nil || !e.OldSecretTo.IsZero() {
		t.Errorf("the old secret is still there: %+v", e)
	}
}

// Workers that have both secrets go on delivering while all is resealed.
func TestReseal_WhileDelivering(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	a, both, b := boxOf(t, "a"), boxOf(t, "b", "a"), boxOf(t, "b")
	const endpoints, editions, each = 8, 6, 20
	var all []subscription
	var inboxes []*inbox
	until := time.Now().Add(time.Hour)
	for range endpoints {
		in := newInbox(t)
		in.answers(func(w http.ResponseWriter, _ arrival) { time.Sleep(5 * time.Millisecond); w.WriteHeader(http.StatusOK) })
		inboxes = append(inboxes, in)
		all = append(all, o.sealed(in, a, a, until))
	}
	o.wantSecret("a", a, nil)
	for range 2 {
		r, _ := o.runner(func(w *webhook.WorkerOptions) { w.Box = both })
		o.run(r)
	}
	first := make(chan struct{})
	var publishing sync.WaitGroup
	publishing.Go(func() {
		for i := range editions {
			o.publish(each)
			if i == 1 {
				close(first)
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
	<-first
	inboxes[0].until(t, 1)
	done, err := webhook.Reseal(t.Context(), o.open(), both, time.Now(), false)
	if err != nil || done.Changed != endpoints || done.Endpoints != endpoints || len(done.Unreadable)+len(done.Dropped) != 0 {
		t.Errorf("resealed: %+v, %v", done, err)
	}
	publishing.Wait()
	for i, in := range inboxes {
		in.until(t, editions*each)
		for _, got := range in.all() {
			if !got.signedWith(t, all[i].secret) || strings.Count(got.header.Get("webhook-signature"), "v1,") != 2 {
				t.Fatalf("event %d is signed %q", got.Data.Seq, got.header.Get("webhook-signature"))
			}
		}
		wantEqual(t, "what arrived", in.takeSeqs(), numbers(1, editions*each))
	}
	wantEqual(t, "attempts that failed", o.count(`SELECT count(*) FROM deliveries WHERE attempts > 1`), 0)
	wantEqual(t, "reasons", o.count(`SELECT count(*) FROM endpoints WHERE reason <> ''`), 0)
	o.wantSecret("b alone", b, nil)
	o.wantSecret("a", a, webhook.ErrWrongSecret)
	for _, s := range all {
		e := o.endpoint(s.ID)
		for what, sealed := range map[string][]byte{"secret": e.Secret, "old secret": e.OldSecret} {
			if _, err := b.Open(sealed, e.ID); err != nil {
				t.Errorf("the %s of %s: %v", what, e.ID, err)
			}
		}
	}
	if done, err := webhook.Reseal(t.Context(), o.db, both, time.Now(), false); err != nil || done.Changed != 0 {
		t.Errorf("once more: %+v, %v", done, err)
	}
}

func TestReseal_OfALostSecret(t *testing.T) {
	t.Parallel()
	o, in := newOffice(t), newInbox(t)
	a, b := boxOf(t, "a"), boxOf(t, "b")
	s := o.sealed(in, a, nil, time.Time{})
	o.wantSecret("a", a, nil)
	was := fmt.Sprint(o.endpoint(s.ID))
	if _, err := webhook.Reseal(t.Context(), o.db, b, o.clock.Now(), false); !errors.Is(err, webhook.ErrWrongSecret) {
		t.Errorf("%v", err)
	}
	o.wantSecret("a", a, nil)
	done, err := webhook.Reseal(t.Context(), o.db, b, o.clock.Now(), true)
	if err != nil || !slices.Equal(done.Unreadable, []string{s.ID}) || done.Changed != 0 {
		t.Errorf("by force: %+v, %v", done, err)
	}
	wantEqual(t, "the endpoint", fmt.Sprint(o.endpoint(s.ID)), was)
	o.wantSecret("b", b, nil)
	o.wantSecret("a", a, webhook.ErrWrongSecret)
}
