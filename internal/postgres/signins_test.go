package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

const (
	mine   = "the-cookie-of-the-browser-that-asked"
	theirs = "the-cookie-of-another-browser"
)

var firstSecret, secondSecret = strings.Repeat("first", 8), strings.Repeat("second", 6)

// A door is where people sign in, on a database of its own.
type door struct {
	*testDB
	account.SignInsOptions
}

func newDoor(t *testing.T) *door {
	t.Helper()
	d := &door{testDB: newDB(t)}
	d.SignInsOptions = account.SignInsOptions{
		Store: d.SignIns, Secrets: testkit.Ring(t, firstSecret), Open: true, Now: d.clock,
		Blocked: func(email string) bool { return strings.HasSuffix(email, "@blocked.example") },
	}
	return d
}

// signIns is the service, as a node with the door's options has it.
func (d *door) signIns() *account.SignIns { return account.NewSignIns(d.SignInsOptions) }

// ask asks for a mail in a browser and returns the id of the sign-in.
func (d *door) ask(email, browser string) (id string) {
	d.Helper()
	return d.askFrom(email, browser, netip.Addr{})
}

// askFrom asks for a mail from an address.
func (d *door) askFrom(email, browser string, from netip.Addr) (id string) {
	d.Helper()
	before := ask[string](d.testDB, `SELECT id::text FROM sign_ins`)
	d.must(d.signIns().Ask(d.Context(), email, account.English, browser, from))
	return ask[string](d.testDB, `SELECT id::text FROM sign_ins WHERE id::text <> ALL ($1)`, before)[0]
}

// forget forgets all sign-ins, and what was counted.
func (d *door) forget() { d.exec(`TRUNCATE sign_ins, address_mails, wrong_codes, sign_ups`) }

// mail does the job of a sign-in. The mail is empty unless it was sent.
func (d *door) mail(id string) (mail account.SignInMail, outcome account.MailOutcome) {
	d.Helper()
	outcome, err := d.signIns().Mail(d.Context(), id, func(_ context.Context, m account.SignInMail) error {
		mail = m
		return nil
	})
	d.must(err)
	return mail, outcome
}

// asked asks for a mail and receives it.
func (d *door) asked(email, browser string) account.SignInMail {
	d.Helper()
	mail, outcome := d.mail(d.ask(email, browser))
	wantEqual(d, "the mail", outcome, account.MailSent)
	return mail
}

func (d *door) link(token, browser string) error {
	_, err := d.signIns().RedeemLink(d.Context(), token, browser, netip.Addr{})
	return err
}

func (d *door) code(code, browser string) error {
	_, err := d.signIns().RedeemCode(d.Context(), code, browser, netip.Addr{})
	return err
}

// wrong is a code that is not the mail's.
func wrong(m account.SignInMail) string {
	if m.Code == "000000" {
		return "000001"
	}
	return "000000"
}

// What spends a sign-in and what does not. Whatever is wrong, the answer is the same.
func TestSignIns_Redeem(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	options := d.SignInsOptions
	const no = "no" // ErrNoSignIn
	for what, try := range map[string]struct {
		do   func(d *door) error
		want string // "" signs in
	}{
		"the link":                 {func(d *door) error { return d.link(d.asked(owner, mine).Token, mine) }, ""},
		"the link, elsewhere":      {func(d *door) error { return d.link(d.asked(owner, mine).Token, theirs) }, no},
		"the link, without cookie": {func(d *door) error { return d.link(d.asked(owner, mine).Token, "") }, no},
		"the code":                 {func(d *door) error { return d.code(d.asked(owner, mine).Code, mine) }, ""},
		"the code, with spaces": {func(d *door) error {
			c := d.asked(owner, mine).Code
			return d.code(" "+c[:3]+"\u202f"+c[3:]+"\n", mine)
		}, ""},
		"the code, elsewhere":      {func(d *door) error { return d.code(d.asked(owner, mine).Code, theirs) }, no},
		"the code, without cookie": {func(d *door) error { return d.code(d.asked(owner, mine).Code, "") }, no},
		"no token":                 {func(d *door) error { d.asked(owner, mine); return d.link("", mine) }, no},
		"a token that nobody has":  {func(d *door) error { d.asked(owner, mine); return d.link(strings.Repeat("A", 43), mine) }, no},
		"the code as a token":      {func(d *door) error { return d.link(d.asked(owner, mine).Code, mine) }, no},
		"the code of nothing":      {func(d *door) error { return d.code("123456", mine) }, no},
		"a wrong code":             {func(d *door) error { return d.code(wrong(d.asked(owner, mine)), mine) }, "the code is wrong; 4 tries are left"},
		"an empty code":            {func(d *door) error { d.asked(owner, mine); return d.code("", mine) }, "the code is wrong; 4 tries are left"},
		"a wrong code, elsewhere":  {func(d *door) error { return d.code(wrong(d.asked(owner, mine)), theirs) }, no},
		"the link before its mail": {func(d *door) error {
			return d.unsent(func(m account.SignInMail) error { return d.link(m.Token, mine) })
		}, no},
		"the code before its mail": {func(d *door) error { return d.unsent(func(m account.SignInMail) error { return d.code(m.Code, mine) }) }, "the code is wrong; 4 tries are left"},
		"the link in its last second": {func(d *door) error {
			m := d.asked(owner, mine)
			d.now = m.Until.Add(-time.Second)
			return d.link(m.Token, mine)
		}, ""},
		"the link when it is over": {func(d *door) error { m := d.asked(owner, mine); d.now = m.Until; return d.link(m.Token, mine) }, no},
		"the code when it is over": {func(d *door) error { m := d.asked(owner, mine); d.now = m.Until; return d.code(m.Code, mine) }, "the code is wrong; 4 tries are left"},
		"the code a day later": {func(d *door) error {
			m := d.asked(owner, mine)
			d.now = d.now.Add(account.KeepSignIns)
			return d.code(m.Code, mine)
		}, no},
		"the link again": {func(d *door) error {
			m := d.asked(owner, mine)
			d.must(d.link(m.Token, mine))
			return d.link(m.Token, mine)
		}, no},
		"the link after the code": {func(d *door) error {
			m := d.asked(owner, mine)
			d.must(d.code(m.Code, mine))
			return d.link(m.Token, mine)
		}, no},
		"the code after the link": {func(d *door) error {
			m := d.asked(owner, mine)
			d.must(d.link(m.Token, mine))
			return d.code(m.Code, mine)
		}, no},
		"the link after four wrong": {func(d *door) error { m := d.asked(owner, mine); d.miss(m, 4); return d.link(m.Token, mine) }, ""},
		"the code after four wrong": {func(d *door) error { m := d.asked(owner, mine); d.miss(m, 4); return d.code(m.Code, mine) }, ""},
		"the fifth wrong code":      {func(d *door) error { m := d.asked(owner, mine); d.miss(m, 4); return d.code(wrong(m), mine) }, no},
		"the link after five wrong": {func(d *door) error { m := d.asked(owner, mine); d.miss(m, 5); return d.link(m.Token, mine) }, no},
		"the code after five wrong": {func(d *door) error { m := d.asked(owner, mine); d.miss(m, 5); return d.code(m.Code, mine) }, no},
		"the first of two mails":    {func(d *door) error { m := d.asked(owner, mine); d.asked(owner, mine); return d.code(m.Code, mine) }, ""},
		"wrong codes count for both": {func(d *door) error {
			m := d.asked(owner, mine)
			d.miss(d.asked(owner, mine), 5)
			return d.link(m.Token, mine)
		}, no},
		"a new mail after five wrong": {func(d *door) error {
			d.miss(d.asked(owner, mine), 5)
			return d.code(d.asked(owner, mine).Code, mine)
		}, ""},
		"scanners do no harm": {func(d *door) error {
			m := d.asked(owner, mine)
			for range 10 {
				wantError(d, "a scanner", d.link(m.Token, ""), account.ErrNoSignIn)
				wantError(d, "a stranger", d.code(wrong(m), theirs), account.ErrNoSignIn)
			}
			return d.link(m.Token, mine)
		}, ""},
		"the secret changed": {func(d *door) error {
			m := d.asked(owner, mine)
			d.Secrets = testkit.Ring(d, secondSecret, firstSecret)
			return d.link(m.Token, mine)
		}, ""},
		"the secret changed before the mail": {func(d *door) error {
			id := d.ask(owner, mine)
			d.Secrets = testkit.Ring(d, secondSecret, firstSecret)
			m, _ := d.mail(id)
			return d.code(m.Code, mine)
		}, ""},
		"the secret was lost": {func(d *door) error {
			m := d.asked(owner, mine)
			d.Secrets = testkit.Ring(d, secondSecret)
			return d.link(m.Token, mine)
		}, no},
		"closed meanwhile": {func(d *door) error { m := d.asked(owner, mine); d.Open = false; return d.link(m.Token, mine) }, no},
		"closed, with an account": {func(d *door) error {
			d.Open = false
			d.signUp(owner, account.Pro)
			return d.link(d.asked(owner, mine).Token, mine)
		}, ""},
		"blocked, with an account": {func(d *door) error {
			d.signUp("a@blocked.example", account.Pro)
			return d.link(d.asked("a@blocked.example", mine).Token, mine)
		}, ""},
		"the operator's link": {func(d *door) error { d.signUp(owner, account.Pro); return d.link(d.operatorsLink(), theirs) }, ""},
		"the operator's link, again": {func(d *door) error {
			d.signUp(owner, account.Pro)
			l := d.operatorsLink()
			d.must(d.link(l, ""))
			return d.link(l, "")
		}, no},
		"the operator's link when it is over": {func(d *door) error {
			d.signUp(owner, account.Pro)
			l := d.operatorsLink()
			d.now = d.now.Add(account.SignInFor)
			return d.link(l, theirs)
		}, no},
		"the operator's link without its account": {func(d *door) error {
			d.signUp(owner, account.Pro)
			l := d.operatorsLink()
			d.deleteAccount(owner)
			return d.link(l, theirs)
		}, no},
	} {
		err := try.do(d)
		switch {
		case try.want == no:
			wantError(t, what, err, account.ErrNoSignIn)
		case try.want != "":
			wantError(t, what, err, account.ErrWrongCode)
			wantEqual(t, what+", the text", fmt.Sprint(err), try.want)
		default:
			wantError(t, what, err, nil)
			wantEqual(t, what+", accounts", d.count(`accounts WHERE email IS NOT NULL`), 1)
			wantEqual(t, what+", spent", d.count(`sign_ins WHERE spent_at IS NOT NULL`), 1)
		}
		d.exec(`TRUNCATE accounts CASCADE`)
		d.forget()
		d.SignInsOptions = options
	}
}

// unsent hands over a mail that another node made, while here it is not sent.
func (d *door) unsent(try func(account.SignInMail) error) error {
	d.Helper()
	m := d.asked(owner, mine)
	d.exec(`UPDATE sign_ins SET sent_at = NULL`)
	return try(m)
}

// miss types a wrong code n times.
func (d *door) miss(m account.SignInMail, n int) {
	d.Helper()
	for i := range n {
		want := account.ErrWrongCode
		if i == account.CodeTries-1 {
			want = account.ErrNoSignIn
		}
		wantError(d, fmt.Sprint("wrong code ", i+1), d.code(wrong(m), mine), want)
	}
}

func (d *door) operatorsLink() string {
	d.Helper()
	token, err := d.signIns().Link(d.Context(), operator, owner)
	d.must(err)
	return token
}

// An account is made by spending, once, with the language in which the mail was asked for.
func TestSignIns_CreateAccounts(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	m := d.asked(owner, mine)
	wantEqual(t, "accounts before", d.count(`accounts`), 0)
	a, err := d.signIns().RedeemLink(t.Context(), m.Token, mine, netip.Addr{})
	d.must(err)
	wantEqual(t, "the account", d.account(owner), a)
	want := account.Account{
		ID: a.ID, Email: owner, Plan: account.Developer, Source: account.FromProvider, CreatedAt: a.CreatedAt, Confirmed: true,
		Settings: a.Settings,
	}
	wantEqual(t, "the language", a.Language, account.English)
	wantEqual(t, "the account", a, want)
	if !a.CreatedAt.Equal(d.now) {
		t.Errorf("created at %v", a.CreatedAt)
	}
	again, err := d.signIns().RedeemCode(t.Context(), d.asked(owner, mine).Code, mine, netip.Addr{})
	d.must(err)
	wantEqual(t, "the account, the second time", again, a)

	_, err = d.signIns().Link(t.Context(), operator, "nobody@example.org")
	wantError(t, "a link for nobody", err, account.ErrNoAccount)
	_, err = d.signIns().Link(t.Context(), account.ByAccount(a.ID), owner)
	wantError(t, "a link by an account", err, account.ErrOperatorOnly)
	if err := d.signIns().Ask(t.Context(), owner, account.French, "", netip.Addr{}); err == nil {
		t.Error("a mail for no browser")
	}
}

// However many spend one link at once, on however many nodes, one signs in.
func TestSignIns_OneOfManyRedeems(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	nodes := []*account.SignIns{}
	for _, db := range []*postgres.DB{d.DB, d.process(), d.isolated("serializable")} {
		o := d.SignInsOptions
		o.Store = db.SignIns
		nodes = append(nodes, account.NewSignIns(o))
	}
	m := d.asked(owner, mine)
	var in atomic.Int64
	redeem := func(i int) {
		var err error
		if s := nodes[i%3]; i%2 == 0 {
			_, err = s.RedeemLink(t.Context(), m.Token, mine, netip.Addr{})
		} else {
			_, err = s.RedeemCode(t.Context(), m.Code, mine, netip.Addr{})
		}
		if err == nil {
			in.Add(1)
		} else {
			wantError(t, "too late", err, account.ErrNoSignIn)
		}
	}
	// None begins to spend it before several want to.
	d.must(d.during(`UPDATE sign_ins SET limited = limited`, func() error { atOnce(50, redeem); return nil }, func() {
		testkit.EventuallyTrue(t, "several wait", func() bool {
			return d.count(`pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) > 5
		})
	}))
	wantEqual(t, "signed in", in.Load(), 1)
	wantEqual(t, "accounts", d.count(`accounts`), 1)

	// Two mails to one address, spent at once, make one account as well.
	mails := []account.SignInMail{d.asked("bob@example.org", mine), d.asked("bob@example.org", mine)}
	atOnce(2, func(i int) {
		_, err := nodes[i].RedeemLink(t.Context(), mails[i].Token, mine, netip.Addr{})
		wantError(t, "a link of its own", err, nil)
	})
	wantEqual(t, "accounts of the address", d.count(`accounts WHERE email = 'bob@example.org'`), 1)

	// Wrong codes at once are all counted.
	m = d.asked("eve@example.org", theirs)
	atOnce(20, func(i int) { _, _ = nodes[i%3].RedeemCode(t.Context(), wrong(m), theirs, netip.Addr{}) })
	wantError(t, "the code after wrong ones", d.code(m.Code, theirs), account.ErrNoSignIn)
	wantSame(t, "tries", ask[int](d.testDB, `SELECT tries FROM sign_ins WHERE email = 'eve@example.org'`), []int{account.CodeTries})
}

// The job decides whether a mail is sent, and may be done again.
func TestSignIns_Mail(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	d.signUp("known@example.org", account.Developer)
	d.signUp("known@blocked.example", account.Developer)
	outcome := func(email string, open, limited bool, late time.Duration) account.MailOutcome {
		t.Helper()
		now := d.now
		for i := 0; limited && i < account.MailsPerRecipient; i++ {
			d.Open = true
			d.asked(email, theirs)
		}
		d.Open = open
		id := d.ask(email, mine)
		d.now = d.now.Add(late)
		m, outcome := d.mail(id)
		if sent := outcome == account.MailSent; sent != (m.To == email) || sent != (d.count(`sign_ins WHERE sent_at IS NOT NULL AND id::text = $1`, id) == 1) {
			t.Errorf("%s: %s, and the mail is %v to %q", email, outcome, m, m.To)
		}
		d.forget()
		d.now = now
		return outcome
	}
	const almost = account.SignInFor - time.Second
	for _, tt := range []struct {
		email         string
		open, limited bool
		late          time.Duration
		want          account.MailOutcome
	}{
		{owner, true, false, 0, account.MailSent},
		{owner, true, false, almost, account.MailSent},
		{owner, true, false, account.SignInFor, account.MailExpired},
		{owner, true, true, 0, account.MailLimited},
		{owner, false, false, 0, account.MailClosed},
		{"known@example.org", false, false, 0, account.MailSent},
		{"known@example.org", false, true, 0, account.MailLimited},
		{"new@blocked.example", true, false, 0, account.MailBlocked},
		{"known@blocked.example", true, false, 0, account.MailSent},
	} {
		wantEqual(t, fmt.Sprint(tt), outcome(tt.email, tt.open, tt.limited, tt.late), tt.want)
	}

	d.Open = true
	id := d.ask(owner, mine)
	refusal := errors.New("the relay is away")
	_, err := d.signIns().Mail(t.Context(), id, func(context.Context, account.SignInMail) error { return refusal })
	wantError(t, "a mail that is not accepted", err, refusal)
	first, _ := d.mail(id)
	again, _ := d.mail(id)
	if first != again || first.ID != id || len(first.Code) != 6 || !first.Until.Equal(d.now.Add(account.SignInFor)) {
		t.Errorf("tried again, the mail is another")
	}
	d.must(d.link(first.Token, mine))
	_, after := d.mail(id)
	wantEqual(t, "a mail that was answered", after, account.MailGone)
	_, after = d.mail(nobody)
	wantEqual(t, "a mail of nothing", after, account.MailGone)

	lost := d.ask("lost@example.org", mine)
	d.Secrets = testkit.Ring(t, strings.Repeat("other", 8))
	_, err = d.signIns().Mail(t.Context(), lost, nil)
	if err == nil || !strings.Contains(err.Error(), "PALMARES_SECRET") {
		t.Errorf("with another secret: %v", err)
	}
}

// Neither rows nor jobs hold what signs in, and jobs hold no address. A day later nothing is left.
func TestSignIns_WhatIsStored(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	const from = "2001:db8:77:88:99::1"
	id := d.askFrom(owner, mine, netip.MustParseAddr(from))
	_, err := d.signIns().Dispatch(t.Context())
	d.must(err)
	m, _ := d.mail(id)
	d.must(d.link(m.Token, mine))
	waits := d.ask("a-waiting@example.org", mine)
	wantError(t, "a wrong code", d.code("", mine), account.ErrWrongCode)
	all := d.dump()
	for what, secret := range map[string]string{"token": m.Token, "code": m.Code, "cookie": mine, "network": "2001:db8:77"} {
		if strings.Contains(all, secret) || strings.Contains(all, fmt.Sprintf("%x", secret)) {
			t.Errorf("the %s is in the database", what)
		}
		if shown := fmt.Sprintf("%v %+v %#v %s %q %d %x", m, m, m, m, m, m, &m); strings.Contains(shown, secret) || strings.Contains(shown, owner) {
			t.Errorf("the mail prints its %s", what)
		}
	}
	if jobs := d.dump("river_job"); strings.Contains(jobs, owner) || !strings.Contains(jobs, m.ID) {
		t.Errorf("the job: %s", jobs)
	}
	wantSame(t, "the queue", ask[string](d.testDB, `SELECT DISTINCT queue FROM river_job`), []string{account.NewMailQueue})
	wantSame(t, "who waits", ask[string](d.testDB, `SELECT id::text FROM sign_ins WHERE waiting`), []string{waits})
	d.now = d.now.Add(account.KeepSignIns)
	expired, err := d.signIns().Tidy(t.Context())
	d.must(err)
	wantEqual(t, "mails that were never sent", expired, 0)
	wantEqual(t, "sign-ins of a day", d.count(`sign_ins`), 2)
	d.now = d.now.Add(time.Second)
	expired, err = d.signIns().Tidy(t.Context())
	d.must(err)
	wantEqual(t, "mails that were never sent", expired, 1)
	for _, table := range []string{"sign_ins", "address_mails", "wrong_codes", "sign_ups"} {
		wantEqual(t, "what is left of "+table, d.count(table), 0)
	}
}
