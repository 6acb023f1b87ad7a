package webhook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// An arrival is a request that a receiver got.
type arrival struct {
	header http.Header
	body   []byte
	left   <-chan struct{} // closed when the sender has hung up

	Type catalog.EventType
	Data struct {
		Seq       int64
		Challenge string
	}
}

// String is for messages of tests.
func (a arrival) String() string { return fmt.Sprint(a.header, " ", string(a.body)) }

func (a arrival) id() string { return a.header.Get("webhook-id") }

// sentAt is what webhook-timestamp says.
func (a arrival) sentAt() time.Time {
	seconds, _ := strconv.ParseInt(a.header.Get("webhook-timestamp"), 10, 64)
	return time.Unix(seconds, 0).UTC()
}

// signedWith tells what the library says of the signature. It does not look at the
// time: that is the test's.
func (a arrival) signedWith(t *testing.T, s webhook.Secret) bool {
	t.Helper()
	w, err := standardwebhooks.NewWebhook(s.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	return w.VerifyIgnoringTimestamp(a.body, a.header) == nil
}

// An inbox is a receiver on loopback. It says 200 until it is told otherwise.
type inbox struct {
	url string

	mu     sync.Mutex
	answer func(http.ResponseWriter, arrival)
	got    []arrival
}

func newInbox(t *testing.T) *inbox {
	t.Helper()
	in := &inbox{answer: status(http.StatusOK)}
	server := httptest.NewServer(in)
	t.Cleanup(server.Close)
	in.url = server.URL + "/hook"
	return in
}

// ServeHTTP implements http.Handler.
func (in *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := arrival{header: r.Header, left: r.Context().Done()}
	var err error
	if a.body, err = io.ReadAll(r.Body); err != nil || json.Unmarshal(a.body, &a) != nil {
		http.Error(w, "not a payload", http.StatusBadRequest)
		return
	}
	in.mu.Lock()
	in.got = append(in.got, a)
	answer := in.answer
	in.mu.Unlock()
	answer(w, a)
}

// answers sets what the receiver says from now on.
func (in *inbox) answers(answer func(http.ResponseWriter, arrival)) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.answer = answer
}

func status(code int) func(http.ResponseWriter, arrival) {
	return func(w http.ResponseWriter, _ arrival) { w.WriteHeader(code) }
}

// hang lets the sender wait until it gives up.
func hang(_ http.ResponseWriter, a arrival) { <-a.left }

func (in *inbox) all() []arrival {
	in.mu.Lock()
	defer in.mu.Unlock()
	return slices.Clone(in.got)
}

// take is all that arrived since the last take.
func (in *inbox) take() []arrival {
	in.mu.Lock()
	defer in.mu.Unlock()
	got := in.got
	in.got = nil
	return got
}

// takeSeqs is take, the numbers of the events alone, in their order.
func (in *inbox) takeSeqs() []int64 {
	seqs := []int64{}
	for _, a := range in.take() {
		seqs = append(seqs, a.Data.Seq)
	}
	slices.Sort(seqs)
	return seqs
}

// until waits for that many requests.
func (in *inbox) until(t *testing.T, n int) {
	t.Helper()
	eventually(t, func() bool { return len(in.all()) >= n })
}

// eventually waits for something that other goroutines bring about.
func eventually(t *testing.T, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !happened(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it did not happen within 30 s")
		}
	}
}

func loopback() []netip.Prefix { return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} }

func newTestSender(t *testing.T, now func() time.Time, timeout time.Duration) *webhook.Sender {
	t.Helper()
	s := webhook.NewSender(webhook.SenderOptions{Allow: loopback(), Agent: "Palmares-Webhooks/test", Now: now, Timeout: timeout})
	t.Cleanup(s.Close)
	return s
}

func newTestBox(t *testing.T) *webhook.Box {
	t.Helper()
	b, err := webhook.NewBox([]byte(strings.Repeat("a master secret ", 2)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestChallenge(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	sender, box, secret := newTestSender(t, nil, 0), newTestBox(t), webhook.NewSecret()
	write := func(code int, text func(a arrival) string) func(http.ResponseWriter, arrival) {
		return func(w http.ResponseWriter, a arrival) {
			w.WriteHeader(code)
			io.WriteString(w, text(a))
		}
	}
	plain := func(a arrival) string { return a.Data.Challenge }
	for _, tt := range []struct {
		name   string
		answer func(http.ResponseWriter, arrival)
		want   bool
		status int
	}{
		{"the challenge", write(200, plain), true, 200},
		{"the challenge and a line break", write(200, func(a arrival) string { return a.Data.Challenge + "\n" }), true, 200},
		{"the challenge with 201", write(201, plain), true, 201},
		{"JSON", write(200, func(a arrival) string { return `{"challenge": "` + a.Data.Challenge + `"}` }), true, 200},
		{"the request itself", write(200, func(a arrival) string { return string(a.body) }), false, 200},
		{"the data of the request", write(200, func(a arrival) string {
			return `{"endpoint":"ep_a","challenge":"` + a.Data.Challenge + `"}`
		}), false, 200},
		{"nothing", status(200), false, 200},
		{"another challenge", write(200, func(arrival) string { return "AAAAAAAAAAAAAAAAAAAAAAAAAA" }), false, 200},
		{"the challenge with 400", write(400, plain), false, 400},
		{"the challenge with 500", write(500, plain), false, 500},
		{"the challenge with a redirect", write(302, plain), false, 302},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := newInbox(t)
			in.answers(tt.answer)
			e := webhook.Endpoint{ID: "ep_a", URL: in.url, Secret: box.Seal(secret, "ep_a")}
			for range 2 {
				answered, r, err := webhook.Challenge(t.Context(), sender, box, e, now)
				if err != nil || answered != tt.want || r.Status != tt.status {
					t.Errorf("answered %t with %d %q: %v", answered, r.Status, r.Response, err)
				}
			}
			got := in.take()
			for _, a := range got {
				if a.Type != webhook.TestEvent || !a.sentAt().Equal(now) || !a.signedWith(t, secret) {
					t.Errorf("the receiver got %v %s", a.header, a.body)
				}
			}
			if len(got) != 2 || got[0].Data.Challenge == got[1].Data.Challenge || got[0].id() == got[1].id() {
				t.Errorf("two challenges are alike: %v", got)
			}
		})
	}
}

func TestChallenge_OfASecretThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	in, box := newInbox(t), newTestBox(t)
	e := webhook.Endpoint{ID: "ep_a", URL: in.url, Secret: box.Seal(webhook.NewSecret(), "ep_b")}
	answered, _, err := webhook.Challenge(t.Context(), newTestSender(t, nil, 0), box, e, time.Now())
	if err == nil || answered || len(in.all()) != 0 {
		t.Errorf("answered %t, %v, %d requests", answered, err, len(in.all()))
	}
}

func TestARedirectIsAFailureAndIsNotFollowed(t *testing.T) {
	t.Parallel()
	for _, code := range []int{301, 302, 303, 307, 308} {
		t.Run(strconv.Itoa(code), func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			in, elsewhere := newInbox(t), newInbox(t)
			in.answers(func(w http.ResponseWriter, _ arrival) {
				w.Header().Set("Location", elsewhere.url)
				w.WriteHeader(code)
			})
			e := o.subscribe(in)
			o.publish(1)
			o.turn(o.worker())
			d := o.delivery(e.ID, 1)
			if d.State != webhook.Pending || d.Attempts != 1 || d.Status != code || !strings.Contains(d.Error, "redirects are not followed") {
				t.Errorf("%+v", d)
			}
			if len(in.all()) != 1 || len(elsewhere.all()) != 0 {
				t.Errorf("%d requests, and %d elsewhere", len(in.all()), len(elsewhere.all()))
			}
		})
	}
}

func TestATimeOutMarksTheEndpointSlow(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in := newInbox(t)
	e := o.subscribe(in)
	var outcomes []string
	impatient := o.worker(func(w *webhook.WorkerOptions) {
		w.Sender = newTestSender(t, o.clock.Now, 100*time.Millisecond)
		w.Attempted = func(outcome string, _ time.Duration) { outcomes = append(outcomes, outcome) }
	})
	queues := func(w *webhook.Worker) (names []string) {
		for _, j := range o.turn(w) {
			names = append(names, j.Queue)
		}
		return names
	}

	in.answers(hang)
	o.publish(1)
	wantEqual(t, "the first job's queue", queues(impatient), []string{webhook.Queue})
	d := o.delivery(e.ID, 1)
	if d.State != webhook.Pending || d.Status != 0 || d.Error != "timed out after 0.1 s" {
		t.Errorf("%+v", d)
	}
	wantEqual(t, "what the metrics are told", outcomes, []string{"timeout"})
	wantEqual(t, "slow", o.endpoint(e.ID).Slow, true)

	in.answers(status(http.StatusOK))
	o.clock.Set(d.NextAt)
	wantEqual(t, "the queue of a slow endpoint", queues(o.worker()), []string{webhook.SlowQueue})
	wantEqual(t, "what became of it", o.delivery(e.ID, 1).State, webhook.Delivered)
	wantEqual(t, "slow after a success", o.endpoint(e.ID).Slow, false)

	o.publish(1)
	wantEqual(t, "the queue after a success", queues(o.worker()), []string{webhook.Queue})
}

func TestStoppingInMidRunIsNotTheReceiversFailure(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in := newInbox(t)
	e := o.subscribe(in)
	o.publish(20)
	// The first four are taken, the next four are never answered.
	in.answers(func(w http.ResponseWriter, a arrival) {
		if a.Data.Seq > 4 {
			hang(w, a)
		}
	})
	w := o.worker()
	jobs := o.enqueue(w)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	over := make(chan error, 1)
	go func() { over <- w.Deliver(ctx, jobs[0].Deliver) }()
	in.until(t, 8)
	cancel()
	<-over // be it with an error: River tries again
	wantEqual(t, "since when it fails", o.endpoint(e.ID).Failing, time.Time{})
	for seq := range int64(20) {
		d, want := o.delivery(e.ID, seq+1), webhook.Pending
		if seq < 4 {
			want = webhook.Delivered
		}
		if d.State != want || want == webhook.Pending && (d.Attempts != 0 || d.Error != "") {
			t.Errorf("%+v", d)
		}
	}

	in.take()
	in.answers(status(http.StatusOK))
	o.clock.Add(30 * time.Second) // the claim is over at the latest then
	o.turn(w)
	wantEqual(t, "what arrives then", in.takeSeqs(), numbers(5, 20))
}
