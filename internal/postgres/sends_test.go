package postgres_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// bystanders are hosts of this machine, 127.0.0.1 to 127.0.0.9, that count what they get and want none
// of it.
type bystanders struct {
	port string

	mu     sync.Mutex
	got    map[string]int // requests by host
	events map[string]int // and by the type of the event
}

func newBystanders(t *testing.T) *bystanders {
	t.Helper()
	b := &bystanders{got: make(map[string]int), events: make(map[string]int)}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var event struct{ Type string }
		if err := json.NewDecoder(r.Body).Decode(&event); err != nil {
			t.Error(err)
		}
		host, _, _ := net.SplitHostPort(r.Host)
		b.mu.Lock()
		b.got[host]++
		b.events[event.Type]++
		b.mu.Unlock()
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "nobody asked for this")
	}))
	listener, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	_, b.port, _ = net.SplitHostPort(listener.Addr().String())
	return b
}

// url is where a path of a host is.
func (b *bystanders) url(host int, path string) string {
	return fmt.Sprintf("http://127.0.0.%d:%s/%s", host, b.port, path)
}

// requests says how many requests each host got.
func (b *bystanders) requests() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return fmt.Sprint(b.got)
}

// pro makes an account on Pro with endpoints, and returns who that is and their ids.
func (s *services) pro(email string, vouched bool, urls ...string) (by account.Actor, ids []string) {
	s.Helper()
	a := s.signUp(email, account.Pro)
	for _, u := range urls {
		made, err := s.endpoints.Create(s.Context(), operator, a.ID, webhook.Draft{URL: u, Vouched: vouched})
		s.must(err)
		ids = append(ids, made.ID)
	}
	return account.ByAccount(a.ID), ids
}

// 903 tests and challenges to hosts that never consented: a host gets ChallengeLimit challenges in an hour, and
// nothing but challenges. Of its answers the account learns the class.
func TestSends_ToThoseWhoNeverConsented(t *testing.T) {
	t.Parallel()
	s, hosts := newServices(t), newBystanders(t)
	by, ids := s.pro(owner, false, hosts.url(1, "a"), hosts.url(1, "b"), hosts.url(2, "a"))
	for i := range 903 {
		var result webhook.Result
		var err error
		switch id := ids[i%3]; i % 4 {
		case 0:
			var v webhook.Verification
			v, err = s.endpoints.Verify(t.Context(), by, id)
			result = v.Result
		case 1:
			result, err = s.endpoints.Test(t.Context(), by, id, webhook.TestEvent)
		default:
			_, err = s.endpoints.Test(t.Context(), by, id, catalog.PriceChanged)
			wantError(t, "a sample before the verification", err, webhook.ErrNotVerified)
			continue
		}
		if err == nil {
			wantEqual(t, "what is told of the answer", fmt.Sprintf("%+v", result), fmt.Sprintf("%+v", webhook.Result{Status: 400, Class: true}))
		} else if name, _ := limited(err); name == "" {
			t.Fatal(err)
		}
	}
	most := webhook.ChallengeLimit.Most
	wantEqual(t, "requests", hosts.requests(), fmt.Sprintf("map[127.0.0.1:%d 127.0.0.2:%d]", most, most))
	wantEqual(t, "events", fmt.Sprint(hosts.events), fmt.Sprintf("map[webhook.test:%d]", 2*most))

	v, err := s.endpoints.Verify(t.Context(), operator, ids[0]) // which is not counted, and told all
	s.must(err)
	wantEqual(t, "what the operator is told", v.Result.Response, "nobody asked for this")
	wantEqual(t, "requests with the operator's", hosts.requests(), fmt.Sprintf("map[127.0.0.1:%d 127.0.0.2:%d]", most+1, most))
}

// Tests of verified endpoints: SendHostLimit an hour to one host, SendLimit in all. The hour slides, what is refused is
// not counted, and the error says when it ends.
func TestSends_OfAnAccount(t *testing.T) {
	t.Parallel()
	s, hosts := newServices(t), newBystanders(t)
	by, ids := s.pro(owner, true, hosts.url(1, "a"), hosts.url(1, "b"), hosts.url(2, "a"), hosts.url(3, "a"), hosts.url(4, "a"))
	first, most := s.now, webhook.SendHostLimit.Most
	send := func(id string) error {
		result, err := s.endpoints.Test(t.Context(), by, id, catalog.PriceChanged)
		if err == nil {
			wantEqual(t, "the answer of who consented", result.Response, "nobody asked for this")
		}
		return err
	}
	for i := range most {
		s.must(send(ids[i%2]))
		s.now = s.now.Add(time.Minute)
	}
	for range 50 {
		name, until := limited(send(ids[0]))
		wantEqual(t, "the limit", name, "host")
		wantEqual(t, "its end", until, first.Add(time.Hour))
	}
	for i := range webhook.SendLimit.Most - most {
		s.must(send(ids[2+i%2]))
	}
	name, until := limited(send(ids[4]))
	wantEqual(t, "the limit of the account", name, "tests")
	wantEqual(t, "its end", until, first.Add(time.Hour))
	wantEqual(t, "requests", hosts.requests(), fmt.Sprintf("map[127.0.0.1:%d 127.0.0.2:%d 127.0.0.3:%d]", most, most, most))
	if _, err := s.endpoints.Test(t.Context(), operator, ids[4], catalog.PriceChanged); err != nil {
		t.Error("the operator:", err)
	}
	s.now = first.Add(time.Hour)
	s.must(send(ids[4]))
	if name, _ = limited(send(ids[4])); name != "tests" {
		t.Errorf("a minute before the next: %q", name)
	}
	bob, his := s.pro("bob@example.org", true, hosts.url(1, "c"))
	_, err := s.endpoints.Test(t.Context(), bob, his[0], catalog.PriceChanged)
	wantError(t, "another account", err, nil)
}

// Many accounts challenge one host that nobody has verified, at once and from two processes: it gets
// ChallengeLimit. Once somebody has verified an endpoint on it, accounts have their own limits alone.
func TestSends_OfManyAccounts(t *testing.T) {
	t.Parallel()
	s, hosts := newServices(t), newBystanders(t)
	var by []account.Actor
	var ids []string
	for i := range 6 {
		actor, made := s.pro(fmt.Sprintf("a%d@example.org", i), false, hosts.url(1, fmt.Sprint(i)))
		by, ids = append(by, actor), append(ids, made...)
	}
	endpoints := []*webhook.Endpoints{s.endpoints, s.another()}
	var sent, refused atomic.Int64
	most := webhook.ChallengeLimit.Most
	atOnce(most+8, func(i int) {
		_, err := endpoints[i%2].Verify(t.Context(), by[i%6], ids[i%6])
		switch name, until := limited(err); {
		case err == nil:
			sent.Add(1)
		case name == "challenges" && until.Equal(s.now.Add(time.Hour)):
			refused.Add(1)
		default:
			t.Error(err)
		}
	})
	wantEqual(t, "challenges", fmt.Sprint(sent.Load(), refused.Load()), fmt.Sprint(most, 8))
	wantEqual(t, "requests", hosts.requests(), fmt.Sprintf("map[127.0.0.1:%d]", most))

	// Deleting the accounts takes nothing back.
	s.deleteAccount("a0@example.org")
	_, err := s.endpoints.Verify(t.Context(), by[1], ids[1])
	name, _ := limited(err)
	wantEqual(t, "after a deletion", name, "challenges")

	s.pro("owner.of.the.host@example.org", true, hosts.url(1, "theirs"))
	for range webhook.SendHostLimit.Most + 1 { // one more than an account may send to a host, whatever it sent before
		_, err = s.endpoints.Verify(t.Context(), by[1], ids[1])
	}
	name, _ = limited(err)
	wantEqual(t, "with a verified endpoint on it", name, "host")
}

// After a downgrade nothing is sent, not even by the operator: the account no longer has webhooks.
func TestSends_NeedPro(t *testing.T) {
	t.Parallel()
	s, hosts := newServices(t), newBystanders(t)
	by, verified := s.pro(owner, true, hosts.url(1, "a"))
	fresh, err := s.endpoints.Create(t.Context(), operator, by.AccountID(), webhook.Draft{URL: hosts.url(2, "a")})
	s.must(err)
	s.must(s.accounts.SetPlan(t.Context(), operator, by.AccountID(), account.Developer))
	for _, by := range []account.Actor{by, operator} {
		for _, id := range []string{verified[0], fresh.ID} {
			_, err := s.endpoints.Verify(t.Context(), by, id)
			wantError(t, "a challenge", err, webhook.ErrNotPro)
			for _, event := range []catalog.EventType{webhook.TestEvent, catalog.PriceChanged} {
				_, err := s.endpoints.Test(t.Context(), by, id, event)
				wantError(t, "a test", err, webhook.ErrNotPro)
			}
		}
	}
	wantEqual(t, "requests", hosts.requests(), "map[]")
	wantEqual(t, "what was counted", s.count(`limited_acts`), 0)
}

// another is the service of another process.
func (s *services) another() *webhook.Endpoints {
	s.Helper()
	return s.endpointsOn(s.process())
}

// hostOf in SQL and the URLs that ParseURL makes: with a port, an address in brackets, a query.
func TestSends_CountByHost(t *testing.T) {
	t.Parallel()
	s := newServices(t)
	by, ids := s.pro(owner, false, "https://hooks.example.invalid/a?b=//c", "https://hooks.example.invalid", "http://127.0.0.1:9/x", "http://127.0.0.1/y", "https://[2001:4860::1]/z")
	for _, id := range ids {
		_, err := s.Webhooks.CountSend(t.Context(), by, id, webhook.Sending{Now: s.now})
		s.must(err)
	}
	hosts := strings.Join(ask[string](s.testDB, `SELECT host FROM limited_acts WHERE account_id IS NOT NULL ORDER BY id`), " ")
	wantEqual(t, "hosts", hosts, "hooks.example.invalid hooks.example.invalid 127.0.0.1 127.0.0.1 [2001:4860::1]")
}
