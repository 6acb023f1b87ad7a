package webhook_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// What the parsers reject never reaches the store, which this service does not have.
func TestEndpoints_CheckTheirInput(t *testing.T) {
	t.Parallel()
	s, by := webhook.NewEndpoints(webhook.EndpointsOptions{}), account.Operator()
	long := strings.Repeat("x", 201)
	fields := map[string]string{
		"must begin with https://": "url", "is not public": "url", "at most 200": "description",
		"not a type of event": "types", "is not a category": "categories",
	}
	check := func(name string, err error) {
		t.Helper()
		field, ok := errors.AsType[*webhook.FieldError](err)
		if !ok || field.Field != fields[name] || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, d := range map[string]webhook.Draft{
		"must begin with https://": {URL: "http://hooks.example.com/"},
		"is not public":            {URL: "https://127.0.0.1/"},
		"at most 200":              {URL: "https://hooks.example.com/", Description: long},
		"not a type of event":      {URL: "https://hooks.example.com/", Types: []catalog.EventType{"tool.eaten"}},
		"is not a category":        {URL: "https://hooks.example.com/", Categories: []string{"Code"}},
	} {
		_, err := s.Create(t.Context(), by, "a", d)
		check(name, err)
	}
	for name, c := range map[string]webhook.Change{
		"at most 200":         {Description: &long},
		"not a type of event": {NewTypes: true, Types: []catalog.EventType{"webhook.test"}},
		"is not a category":   {NewCategories: true, Categories: []string{"Code"}},
	} {
		_, _, err := s.Update(t.Context(), by, "ep_a", c)
		check(name, err)
	}
}

// An account acting for itself sees and does what a page about an endpoint needs.
func TestEndpoints_ByTheirOwner(t *testing.T) {
	t.Parallel()
	e, r := newEnv(t), newReceiver(t)
	by := account.ByAccount(e.account.ID)
	s := webhook.NewEndpoints(webhook.EndpointsOptions{
		Store: e.store, Catalog: e.db.Catalog, Sender: newSender(t, e.clock.Now, 0), Keyring: e.keyring, Now: e.clock.Now,
	})
	r.answers(func(w http.ResponseWriter, got request) { w.Write([]byte(got.Data.Challenge)) })
	created, err := s.Create(t.Context(), by, e.account.ID, webhook.Draft{URL: r.url})
	e.must(err)
	v, err := s.Verify(t.Context(), by, created.ID)
	e.must(err)
	e.equal("answered", v.Answered, true)
	r.take()

	r.answers(status(http.StatusTeapot))
	e.publish(1)
	e.work(e.worker())
	e.publish(2)
	e.must(s.Disable(t.Context(), by, created.ID, ""))
	shown, err := s.Show(t.Context(), by, created.ID)
	e.must(err)
	e.equal("the reason", shown.Reason, webhook.Reason{Code: webhook.DisabledByOwner})
	list, _, err := s.Deliveries(t.Context(), by, created.ID, webhook.DeliveryFilter{State: webhook.Exhausted, Limit: 10})
	e.must(err)
	e.equal("deliveries that ended", len(list), 1)
	body, err := s.Payload(t.Context(), by, created.ID, list[0].ID)
	e.must(err)
	e.equal("the payload", string(body), string(r.take()[0].body))
	stats, err := s.Stats(t.Context(), by, created.ID)
	e.must(err)
	stats.MedianTook = 0
	e.equal("the last hour", stats.Hours[23], webhook.HourStats{Attempted: 1})
	stats.Hours[23] = webhook.HourStats{}
	e.equal("stats", stats, webhook.DeliveryStats{Attempted: 1, Failed: 1})
	e.clock.Advance(day + time.Second)
	stats, err = s.Stats(t.Context(), by, created.ID)
	e.must(err)
	e.equal("stats a day later", stats, webhook.DeliveryStats{Failed: 1})

	missed, err := s.Missed(t.Context(), by, created.ID)
	e.must(err)
	enabled, err := s.Enable(t.Context(), by, created.ID)
	e.must(err)
	e.equal("what it missed", enabled, missed)
	e.equal("the first event it missed", missed.From, int64(2))
	r.answers(status(http.StatusOK))
	n, err := s.ReplayRange(t.Context(), by, created.ID, missed.Replayable, missed.To)
	e.must(err)
	e.equal("replayed", n, 2)
	rotated, err := s.Rotate(t.Context(), by, created.ID, false)
	e.must(err)
	e.work(e.worker())
	for _, got := range r.take() {
		testkit.Equal(t, "signed with both secrets", got.signedWith(t, rotated.Secret) && got.signedWith(t, created.Secret), true)
	}
	e.must(s.Delete(t.Context(), by, created.ID))
	all, err := s.List(t.Context(), by, e.account.ID)
	e.must(err)
	e.equal("endpoints in the end", len(all), 0)
}

// An endpoint is failing after so many attempts in a row, and only while it is delivered to.
func TestEndpoint_Failing(t *testing.T) {
	t.Parallel()
	for state, failing := range map[webhook.State]bool{
		webhook.Active: true, webhook.Disabled: false, webhook.Paused: false, webhook.Unverified: false,
	} {
		e := webhook.Endpoint{State: state}
		if e.Failing(webhook.DeliveryStats{Failed: webhook.MaxFailed - 1}) || e.Failing(webhook.DeliveryStats{Failed: webhook.MaxFailed}) != failing {
			t.Errorf("%s: %v after %d attempts", state, !failing, webhook.MaxFailed)
		}
	}
}
