package billing_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
)

// Two nodes take all events in any order, each twice, reconcile and work at the same time. Every invoice and every credit
// note is mailed once.
func TestDocuments_Once(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	_, err := s.fake.Complete(s.orders())
	s.must(err)
	s.sub = s.fake.Subscriptions(s.customer)[0].ID
	for range 3 {
		s.clock.Advance(time.Minute)
		s.must(s.fake.Renew(s.sub))
		_, err = s.fake.Credit(s.newest().ID, 1000)
		s.must(err)
	}
	s.clock.Advance(2 * time.Hour) // reconciliation looks for what is older than an hour
	other := s.service(s.client)
	s.atWork(func() {
		var nodes sync.WaitGroup
		for _, node := range []*billing.Service{s.Service, other} {
			events := slices.Concat(s.fake.Events(), s.fake.Events())
			rand.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
			nodes.Go(func() {
				for _, e := range events {
					if err := node.Receive(t.Context(), e.Body, s.fake.Sign(e.Body, s.clock.Now())); err != nil {
						t.Error(err)
					}
				}
			})
			nodes.Go(func() {
				if _, err := node.Reconcile(t.Context(), billing.Run{}); err != nil && !errors.Is(err, billing.ErrBusy) {
					t.Error(err)
				}
			})
		}
		nodes.Wait()
	})
	want := make(map[string]int)
	for _, i := range s.fake.Invoices(s.customer) {
		want[i.ID] = 1
	}
	s.want("invoices", s.mailed(billing.InvoiceDocument), want)
	s.want("credit notes", len(s.mailed(billing.CreditNote)), 3)
	s.want("mails", len(s.docs), 7)
}

// What fails is tried again, and not for ever: a mail that the provider could not note is not sent again, and one that could
// not be sent for a month is not any more.
func TestDocuments_Fail(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.buys(billing.Active)
	s.want("mails", s.mailed(billing.InvoiceDocument), map[string]int{sub.Latest.ID: 1})
	job := billing.MailDocument{Document: sub.Latest.ID}
	again := func(id string) { // as if it were to be mailed
		t.Helper()
		job.Document = id
		s.provider.with(func() { s.docs, s.provider.mailed = nil, make(map[string]bool) })
		s.exec(`DELETE FROM billing_documents`)
		s.must(s.db.Billing.AddDocuments(t.Context(), []billing.OwnedDocument{{Account: a.ID, DocumentID: billing.DocumentID{Kind: billing.InvoiceDocument, ID: id}}}, s.clock.Now()))
		s.exec(`DELETE FROM river_job`)
	}
	again(sub.Latest.ID)
	s.provider.with(func() {
		s.provider.answer = func(call string) {
			if call == "Document" {
				s.provider.with(func() { s.provider.away = true })
			}
		}
	})
	s.wantError("noting it", s.MailDocument(t.Context(), job, s.told), billing.ErrUnavailable)
	s.provider.with(func() { s.provider.answer, s.provider.away = nil, false })
	for range 2 {
		s.must(s.MailDocument(t.Context(), job, s.told))
	}
	s.want("mails, and what the provider knows", []any{len(s.docs), s.provider.mailed[sub.Latest.ID]}, []any{1, true})

	for what, tt := range map[string]struct {
		prepare func()
		id      string
		mails   int
	}{
		"to be mailed":                   {func() {}, sub.Latest.ID, 1},
		"unknown to the provider":        {func() {}, "in_unknown", 0},
		"mailed, before a restore":       {func() { s.provider.mailed[sub.Latest.ID] = true }, sub.Latest.ID, 0},
		"not paid":                       {func() { sub.Latest.State = billing.InvoiceVoid }, sub.Latest.ID, 0},
		"a mail that nobody could send":  {func() { s.clock.Advance(30*day + time.Second) }, sub.Latest.ID, 0},
		"one that nobody is to send now": {func() { s.exec(`DELETE FROM billing_documents`) }, sub.Latest.ID, 0},
	} {
		now, state := s.clock.Now(), sub.Latest.State
		again(tt.id)
		s.provider.with(tt.prepare)
		for range 2 {
			s.must(s.MailDocument(t.Context(), job, s.told))
		}
		s.want(what, len(s.docs), tt.mails)
		s.want(what+": it is over", s.count("billing_documents WHERE done_at IS NULL"), 0)
		s.clock.Set(now)
		s.provider.with(func() { sub.Latest.State = state })
	}
	s.must(s.accounts.Delete(t.Context(), operator, a.ID))
	again(sub.Latest.ID)
	s.provider.with(func() { delete(s.provider.issued, sub.ID) })
	s.must(s.MailDocument(t.Context(), job, s.told))
	s.want("mails to nobody", []any{len(s.docs), s.logged("level=WARN", "neither side has an address")}, []any{0, true})
	s.clock.Advance(90*day + time.Second)
	s.must(s.Tidy(t.Context()))
	s.want("rows after 90 days", s.count("billing_documents"), 0)
}

// What was paid before the customers were bound to the provider's account, as by a former program, is not mailed: its
// customers had it from the provider. A job of that program mails the credit note.
func TestDocuments_OfBefore(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	s.buys()
	s.docs = nil
	s.exec(`DELETE FROM billing_documents`)
	s.clock.Advance(2 * time.Hour)
	s.exec(`UPDATE billing_provider SET since = $1`, s.clock.Now())
	s.Service = s.service(s.client)
	s.must(s.Sync(t.Context(), billing.SyncAccount{Account: s.a.ID, Due: s.clock.Now()}))
	s.work()
	r, err := s.Reconcile(t.Context(), false)
	s.must(err)
	s.want("findings and mails", []int{len(r.Findings), len(s.docs)}, []int{0, 0})

	refund := billing.Refund{Invoice: s.newest().ID, Reason: billing.RefundGiven, Cents: 11880, Key: "of before"}
	done, err := s.client.Refund(t.Context(), refund)
	s.must(err)
	job := billing.MailRefund{Customer: s.customer, Invoice: refund.Invoice, Reason: refund.Reason, Language: account.English}
	for range 2 {
		s.must(s.TellRefund(t.Context(), job, s.told))
	}
	s.hears() // of the credit note
	s.want("mails", s.mailed(billing.CreditNote), map[string]int{done.CreditNote: 1})
	s.want("the mail", []any{s.docs[0].Language, s.docs[0].Email, s.docs[0].Document.Reason}, []any{account.English, s.a.Email, billing.RefundGiven})
}
