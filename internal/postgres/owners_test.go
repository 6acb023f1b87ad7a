package postgres_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/secrets"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// services are both, on one database, and a receiver that answers challenges.
type services struct {
	*testDB
	accounts  *account.Service
	changes   *account.EmailChanges
	ring      secrets.Ring
	endpoints *webhook.Endpoints
	// endpointsOn makes that service for another process.
	endpointsOn func(*postgres.DB) *webhook.Endpoints
	receiver    string
	received    atomic.Int64
}

func newServices(t *testing.T) *services {
	t.Helper()
	s := &services{testDB: newDB(t)}
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.received.Add(1)
		var sent struct{ Data struct{ Challenge string } }
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, sent.Data.Challenge)
	}))
	t.Cleanup(receiver.Close)
	s.receiver = receiver.URL
	sender := webhook.NewSender(webhook.SenderOptions{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Agent: "test"})
	t.Cleanup(sender.Close)
	s.ring = testkit.Ring(t, strings.Repeat("a master secret ", 2))
	keyring := webhook.NewKeyring(s.ring)
	s.accounts = account.NewService(s.Accounts, s.Keys, s.clock).WithSecrets(s.ring)
	s.changes = account.NewEmailChanges(s.Accounts, s.ring, s.clock)
	s.endpointsOn = func(db *postgres.DB) *webhook.Endpoints {
		return webhook.NewEndpoints(webhook.EndpointsOptions{Store: db.Webhooks, Catalog: db.Catalog, Sender: sender, Keyring: keyring, Now: s.clock})
	}
	s.endpoints = s.endpointsOn(s.DB)
	return s
}

// A tenant is an account with something of everything.
type tenant struct {
	account.Account
	key, session     string
	active, off, new string // endpoints
	seq              int64  // of the event that delivery is of
	delivery         string // failed twice, to the active one
	wanted           string // the address that it asked for
}

// marks are what only the tenant and the operator may see.
func (a tenant) marks() []string {
	return []string{a.ID, a.Email, a.key, a.session, a.active, a.off, a.new, a.delivery, a.wanted}
}

func (s *services) newTenant() tenant {
	s.Helper()
	ctx, op := s.Context(), operator
	var a tenant
	var err error
	a.Account, err = s.accounts.Create(ctx, op, strings.ToLower(rand.Text())+"@example.org", account.Pro)
	s.must(err)
	_, key, err := s.accounts.CreateKey(ctx, op, a.ID, "key of "+a.ID)
	s.must(err)
	a.key = key.ID
	a.session = s.startSession(s.DB, a.ID, "hash of "+rand.Text(), s.now.AddDate(0, 0, 30)).ID
	for _, id := range []*string{&a.active, &a.off, &a.new} {
		made, err := s.endpoints.Create(ctx, op, a.ID, webhook.Draft{URL: s.receiver + "/" + a.ID, Vouched: id != &a.new})
		s.must(err)
		*id = made.ID
	}
	s.must(s.endpoints.Disable(ctx, op, a.off, "off"))
	s.logMany(1)
	s.advance(a.active)
	fail := func() {
		due, err := s.Webhooks.Due(ctx, a.active, s.now, 1)
		s.must(err)
		d := due[0]
		a.delivery, a.seq = d.ID, d.Seq
		d.State, d.Attempts, d.AttemptedAt, d.Status, d.Error, d.Response = webhook.Exhausted, 1, s.now, 500, inWords("failed"), "answer of "+a.ID
		s.must(s.Webhooks.Record(ctx, a.active, []webhook.Outcome{d}, webhook.Health{}, s.now))
	}
	fail()
	s.must(s.endpoints.ReplayDelivery(ctx, op, a.active, a.delivery))
	fail()
	a.wanted = strings.ToLower(rand.Text()) + "@example.com"
	s.must(s.changes.Ask(ctx, op, a.ID, a.wanted))
	return a
}

// A verb is one method of a service, called about what belongs to somebody.
type verb struct {
	name     string
	stranger error // what others get; with nil they see their own
	owner    error // what the owner gets
	// call is made by an actor who has what is mine. What it gives is what the actor sees.
	call func(ctx context.Context, s *services, by account.Actor, mine, of tenant) (any, error)
}

func verbs() []verb {
	noAccount, noKey, noSession := account.ErrNoAccount, account.ErrNoKey, account.ErrNoSession
	noEndpoint, noDelivery := webhook.ErrNoEndpoint, webhook.ErrNoDelivery
	type (
		ctx  = context.Context
		by   = account.Actor
		s    = *services
		list = []any
	)
	text := "changed"
	return []verb{
		{"account.Create", account.ErrOperatorOnly, account.ErrOperatorOnly, func(c ctx, s s, by by, _, _ tenant) (any, error) {
			return s.accounts.Create(c, by, strings.ToLower(rand.Text())+"@example.org", account.Pro)
		}},
		{"account.Find", noAccount, nil, func(c ctx, s s, by by, _, of tenant) (any, error) { return s.accounts.Find(c, by, of.Email) }},
		{"account.List", nil, nil, func(c ctx, s s, by by, _, _ tenant) (any, error) { return s.accounts.List(c, by, "", 1000) }},
		{"account.Show", noAccount, nil, func(c ctx, s s, by by, _, of tenant) (any, error) { return s.accounts.Show(c, by, of.ID) }},
		{"account.SetPlan", noAccount, account.ErrOperatorOnly, func(c ctx, s s, by by, _, of tenant) (any, error) {
			return nil, s.accounts.SetPlan(c, by, of.ID, account.Developer)
		}},
		{"account.Delete", noAccount, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			return nil, s.accounts.Delete(c, by.InSession(of.session), of.ID)
		}},
		{"account.Delete", noAccount, account.ErrNotFresh, func(c ctx, s s, by by, _, of tenant) (any, error) {
			return nil, s.accounts.Delete(c, by, of.ID)
		}},
		{"account.Delete", noAccount, account.ErrNotFresh, func(c ctx, s s, by by, mine, of tenant) (any, error) {
			session := mine.session // of another account: for the owner there is none
			if mine.ID == of.ID {
				session = "ses_nobody"
			}
			return nil, s.accounts.Delete(c, by.InSession(session), of.ID)
		}},
		{"account.SetLanguage", noAccount, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			return nil, s.accounts.SetLanguage(c, by, of.ID, account.English)
		}},
		{"account.SetSwitch", noAccount, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			return nil, s.accounts.SetSwitch(c, by, of.ID, account.UsageMail, false)
		}},
		{"account.Watchlist", noAccount, nil, func(c ctx, s s, by by, _, of tenant) (any, error) { return s.accounts.Watchlist(c, by, of.ID) }},
		{"account.Watch", noAccount, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			return s.accounts.Watch(c, by, of.ID, []string{"a-tool"})
		}},
		{"account.Unwatch", noAccount, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			return s.accounts.Unwatch(c, by, of.ID, []string{"a-tool"})
		}},
		{"account.SetDigest", noAccount, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			return nil, s.accounts.SetDigest(c, by, of.ID, account.Daily)
		}},
		{"account.SetEmail", noAccount, account.ErrOperatorOnly, func(c ctx, s s, by by, _, of tenant) (any, error) {
			return nil, s.accounts.SetEmail(c, by, of.ID, strings.ToLower(rand.Text())+"@example.org")
		}},
		{"account.Activity", noAccount, nil, func(c ctx, s s, by by, _, of tenant) (any, error) { return s.accounts.Activity(c, by, of.ID, 100) }},
		{"account.Export", noAccount, nil, func(c ctx, s s, by by, _, of tenant) (any, error) { return s.accounts.Export(c, by, of.ID) }},
		{"change.Ask", noAccount, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			return nil, s.changes.Ask(c, by, of.ID, "another@example.com")
		}},
		{"change.Pending", noAccount, nil, func(c ctx, s s, by by, _, of tenant) (any, error) { return s.changes.Pending(c, by, of.ID) }},
		{"change.Cancel", noAccount, nil, func(c ctx, s s, by by, _, of tenant) (any, error) { return nil, s.changes.Cancel(c, by, of.ID) }},
		{"account.CreateKey", noAccount, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			key, info, err := s.accounts.CreateKey(c, by, of.ID, "one more")
			return list{key.Reveal(), info}, err
		}},
		{"account.CreateKeyOnce", noAccount, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			key, info, err := s.accounts.CreateKeyOnce(c, by, of.ID, "one more", account.NewOnce())
			return list{key.Reveal(), info}, err
		}},
		{"account.RotateKey", noKey, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			key, info, err := s.accounts.RotateKey(c, by, of.key, time.Hour)
			return list{key.Reveal(), info}, err
		}},
		{"account.RotateKey", noKey, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			key, info, err := s.accounts.RotateKey(c, by, of.key, 0)
			return list{key.Reveal(), info}, err
		}},
		{"account.Keys", noAccount, nil, func(c ctx, s s, by by, _, of tenant) (any, error) { return s.accounts.Keys(c, by, of.ID) }},
		{"account.FilterKeys", noAccount, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			return s.accounts.FilterKeys(c, by, of.ID, account.KeyFilter{Revoked: 20})
		}},
		{"account.RenameKey", noKey, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			return nil, s.accounts.RenameKey(c, by, of.key, "renamed")
		}},
		{"account.RevokeKey", noKey, nil, func(c ctx, s s, by by, _, of tenant) (any, error) { return nil, s.accounts.RevokeKey(c, by, of.key) }},
		{"account.PinKeys", noAccount, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			return nil, s.accounts.PinKeys(c, by, of.ID, []string{of.key})
		}},
		{"account.Sessions", noAccount, nil, func(c ctx, s s, by by, _, of tenant) (any, error) { return s.accounts.Sessions(c, by, of.ID) }},
		{"account.EndSession", noSession, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			return nil, s.accounts.EndSession(c, by, of.session)
		}},
		{"account.EndSessions", noAccount, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			return s.accounts.EndSessions(c, by, of.ID, "")
		}},
		{"sign-in.Link", account.ErrOperatorOnly, account.ErrOperatorOnly, func(c ctx, s s, by by, _, of tenant) (any, error) {
			return account.NewSignIns(account.SignInsOptions{Store: s.SignIns, Secrets: s.ring, Now: s.clock}).Link(c, by, of.Email)
		}},

		{"webhook.Create", noAccount, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			return s.endpoints.Create(c, by, of.ID, webhook.Draft{URL: s.receiver})
		}},
		{"webhook.Create", noAccount, account.ErrOperatorOnly, func(c ctx, s s, by by, _, of tenant) (any, error) {
			return s.endpoints.Create(c, by, of.ID, webhook.Draft{URL: s.receiver, Vouched: true})
		}},
		{"webhook.List", noAccount, nil, func(c ctx, s s, by by, _, of tenant) (any, error) { return s.endpoints.List(c, by, of.ID) }},
		{"webhook.Show", noEndpoint, nil, func(c ctx, s s, by by, _, of tenant) (any, error) { return s.endpoints.Show(c, by, of.active) }},
		{"webhook.Missed", noEndpoint, nil, func(c ctx, s s, by by, _, of tenant) (any, error) { return s.endpoints.Missed(c, by, of.off) }},
		{"webhook.Update", noEndpoint, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			e, _, err := s.endpoints.Update(c, by, of.active, webhook.Change{Description: &text, NewTypes: true, NewCategories: true})
			return e, err
		}},
		{"webhook.Verify", noEndpoint, nil, func(c ctx, s s, by by, _, of tenant) (any, error) { return s.endpoints.Verify(c, by, of.new) }},
		{"webhook.Test", noEndpoint, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			return s.endpoints.Test(c, by, of.active, webhook.TestEvent)
		}},
		{"webhook.Test", noEndpoint, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			return s.endpoints.Test(c, by, of.active, catalog.PriceChanged)
		}},
		{"webhook.Enable", noEndpoint, nil, func(c ctx, s s, by by, _, of tenant) (any, error) { return s.endpoints.Enable(c, by, of.off) }},
		{"webhook.Disable", noEndpoint, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			return nil, s.endpoints.Disable(c, by, of.active, "for the test")
		}},
		{"webhook.Rotate", noEndpoint, nil, func(c ctx, s s, by by, _, of tenant) (any, error) { return s.endpoints.Rotate(c, by, of.active, true) }},
		{"webhook.Delete", noEndpoint, nil, func(c ctx, s s, by by, _, of tenant) (any, error) { return nil, s.endpoints.Delete(c, by, of.active) }},
		{"webhook.Deliveries", noEndpoint, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			deliveries, attempts, err := s.endpoints.Deliveries(c, by, of.active, webhook.DeliveryFilter{Limit: 10, Attempts: true})
			return list{deliveries, attempts}, err
		}},
		{"webhook.Deliveries", noDelivery, nil, func(c ctx, s s, by by, mine, of tenant) (any, error) {
			deliveries, attempts, err := s.endpoints.Deliveries(c, by, mine.active, webhook.DeliveryFilter{ID: of.delivery, Attempts: true})
			return list{deliveries, attempts}, err
		}},
		{"webhook.Stats", noEndpoint, nil, func(c ctx, s s, by by, _, of tenant) (any, error) { return s.endpoints.Stats(c, by, of.active) }},
		{"webhook.Payload", noDelivery, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			return s.endpoints.Payload(c, by, of.active, of.delivery)
		}},
		{"webhook.Payload", noDelivery, nil, func(c ctx, s s, by by, mine, of tenant) (any, error) {
			return s.endpoints.Payload(c, by, mine.active, of.delivery)
		}},
		{"webhook.ReplayDelivery", noDelivery, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			return nil, s.endpoints.ReplayDelivery(c, by, of.active, of.delivery)
		}},
		{"webhook.ReplayDelivery", noDelivery, nil, func(c ctx, s s, by by, mine, of tenant) (any, error) {
			return nil, s.endpoints.ReplayDelivery(c, by, mine.active, of.delivery)
		}},
		{"webhook.ReplayRange", noEndpoint, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			return s.endpoints.ReplayRange(c, by, of.active, of.seq, of.seq)
		}},
		{"webhook.ReplayFailed", noEndpoint, nil, func(c ctx, s s, by by, _, of tenant) (any, error) {
			return s.endpoints.ReplayFailed(c, by, of.active, time.Hour)
		}},
	}
}

// Whatever can be done with accounts, keys and endpoints, one account neither sees nor
// changes anything of another. A new method needs a verb here.
func TestNobodyTouchesWhatIsAnothers(t *testing.T) {
	t.Parallel()
	if testkit.Raced {
		t.Skip("it tries one verb after the other, and reads all tables between them")
	}
	s := newServices(t)
	tried := make(map[string]bool)
	for _, v := range verbs() {
		tried[v.name] = true
		victim, other := s.newTenant(), s.newTenant()
		s.refuses(v, "another account", account.ByAccount(other.ID), other, victim)
		s.refuses(v, "no account", account.ByAccount(nobody), victim, victim)
		s.refuses(v, "no id", account.ByAccount("' OR true --"), victim, victim)
		s.refuses(v, "the zero Actor", account.Actor{}, victim, victim)

		before := s.dump()
		got, err := v.call(s.Context(), s, account.ByAccount(victim.ID), victim, victim)
		wantError(t, v.name+" by the owner", err, v.owner)
		if (err != nil) != (v.owner != nil) || err != nil && s.dump() != before {
			t.Errorf("%s by the owner: %v, %v", v.name, got, err)
		}
		another := s.newTenant()
		if _, err := v.call(s.Context(), s, operator, another, another); err != nil {
			t.Errorf("%s by the operator: %v", v.name, err)
		}
	}
	for prefix, service := range map[string]reflect.Type{
		"account.": reflect.TypeFor[*account.Service](), "webhook.": reflect.TypeFor[*webhook.Endpoints](),
		"change.": reflect.TypeFor[*account.EmailChanges](),
	} {
		for method := range service.Methods() {
			name, actor := prefix+method.Name, false
			for in := range method.Type.Ins() {
				actor = actor || in == reflect.TypeFor[account.Actor]()
			}
			if actor && !tried[name] {
				t.Errorf("nobody tried %s on what is another's", name)
			}
		}
	}
}

// The store asks for the owner even where a service has looked before.
func TestTheStoreHidesWhatIsAnothers(t *testing.T) {
	t.Parallel()
	s := newServices(t)
	victim, other := s.newTenant(), s.newTenant()
	look := func(by account.Actor) string {
		endpoints, err := s.Webhooks.Endpoints(t.Context(), by, victim.ID)
		s.must(err)
		deliveries, err := s.Webhooks.Deliveries(t.Context(), by, victim.active, webhook.DeliveryFilter{Limit: 10})
		s.must(err)
		attempts, err := s.Webhooks.Attempts(t.Context(), by, []webhook.Delivery{{ID: victim.delivery}})
		s.must(err)
		_, err = s.Webhooks.Delivery(t.Context(), by, victim.active, victim.delivery)
		return fmt.Sprint(len(endpoints), len(deliveries), len(attempts[victim.delivery]), err)
	}
	wantEqual(t, "by another", look(account.ByAccount(other.ID)), "0 0 0 there is no such delivery")
	wantEqual(t, "by the owner", look(account.ByAccount(victim.ID)), "3 1 1 <nil>")
	wantEqual(t, "by the operator", look(operator), "3 1 1 <nil>")
}

// refuses checks that an actor neither sees nor changes anything of a victim.
func (s *services) refuses(v verb, who string, by account.Actor, mine, victim tenant) {
	s.Helper()
	before, received := s.dump(), s.received.Load()
	got, err := v.call(s.Context(), s, by, mine, victim)
	what := v.name + " by " + who
	// Whoever has no endpoint of their own is not told of deliveries either.
	if hidden := errors.Is(err, webhook.ErrNoEndpoint) && errors.Is(v.stranger, webhook.ErrNoDelivery); !hidden || mine.ID != victim.ID {
		wantError(s, what, err, v.stranger)
	}
	if err == nil && v.stranger != nil {
		s.Errorf("%s: it is done", what)
	}
	seen := fmt.Sprintf("%+v %v", got, err)
	for _, mark := range victim.marks() {
		if strings.Contains(seen, mark) {
			s.Errorf("%s: it shows %s of another: %s", what, mark, seen)
		}
	}
	if s.dump() != before {
		s.Errorf("%s: it changed something", what)
	}
	if s.received.Load() != received {
		s.Errorf("%s: something was sent", what)
	}
}
