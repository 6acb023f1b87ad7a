package billing_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/stripetest"
)

func TestOutcome_Unheard(t *testing.T)     { t.Parallel(); throughStripe(t, "Unheard") }
func TestOutcome_RefundFails(t *testing.T) { t.Parallel(); throughStripe(t, "RefundFails") }

// An open checkout is looked at after 1, 5 and 30 minutes, and not again until it expires: three calls that nobody asked
// for, whatever events tell.
func TestCheckout_IsLookedAt(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	s.orders()
	asked := func() (n int) {
		for _, r := range s.fake.Requests() {
			if r.Method == "GET" && strings.HasPrefix(r.Path, "/v1/checkout/sessions/") {
				n++
			}
		}
		return n
	}
	for minute, want := range []int{0, 1, 1, 1, 1, 2, 2, 2} {
		s.want("looks", []int{minute, asked()}, []int{minute, want})
		s.passes(time.Minute)
	}
	s.passes(21 * time.Minute)
	s.want("before half an hour", asked(), 2)
	s.passes(time.Minute)
	s.want("after it", asked(), 3)
	s.passes(23 * time.Hour)
	s.want("until it expires", asked(), 3)
}

// Where the signing secret is wrong the log tells of the first event that is refused, and of one an hour after that. How
// many there were is kept, by nodes that ask each other nothing.
func TestForged_IsTold(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	told := func() int { return strings.Count(s.log.String(), "the signing secret is wrong") }
	heard := func() billing.Heard {
		t.Helper()
		h, err := s.db.Billing.Heard(t.Context(), s.clock.Now().Add(-day))
		s.must(err)
		return h
	}
	s.buys()
	taken := s.clock.Now()
	s.must(s.KeepForged(t.Context()))
	s.want("before", heard(), billing.Heard{LastTaken: taken})
	other := stripetest.New(t, stripefake.Options{Now: s.clock.Now}) // which signs with another secret
	for n, want := range []int{1, 1, 1, 2, 2} {                      // 25 minutes apart
		s.wantError("taking it", s.Receive(t.Context(), []byte(`{}`), other.Sign([]byte(`{}`), s.clock.Now())), billing.ErrForged)
		s.want("told", []int{n, told()}, []int{n, want})
		s.clock.Advance(25 * time.Minute)
	}
	last := s.clock.Now().Add(-25 * time.Minute)
	s.want("not kept yet", heard().Forged, 0)
	s.must(s.KeepForged(t.Context()))
	second := s.service(s.client)
	s.wantError("on another node", second.Expect("none"), billing.ErrForged)
	s.want("told by it", told(), 3)
	s.must(errors.Join(second.KeepForged(t.Context()), second.KeepForged(t.Context())))
	s.want("kept", heard(), billing.Heard{LastTaken: taken, Forged: 6, LastForged: last.Add(25 * time.Minute)})
	s.clock.Advance(2 * day)
	s.want("two days later", heard(), billing.Heard{LastTaken: taken})
	s.clock.Advance(billing.KeepEvents)
	s.must(s.Tidy(t.Context()))
	s.want("rows", s.count("billing_forged"), 0)
}

// What check says about events: where the signing secret is wrong both sides say so. A stranger who forges makes nothing
// wrong.
func TestCheckSetup_Events(t *testing.T) {
	t.Parallel()
	now := start
	late := billing.Seen[billing.Undelivered]{Is: billing.Undelivered{Events: 3, Oldest: now.Add(-time.Hour), Types: []string{"invoice.paid"}}}
	fresh := billing.Seen[billing.Undelivered]{Is: billing.Undelivered{Events: 1, Oldest: now.Add(-time.Minute), Types: []string{"invoice.paid"}}}
	unseen := billing.Seen[billing.Undelivered]{Err: billing.ErrUnseen}
	crowded := billing.Seen[billing.Undelivered]{Is: billing.Undelivered{More: true}}
	forged := billing.Heard{Forged: 7, LastForged: now.Add(-time.Minute)}
	both := billing.Heard{LastTaken: now.Add(-time.Second), Forged: 7, LastForged: now.Add(-time.Minute)}
	for name, tt := range map[string]struct {
		undelivered            billing.Seen[billing.Undelivered]
		heard                  billing.Heard
		deliveries, signatures string
	}{
		"nothing happened yet":       {billing.Seen[billing.Undelivered]{}, billing.Heard{}, "right: none waits; none was taken yet", "right: none was forged"},
		"all is well":                {fresh, billing.Heard{LastTaken: now.Add(-time.Hour)}, "right: none waits; the last was taken 1h0m0s ago", "right: none was forged"},
		"a wrong secret":             {late, forged, "wrong: whoever pays waits for Pro: 3 not delivered since 2026-11-01 08:00:00 (invoice.paid); none was", "wrong: 7 were forged within a day"},
		"a proxy that lets none in":  {late, billing.Heard{}, "wrong: ", "right: none was forged"},
		"strangers":                  {fresh, forged, "right: ", "right: 7 were forged within a day, the last at 2026-11-01 08:59:00: by others"},
		"unseen, and a wrong secret": {unseen, forged, "unseen: the key may not see it: none was taken yet", "wrong: "},
		"hidden behind others'":      {crowded, both, "unseen: the newest undelivered events are all of other programs", "right: "},
		"unseen, and strangers":      {unseen, both, "unseen: the key may not see it: the last was taken 1s ago", "right: "},
	} {
		got := map[string]string{}
		for _, l := range billing.CheckSetup(billing.Setup{Undelivered: tt.undelivered}, billing.Wanted{Country: "FR", Heard: tt.heard, Now: now}) {
			got[l.What] = string(l.Verdict) + ": " + l.Detail
		}
		for what, want := range map[string]string{"endpoint: deliveries": tt.deliveries, "endpoint: signatures": tt.signatures} {
			if !strings.HasPrefix(got[what], want) {
				t.Errorf("%s: %s says %q, want %q", name, what, got[what], want)
			}
		}
	}
}
