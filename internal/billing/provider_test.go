package billing_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
)

// A provider stands for the state of a payment provider: customers, checkouts, subscriptions, keys of
// idempotency. Its events are signed with the word "signed".
type provider struct {
	now func() time.Time

	mu            sync.Mutex
	number        int
	customers     map[string]*customer
	checkouts     map[string]*checkout
	subs          []*billing.Subscription // the newest first
	byKey         map[string]string       // ids of what was created
	price         billing.Price
	account       billing.ProviderAccount
	away          bool
	refuses       bool             // every call
	refusesPayers error            // what customers are refused with; nil for nothing
	credited      map[string]int64 // by invoice, in cents
	refunds       []billing.Refund
	notes         map[string]billing.Refund // credit notes
	issued        map[string]string         // to whom the invoices of a subscription were issued
	mailed        map[string]bool           // documents
	detached      map[string]bool           // customers, of their cards
	pending       billing.Pending           // for everybody
	calls         map[string]int
	// answer, when set, is called between reading the state and answering, without the lock.
	answer func(call string)
}

type customer struct {
	account string
	billing.Payer
}

type checkout struct {
	billing.Checkout
	request billing.CheckoutRequest
	state   billing.CheckoutState
}

func newProvider(now func() time.Time) *provider {
	return &provider{
		now: now, customers: make(map[string]*customer), checkouts: make(map[string]*checkout),
		byKey: make(map[string]string), credited: make(map[string]int64), price: billing.ProPrice, account: billing.ProviderAccount{ID: "acct_1"},
		calls: make(map[string]int), notes: make(map[string]billing.Refund), issued: make(map[string]string), mailed: make(map[string]bool),
		detached: make(map[string]bool),
	}
}

// call runs f under the lock, unless the provider is away.
func (p *provider) call(name string, f func() error) error {
	p.mu.Lock()
	p.calls[name]++
	err := fmt.Errorf("%s: %w", name, billing.ErrUnavailable)
	switch {
	case p.refuses:
		err = fmt.Errorf("%s: %w", name, billing.ErrRefused)
	case !p.away:
		err = f()
	}
	answer := p.answer
	p.mu.Unlock()
	if answer != nil {
		answer(name)
	}
	return err
}

// with changes the state.
func (p *provider) with(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

func (p *provider) id(prefix string) string {
	p.number++
	return fmt.Sprintf("%s_%d", prefix, p.number)
}

func (p *provider) CreateCustomer(_ context.Context, c billing.NewCustomer) (id string, err error) {
	err = p.call("CreateCustomer", func() error {
		if p.refusesPayers != nil {
			return p.refusesPayers
		}
		if id = p.byKey[c.Key]; id == "" {
			id = p.id("cus")
			p.byKey[c.Key] = id
			p.customers[id] = &customer{c.Account, c.Payer}
		}
		return nil
	})
	return id, err
}

func (p *provider) UpdateCustomer(_ context.Context, id string, payer billing.Payer) error {
	return p.call("UpdateCustomer", func() error {
		if p.refusesPayers != nil {
			return p.refusesPayers
		}
		if p.customers[id] == nil {
			return billing.ErrNoCustomer
		}
		if payer.Details == nil {
			payer.Details = p.customers[id].Details
		}
		p.customers[id].Payer = payer
		return nil
	})
}

func (p *provider) RemoveVATNumber(_ context.Context, customer, number string) error {
	return p.call("RemoveVATNumber", func() error {
		for _, sub := range p.subs {
			if sub.Customer == customer && sub.VATRefused == number {
				sub.VATRefused = ""
				sub.VATNumbers--
			}
		}
		return nil
	})
}

func (p *provider) Checkout(_ context.Context, r billing.CheckoutRequest) (c billing.Checkout, err error) {
	err = p.call("Checkout", func() error {
		id := p.byKey[r.Key]
		if id == "" {
			id = p.id("cs")
			p.byKey[r.Key] = id
			p.checkouts[id] = &checkout{
				billing.Checkout{ID: id, URL: "https://pay.example/" + id, OpenedAt: p.now(), ExpiresAt: p.now().Add(24 * time.Hour)}, r, billing.CheckoutOpen,
			}
		}
		c = p.checkouts[id].Checkout
		return nil
	})
	return c, err
}

func (p *provider) CheckoutState(_ context.Context, id string) (state billing.CheckoutState, err error) {
	err = p.call("CheckoutState", func() error {
		c := p.checkouts[id]
		if c.state == billing.CheckoutOpen && !p.now().Before(c.ExpiresAt) {
			c.state = billing.CheckoutExpired
		}
		state = c.state
		return nil
	})
	return state, err
}

func (p *provider) Portal(_ context.Context, customer string, _ account.Language, back string) (url string, err error) {
	err = p.call("Portal", func() error {
		if p.customers[customer] == nil {
			return billing.ErrNoCustomer
		}
		url = "https://pay.example/portal/" + customer + "?back=" + back
		return nil
	})
	return url, err
}

func (p *provider) Subscriptions(_ context.Context, customer string) (list []billing.Subscription, err error) {
	err = p.call("Subscriptions", func() error {
		if p.customers[customer] == nil {
			return billing.ErrNoCustomer
		}
		for _, sub := range p.subs {
			if sub.Customer == customer {
				list = append(list, *sub)
			}
		}
		return nil
	})
	return list, err
}

func (p *provider) All(context.Context) iter.Seq2[billing.Subscription, error] {
	return func(yield func(billing.Subscription, error) bool) {
		var all []billing.Subscription
		err := p.call("All", func() error {
			for _, sub := range p.subs {
				all = append(all, *sub)
			}
			return nil
		})
		if err != nil {
			yield(billing.Subscription{}, err)
			return
		}
		for _, sub := range all {
			if !yield(sub, nil) {
				return
			}
		}
	}
}

func (p *provider) SetCancel(_ context.Context, id string, cancel bool) error {
	return p.call("SetCancel", func() error {
		sub := p.find(id)
		sub.CancelAt = time.Time{}
		if cancel {
			sub.CancelAt = sub.PeriodEnd
		}
		return nil
	})
}

func (p *provider) End(_ context.Context, id string) error {
	return p.call("End", func() error {
		if sub := p.find(id); sub.Status != billing.Canceled {
			sub.Status, sub.EndedAt = billing.Canceled, p.now()
		}
		return nil
	})
}

func (p *provider) ExpireCheckout(ctx context.Context, id string) (billing.CheckoutState, error) {
	err := p.call("ExpireCheckout", func() error {
		if c := p.checkouts[id]; c.state == billing.CheckoutOpen {
			c.state = billing.CheckoutExpired
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return p.CheckoutState(ctx, id)
}

func (p *provider) Invoices(_ context.Context, id string) (list []billing.Invoice, err error) {
	err = p.call("Invoices", func() error { list = []billing.Invoice{p.find(id).Latest}; return nil })
	return list, err
}

func (p *provider) Invoice(_ context.Context, id string) (i billing.Invoice, err error) {
	err = p.call("Invoice", func() error { i = p.invoiced(id).Latest; return nil })
	i.Credited = p.credited[id]
	return i, err
}

func (p *provider) StopCollecting(_ context.Context, id string) error {
	return p.call("StopCollecting", func() error {
		p.invoiced(id).Latest.Advances = false
		return nil
	})
}

func (p *provider) Void(_ context.Context, id string) error {
	return p.call("Void", func() error {
		i := &p.invoiced(id).Latest
		if i.State == billing.InvoicePaid {
			return billing.ErrBusy
		}
		i.State = billing.InvoiceVoid
		return nil
	})
}

// Refund makes one credit note for a key, and none where another has credited all.
func (p *provider) Refund(_ context.Context, r billing.Refund) (done billing.Refunded, err error) {
	err = p.call("Refund", func() error {
		for id, note := range p.notes {
			if note.Invoice == r.Invoice && note.Reason == r.Reason {
				done.CreditNote = id
			}
		}
		if left := r.Cents - p.credited[r.Invoice]; left > 0 && p.byKey[r.Key] == "" {
			done = billing.Refunded{CreditNote: p.id("cn"), Made: true}
			p.byKey[r.Key] = done.CreditNote
			p.notes[done.CreditNote] = r
			p.credited[r.Invoice] += left
			p.refunds = append(p.refunds, r)
		}
		return nil
	})
	return done, err
}

func (p *provider) Document(_ context.Context, id billing.DocumentID) (d billing.MailedDocument, err error) {
	err = p.call("Document", func() error {
		d = billing.MailedDocument{DocumentID: id, Number: id.ID, Currency: "eur", Mailed: p.mailed[id.ID]}
		invoice := id.ID
		if id.Kind == billing.CreditNote {
			note := p.notes[id.ID]
			invoice, d.Issued, d.Total, d.Reason = note.Invoice, true, note.Cents, note.Reason
		}
		i := slices.IndexFunc(p.subs, func(s *billing.Subscription) bool { return s.Latest.ID == invoice })
		if i < 0 {
			return billing.ErrNoDocument
		}
		d.Email = p.issued[p.subs[i].ID]
		if id.Kind == billing.InvoiceDocument {
			latest := p.subs[i].Latest
			d.Issued, d.Total = latest.State == billing.InvoicePaid && latest.Total > 0, latest.Total
		}
		return nil
	})
	return d, err
}

func (p *provider) CreditNotes(context.Context, time.Time) iter.Seq2[billing.IssuedCreditNote, error] {
	return func(yield func(billing.IssuedCreditNote, error) bool) {
		var all []billing.IssuedCreditNote
		err := p.call("CreditNotes", func() error {
			for id, note := range p.notes {
				all = append(all, billing.IssuedCreditNote{
					ID: id, Customer: p.invoiced(note.Invoice).Customer, Invoice: note.Invoice, IssuedAt: p.now(), Reason: note.Reason,
				})
			}
			return nil
		})
		if err != nil {
			yield(billing.IssuedCreditNote{}, err)
			return
		}
		for _, note := range all {
			if !yield(note, nil) {
				return
			}
		}
	}
}

func (p *provider) MarkMailed(_ context.Context, id billing.DocumentID, _ time.Time) error {
	return p.call("MarkMailed", func() error { p.mailed[id.ID] = true; return nil })
}

func (p *provider) DetachCards(_ context.Context, id string) error {
	return p.call("DetachCards", func() error {
		if p.customers[id] == nil {
			return billing.ErrNoCustomer
		}
		p.detached[id] = true
		return nil
	})
}

func (p *provider) Pending(_ context.Context, id string) (pending billing.Pending, err error) {
	err = p.call("Pending", func() error {
		if p.customers[id] == nil {
			return billing.ErrNoCustomer
		}
		pending = p.pending
		return nil
	})
	return pending, err
}

func (p *provider) DeleteCustomer(_ context.Context, id string) error {
	return p.call("DeleteCustomer", func() error { delete(p.customers, id); return nil })
}

func (p *provider) Charged(_ context.Context, charge string) (customer string, err error) {
	err = p.call("Charged", func() error { customer = strings.TrimPrefix(charge, "ch_of_"); return nil })
	return customer, err
}

// invoiced finds the subscription of an invoice.
func (p *provider) invoiced(id string) *billing.Subscription {
	i := slices.IndexFunc(p.subs, func(s *billing.Subscription) bool { return s.Latest.ID == id })
	return p.subs[i]
}

func (p *provider) Account(context.Context) (is billing.ProviderAccount, err error) {
	err = p.call("Account", func() error { is = p.account; return nil })
	return is, err
}

func (p *provider) Knows(_ context.Context, customer string) (known bool, err error) {
	err = p.call("Knows", func() error { known = p.customers[customer] != nil; return nil })
	return known, err
}

// Documents has none: exports are tested at Stripe's.
func (p *provider) Documents(context.Context, time.Time, time.Time) iter.Seq2[billing.Document, error] {
	return func(func(billing.Document, error) bool) {}
}

func (p *provider) Price(context.Context) (price billing.Price, err error) {
	err = p.call("Price", func() error { price = p.price; return nil })
	return price, err
}

// Expect expects all that is signed.
func (p *provider) Expect(signature string, _ time.Time) error {
	if signature != "signed" {
		return billing.ErrForged
	}
	return nil
}

// Verify reads "id type customer", and "foreign" after it.
func (p *provider) Verify(body []byte, signature string, _ time.Time) (billing.Event, error) {
	parts := strings.Split(string(body), " ")
	if signature != "signed" || len(parts) < 3 {
		return billing.Event{}, billing.ErrForged
	}
	e := billing.Event{ID: parts[0], Type: parts[1], Customer: parts[2], UnexpectedVersion: len(parts) > 3}
	if strings.Contains(e.Type, "dispute") || strings.HasPrefix(e.Type, "refund.") {
		e.Customer, e.Charge = "", "ch_of_"+e.Customer
	}
	return e, nil
}

func (p *provider) find(id string) *billing.Subscription {
	i := slices.IndexFunc(p.subs, func(s *billing.Subscription) bool { return s.ID == id })
	return p.subs[i]
}

// subscribe makes a subscription of a customer, with the account that its checkout named.
func (p *provider) subscribe(customer, accountID string, status billing.Status) *billing.Subscription {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	sub := &billing.Subscription{
		ID: p.id("sub"), Customer: customer, Account: accountID, Status: status,
		CreatedAt: now, PeriodEnd: now.AddDate(0, 1, 0), Net: 9900, Tax: 1980, Quantity: 1,
		Latest: billing.Invoice{ID: p.id("in"), State: billing.InvoiceOpen, Date: now, Total: 11880},
	}
	if status != billing.Incomplete && status != billing.Expired {
		pay(sub)
		sub.Latest.PaidAt = now
	}
	p.subs = slices.Insert(p.subs, 0, sub)
	if c := p.customers[customer]; c != nil {
		p.issued[sub.ID] = c.Email
	}
	return sub
}

// pay pays the newest invoice of a subscription.
func pay(sub *billing.Subscription) {
	sub.EverPaid, sub.UnpaidSince, sub.Unpaid = true, time.Time{}, ""
	sub.Latest.State, sub.Latest.Paid, sub.Latest.NotFinal = billing.InvoicePaid, sub.Latest.Total, ""
}

// bill gives a subscription another invoice, which is in a state.
func bill(sub *billing.Subscription, id string, state billing.InvoiceState, at time.Time) {
	sub.Latest = billing.Invoice{ID: id, State: state, Date: at, Total: 11880}
}

// fail has the payment of the next invoice of a subscription fail.
func fail(sub *billing.Subscription, id string, at time.Time) {
	bill(sub, id, billing.InvoiceOpen, at)
	sub.Status, sub.UnpaidSince, sub.Unpaid = billing.PastDue, at, id
}

// complete is what a customer does on the page of a checkout.
func (p *provider) complete(id string, status billing.Status) *billing.Subscription {
	p.mu.Lock()
	c := p.checkouts[id]
	c.state = billing.CheckoutComplete
	p.mu.Unlock()
	sub := p.subscribe(c.request.Customer, c.request.Account, status)
	p.with(func() { sub.Order = c.request.Order.ID })
	return sub
}

// called returns how often a call was made.
func (p *provider) called(name string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[name]
}

func (p *provider) Statement(_ context.Context, customer, _ string, invoices int) (s billing.Statement, err error) {
	err = p.call("Statement", func() error {
		if p.customers[customer] == nil {
			return billing.ErrNoCustomer
		}
		for _, sub := range p.subs {
			if sub.Customer == customer && len(s.Invoices) < invoices {
				s.Invoices = append(s.Invoices, sub.Latest)
			}
		}
		return nil
	})
	return s, err
}

func (p *provider) PayLink(_ context.Context, invoice string) (url string, err error) {
	err = p.call("PayLink", func() error { url = "https://pay.example/i/" + invoice; return nil })
	return url, err
}
