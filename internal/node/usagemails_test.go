package node

import (
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Whoever has used up the quota is told by mail once, and the link of the mail ends such mail. A
// worker whose Redis is away says so, and one that has it tells what was missed.
func TestWorker_TellsOwnersOfTheirUsage(t *testing.T) {
	t.Parallel()
	db, server, box := pgtest.Migrated(t), redistest.NewServer(t), testkit.NewMailbox(t)
	s := openServices(t, db)
	_, key := newKey(t, s, "ada@example.org", account.Developer)
	a, err := s.Accounts.Find(t.Context(), account.Operator(), "ada@example.org")
	must(t, err)
	useUp(t, server.URL(), a)
	must(t, open(t, db).Keys.Touch(t.Context(), []string{key.ID}, time.Now()))

	proxy := testkit.NewProxy(t, server.Addr())
	worker := func() *running {
		return startRoles(t, []string{Worker}, db, "PALMARES_REDIS_URL=redis://"+proxy.Addr, "PALMARES_BASE_URL=https://palmares.example",
			"PALMARES_SMTP_URL="+box.URL, "PALMARES_MAIL_FROM=noreply@palmares.test")
	}
	heal := proxy.Refuse()
	n := worker()
	n.logs("owners are not told that they are near their limit")
	n.stop()
	heal()
	testkit.Equal(t, "mails without Redis", len(box.All("")), 0)

	n = worker()
	m := box.Wait(t, "ada@example.org")
	n.metrics(map[string]float64{`palmares_usage_mails_total{outcome="sent"}`: 1})
	testkit.EventuallyTrue(t, "the age of the look is known", func() bool { return n.metric("palmares_usage_look_age_seconds") >= 0 })
	n.stop()
	testkit.Equal(t, "mails", len(box.All("")), 1)
	testkit.Equal(t, "List-Unsubscribe-Post", m.Header.Get("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click")
	u, err := url.Parse(strings.Trim(m.Header.Get("List-Unsubscribe"), "<>"))
	must(t, err)
	testkit.Equal(t, "where such mail ends", u.Host+u.Path, "palmares.example/compte/desabonnement")
	if !strings.Contains(m.Text, "https://palmares.example/compte/utilisation") || !slices.Contains(m.Links, u.String()) {
		t.Errorf("mail:\n%s", m.Text)
	}
	notices := account.NewNotices(account.NoticesOptions{Store: open(t, db).Accounts, Secrets: testkit.Ring(t, secret)})
	must(t, notices.Unsubscribe(t.Context(), u.Query().Get("jeton")))
	a, err = s.Accounts.Show(t.Context(), account.Operator(), a.ID)
	must(t, err)
	testkit.Equal(t, "wants mail about usage", a.MailUsage, false)
	log := n.log.String()
	told := slices.DeleteFunc(troubles(log), func(line string) bool { return strings.Contains(line, "does not answer") }) // on a busy machine, in time
	if strings.Contains(log, "ada@") || strings.Contains(log, "jeton") || len(told) != 0 {
		t.Errorf("log:\n%s", log)
	}
}

// useUp charges the account for all its requests of today, as nodes do.
func useUp(t *testing.T, redis string, a account.Account) {
	t.Helper()
	counter, err := quota.NewRedis(redis)
	must(t, err)
	counter.SetWait(time.Minute)
	defer counter.Close()
	testkit.Eventually(t, func() error { return counter.Ping(t.Context()) })
	// The next day's, too: it may begin before anybody looks.
	for _, day := range []time.Time{time.Now(), time.Now().AddDate(0, 0, 1)} {
		meter := quota.New(quota.Options{Counter: counter, Secret: []byte(secret), Logger: slog.New(slog.DiscardHandler), Wait: time.Minute, Now: func() time.Time { return day }})
		testkit.Eventually(t, func() error {
			for range 100 {
				meter.Charge(meter.Account(a.ID), 1_000_000)
			}
			charged, err := counter.Charged(t.Context(), []string{a.ID}, day)
			if err == nil && charged[0] < a.Plan.Limits().Daily {
				err = errors.New("not all are charged")
			}
			return err
		})
	}
}
