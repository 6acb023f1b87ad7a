package portal_test

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// settings asks for the page of settings.
func (b *browser) settings() page { b.Helper(); return b.get("/compte/reglages") }

// reread reads an account as it is now.
func (w *world) reread(a account.Account) account.Account {
	w.Helper()
	a, err := w.o.Accounts.Show(w.Context(), account.Operator(), a.ID)
	testkit.Must(w, err)
	return a
}

func TestSettings_Preferences(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.account("ada@example.org", account.Developer)
	b := w.signedIn("ada@example.org")

	f := b.settings().form("preferences")
	f.fields.Del("mail-usage")
	r := b.submit(f, map[string]string{"language": "en"})
	testkit.Equal(t, "after English was chosen", r.Location, "/en/account/settings?fait=preferences-saved")
	if p := b.follow(r); !p.Says("Your preferences are saved.") || !p.Says(`lang="en"`) {
		t.Errorf("after English was chosen: %s", p)
	}
	got := w.reread(a)
	testkit.Equal(t, "language", got.Language, account.English)
	testkit.Equal(t, "mail about usage, about endpoints", []bool{got.MailUsage, got.MailEndpoints}, []bool{false, true})

	// A fault changes nothing and keeps what was chosen.
	f = b.settings().form("preferences")
	f.fields.Set("mail-usage", "1")
	r = b.submit(f, map[string]string{"language": "de"})
	if r.Status != http.StatusUnprocessableEntity || !strings.Contains(r.Body, `href="#language"`) {
		t.Errorf("a language that there is not: %s", r)
	}
	if kept := r.form("preferences"); !kept.fields.Has("mail-usage") || w.reread(a).MailUsage {
		t.Errorf("after the fault: %v", kept.fields)
	}

	// What another tab has changed meanwhile stays.
	f = b.settings().form("preferences")
	testkit.Must(t, w.o.Accounts.SetSwitch(t.Context(), account.Operator(), a.ID, account.UsageMail, true))
	testkit.Must(t, w.o.Accounts.SetLanguage(t.Context(), account.Operator(), a.ID, account.French))
	f.fields.Del("mail-endpoints")
	r = b.submit(f, nil)
	testkit.Equal(t, "the page after that", r.Location, "/compte/reglages?fait=preferences-saved")
	got = w.reread(a)
	testkit.Equal(t, "language", got.Language, account.French)
	testkit.Equal(t, "mail about usage, about endpoints", []bool{got.MailUsage, got.MailEndpoints}, []bool{true, false})

	// Saving what is so already writes no line of the log.
	before := len(w.activity(a))
	b.submit(b.settings().form("preferences"), nil)
	testkit.Equal(t, "lines of the log", len(w.activity(a)), before)
}

// Tabs that are open at the same time and saved one after the other keep what each of them changed.
func TestSettings_TabsKeepEachOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	want := w.account("ada@example.org", account.Developer)
	b := w.signedIn("ada@example.org")
	for _, turned := range []string{"off", "on again"} {
		tabs := make(map[account.Switch]form)
		for _, name := range account.Switches() {
			tabs[name] = b.settings().form("preferences")
		}
		for name, tab := range tabs {
			on := want.Switch(name)
			*on = !*on
			box := strings.ReplaceAll(string(name), "_", "-")
			tab.fields.Del(box)
			if *on {
				tab.fields.Set(box, "1")
			}
			b.submit(tab, nil)
			testkit.Equal(t, "the settings after "+box+" was turned "+turned, w.reread(want).Settings, want.Settings)
		}
	}
	tab := b.settings().form("preferences")
	testkit.Must(t, w.o.Accounts.SetSwitch(t.Context(), account.Operator(), want.ID, account.UsageMail, false))
	b.submit(tab, map[string]string{"language": "en"})
	want.Language, want.MailUsage = account.English, false
	testkit.Equal(t, "the settings after the language", w.reread(want).Settings, want.Settings)
}

func (w *world) activity(a account.Account) []account.Activity {
	w.Helper()
	list, err := w.o.Accounts.Activity(w.Context(), account.Operator(), a.ID, 1000)
	testkit.Must(w, err)
	return list
}

// tokens makes the two mails of the pending change of address, as the jobs do.
func (w *world) tokens(a account.Account) (tokens map[account.Mailbox]string) {
	w.Helper()
	var id string
	testkit.Must(w, w.pool.QueryRow(w.Context(), `SELECT id::text FROM email_changes WHERE account_id = $1`, a.ID).Scan(&id))
	tokens = make(map[account.Mailbox]string)
	for _, box := range []account.Mailbox{account.OldMailbox, account.NewMailbox} {
		testkit.Must(w, w.o.EmailChanges.Mail(w.Context(), account.MailChange{Change: id, Mailbox: box},
			func(_ context.Context, l account.ChangeMail) error { tokens[box] = l.Token; return nil }))
	}
	return tokens
}

func TestSettings_Address(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.account("ada@example.org", account.Developer)
	b, anybody := w.signedIn("ada@example.org"), w.browser()
	for _, typed := range []string{"ada", "ADA@example.org"} {
		r := b.submit(b.settings().form("address"), map[string]string{"email": typed})
		if r.Status != http.StatusUnprocessableEntity || !strings.Contains(r.Body, `href="#email"`) {
			t.Errorf("the address %s: %s", typed, r)
		}
		testkit.Equal(t, "what was typed", r.form("address").fields.Get("email"), typed)
	}

	ask := func(email string) page {
		return b.follow(b.submit(b.settings().form("address"), map[string]string{"email": email}))
	}
	if p := ask("new@example.com"); !p.Says("new@example.com") || strings.Count(p.Body, "en attente") != 2 {
		t.Fatalf("after asking: %s", p)
	}
	p := b.follow(b.submit(b.settings().form("cancel-address"), nil))
	if p.Says("new@example.com") || !p.Says("annulé") {
		t.Errorf("after cancelling: %s", p)
	}

	ask("ada@example.com")
	tokens := w.tokens(a)
	confirm := func(box account.Mailbox) page {
		link := anybody.get("/compte/reglages/adresse?token=" + tokens[box])
		if w.reread(a).Email != "ada@example.org" {
			t.Error("looking at the page of a link changed the address")
		}
		return anybody.submit(link.form("confirm"), nil)
	}
	if r := confirm(account.NewMailbox); !r.Says("Reste l’ancienne") {
		t.Errorf("the new mailbox: %s", r)
	}
	if p := b.settings(); strings.Count(p.Body, "en attente") != 1 {
		t.Errorf("after one mailbox: %s", p)
	}
	if r := confirm(account.OldMailbox); !r.Says("a sa nouvelle adresse") {
		t.Errorf("the old mailbox: %s", r)
	}
	testkit.Equal(t, "the address", w.reread(a).Email, "ada@example.com")
	if p := b.settings(); !p.Says("ada@example.com") || p.Says("en attente") {
		t.Errorf("after both mailboxes: %s", p)
	}
	again := anybody.get("/en/account/settings/address?token=" + tokens[account.OldMailbox])
	if r := anybody.submit(again.form("confirm"), nil); r.Status != http.StatusUnprocessableEntity || !strings.Contains(r.Body, "no longer valid") {
		t.Errorf("the link once more: %s", r)
	}
}

// An address that another account gets first is nobody else's.
func TestSettings_AddressTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.account("ada@example.org", account.Developer)
	b := w.signedIn("ada@example.org")
	b.submit(b.settings().form("address"), map[string]string{"email": "new@example.com"})
	tokens := w.tokens(a)
	w.account("new@example.com", account.Developer)
	confirm := func(box account.Mailbox) page {
		return b.submit(b.get("/compte/reglages/adresse?token="+tokens[box]).form("confirm"), nil)
	}
	if r := confirm(account.OldMailbox); !r.Says("Reste la nouvelle") {
		t.Errorf("the old mailbox: %s", r)
	}
	if r := confirm(account.NewMailbox); r.Status != http.StatusConflict || w.reread(a).Email != "ada@example.org" {
		t.Errorf("the new mailbox: %s", r)
	}
}

func TestSettings_Sessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.account("ada@example.org", account.Developer)
	bob := w.account("bob@example.org", account.Developer)
	this, second, third := w.signedIn("ada@example.org"), w.signedIn("ada@example.org"), w.signedIn("ada@example.org")
	other := w.signedIn("bob@example.org")

	p := this.settings()
	testkit.Equal(t, "sessions marked as this one", strings.Count(p.Body, "celle-ci"), 1)
	sessions, err := w.o.Accounts.Sessions(t.Context(), account.Operator(), bob.ID)
	testkit.Must(t, err)
	r := this.submit(p.form("end-session"), map[string]string{"id": sessions[0].ID})
	if r.Status != http.StatusNotFound || !other.in() {
		t.Errorf("ending the session of another account: %s", r)
	}
	this.submit(p.form("end-session"), nil) // the newest of the others
	testkit.Equal(t, "who is signed in", []bool{this.in(), second.in(), third.in()}, []bool{true, true, false})
	this.submit(this.settings().form("end-others"), nil)
	testkit.Equal(t, "who is signed in", []bool{this.in(), second.in(), other.in()}, []bool{true, false, true})

	second = w.signedIn("ada@example.org")
	p = this.follow(this.submit(this.settings().form("sign-out-everywhere"), nil))
	if !p.Says("Toutes vos sessions sont fermées") {
		t.Errorf("after signing out everywhere: %s", p)
	}
	testkit.Equal(t, "who is signed in", []bool{this.in(), second.in(), other.in()}, []bool{false, false, true})
}

// Every action has a sentence in both languages, and those of others are not shown.
func TestSettings_Activity(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, bob := w.account("ada@example.org", account.Developer), w.account("bob@example.org", account.Pro)
	b := w.signedIn("ada@example.org")
	insert := `INSERT INTO activity (account_id, at, action, subject, by_operator, actor) VALUES ($1, now(), $2, $3, true, 'operator')`
	for _, action := range account.Actions() {
		_, err := w.pool.Exec(t.Context(), insert, a.ID, action, "subject of "+string(action))
		testkit.Must(t, err)
	}
	_, err := w.pool.Exec(t.Context(), insert, bob.ID, account.KeyCreated, "a key of Bob")
	testkit.Must(t, err)
	_, err = w.pool.Exec(t.Context(), `
		INSERT INTO activity (account_id, at, action, subject, by_operator, actor)
		VALUES ($1, now(), 'endpoint.disabled', 'by itself', true, 'service'), ($1, now(), 'plan.changed', 'by whom', true, NULL)`, a.ID)
	testkit.Must(t, err)
	who := func(p page, subject string) string {
		found := regexp.MustCompile(subject + `</span></td><td data-l="[^"]*">([^<]*)</td>`).FindStringSubmatch(p.Body)
		if found == nil {
			return "no such line"
		}
		return found[1]
	}
	for path, names := range map[string][2]string{
		"/compte/reglages": {"l’exploitant", "le service"}, "/en/account/settings": {"the operator", "the service"},
	} {
		p, operator := b.get(path), names[0]
		testkit.Equal(t, "who", []string{who(p, "subject of key.created"), who(p, "by itself"), who(p, "by whom")}, []string{operator, names[1], "–"})
		for _, action := range account.Actions() {
			if !p.Says("subject of "+string(action)) || p.Says("<b>"+string(action)) {
				t.Errorf("%s has no line for %s", path, action)
			}
		}
		if !p.Says(operator) || p.Says("a key of Bob") {
			t.Errorf("the log: %s", p)
		}
	}
}

func TestSettings_Export(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, bob := w.account("ada@example.org", account.Developer), w.account("bob@example.org", account.Pro)
	for _, owner := range []account.Account{a, bob} {
		_, _, err := w.o.Accounts.CreateKey(t.Context(), account.ByAccount(owner.ID), owner.ID, "key of "+owner.Email)
		testkit.Must(t, err)
	}
	b := w.signedIn("ada@example.org")
	w.signedIn("bob@example.org")
	r := b.submit(b.settings().form("export"), nil)
	testkit.Equal(t, "type", r.Header.Get("Content-Type"), "application/json")
	testkit.Equal(t, "name", r.Header.Get("Content-Disposition"),
		`attachment; filename="compte-`+w.clock().UTC().Format("2006-01-02")+`.json"`)
	var export account.Export
	testkit.Must(t, json.Unmarshal([]byte(r.Body), &export))
	testkit.Equal(t, "account", export.Account.Email, "ada@example.org")
	testkit.Equal(t, "keys, sessions", []int{len(export.Keys), len(export.Sessions)}, []int{1, 1})
	if strings.Contains(r.Body, "bob@") || strings.Contains(r.Body, bob.ID) {
		t.Errorf("the export has things of another account: %s", r.Body)
	}
}

func TestSettings_Delete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.account("ada@example.org", account.Developer)
	w.account("bob@example.org", account.Developer)
	_, _, err := w.o.Accounts.CreateKey(t.Context(), account.ByAccount(a.ID), a.ID, "laptop")
	testkit.Must(t, err)
	b, elsewhere, other := w.signedIn("ada@example.org"), w.signedIn("ada@example.org"), w.signedIn("bob@example.org")
	for _, typed := range []string{"", "ada", "bob@example.org"} {
		r := b.submit(b.settings().form("delete"), map[string]string{"confirm": typed})
		if r.Status != http.StatusUnprocessableEntity || !strings.Contains(r.Body, `href="#confirm"`) || !b.in() {
			t.Errorf("%q as the confirmation: %s", typed, r)
		}
		testkit.Equal(t, "what was typed", r.form("delete").fields.Get("confirm"), typed)
	}
	cookies := b.client.Jar.Cookies(mustURL(t, w.url))
	f := b.settings().form("delete")
	b.asksToSignIn(f)
	r := b.submit(f, map[string]string{"confirm": " Ada@example.org "})
	if !r.Says("Votre compte est supprimé") || r.Says("ada@example.org") {
		t.Fatalf("the deletion: %s", r)
	}
	if slices.ContainsFunc(b.client.Jar.Cookies(mustURL(t, w.url)), func(c *http.Cookie) bool { return c.Name == "__Host-session" }) {
		t.Error("the browser still has the cookie of the session")
	}
	b.client.Jar = jarOf(t, w.url, cookies)
	testkit.Equal(t, "who is signed in", []bool{b.in(), elsewhere.in(), other.in()}, []bool{false, false, true})
	var live, deletions int
	testkit.Must(t, w.pool.QueryRow(t.Context(), `
		SELECT (SELECT count(*) FROM keys WHERE account_id = $1 AND revoked_at IS NULL),
		       (SELECT count(*) FROM farewells WHERE account_id = $1)`, a.ID).Scan(&live, &deletions))
	testkit.Equal(t, "live keys, addresses kept for the last mail", []int{live, deletions}, []int{0, 1})
}

// asksToSignIn has ten minutes pass since the sign-ins: the account is not deleted, the page asks to
// sign in again and leads back to itself. Then it takes them back.
func (b *browser) asksToSignIn(deletion form) {
	b.Helper()
	testkit.Must(b, b.exec(`UPDATE sessions SET created_at = created_at - interval '10 minutes'`))
	b.submit(deletion, map[string]string{"confirm": "ada@example.org"}).
		says("deleting", http.StatusUnprocessableEntity, "plus de dix minutes", `href="#again"`, `id="again"`)
	for path, text := range map[string]string{"/compte/reglages": "Me reconnecter", "/en/account/settings": "Sign in again"} {
		p := b.get(path).says("the page", http.StatusOK, text)
		if strings.Contains(p.Body, `value="delete"`) {
			b.Errorf("%s has the form all the same: %s", path, p.Body)
		}
	}
	other := b.signedIn("ada@example.org")
	testkit.Must(b, b.exec(`UPDATE sessions SET created_at = created_at - interval '10 minutes'`))
	again := other.submit(other.get("/en/account/settings").form("sign-in-again"), nil)
	testkit.Equal(b, "where it leads", again.Location, "/en/account/sign-in?suite=%2Fen%2Faccount%2Fsettings")
	if next := other.get(again.Location).form("ask").fields.Get("suite"); next != "/en/account/settings" || other.in() {
		b.Errorf("the next page is %q, signed in: %v", next, other.in())
	}
	testkit.Must(b, b.exec(`UPDATE sessions SET created_at = created_at + interval '1 hour'`))
}
