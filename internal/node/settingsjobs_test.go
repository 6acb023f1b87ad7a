package node

import (
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/workers"
)

// Both mailboxes get a link that confirms a change of address, and the last mail of a deleted account
// goes to the address that it had.
func TestWorker_MailsAboutSettings(t *testing.T) {
	t.Parallel()
	db, box := pgtest.Migrated(t), testkit.NewMailbox(t)
	n := startRoles(t, []string{Worker}, db, "PALMARES_SMTP_URL="+box.URL,
		"PALMARES_MAIL_FROM=noreply@palmares.test", "PALMARES_BASE_URL=https://palmares.test")
	s := openServices(t, db)
	a, err := s.Accounts.Create(t.Context(), account.Operator(), "old@example.org", account.Developer)
	must(t, err)
	by := account.ByAccount(a.ID)
	must(t, s.Accounts.SetLanguage(t.Context(), by, a.ID, account.English))
	changes := account.NewEmailChanges(open(t, db).Accounts, testkit.Ring(t, secret), nil)
	must(t, changes.Ask(t.Context(), by, a.ID, "new@example.com"))
	link := regexp.MustCompile(`https://palmares\.test/en/account/settings/address\?token=([\w-]+)`)
	hidden := []string{"old@example.org", "new@example.com"}
	for _, to := range []string{"old@example.org", "new@example.com"} {
		found := link.FindStringSubmatch(box.Wait(t, to).Text)
		if found == nil {
			t.Fatalf("the mail to %s has no link", to)
		}
		_, err := changes.Confirm(t.Context(), found[1])
		must(t, err)
		hidden = append(hidden, found[1])
	}
	must(t, s.Accounts.Delete(t.Context(), account.Operator(), a.ID))
	if got := box.Wait(t, "new@example.com"); !strings.Contains(string(got.Raw), "<farewell-"+a.ID+"@") {
		t.Errorf("the last mail:\n%s", got.Raw)
	}
	n.stop() // ends when jobs have ended
	testkit.Equal(t, "mails", len(box.All("")), 3)
	for _, text := range hidden {
		if strings.Contains(n.log.String(), text) {
			t.Errorf("the log has %s", text)
		}
	}
}

// An owner who wants no mail about endpoints gets none.
func TestTellDisabled_RespectsTheOwner(t *testing.T) {
	t.Parallel()
	url := pgtest.Migrated(t)
	s := openServices(t, url)
	id := subscribe(t, s, newReceiver(t))
	a, err := s.Accounts.Find(t.Context(), account.Operator(), "owner@example.org")
	must(t, err)
	must(t, s.Accounts.SetSwitch(t.Context(), account.ByAccount(a.ID), a.ID, account.EndpointMail, false))
	mails := workers.New(workers.Options{DB: open(t, url), Registry: prometheus.NewRegistry()})
	must(t, mails.TellDisabled(t.Context(), s.Accounts, id)) // a mail would need a sender
}
