package portal_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/portal"
	"github.com/palmares-hq/palmares/internal/portal/keys"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A counter charges accounts and counts the requests of keys, as the API does.
type counter struct {
	*testing.T
	redis *quota.Redis
	today time.Time // midnight
}

// counted makes pages at 14:48 that show what the counter counts.
func counted(t *testing.T) (*world, counter) {
	t.Helper()
	redis, err := quota.NewRedis(redistest.URL(t))
	testkit.Must(t, err)
	t.Cleanup(redis.Close)
	testkit.Must(t, redis.Ping(t.Context())) // charges do not wait for a connection
	today := time.Now().UTC().Truncate(24 * time.Hour)
	now := func() time.Time { return today.Add(14*time.Hour + 48*time.Minute) }
	w := newWorld(t, func(o *portal.Options) {
		o.Now = now
		o.Usage = quota.NewUsage(quota.UsageOptions{Store: redis, Logger: slog.New(slog.DiscardHandler), Now: now})
	})
	return w, counter{t, redis, today}
}

// count makes n requests with a key, some days ago.
func (c counter) count(a account.Account, key string, ago, n int) {
	c.Helper()
	at := c.today.AddDate(0, 0, -ago)
	clock := func() time.Time { return at }
	limit := a.Plan.Limits().Daily
	meter := quota.New(quota.Options{
		Counter: patient{c.redis}, Secret: secret, Logger: slog.New(slog.DiscardHandler), Now: clock,
	})
	usage := quota.NewUsage(quota.UsageOptions{Store: c.redis, Logger: slog.New(slog.DiscardHandler), Now: clock})
	for range n {
		if limit == 0 || meter.Charge(meter.Account(a.ID), limit).Allowed {
			usage.Count(a.ID, key, limit == 0)
		}
	}
	testkit.Must(c, usage.Flush(c.Context()))
}

// patient waits for Redis however slow the machine is.
type patient struct{ *quota.Redis }

func (p patient) Add(ctx context.Context, key string, expires time.Time, first bool) (int, error) {
	return p.Redis.Add(context.WithoutCancel(ctx), key, expires, first)
}

// key makes a key of an account and returns its id.
func (w *world) key(a account.Account, name string) string {
	w.Helper()
	_, info, err := w.o.Accounts.CreateKey(w.Context(), account.Operator(), a.ID, name)
	testkit.Must(w, err)
	return info.ID
}

func TestUsage_ShowsWhatWasCharged(t *testing.T) {
	t.Parallel()
	w, c := counted(t)
	ada, bob := w.account("ada@example.org", account.Developer), w.account("bob@example.org", account.Pro)
	one, two, bobs := w.key(ada, "Production"), w.key(ada, "Portable d’Ada"), w.key(bob, "Bob")
	c.count(ada, one, 0, 600)
	c.count(ada, two, 0, 12)
	c.count(ada, one, 11, 1003) // three of them were refused
	c.count(ada, one, 29, 40)
	c.count(bob, bobs, 0, 1234)
	b := w.signedIn("ada@example.org")
	p := b.get("/compte/utilisation")
	full := c.today.AddDate(0, 0, -11)
	for _, want := range []string{
		`>612<small> / 1` + "\u202f" + `000</small>`, `aria-label="61` + "\u00a0" + `% du quota"`, `d="M1 1h610v24H1z"`, "388 requêtes restantes",
		"remise à zéro à 0\u00a0h\u00a0UTC, dans 9\u00a0h\u00a012",
		`<b class="num">1` + "\u202f" + `652</b> requêtes`, `<b class="num">55</b> par jour`, `class="bar over"`, `class="bar part1"`, `class="cap"`,
		"Quota atteint un jour sur les trente derniers.", "<code>ETag</code>", "Voir Pro",
		`data-l="Trente jours">1` + "\u202f" + `640<`, `data-l="Trente jours">12<`,
	} {
		if !p.Says(want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	testkit.Equal(t, "the page has a row for each day", strings.Count(p.Body, "<tr><td>"), 30)
	if day := fmt.Sprint(full.Day()); !strings.Contains(p.Body, "quota atteint le "+day) {
		t.Errorf("the day at the limit, %s, is not named", day)
	}
	if strings.Contains(p.Body, "Bob") || strings.Contains(p.Body, "234") {
		t.Error("the page shows what another account used")
	}

	file := b.get("/en/account/usage?format=csv")
	testkit.Equal(t, "the file", file.Header.Get("Content-Type")+" "+file.Header.Get("Content-Disposition"),
		`text/csv; charset=utf-8; header=present attachment; filename="usage-`+c.today.Format(time.DateOnly)+`.csv"`)
	rows, err := csv.NewReader(strings.NewReader(file.Body)).ReadAll()
	testkit.Must(t, err)
	sums := make(map[string]int)
	for _, row := range rows[1:] {
		n, err := strconv.Atoi(row[5])
		testkit.Must(t, err)
		sums[row[4]] += n
	}
	testkit.Equal(t, "requests by key in the file", sums, map[string]int{"Production": 1640, "Portable d’Ada": 12})

	pro := w.signedIn("bob@example.org").get("/en/account/usage")
	if !pro.Says(">1,234</span>") || !pro.Says("requests today, no limit") || strings.Contains(pro.Body, `class="cap"`) || strings.Contains(pro.Body, `class="gauge"`) {
		t.Errorf("without a limit: %s", pro)
	}
}

func TestUsage_SwitchesMail(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, bob := w.account("ada@example.org", account.Developer), w.account("bob@example.org", account.Developer)
	b := w.signedIn("ada@example.org")
	for _, on := range []bool{false, true} {
		f := b.get("/compte/utilisation").form("mail")
		testkit.Equal(t, "the box is ticked", f.fields.Get("usage"), map[bool]string{false: "1", true: ""}[on])
		f.fields.Del("usage")
		if on {
			f.fields.Set("usage", "1")
		}
		if p := b.follow(b.submit(f, nil)); !p.Says(`class="done"`) {
			t.Fatalf("after saving: %s", p)
		}
		testkit.Equal(t, "mail to ada, to bob", w.mailed(ada, bob), [][2]bool{{on, true}, {true, true}})
	}
}

// mailed is whether accounts get mail about usage and about endpoints.
func (w *world) mailed(accounts ...account.Account) (all [][2]bool) {
	w.Helper()
	for _, a := range accounts {
		a, err := w.o.Accounts.Show(w.Context(), account.Operator(), a.ID)
		testkit.Must(w, err)
		all = append(all, [2]bool{a.MailUsage, a.MailEndpoints})
	}
	return all
}

// silent is a store of usage that never answers.
type silent struct{}

func (silent) Read(ctx context.Context, _ string) ([]quota.DayUsage, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestUsage_WithoutCounters(t *testing.T) {
	t.Parallel()
	gone, err := quota.NewRedis(redistest.URL(t))
	testkit.Must(t, err)
	gone.Close()
	for name, tc := range map[string]struct {
		usage keys.UsageReader
		says  string
	}{
		"there are none":      {nil, "pas de compteur partagé"},
		"they are gone":       {quota.NewUsage(quota.UsageOptions{Store: gone, Logger: slog.New(slog.DiscardHandler)}), "Les compteurs ne répondent pas"},
		"they do not respond": {silent{}, "Les compteurs ne répondent pas"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(o *portal.Options) { o.Usage = tc.usage })
			ada := w.account("ada@example.org", account.Developer)
			w.key(ada, "Production")
			b := w.signedIn("ada@example.org")
			p := b.get("/compte/utilisation")
			if !p.Says(tc.says) || !p.Says("Production") || strings.Contains(p.Body, "<svg class=\"chart\"") {
				t.Errorf("the page: %s", p)
			}
			if r := b.submit(p.form("mail"), nil); r.Status != http.StatusSeeOther {
				t.Errorf("its form: %s", r)
			}
			if r := b.get("/compte/utilisation?format=csv"); r.Status != http.StatusServiceUnavailable || !strings.Contains(r.Body, tc.says) {
				t.Errorf("the file: %s", r)
			}
		})
	}
}
