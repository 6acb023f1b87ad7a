package portal_test

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/portal"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// MailsPerRecipient mails an hour reach a mailbox, whatever tag stands before its @ and however its domain is
// spelt.
func TestAsk_CountsAMailboxOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	form := b.get("/compte/connexion").form("ask")
	for i := range 40 {
		b.from = client(i)
		email := fmt.Sprintf("ada+%d@Société.example", i)
		if i%2 == 1 {
			email = fmt.Sprintf("Ada+%d@xn--socit-esab.example", i)
		}
		if p := b.submit(form, map[string]string{"email": email}); !p.OK() {
			t.Fatalf("asking for %s: %s", email, p)
		}
	}
	testkit.Equal(t, "mails", w.outcomes(), map[account.MailOutcome]int{
		account.MailSent: account.MailsPerRecipient, account.MailLimited: 40 - account.MailsPerRecipient,
	})
}

// With closed sign-up, and for blocked domains, wrong codes get the same answers as often, whether or
// not there is an account.
func TestCode_DoesNotTellWhoHasAnAccount(t *testing.T) {
	t.Parallel()
	for _, open := range []bool{true, false} {
		w := newWorld(t, func(o *portal.Options) { o.Open = open })
		w.account("known@blocked.example", account.Developer)
		var want []string
		for i, email := range []string{"known@blocked.example", "stranger@blocked.example"} {
			b := w.browser()
			b.from = client(i)
			p := b.ask(email)
			mails := w.outcomes()
			testkit.Equal(t, "mails", mails[account.MailSent], 1)
			var got []string
			for _, code := range []string{"000001", "000002", "000 003", "000004", "000005", "000006", "000007"} {
				if codeIs(w, email, code) {
					t.Skip("the code was guessed")
				}
				got = append(got, answerTo(b.submit(p.form("code"), map[string]string{"code": code}), email))
			}
			if want == nil {
				want = got
			}
			for n := range got {
				testkit.Equal(t, fmt.Sprintf("open %v: answer %d for %s", open, n+1, email), got[n], want[n])
			}
		}
		if want[0] == want[6] || want[0] != want[3] {
			t.Errorf("five wrong codes do not end it:\n%s\n%s", want[3], want[6])
		}
	}
}

// wrongCode is a code that is not the mail's.
func wrongCode(m account.SignInMail) string {
	if m.Code == "000000" {
		return "000001"
	}
	return "000000"
}

// codeIs reports whether a code is the one of the last sign-in of an address.
func codeIs(w *world, email, code string) bool {
	w.Helper()
	found := false
	for _, id := range w.strings(`SELECT id::text FROM sign_ins WHERE email = $1 AND sent_at IS NOT NULL`, email) {
		_, err := w.signIns.Mail(w.Context(), id, func(_ context.Context, m account.SignInMail) error { found = m.Code == code; return nil })
		testkit.Must(w, err)
	}
	return found
}

// Ten wrong codes a day can be typed for an address, in whatever browsers and from wherever: then its
// codes sign nobody in, and its links do. A day later codes work again.
func TestCode_TenWrongOnesADay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pass(0)
	const email = "ada@example.org"
	var b *browser
	var m account.SignInMail
	var p page
	asks := 0
	ask := func() {
		t.Helper()
		asks++
		w.pass(13 * time.Minute)
		b = w.browser()
		b.from = client(asks)
		p = b.ask(email)
		m = w.mail()
	}
	for range 3 {
		ask()
		for range 4 {
			b.submit(p.form("code"), map[string]string{"code": wrongCode(m)})
		}
	}
	if r := b.submit(p.form("code"), map[string]string{"code": m.Code}); r.Status != http.StatusUnprocessableEntity || b.in() {
		t.Errorf("the right code after 10 wrong ones: %s", r)
	}
	ask()
	if m.Code != "" {
		t.Errorf("the next mail has a code")
	}
	b.submit(b.get("/compte/connexion/lien?jeton="+m.Token).form("enter"), nil)
	if !b.in() {
		t.Error("the link did not sign in")
	}
	w.pass(24 * time.Hour)
	ask()
	b.submit(p.form("code"), map[string]string{"code": m.Code})
	if !b.in() {
		t.Error("a day later the code did not sign in")
	}
}

// A stranger who uses up the mails to an address does not lock its owner out: the last mail works in
// the owner's own browser, by its link or its code, until another can be sent.
func TestAsk_NobodyLocksAnOwnerOut(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"link", "code", "reserve"} {
		w := newWorld(t)
		w.pass(0)
		const email = "ada@example.org"
		w.account(email, account.Developer)
		stranger := w.browser()
		var last account.SignInMail
		for i := range 7 {
			stranger.from = client(i)
			to := email
			if by == "reserve" { // the tags that have no account use up the mailbox
				to = fmt.Sprintf("ada+%d@example.org", i)
			}
			p := stranger.ask(to)
			if m := w.mail(); m.To != "" {
				last = m
			}
			if i == 6 {
				for range 6 { // wrong codes in the stranger's browser do not end the owner's mail
					stranger.submit(p.form("code"), map[string]string{"code": wrongCode(last)})
				}
			}
		}
		w.pass(40 * time.Minute)
		owner := w.browser()
		owner.from = client(100)
		p := owner.ask(email)
		own := w.mail()
		switch by {
		case "reserve":
			testkit.Equal(t, "the owner's mail", own.To, email)
			last = own
		default:
			testkit.Equal(t, by+": a mail beyond the limit", own.To, "")
			testkit.Equal(t, by+": the last mail", last.To, email)
		}
		switch by {
		case "link":
			owner.submit(owner.get("/compte/connexion/lien?jeton="+last.Token).form("enter"), nil)
		default:
			owner.submit(p.form("code"), map[string]string{"code": last.Code})
		}
		if !owner.in() {
			t.Errorf("%s: the owner is locked out", by)
		}
		elsewhere := w.browser()
		elsewhere.submit(elsewhere.get("/compte/connexion/lien?jeton="+last.Token).form("enter"), nil)
		if elsewhere.in() {
			t.Errorf("%s: a browser that never asked is signed in", by)
		}

		// Who has signed in by the last mail and asks again is not locked out either.
		again := w.browser()
		again.from = client(101)
		p = again.ask(email)
		again.submit(p.form("code"), map[string]string{"code": w.mail().Code})
		if !again.in() {
			t.Errorf("%s: the owner's second browser is locked out", by)
		}
	}
}

// A network may make so many accounts a day, an IPv4 address ten times as many as a /64. Accounts
// that exist sign in all the same.
func TestSignIn_NewAccountsPerNetworkAndDay(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		from  func(i int) string
		limit int
		other string
	}{
		"IPv4": {func(int) string { return "203.0.113.7" }, account.NewPerIPv4, "203.0.113.8"},
		"/64":  {func(i int) string { return fmt.Sprintf("2001:db8:0:7::%x", i+1) }, account.NewPer64, "2001:db8:0:8::1"},
		"/56":  {func(i int) string { return fmt.Sprintf("2001:db8:0:7%02x::1", i/10) }, account.NewPer56, "2001:db8:0:800::1"},
		"/48":  {func(i int) string { return fmt.Sprintf("2001:db8:0:%x00::1", i/10) }, account.NewPer48, "2001:db8:1::1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.pass(0)
			b := w.browser()
			enter := func(from, email string) page {
				t.Helper()
				b = w.browser()
				b.from = client(len(email) + int(w.clock().UnixNano()%1e6)) // whoever asks, who enters counts
				p := b.ask(email)
				m := w.mailTo(email)
				b.from = from
				return b.submit(p.form("code"), map[string]string{"code": m.Code})
			}
			for i := range tt.limit {
				w.signedUp(tt.from(i))
			}
			if p := enter(tt.from(tt.limit-1), "more@example.org"); p.Status != http.StatusTooManyRequests || b.in() {
				t.Errorf("one too many: %s", p)
			}
			for _, email := range []string{"a-known@example.org"} {
				w.account(email, account.Developer)
				if enter(tt.from(tt.limit-1), email); !b.in() {
					t.Error("an account that exists does not get in")
				}
			}
			if enter(tt.other, "other@example.org"); !b.in() {
				t.Error("another network does not get in")
			}
			w.pass(24*time.Hour + time.Second)
			if enter(tt.from(tt.limit-1), "tomorrow@example.org"); !b.in() {
				t.Error("a day later nobody gets in")
			}
		})
	}
}

// mailTo makes the mail of the only sign-in of an address.
func (w *world) mailTo(email string) (m account.SignInMail) {
	w.Helper()
	for _, id := range w.strings(`SELECT id::text FROM sign_ins WHERE email = $1`, email) {
		_, err := w.signIns.Mail(w.Context(), id, func(_ context.Context, mail account.SignInMail) error { m = mail; return nil })
		testkit.Must(w, err)
	}
	return m
}

// signedUp makes an account as one who signs up from an address does.
func (w *world) signedUp(from string) {
	w.Helper()
	w.made++
	email := fmt.Sprintf("new-%d@example.org", w.made)
	cookie := "the cookie of " + email
	testkit.Must(w, w.signIns.Ask(w.Context(), email, account.French, cookie, addr(from)))
	_, err := w.signIns.RedeemLink(w.Context(), w.mailTo(email).Token, cookie, addr(from))
	testkit.Must(w, err)
}

func addr(s string) netip.Addr { return netip.MustParseAddr(s) }

// sent does the jobs of the mails that were released and returns to whom they were sent.
func (w *world) sent() (to []string) {
	w.Helper()
	for _, id := range w.strings(`UPDATE river_job SET state = 'completed', finalized_at = now() WHERE state = 'available' RETURNING args->>'id'`) {
		_, err := w.signIns.Mail(w.Context(), id, func(_ context.Context, m account.SignInMail) error { to = append(to, m.To); return nil })
		testkit.Must(w, err)
	}
	return to
}

// Everything from one /48, each request from another of its /64: what is over the bounds waits, and
// nobody is refused.
func TestAsk_ANetworkWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pass(0)
	b := w.browser()
	form := b.get("/compte/connexion").form("ask")
	const asks = account.MailsPer48 + 80
	for i := range asks {
		b.from = fmt.Sprintf("2001:db8:1:%x::1", i*251%65536)
		if p := b.submit(form, map[string]string{"email": fmt.Sprintf("a%d@example.org", i)}); !p.OK() {
			t.Fatalf("time %d: %s", i, p)
		}
	}
	sent := 0
	for range 70 { // a minute's worth of mails, at the ceiling
		d, err := w.signIns.Dispatch(w.Context())
		testkit.Must(w, err)
		sent += d.Released
		w.sent() // jobs are quick
		w.pass(time.Second)
	}
	testkit.Equal(t, "mails released", sent, account.MailsPer48)
	waiting, _, err := w.signIns.Waiting(w.Context())
	testkit.Must(t, err)
	testkit.Equal(t, "mails that wait", waiting.New, asks-account.MailsPer48)
	b.from = "2001:db8:2::1"
	b.submit(form, map[string]string{"email": "legit@example.org"})
	_, err = w.signIns.Dispatch(w.Context())
	testkit.Must(t, err)
	testkit.Equal(t, "who was sent a mail from another network", slices.Contains(w.sent(), "legit@example.org"), true)
	w.pass(time.Hour)
	for range 70 {
		d, err := w.signIns.Dispatch(w.Context())
		testkit.Must(w, err)
		sent += d.Released
		w.sent()
		w.pass(time.Second)
	}
	testkit.Equal(t, "mails released an hour later", sent, asks)
}
