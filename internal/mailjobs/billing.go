package mailjobs

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/mail"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// suspended names the keys of an account that sleep and the endpoints that are paused.
func (m *Mails) suspended(ctx context.Context, accountID string) (keys, endpoints []string, err error) {
	all, err := m.DB.Keys.List(ctx, account.Operator(), accountID, account.KeyFilter{}, time.Now())
	if err != nil {
		return nil, nil, err
	}
	for _, k := range all {
		if k.Suspended {
			keys = append(keys, k.Name)
		}
	}
	list, err := m.DB.Webhooks.Endpoints(ctx, account.Operator(), accountID)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range list {
		if e.State == webhook.Paused {
			endpoints = append(endpoints, e.URL)
		}
	}
	return keys, endpoints, nil
}

// Subscription sends a notice about a subscription.
func (m *Mails) Subscription(ctx context.Context, n billing.Notice) error {
	if m.Mailer == nil {
		return nil
	}
	header, err := m.header(ctx, n.Account.Email, n.Account.Language, n.ID)
	if err != nil {
		return err
	}
	message, err := m.message(ctx, header, n)
	if err != nil {
		return err
	}
	return m.send(ctx, message, "a mail about a subscription was refused and is not sent again")
}

// Refund tells of a refund, whoever the provider knows.
func (m *Mails) Refund(ctx context.Context, n billing.RefundNotice) error {
	if m.Mailer == nil {
		return nil
	}
	header, err := m.header(ctx, n.Email, n.Language, n.ID)
	if err != nil {
		return err
	}
	message := mail.ProRefunded(header, mail.Refunded{
		Given: n.Reason == billing.RefundGiven, Number: n.Invoice.Number, Cents: n.Invoice.Credited,
	})
	return m.send(ctx, message, "a mail about a refund was refused and is not sent again")
}

// message is the mail of a notice.
func (m *Mails) message(ctx context.Context, h mail.Header, n billing.Notice) (mail.Message, error) {
	link := planLink(h.Service.BaseURL, n.Account.Language)
	switch n.Kind {
	case billing.NoticeWelcome:
		limits := account.Pro.Limits()
		return mail.ProWelcome(h, mail.Welcome{
			Keys: limits.Keys, Endpoints: limits.Endpoints, Link: link, Order: confirmed(n, h.Service.BaseURL),
		}), nil
	case billing.NoticeCancelled:
		return mail.ProCancelled(h, mail.Cancelled{Ends: n.Until, Link: link}), nil
	case billing.NoticeUnpaid:
		return mail.ProUnpaid(h, mail.UnpaidInvoice{Day: n.Day, Until: n.Until, Link: cmp.Or(n.PayLink, link)}), nil
	case billing.NoticeVATRefused:
		return mail.VATNumberRefused(h, mail.RefusedVATNumber{Until: n.Until, Link: link}), nil
	case billing.NoticeVATRemoved:
		return mail.VATNumberRemoved(h, link), nil
	case billing.NoticeEnded:
		keys, endpoints, err := m.suspended(ctx, n.Account.ID)
		unpaid := n.Subscription.Status == billing.PastDue || n.Subscription.Status == billing.Unpaid
		return mail.ProEnded(h, mail.Ended{Unpaid: unpaid, Void: n.Void, Keys: keys, Endpoints: endpoints, Link: link}), err
	}
	return mail.Message{}, fmt.Errorf("there is no mail for a notice of the kind %q", n.Kind)
}

// confirmed is the order that a welcome confirms, at the price of its first invoice; nil for none.
func confirmed(n billing.Notice, base string) *mail.Order {
	o := n.Order
	if o == nil {
		return nil
	}
	sub := n.Subscription
	c := &mail.Order{
		ID: o.ID, At: o.At, Name: o.Name, Number: o.Number, Net: sub.Net, Tax: sub.Tax, ReverseCharge: sub.ReverseCharge,
		Terms: o.Terms.Body, Legal: o.Legal.Body,
	}
	if base != "" {
		c.Cancel = base + address.EndContract.At(locale.Tagged(string(n.Account.Language)))
	}
	return c
}

// planLink is the page of an account's plan; "" where the address of pages is not known.
func planLink(base string, lang account.Language) string {
	if base == "" {
		return ""
	}
	return base + address.Plan.At(locale.Tagged(string(lang)))
}
