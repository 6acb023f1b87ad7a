package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// flood asks for mails to addresses that begin so, each from an address of its own.
func (d *door) flood(n int, email, from string) {
	d.Helper()
	for i := range n {
		addr := netip.MustParseAddr(fmt.Sprintf(from, i))
		d.must(d.signIns().Ask(d.Context(), fmt.Sprintf("%s-%d@example.org", email, i), account.French, mine, addr))
	}
}

// dispatch dispatches mails and returns whom those of a queue go to. Workers are quick.
func (d *door) dispatch(queue string) (to []string) {
	d.Helper()
	_, err := d.signIns().Dispatch(d.Context())
	d.must(err)
	to = ask[string](d.testDB, `
		SELECT s.email FROM river_job j JOIN sign_ins s ON s.id::text = j.args->>'id' WHERE j.state = 'available' AND j.queue = $1`, queue)
	d.exec(`UPDATE river_job SET state = 'completed', finalized_at = now()`)
	return to
}

// However many mails a network asks for, others do not wait for them: neither those with an account,
// nor those without.
func TestDispatch_TakesTurns(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	d.signUp("known@example.org", account.Developer)
	d.flood(60, "flood", "2001:db8:1:%x00::1")
	d.askFrom("known@example.org", mine, netip.MustParseAddr("2001:db8:1:100::1"))
	d.askFrom("other@example.org", mine, netip.MustParseAddr("192.0.2.1"))
	d.askFrom("another@example.org", mine, netip.MustParseAddr("2001:db8:2::1"))
	wantSame(t, "the queue of known addresses", d.dispatch(account.MailQueue), []string{"known@example.org"})
	first := ask[string](d.testDB, `SELECT email FROM sign_ins WHERE NOT known ORDER BY released_at LIMIT 3`)
	wantEqual(t, "released", d.count(`sign_ins WHERE NOT known AND NOT waiting`), account.NewMailsPerSecond)
	for _, email := range []string{"other@example.org", "another@example.org"} {
		if !slices.Contains(first, email) {
			t.Errorf("%s is not among the first three: %v", email, first)
		}
	}
	waiting, since, err := d.signIns().Waiting(t.Context())
	d.must(err)
	wantEqual(t, "waiting", waiting, account.Waiting{New: 62 - account.NewMailsPerSecond})
	if !since.Equal(d.now) {
		t.Errorf("they wait since %v", since)
	}

	// Nothing more goes within the second. Then the next ones go, and each of them once.
	wantEqual(t, "more in the same second", len(d.dispatch(account.NewMailQueue)), 0)
	for range 6 {
		d.now = d.now.Add(time.Second)
		d.dispatch(account.NewMailQueue)
	}
	wantEqual(t, "waiting at last", d.count(`sign_ins WHERE waiting`), 0)
	wantEqual(t, "jobs", d.count(`river_job`), 63)
}

// Within a network its parts take turns, and none has more than its share of an hour.
func TestDispatch_TakesTurnsWithinANetwork(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	d.flood(account.MailsPer56+50, "flood", "2001:db8:1:1%02x::1") // one /56
	d.flood(1, "a-56", "2001:db8:1:200::%x")
	d.flood(1, "a-64", "2001:db8:1:1ff::%x") // within the /56
	gone := []string{}
	for i := range 12 {
		gone = append(gone, d.dispatch(account.NewMailQueue)...)
		if i == 0 && !slices.Contains(gone, "a-56-0@example.org") {
			t.Errorf("another /56 waits for the flood: %v", gone)
		}
		d.now = d.now.Add(time.Second)
	}
	wantEqual(t, "mails of the /48", len(gone), account.MailsPer56+1)
	wantEqual(t, "mails that wait", d.count(`sign_ins WHERE waiting`), 51)

	// A network that has had its share does not hold up others, even if it is next.
	d.flood(1, "other", "2001:db8:2::%x")
	wantSame(t, "another network", d.dispatch(account.NewMailQueue), []string{"other-0@example.org"})

	// Known addresses of it go after all others, but within the hour.
	d.signUp("known-0@example.org", account.Developer)
	d.flood(1, "known", "2001:db8:1:101::%x")
	wantSame(t, "a known address", d.dispatch(account.MailQueue), []string{"known-0@example.org"})
	d.now = d.now.Add(account.MailHour)
	wantEqual(t, "an hour later", len(d.dispatch(account.NewMailQueue)), account.NewMailsPerSecond)
}

// The ceiling holds over all nodes, and when workers do not keep up nothing is released that would
// wait for them.
func TestDispatch_CeilingOverNodes(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	d.flood(60, "flood", "192.0.2.%d")
	nodes := []*account.SignIns{}
	for range 4 {
		o := d.SignInsOptions
		o.Store = d.process().SignIns
		nodes = append(nodes, account.NewSignIns(o))
	}
	var released atomic.Int64
	for second := range 4 {
		atOnce(8, func(i int) {
			got, err := nodes[i%4].Dispatch(t.Context())
			wantError(t, "dispatching", err, nil)
			released.Add(int64(got.Released))
		})
		want := min((second+1)*account.NewMailsPerSecond, account.MaxMailsQueued)
		wantEqual(t, "released", released.Load(), int64(want))
		d.now = d.now.Add(time.Second)
	}
	wantEqual(t, "jobs", d.count(`river_job`), account.MaxMailsQueued)
	d.exec(`UPDATE river_job SET state = 'completed', finalized_at = now()`)
	got, err := nodes[0].Dispatch(t.Context())
	d.must(err)
	wantEqual(t, "once workers are back", got, account.Dispatched{Released: account.NewMailsPerSecond, Late: account.NewMailsPerSecond})
}

// What one recipient is asked for too often takes nobody's turn.
func TestDispatch_EndsWhatIsLimited(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	for i := range account.MailsPerRecipient {
		d.asked(fmt.Sprintf("ada+%d@example.org", i), mine)
	}
	d.flood(30, "ada+x", "192.0.2.%d")
	got, err := d.signIns().Dispatch(t.Context())
	d.must(err)
	wantEqual(t, "what became of them", got, account.Dispatched{Limited: 30})
}

// Accounts that all ask for a stranger's address send him five mails an hour, together with sign-ins.
// The others wait, and none is sent twice.
func TestEmailChange_ToAStranger(t *testing.T) {
	t.Parallel()
	s := newServices(t)
	const asks = 12
	var changes []string
	for i := range asks {
		a := s.signUp(fmt.Sprintf("eve-%d@example.org", i), account.Developer)
		s.must(s.changes.Ask(t.Context(), account.ByAccount(a.ID), a.ID, fmt.Sprintf("stranger+%d@example.com", i)))
		changes = append(changes, ask[string](s.testDB, `SELECT id::text FROM email_changes WHERE account_id::text = $1`, a.ID)...)
	}
	sent := make(map[string]int)
	mail := func(id string) error {
		job := account.MailChange{Change: id, Mailbox: account.NewMailbox}
		err := s.changes.Mail(t.Context(), job, func(context.Context, account.ChangeMail) error { sent[id]++; return nil })
		if later, ok := errors.AsType[*account.LaterError](err); ok && (later.After <= 0 || later.After > account.MailHour) {
			t.Errorf("it waits for %v", later.After)
		}
		return err
	}
	all := func() (waited int) {
		for _, id := range changes {
			if mail(id) != nil {
				waited++
			}
		}
		return waited
	}
	wantEqual(t, "those that wait", all(), asks-account.MailsPerRecipient)
	wantEqual(t, "mails", len(sent), account.MailsPerRecipient)
	s.now = s.now.Add(account.MailHour - time.Second)
	wantEqual(t, "those that wait an hour", all(), asks-account.MailsPerRecipient)
	s.now = s.now.Add(2 * time.Second)
	wantEqual(t, "those that wait then", all(), asks-2*account.MailsPerRecipient)

	// Sign-ins and changes have one limit.
	signIns := account.NewSignIns(account.SignInsOptions{Store: s.SignIns, Secrets: testkit.Ring(t, strings.Repeat("a master secret ", 2)), Open: true, Now: s.clock})
	s.must(signIns.Ask(t.Context(), "stranger@example.com", account.French, mine, netip.Addr{}))
	outcome, err := signIns.Mail(t.Context(), ask[string](s.testDB, `SELECT id::text FROM sign_ins`)[0], nil)
	s.must(err)
	wantEqual(t, "a sign-in", outcome, account.MailLimited)

	// At the ceiling of all mails to strangers they wait a second.
	s.now = s.now.Add(2 * account.MailHour)
	s.exec(`INSERT INTO address_mails (recipient, sent_at, change) SELECT 'x', $1, true FROM generate_series(1, $2)`, s.now, account.NewMailsPerSecond)
	a := s.signUp("mallory@example.org", account.Developer)
	s.must(s.changes.Ask(t.Context(), account.ByAccount(a.ID), a.ID, "one@example.com"))
	later, ok := errors.AsType[*account.LaterError](mail(ask[string](s.testDB, `SELECT id::text FROM email_changes WHERE account_id::text = $1`, a.ID)[0]))
	if !ok || later.After != time.Second {
		t.Errorf("at the ceiling: %v", later)
	}
}

// A change that ends while its mail is being written is neither counted nor sent: as many mails leave as are counted.
func TestEmailChange_ThatEndsMeanwhile(t *testing.T) {
	t.Parallel()
	s := newServices(t)
	a, ctx := s.signUp(owner, account.Developer), t.Context()
	by, sent := account.ByAccount(a.ID), 0
	mail := func(meanwhile func() error) {
		t.Helper()
		job := account.MailChange{Change: ask[string](s.testDB, `SELECT id::text FROM email_changes`)[0], Mailbox: account.NewMailbox}
		changes := account.NewEmailChanges(interrupted{s.Accounts, meanwhile}, testkit.Ring(t, strings.Repeat("a master secret ", 2)), s.clock)
		s.must(changes.Mail(ctx, job, func(context.Context, account.ChangeMail) error { sent++; return nil }))
	}
	replace := func() error { return s.changes.Ask(ctx, by, a.ID, "stranger@example.com") }
	s.must(replace())
	mail(replace)
	mail(replace)
	wantEqual(t, "mails of changes that were replaced", sent, 0)
	mail(func() error { return nil })
	wantEqual(t, "mails of one that was not", sent, 1)
	s.must(replace())
	mail(func() error { return s.changes.Cancel(ctx, by, a.ID) })
	wantEqual(t, "mails in all", sent, 1)
	wantEqual(t, "mails that are counted", s.count(`address_mails`), sent)
}

// interrupted has something done between the look-up of a change and the count of its mail.
type interrupted struct {
	*postgres.Accounts
	meanwhile func() error
}

func (s interrupted) CountEmail(ctx context.Context, change string, recipient []byte, now time.Time) (time.Time, error) {
	if err := s.meanwhile(); err != nil {
		return time.Time{}, err
	}
	return s.Accounts.CountEmail(ctx, change, recipient, now)
}
