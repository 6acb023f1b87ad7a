package webhook_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/mail"
	"github.com/palmares-hq/palmares/internal/webhook"
)

func TestGoneDisablesAtOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in, other := newInbox(t), newInbox(t)
	e, healthy := o.subscribe(in), o.subscribe(other)
	in.answers(func(w http.ResponseWriter, a arrival) {
		if a.Data.Seq >= 10 {
			w.WriteHeader(http.StatusGone)
		}
	})
	o.publish(200)
	w := o.worker()
	o.turn(w)
	got := o.endpoint(e.ID)
	if got.State != webhook.Disabled || got.Reason != "the receiver answered 410 Gone at 2026-03-01T09:00:00Z" {
		t.Errorf("%s: %s", got.State, got.Reason)
	}
	// No more than what was under way when the first 410 was read.
	if n := len(in.take()); n < 10 || n > 25 {
		t.Errorf("%d requests", n)
	}
	o.wantDeliveries(e.ID, webhook.Pending, 0)
	o.wantDeliveries(e.ID, webhook.Delivered, 9)
	o.wantDeliveries(e.ID, webhook.Exhausted, 191)
	wantEqual(t, "jobs of telling", o.tellings(e.ID), 1)

	other.take()
	o.publish(3)
	o.clock.Add(time.Hour)
	o.turn(w)
	wantEqual(t, "requests after it was disabled", len(in.take()), 0)
	wantEqual(t, "the other endpoint's", len(other.take()), 3)
	wantEqual(t, "jobs of telling", o.tellings(e.ID)+o.tellings(healthy.ID), 1)
}

func TestFiveDaysOfNothingButFailuresDisable(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in := newInbox(t)
	in.answers(status(http.StatusBadGateway))
	e := o.subscribe(in)
	w := o.worker()
	begin := o.clock.Now()
	for range 5 { // each day something new, and what is due of the days before
		o.publish(1)
		for range 4 {
			o.turn(w)
			wantEqual(t, "the state within five days", o.endpoint(e.ID).State, webhook.Active)
			o.clock.Add(6 * time.Hour)
		}
	}
	if got := o.endpoint(e.ID).Failing; !got.Equal(begin) {
		t.Errorf("failing since %v, want %v", got, begin)
	}
	o.clock.Add(-time.Second)
	o.publish(1)
	o.turn(w)
	wantEqual(t, "the state a second early", o.endpoint(e.ID).State, webhook.Active)
	wantEqual(t, "jobs of telling a second early", o.tellings(e.ID), 0)
	o.clock.Add(time.Second)
	o.publish(1)
	o.turn(w)
	got := o.endpoint(e.ID)
	if got.State != webhook.Disabled || got.Reason != "every attempt has failed since 2026-03-01T09:00:00Z" {
		t.Errorf("after five days: %s: %s", got.State, got.Reason)
	}
	wantEqual(t, "jobs of telling", o.tellings(e.ID), 1)
	o.wantDeliveries(e.ID, webhook.Pending, 0)
}

func TestOneSuccessBeginsTheFiveDaysAnew(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in := newInbox(t)
	e := o.subscribe(in)
	w := o.worker()
	for day := range 9 {
		in.answers(status(http.StatusBadGateway))
		if day == 3 {
			in.answers(func(w http.ResponseWriter, a arrival) {
				if a.Data.Seq != 4 { // the one of that day is taken
					w.WriteHeader(http.StatusBadGateway)
				}
			})
		}
		o.publish(1)
		o.turn(w)
		wantEqual(t, fmt.Sprint("the state on day ", day), o.endpoint(e.ID).State, webhook.Active)
		if day < 8 {
			o.clock.Add(24 * time.Hour)
		}
	}
	o.clock.Add(24 * time.Hour)
	o.publish(1)
	o.turn(w)
	wantEqual(t, "the state in the end", o.endpoint(e.ID).State, webhook.Disabled)
}

func TestTenFailuresInARowEndTheRun(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in, other := newInbox(t), newInbox(t)
	in.answers(status(http.StatusServiceUnavailable))
	o.subscribe(in)
	o.subscribe(other)
	w := o.worker()
	o.publish(100)
	begin := o.clock.Now()
	o.turn(w)
	if n := len(in.take()); n < 10 || n > 25 { // those under way are not taken back
		t.Errorf("%d requests", n)
	}
	wantEqual(t, "what the other endpoint got", len(other.take()), 100)

	o.publish(10)
	o.clock.Set(begin.Add(29 * time.Second))
	o.turn(w)
	wantEqual(t, "requests within 30 s", len(in.take()), 0)
	wantEqual(t, "what the other endpoint got", len(other.take()), 10)

	in.answers(status(http.StatusOK))
	o.clock.Set(begin.Add(30 * time.Second))
	o.turn(w)
	wantEqual(t, "what arrives after 30 s", in.takeSeqs(), numbers(1, 110))
}

func TestTheBacklogIsBoundAndArrives(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in := newInbox(t)
	in.answers(status(http.StatusServiceUnavailable))
	e := o.subscribe(in)
	w := o.worker()
	begin := o.clock.Now()
	o.publish(5000)
	const pending, saturated = `SELECT count(*) FROM deliveries WHERE state = 'pending'`, `SELECT count(*) FROM endpoints WHERE saturated`
	for full := 0; full < 3; o.clock.Add(30 * time.Second) {
		o.turn(w)
		if n := o.count(pending); n > 1000 {
			t.Fatalf("%d deliveries wait after %v", n, o.clock.Now().Sub(begin))
		}
		full += o.count(saturated)
		if o.clock.Now().Sub(begin) > 24*time.Hour {
			t.Fatal("the bound is not reached in a day")
		}
	}
	wantEqual(t, "deliveries that wait at the bound", o.count(pending), 1000)

	in.take()
	in.answers(status(http.StatusOK))
	arrived := map[int64]int{}
	for range 10 {
		o.clock.Add(10 * time.Hour)
		o.turn(w)
		for _, a := range in.take() {
			arrived[a.Data.Seq]++
		}
	}
	wantEqual(t, "events that arrived", len(arrived), 5000)
	for seq, n := range arrived {
		if n != 1 {
			t.Errorf("event %d arrived %d times", seq, n)
		}
	}
	o.wantDeliveries(e.ID, webhook.Delivered, 5000)
}

// A letterbox is a real SMTP server on loopback.
type letterbox struct {
	addr    string
	letters chan letter
}

type letter struct {
	letterbox *letterbox
	to, text  string
}

func newLetterbox(t *testing.T) *letterbox {
	t.Helper()
	l := &letterbox{letters: make(chan letter, 8)}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &letter{letterbox: l}, nil }))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.addr = listener.Addr().String()
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() { server.Close(); <-served })
	return l
}

func (l *letter) Reset()                                    {}
func (l *letter) Logout() error                             { return nil }
func (l *letter) Mail(string, *smtp.MailOptions) error      { return nil }
func (l *letter) Rcpt(to string, _ *smtp.RcptOptions) error { l.to = to; return nil }

func (l *letter) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	l.text = string(text)
	l.letterbox.letters <- *l
	return err
}

func TestTheOwnerIsToldByOneMail(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	in, post := newInbox(t), newLetterbox(t)
	e := o.subscribe(in)
	mailer, err := mail.NewSender(mail.Options{URL: "smtp://" + post.addr, From: "noreply@palmares.test"})
	o.must(err)
	tell := func(ctx context.Context, id string) error {
		to, err := o.db.EndpointOwner(ctx, id)
		if err != nil {
			return err
		}
		disabled, err := o.db.Endpoint(ctx, account.Operator(), id)
		if err != nil {
			return err
		}
		return mailer.Send(ctx, mail.EndpointDisabled(to, id, disabled.URL, disabled.Reason))
	}
	in.answers(status(http.StatusGone))
	o.river(o.db, o.worker(realTime, func(w *webhook.WorkerOptions) { w.Tell = tell }), true)
	o.publish(20)
	eventually(t, func() bool { return len(post.letters) > 0 })
	got := <-post.letters
	if got.to != owner || !strings.Contains(got.text, e.ID) || !strings.Contains(got.text, "410 Gone") {
		t.Errorf("to %s:\n%s", got.to, got.text)
	}
	o.publish(20)
	eventually(t, func() bool {
		return o.count(`SELECT count(*) FROM river_job WHERE kind = 'webhook_tell_disabled' AND state = 'completed'`) == 1
	})
	wantEqual(t, "letters that follow", len(post.letters), 0)
	wantEqual(t, "jobs of telling", o.tellings(e.ID), 1)
}
