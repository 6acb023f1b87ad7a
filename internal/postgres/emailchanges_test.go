package postgres_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/secrets"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// letters sends the mails of the change that an account has asked for last.
func (s *services) letters(a account.Account) map[account.Mailbox]account.ChangeMail {
	s.Helper()
	sent := make(map[account.Mailbox]account.ChangeMail)
	for _, id := range ask[string](s.testDB, `SELECT id::text FROM email_changes WHERE account_id::text = $1`, a.ID) {
		jobs := s.count(`river_job WHERE kind = 'account_mail_change' AND args->>'change' = $1`, id)
		wantEqual(s, "jobs of the change", jobs, 2)
		for _, box := range []account.Mailbox{account.OldMailbox, account.NewMailbox} {
			job := account.MailChange{Change: id, Mailbox: box}
			s.must(s.changes.Mail(s.Context(), job, func(_ context.Context, l account.ChangeMail) error { sent[box] = l; return nil }))
		}
	}
	return sent
}

func (s *services) confirm(l account.ChangeMail) account.EmailChange {
	s.Helper()
	c, err := s.changes.Confirm(s.Context(), l.Token)
	s.must(err)
	return c
}

func TestEmailChange(t *testing.T) {
	t.Parallel()
	s := newServices(t)
	ada, ctx := s.signUp(owner, account.Developer), t.Context()
	by := account.ByAccount(ada.ID)
	wantError(t, "the same address", s.changes.Ask(ctx, by, ada.ID, "ADA@example.org"), account.ErrSameEmail)
	_, err := s.changes.Pending(ctx, by, ada.ID)
	wantError(t, "before", err, account.ErrNoChange)

	s.must(s.changes.Ask(ctx, by, ada.ID, "First@example.com"))
	first := s.letters(ada)
	s.must(s.changes.Ask(ctx, by, ada.ID, "new@example.com"))
	_, err = s.changes.Confirm(ctx, first[account.OldMailbox].Token)
	wantError(t, "the link of an earlier request", err, account.ErrNoChange)
	sent := s.letters(ada)
	wantEqual(t, "the old mailbox", sent[account.OldMailbox].To, owner)
	wantEqual(t, "the new mailbox", sent[account.NewMailbox].To, "new@example.com")
	for _, l := range sent {
		if strings.Contains(s.dump(), l.Token) || len(l.Token) < 40 {
			t.Error("a token is stored, or too short")
		}
	}
	wantEqual(t, "one of two", s.confirm(sent[account.OldMailbox]).Done(), false)
	wantEqual(t, "the same one again", s.confirm(sent[account.OldMailbox]).Done(), false)
	wantEqual(t, "the address meanwhile", s.account(owner).ID, ada.ID)
	c, err := s.changes.Pending(ctx, by, ada.ID)
	s.must(err)
	want := account.EmailChange{Email: "new@example.com", OldConfirmed: true, AskedAt: s.now, ExpiresAt: s.now.Add(24 * time.Hour)}
	wantEqual(t, "what is pending", c, want)
	wantEqual(t, "both", s.confirm(sent[account.NewMailbox]).Done(), true)
	wantEqual(t, "the account of the new address", s.account("new@example.com").ID, ada.ID)
	_, err = s.changes.Confirm(ctx, sent[account.NewMailbox].Token)
	wantError(t, "a link once it is done", err, account.ErrNoChange)
	wantEqual(t, "rows left", s.count(`email_changes`), 0)
	s.signUp(owner, account.Developer) // the old address is free
}

// Nobody learns by asking whether an address has an account.
func TestEmailChange_OfATakenAddress(t *testing.T) {
	t.Parallel()
	s := newServices(t)
	ada, eve := s.signUp(owner, account.Developer), s.signUp("eve@example.org", account.Developer)
	ctx, by := t.Context(), account.ByAccount(eve.ID)
	s.must(s.changes.Ask(ctx, by, eve.ID, owner))
	sent := s.letters(eve)
	wantEqual(t, "mails", len(sent), 1)
	wantEqual(t, "the mail", sent[account.OldMailbox].To, "eve@example.org")
	wantEqual(t, "confirmed by one", s.confirm(sent[account.OldMailbox]).Done(), false)

	// Taken between the mail and its confirmation.
	s.must(s.changes.Ask(ctx, by, eve.ID, "new@example.com"))
	sent = s.letters(eve)
	s.confirm(sent[account.OldMailbox])
	s.must(s.accounts.SetEmail(ctx, operator, ada.ID, "New@example.com"))
	_, err := s.changes.Confirm(ctx, sent[account.NewMailbox].Token)
	wantError(t, "taken meanwhile", err, account.ErrEmailTaken)
	wantEqual(t, "rows left", s.count(`email_changes`), 0)
	wantEqual(t, "eve's account", s.account("eve@example.org").ID, eve.ID)
	wantError(t, "a taken address by the operator", s.accounts.SetEmail(ctx, operator, eve.ID, "new@example.com"), account.ErrEmailTaken)
}

func TestEmailChange_Limits(t *testing.T) {
	t.Parallel()
	s := newServices(t)
	ada, ctx := s.signUp(owner, account.Developer), t.Context()
	by := account.ByAccount(ada.ID)
	for range account.MaxChangesAsked {
		s.must(s.changes.Ask(ctx, by, ada.ID, "new@example.com"))
	}
	wantError(t, "one too many", s.changes.Ask(ctx, by, ada.ID, "new@example.com"), account.ErrTooManyAsked)
	sent := s.letters(ada)
	s.confirm(sent[account.OldMailbox])
	s.now = s.now.Add(account.ChangeFor)
	_, err := s.changes.Confirm(ctx, sent[account.NewMailbox].Token)
	wantError(t, "a day later", err, account.ErrNoChange)
	_, err = s.changes.Pending(ctx, by, ada.ID)
	wantError(t, "what is pending then", err, account.ErrNoChange)
	wantEqual(t, "mails then", len(s.letters(ada)), 0)

	// A cancelled one is over, and what was asked under the secret before this one is not.
	s.must(s.changes.Ask(ctx, by, ada.ID, "new@example.com"))
	s.must(s.changes.Cancel(ctx, by, ada.ID))
	wantError(t, "cancelling again", s.changes.Cancel(ctx, by, ada.ID), account.ErrNoChange)
	s.must(s.changes.Ask(ctx, by, ada.ID, "new@example.com"))
	sent = s.letters(ada)
	master, other := strings.Repeat("a master secret ", 2), strings.Repeat("another secret ", 3)
	for _, tt := range []struct {
		ring  secrets.Ring
		fails bool
	}{{testkit.Ring(t, other, master), false}, {testkit.Ring(t, other), true}} {
		job := account.MailChange{Change: ask[string](s.testDB, `SELECT id::text FROM email_changes`)[0], Mailbox: account.NewMailbox}
		var got account.ChangeMail
		err = account.NewEmailChanges(s.Accounts, tt.ring, s.clock).Mail(ctx, job, func(_ context.Context, l account.ChangeMail) error { got = l; return nil })
		if (err != nil) != tt.fails || !tt.fails && got != sent[account.NewMailbox] {
			t.Errorf("under another secret: %v, %v", got, err)
		}
	}
}

// Two accounts that want one address, and both links of each followed at once, twice: one gets it.
func TestEmailChange_Races(t *testing.T) {
	t.Parallel()
	s := newServices(t)
	for range 5 {
		accounts := []account.Account{s.signUp("a@example.org", account.Developer), s.signUp("b@example.org", account.Developer)}
		var tokens []string
		for _, a := range accounts {
			s.must(s.changes.Ask(t.Context(), account.ByAccount(a.ID), a.ID, "one@example.com"))
		}
		for _, a := range accounts {
			for _, l := range s.letters(a) {
				tokens = append(tokens, l.Token, l.Token)
			}
		}
		var done, taken atomic.Int64
		atOnce(len(tokens), func(i int) {
			switch c, err := s.changes.Confirm(t.Context(), tokens[i]); {
			case errors.Is(err, account.ErrEmailTaken):
				taken.Add(1)
			case err != nil && !errors.Is(err, account.ErrNoChange):
				t.Error(err)
			case c.Done():
				done.Add(1)
			}
		})
		wantEqual(t, "changes made", done.Load(), 1)
		wantEqual(t, "refused as taken", taken.Load(), 1)
		wantEqual(t, "changes left", s.count(`email_changes`), 0)
		s.now = s.now.Add(account.MailHour) // the address may get mail again
		s.deleteAccount("one@example.com")
		for _, a := range accounts {
			if left := s.count(`accounts WHERE id::text = $1 AND email IS NOT NULL`, a.ID); left == 1 {
				s.must(s.accounts.Delete(t.Context(), operator, a.ID))
			}
		}
	}
}
