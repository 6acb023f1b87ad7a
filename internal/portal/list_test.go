package portal_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	build "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/portal"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A still is a catalogue that does not change.
type still struct{ *catalog.Snapshot }

func (s still) Current() *catalog.Snapshot { return s.Snapshot }

// newListWorld makes a world whose catalogue has the tools outil-1 to outil-60, scie, and feu, which is retired.
func newListWorld(t *testing.T) *world {
	t.Helper()
	items := []any{build.Tool("scie", build.Named("Scie <b>"), func(x *catalog.Tool) {
		x.Formerly, x.Ending = []string{"sciotte"}, catalog.Ending{At: "2027-01-31"}
	}), build.Retired("feu", func(r *catalog.Retired) { r.Name = "Feu" })}
	for i := range 60 {
		items = append(items, build.Tool(fmt.Sprintf("outil-%d", i+1), build.Named(fmt.Sprintf("Outil %d", i+1))))
	}
	contents := build.Contents(items...)
	w := newWorld(t, func(o *portal.Options) { o.Catalog = still{build.First(contents, build.Edition(1))} })
	_, err := w.db.Catalog.Publish(t.Context(), time.Now,
		func(_ context.Context, current *catalog.Contents, _ catalog.Edition, _ catalog.Past) (catalog.Changes, error) {
			return catalog.Diff(current, contents, catalog.DateOf(time.Now())), nil
		})
	testkit.Must(t, err)
	return w
}

// watched is the list of an account: its slugs, and how often a digest goes.
func (w *world) watched(a account.Account) string {
	w.Helper()
	list, err := w.o.Accounts.Watchlist(w.Context(), account.ByAccount(a.ID), a.ID)
	testkit.Must(w, err)
	text := string(list.Every)
	for _, t := range list.Tools {
		text += " " + t.Slug
	}
	return text
}

// A list that somebody made without an account is offered after signing in, saved with how often to write, edited by forms
// and kept as it is on a smaller plan.
func TestList(t *testing.T) {
	t.Parallel()
	w := newListWorld(t)
	ada := w.account("ada@example.org", account.Pro)
	testkit.Equal(t, "where a stranger goes", w.browser().get("/compte/liste?outils=feu,sciotte&fait=x").Location,
		"/compte/connexion?suite="+url.QueryEscape("/compte/liste?outils=feu,sciotte"))
	b := w.signedIn("ada@example.org")
	p := b.get("/compte/liste?outils=feu,rien,sciotte")
	for _, want := range []string{"Scie &lt;b&gt;", "Feu", "Ajouter ces 2 outils", "n’est pas confirmée"} {
		if !strings.Contains(p.Body, want) {
			t.Errorf("the offer has no %q", want)
		}
	}
	save := p.form("save", "checkbox")
	p = b.follow(b.submit(save, nil))
	testkit.Equal(t, "saved", w.watched(ada), "weekly feu scie")
	for _, want := range []string{"Votre liste est enregistrée", "s’arrête le", "retiré le", "2 sur 200", "/flux/suivi.atom?outils=feu,scie"} {
		if !strings.Contains(p.Body, want) {
			t.Errorf("the list has no %q", want)
		}
	}
	if b.get("/compte/liste?outils=feu,scie").Says("À ajouter") {
		t.Error("what is in the list is offered")
	}
	p = b.follow(b.submit(p.form("digest"), map[string]string{"every": "daily"}))
	testkit.Equal(t, "the choice", w.watched(ada), "daily feu scie")
	p = b.submit(p.form("save"), map[string]string{"names": "outil-1, OUTIL 2, rien du tout"})
	if p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Body, "rien du tout") {
		t.Errorf("a name of nothing: %s", p.Response)
	}
	testkit.Equal(t, "nothing is added then", w.watched(ada), "daily feu scie")
	p = b.follow(b.submit(p.form("save"), map[string]string{"names": "outil-1, OUTIL 2"}))
	testkit.Equal(t, "by names", w.watched(ada), "daily feu outil-1 outil-2 scie")
	b.follow(b.submit(p.form("remove"), map[string]string{"tool": "feu"}))
	testkit.Equal(t, "removed", w.watched(ada), "daily outil-1 outil-2 scie")

	var many []string
	for i := range 58 {
		many = append(many, fmt.Sprintf("outil-%d", i+3))
	}
	b.follow(b.submit(b.get("/compte/liste?outils="+strings.Join(many, ",")).form("save", "checkbox"), nil))
	full := w.watched(ada)
	testkit.Equal(t, "with Pro", len(strings.Fields(full)), 1+61)
	testkit.Must(t, w.o.Accounts.SetPlan(t.Context(), account.Operator(), ada.ID, account.Developer))
	p = b.get("/compte/liste?outils=feu")
	if !strings.Contains(p.Body, "La liste est pleine") {
		t.Errorf("on a smaller plan: %s", p.Response)
	}
	testkit.Equal(t, "on a smaller plan", w.watched(ada), full)
	_, err := w.o.Accounts.Watch(t.Context(), account.ByAccount(ada.ID), ada.ID, []string{"feu"})
	testkit.Equal(t, "beyond it", err, account.ErrListFull)
	p = b.get("/en/account/list")
	if !strings.Contains(p.Body, "61 of 50") {
		t.Errorf("in English: %s", p.Response)
	}
}

// The link of a digest ends it without a session, by a POST alone, and nothing else.
func TestEndDigest(t *testing.T) {
	t.Parallel()
	w := newListWorld(t)
	ada, bob := w.account("ada@example.org", account.Developer), w.account("bob@example.org", account.Developer)
	for _, a := range []account.Account{ada, bob} {
		_, err := w.o.Accounts.Watch(t.Context(), account.ByAccount(a.ID), a.ID, []string{"scie"})
		testkit.Must(t, err)
	}
	ring := testkit.Ring(t, string(secret))
	token := account.EndDigestToken(ring, ada.ID)
	link := "/compte/desabonnement/liste?jeton=" + url.QueryEscape(token)
	p := w.browser().get(link)
	_, mac, _ := strings.Cut(token, ".")
	for _, wrong := range []string{
		"", "?jeton=" + ada.ID, "?jeton=" + bob.ID + "." + mac, "?jeton=" + url.QueryEscape(account.UnsubscribeToken(ring, ada.ID)),
	} {
		if r := w.post("/compte/desabonnement/liste"+wrong, "application/x-www-form-urlencoded", "List-Unsubscribe=One-Click"); r.Status != http.StatusNotFound {
			t.Errorf("a wrong token %q: %s", wrong, r)
		}
	}
	testkit.Equal(t, "before", w.watched(ada), "weekly scie")
	for name, press := range map[string]func() testkit.Response{
		"a mail program": func() testkit.Response {
			return w.post(link, "application/x-www-form-urlencoded", "List-Unsubscribe=One-Click")
		},
		"the button": func() testkit.Response { b := w.browser(); return b.submit(p.form("unsubscribe"), nil).Response },
	} {
		testkit.Must(t, w.o.Accounts.SetDigest(t.Context(), account.ByAccount(ada.ID), ada.ID, account.Weekly))
		if r := press(); !r.Says("Vous ne recevrez plus de récapitulatif") {
			t.Errorf("%s: %s", name, r)
		}
		testkit.Equal(t, "after "+name, w.watched(ada), "never scie")
	}
	testkit.Equal(t, "another's", w.watched(bob), "weekly scie")
	if r := w.post("/compte/desabonnement?jeton="+url.QueryEscape(token), "text/plain", ""); r.Status != http.StatusNotFound {
		t.Errorf("it ends other mail: %s", r)
	}
}
