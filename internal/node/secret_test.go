package node

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// Two nodes work on one database, and one of them has another PALMARES_SECRET. That one is not ready and
// says why, sends nothing to endpoints, and leaves mails whose links it cannot make to the other; what
// needs no secret, such as payments, it does. The other does all that waited.
func TestNodes_OneWithAnotherSecret(t *testing.T) {
	t.Parallel()
	db, receiver, mail := pgtest.Migrated(t), newReceiver(t), testkit.NewMailbox(t)
	s, p := openServices(t, db), newTill(t, db)
	subscribe(t, s, receiver)
	bob, err := s.Accounts.Create(t.Context(), account.Operator(), "bob@example.org", account.Developer)
	must(t, err)
	key, ada, _ := p.buy("ada@example.org")
	settings := p.settings("PALMARES_SMTP_URL="+mail.URL, "PALMARES_MAIL_FROM=noreply@palmares.test")

	lost := append(slices.Clone(settings), "PALMARES_SECRET="+strings.Repeat("lost", 8))
	site := startRoles(t, []string{API, Site}, db, lost...)
	wrong := startRoles(t, []string{Worker}, db, lost...)
	why := "not all jobs run: " + webhook.ErrWrongSecret.Error()
	wrong.readyz(http.StatusServiceUnavailable, why)
	wrong.metrics(map[string]float64{"palmares_jobs_running": 0})

	publishDir(t, db, fixtureCatalog)
	must(t, s.SignIns.Ask(t.Context(), ada.Email, account.French, "a browser", netip.MustParseAddr("192.0.2.7")))
	must(t, s.Accounts.Delete(t.Context(), account.Operator(), bob.ID))

	must(t, p.deliver(site))
	p.worked()
	site.tier(key, "pro")
	testkit.EventuallyTrue(t, "ada is told that she is on Pro, and has her invoice", func() bool { return len(mail.All(ada.Email)) == 2 })
	conn, err := pgx.Connect(t.Context(), db)
	must(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	waiting := func(kind string) (n int) {
		must(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM river_job WHERE kind = $1 AND metadata ? 'snoozes' AND
			state IN ('scheduled', 'available', 'running') AND errors IS NULL`, kind).Scan(&n))
		return n
	}
	for _, kind := range []string{webhook.FanOut{}.Kind(), account.SendSignIn{}.Kind(), account.MailDeletion{}.Kind()} {
		testkit.EventuallyTrue(t, kind+" waits for another node", func() bool { return waiting(kind) == 1 })
	}
	wrong.readyz(http.StatusServiceUnavailable, why)
	testkit.Equal(t, "deliveries", len(receiver.Requests()), 0)
	testkit.Equal(t, "mails", len(mail.All("")), 2)

	right := startRoles(t, []string{Worker}, db, settings...)
	right.ready()
	receives(t, receiver, 1)
	mail.Wait(t, bob.Email)
	testkit.EventuallyTrue(t, "the mail of the sign-in", func() bool {
		for _, m := range mail.All(ada.Email) {
			if strings.Contains(m.Text, "/compte/connexion/lien?jeton=") {
				return true
			}
		}
		return false
	})
	wrong.readyz(http.StatusServiceUnavailable, why)
	for _, log := range []string{wrong.log.String(), right.log.String()} {
		if strings.Contains(log, "a job failed") {
			t.Errorf("a job failed:\n%s", log)
		}
	}
}
