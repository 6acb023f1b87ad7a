package node

import (
	"io"
	"maps"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"
	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/mail/mailbox"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A relay is an SMTP server that keeps texts by recipient, with those that are attached. It refuses
// gone@… for good, and busy@… the first time.
type relay struct {
	addr string
	mu   sync.Mutex
	text map[string][]string
	busy bool
}

func newRelay(t *testing.T) *relay {
	t.Helper()
	r := &relay{text: make(map[string][]string)}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &relaySession{relay: r}, nil }))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	r.addr = listener.Addr().String()
	var serving sync.WaitGroup
	serving.Go(func() { server.Serve(listener) })
	t.Cleanup(func() { server.Close(); serving.Wait() })
	return r
}

// received is the text of the last mail to an address; "" without any.
func (r *relay) received(to string) string {
	all := r.saying(to, "")
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// saying are the texts of the mails to an address that have a part.
func (r *relay) saying(to, part string) (found []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, text := range r.text[to] {
		if strings.Contains(text, part) {
			found = append(found, text)
		}
	}
	return found
}

type relaySession struct {
	*relay
	to string
}

func (s *relaySession) Reset()                               {}
func (s *relaySession) Logout() error                        { return nil }
func (s *relaySession) Mail(string, *smtp.MailOptions) error { return nil }

func (s *relaySession) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch name, _, _ := strings.Cut(to, "@"); {
	case name == "gone":
		return &smtp.SMTPError{Code: 550, Message: "no mailbox " + to}
	case name == "busy" && !s.busy:
		s.busy = true
		return &smtp.SMTPError{Code: 451, Message: "later, " + to}
	}
	s.to = to
	return nil
}

func (s *relaySession) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	m, err := mailbox.Parse(raw)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	text := m.Header.Get("Message-ID") + "\n" + m.Text + "\n" + m.HTML
	for _, name := range slices.Sorted(maps.Keys(m.Files)) {
		text += "\n" + name + ": " + m.Files[name]
	}
	s.text[s.to] = append(s.text[s.to], text)
	return nil
}

// Asking for a mail ends in a mail that signs in, or in none, and is counted. Neither the log nor
// the jobs show an address or a secret.
func TestWorker_SendsSignInMails(t *testing.T) {
	t.Parallel()
	db, relay := pgtest.Migrated(t), newRelay(t)
	n := startRoles(t, []string{Worker}, db, "PALMARES_SMTP_URL=smtp://"+relay.addr, "PALMARES_MAIL_FROM=noreply@palmares.test",
		"PALMARES_BASE_URL=https://palmares.test", "PALMARES_SIGNUP_BLOCKED=blocked.example", "PALMARES_LOG_LEVEL=debug")
	accounts, err := n.b.accounts(t.Context(), n.b.workerPool())
	must(t, err)
	signIns := accounts.SignIns
	ask := func(email string, lang account.Language) {
		t.Helper()
		must(t, signIns.Ask(t.Context(), email, lang, "cookie of "+email, netip.MustParseAddr("2001:db8::1")))
	}
	ask("busy@example.org", account.French)
	ask("new@example.org", account.English)
	ask("gone@example.org", account.French)
	ask("new@blocked.example", account.French)
	for range account.MailsPerRecipient + 1 {
		ask("many@example.org", account.French)
	}
	for outcome, want := range map[string]float64{"sent": 2 + account.MailsPerRecipient, "refused": 1, "blocked": 1, "limited": 1} {
		n.metrics(map[string]float64{`palmares_signin_mails_total{outcome="` + outcome + `"}`: want})
	}
	var secrets []string
	for email, link := range map[string]string{
		"new@example.org":  `https://palmares\.test/en/account/sign-in/link\?jeton=(\S+)`,
		"busy@example.org": `https://palmares\.test/compte/connexion/lien\?jeton=(\S+)`,
	} {
		text := relay.received(email)
		token, code := regexp.MustCompile(link).FindStringSubmatch(text), regexp.MustCompile(`\b(\d{3} \d{3})\b`).FindString(text)
		if token == nil || code == "" || !strings.HasPrefix(text, "<sign-in-") {
			t.Fatalf("the mail to %s:\n%s", email, text)
		}
		secrets = append(secrets, token[1], code, strings.ReplaceAll(code, " ", ""))
		var a account.Account
		if email == "new@example.org" {
			a, err = signIns.RedeemLink(t.Context(), token[1], "cookie of "+email, netip.Addr{})
		} else {
			a, err = signIns.RedeemCode(t.Context(), code, "cookie of "+email, netip.Addr{})
		}
		must(t, err)
		testkit.Equal(t, "the account's address", a.Email, email)
	}
	n.stop()
	log := n.log.String()
	if !strings.Contains(log, "the mail server refused") || !strings.Contains(log, "a job failed; it is tried again") {
		t.Errorf("the log does not tell what went wrong:\n%s", log)
	}
	conn, err := pgx.Connect(t.Context(), db)
	must(t, err)
	defer conn.Close(t.Context())
	var jobs string
	must(t, conn.QueryRow(t.Context(), `SELECT string_agg(j::text, ' ') FROM river_job j`).Scan(&jobs))
	for _, secret := range append(secrets, "@example.org", "@blocked.example", "cookie of") {
		if strings.Contains(log, secret) || strings.Contains(jobs, secret) {
			t.Errorf("%q is in the log or in a job", secret)
		}
	}
	if !strings.Contains(jobs, "account_sign_in") {
		t.Errorf("the jobs: %s", jobs)
	}
}
