package portal_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/portal"
	"github.com/palmares-hq/palmares/internal/portal/signin"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// client is one of many clients.
func client(i int) string { return fmt.Sprintf("198.%d.%d.%d", 18+i>>16, i>>8&255, i&255) }

// outcomes counts what the jobs make of all sign-ins.
func (w *world) outcomes() map[account.MailOutcome]int {
	w.Helper()
	counts := make(map[account.MailOutcome]int)
	for _, id := range w.strings(`SELECT id::text FROM sign_ins`) {
		outcome, err := w.signIns.Mail(w.Context(), id, func(context.Context, account.SignInMail) error { return nil })
		testkit.Must(w, err)
		counts[outcome]++
	}
	return counts
}

var formTokens = regexp.MustCompile(`name="jeton" value="[^"]*"`)

// answerTo is all of a response but form tokens, the address, what is made of both, and what numbers
// and dates it.
func answerTo(p page, email string) string {
	header := p.Header.Clone()
	for _, name := range []string{"Date", "X-Request-Id", "Etag", "Content-Length", "Set-Cookie"} {
		header.Del(name)
	}
	text := formTokens.ReplaceAllString(strings.ReplaceAll(p.Body, email, "ADDRESS"), "TOKEN")
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(header)) {
		fmt.Fprintln(&b, name, header[name])
	}
	return fmt.Sprint(p.Status, "\n", b.String(), text)
}

// However often mail to one address is asked for, from however many clients: MailsPerRecipient are sent in an
// hour, and all answers are the same. With PALMARES_LONG=1 it is asked for 10,000 times.
func TestAsk_SendsSoManyMailsAnHour(t *testing.T) {
	t.Parallel()
	asks := 60
	if testkit.Long() {
		asks = 10_000
	}
	const email = "ada@example.org"
	w := newWorld(t)
	b := w.browser()
	form := b.get("/compte/connexion").form("ask")
	first := ""
	for i := range asks {
		b.from = client(i)
		got := answerTo(b.submit(form, map[string]string{"email": email}), email)
		if i == 0 {
			first = got
		}
		if got != first || !strings.HasPrefix(got, "200\n") {
			t.Fatalf("answer %d differs:\n%s\nfrom the first:\n%s", i, got, first)
		}
	}
	testkit.Equal(t, "mails", w.outcomes(), map[account.MailOutcome]int{
		account.MailSent: account.MailsPerRecipient, account.MailLimited: asks - account.MailsPerRecipient,
	})
}

// The answer does not tell addresses that have an account from those that have none, may have none,
// or are at their limit. The jobs do.
func TestAsk_AnswersAllAlike(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.account("known@example.org", account.Pro)
	limited := w.browser()
	for i := range account.MailsPerRecipient {
		limited.from = client(i)
		limited.ask("limited@example.org")
	}
	var want string
	for i, email := range []string{"unknown@example.org", "known@example.org", "new@blocked.example", "limited@example.org"} {
		b := w.browser()
		b.from = client(100 + i)
		got := answerTo(b.ask(email), email)
		if want == "" {
			want = got
		}
		if got != want || !strings.Contains(got, "ADDRESS") || !strings.Contains(got, "TOKEN") {
			t.Errorf("the answer for %s:\n%s\nwant:\n%s", email, got, want)
		}
	}
	testkit.Equal(t, "what the jobs decide", w.outcomes(), map[account.MailOutcome]int{
		account.MailSent: account.MailsPerRecipient + 2, account.MailBlocked: 1, account.MailLimited: 1,
	})
}

// A client may ask ClientLimit times an hour, and no other client feels it. The addresses of an IPv6 network
// are one client.
func TestAsk_IsLimitedPerClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	most := signin.ClientLimit.Most
	for _, tt := range []struct {
		from  func(i int) string
		other string
	}{
		{func(int) string { return "203.0.113.7" }, "203.0.113.8"},
		{func(i int) string { return fmt.Sprintf("2001:db8:0:7::%x", i) }, "2001:db8:0:8::1"},
	} {
		b := w.browser()
		form := b.get("/compte/connexion").form("ask")
		ask := func(from, email string) page {
			b.from = from
			return b.submit(form, map[string]string{"email": email})
		}
		for i := range most {
			if p := ask(tt.from(i), fmt.Sprintf("a%d@example.org", i)); !p.OK() {
				t.Fatalf("%s, time %d: %s", tt.from(i), i+1, p)
			}
		}
		rows := w.strings(`SELECT count(*)::text FROM sign_ins`)
		p := ask(tt.from(most), "more@example.org")
		if p.Status != http.StatusTooManyRequests || p.Header.Get("Retry-After") != "3600" || !strings.Contains(p.Body, "Réessayez dans une heure") {
			t.Errorf("%s, too often: %s", tt.from(most), p)
		}
		testkit.Equal(t, "rows after a refusal", w.strings(`SELECT count(*)::text FROM sign_ins`), rows)
		if p := ask(tt.other, "other@example.org"); !p.OK() {
			t.Errorf("another client: %s", p)
		}
	}
}

// The page says who cannot sign in and why, and then has no form that would fail.
func TestAsk_SaysWhatIsNotPossible(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		change func(*portal.Options)
		says   [2]string // French, English
		form   bool
	}{
		{func(o *portal.Options) { o.Open = false }, [2]string{"Les inscriptions sont fermées", "Sign-up is closed"}, true},
		{func(o *portal.Options) { o.BaseURL = "" }, [2]string{"PALMARES_BASE_URL", "PALMARES_BASE_URL"}, false},
		{func(o *portal.Options) { o.BaseURL = "http://palmares.example" }, [2]string{"n’est pas en https", "is not https"}, false},
		{func(o *portal.Options) { o.Mail = false }, [2]string{"n’envoie pas d’e-mail", "sends no e-mail"}, false},
		{func(o *portal.Options) { o.BaseURL = "http://localhost:8080" }, [2]string{"Une adresse, et c’est tout", "Sign in with your e-mail"}, true},
		{func(o *portal.Options) { o.BaseURL = "http://[::1]:8080" }, [2]string{"Une adresse, et c’est tout", "Sign in with your e-mail"}, true},
	} {
		w := newWorld(t, tt.change)
		for i, path := range []string{"/compte/connexion", "/en/account/sign-in"} {
			p := w.browser().get(path)
			asks := slices.ContainsFunc(p.forms, func(f form) bool { return slices.Contains(f.actions, "ask") })
			if !p.Says(tt.says[i]) || asks != tt.form {
				t.Errorf("%s: want %q and a form: %v, got %s", path, tt.says[i], tt.form, p.Body)
			}
		}
	}
}
