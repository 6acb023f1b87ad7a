package workers

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/mail"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// suspended returns the names of an account's suspended keys and the URLs of its paused endpoints.
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

// Subscription mails a notice about a subscription.
func (m *Mails) Subscription(ctx context.Context, n billing.Notice) error {
	if m.Mailer == nil {
		return nil
	}
	to, language := n.Account.Email, n.Account.Language
	if n.Kind == billing.NoticeOperatorDifference {
		if to, language = m.Contact, account.French; to == "" {
			return nil // the log and an alarm tell the operator
		}
	}
	header, err := m.header(ctx, to, language, n.ID)
	if err != nil {
		return err
	}
	message, err := m.message(ctx, header, n)
	if err != nil {
		return err
	}
	return m.send(ctx, message, "a mail about a subscription was refused and is not sent again")
}

// Document mails an invoice or a credit note. Without a mailer its job waits: the customer has a right to it.
func (m *Mails) Document(ctx context.Context, n billing.DocumentNotice) error {
	if m.Mailer == nil {
		return river.JobSnooze(time.Hour)
	}
	header, err := m.header(ctx, n.Email, n.Language, n.ID)
	if err != nil {
		return err
	}
	d := n.Document
	shown := mail.Document{
		Number: d.Number, Corrects: d.Corrects, Date: d.Date, Euros: d.Currency == billing.ProPrice.Currency,
		Net: d.Net, Tax: d.Tax, Total: d.Total, ReverseCharge: d.ReverseCharge,
		Refunded: d.Refunded, Reason: refundReasons[d.Reason], Page: d.Page, PDF: d.PDF,
	}
	message := mail.Invoice(header, shown)
	if d.Kind == billing.CreditNote {
		message = mail.CreditNote(header, shown)
	}
	return m.send(ctx, message, "a mail with an invoice or a credit note was refused and is not sent again")
}

// refundReasons are the words of package mail for the reasons of refunds.
var refundReasons = map[billing.RefundReason]string{
	billing.RefundDeleted: "deleted", billing.RefundGiven: "given", billing.RefundEnded: "ended", billing.RefundCancelled: "cancelled",
	billing.RefundDifference: "difference",
}

// message returns the mail of a notice.
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
	case billing.NoticeResumed:
		return mail.ProResumed(h, mail.Resumed{Next: n.Subscription.PeriodEnd, Link: link}), nil
	case billing.NoticeUnpaid:
		return mail.ProUnpaid(h, mail.UnpaidInvoice{Day: n.Day, Until: n.Until, Link: cmp.Or(n.PayLink, link)}), nil
	case billing.NoticeDifference:
		return mail.OrderDiffers(h, difference(n, link)), nil
	case billing.NoticeOperatorDifference:
		return mail.OperatorDiffers(h, difference(n, link)), nil
	case billing.NoticeVATRefused:
		return mail.VATNumberRefused(h, mail.RefusedVATNumber{Until: n.Until, Link: detailsLink(h.Service.BaseURL, n.Account.Language)}), nil
	case billing.NoticeVATRemoved:
		return mail.VATNumberRemoved(h, mail.RemovedVATNumber{Again: n.Again, Link: detailsLink(h.Service.BaseURL, n.Account.Language)}), nil
	case billing.NoticeEnded:
		keys, endpoints, err := m.suspended(ctx, n.Account.ID)
		unpaid := n.Subscription.Status == billing.PastDue || n.Subscription.Status == billing.Unpaid
		return mail.ProEnded(h, mail.Ended{Unpaid: unpaid, Void: n.Void, Keys: keys, Endpoints: endpoints, Link: link}), err
	}
	return mail.Message{}, fmt.Errorf("there is no mail for a notice of the kind %q", n.Kind)
}

// difference returns what a mail says about a first invoice that differs from its order.
func difference(n billing.Notice, link string) mail.OrderDifference {
	return mail.OrderDifference{
		Account: n.Account.ID, Order: n.Order.ID, Number: n.Invoice.Number, Ordered: n.Order.Net + n.Order.Tax,
		Invoiced: n.Invoice.Total, Credited: n.Invoice.Credited, Link: link,
	}
}

// confirmed returns the order that a welcome mail confirms, with the amounts of its first invoice; nil for none.
func confirmed(n billing.Notice, base string) *mail.Order {
	o := n.Order
	if o == nil {
		return nil
	}
	sub := n.Subscription
	c := &mail.Order{
		ID: o.ID, At: o.At, Name: o.Name, Number: o.Number, Net: sub.Net, Tax: sub.Tax, ReverseCharge: sub.ReverseCharge,
		Terms: o.Terms.Body, Legal: o.Legal.Body, Country: o.Country, Email: o.Email, Reference: o.Reference,
	}
	if o.Line1 != "" {
		for _, line := range []string{o.Line1, o.Line2, strings.TrimSpace(o.Postcode + " " + o.City), o.Region} {
			if line != "" {
				c.Address = append(c.Address, line)
			}
		}
	}
	if base != "" {
		c.Cancel = base + address.EndContract.At(locale.Tagged(string(n.Account.Language)))
	}
	return c
}

// detailsLink returns the URL of the page on which an account changes its VAT number; "" if the base URL is not known.
func detailsLink(base string, lang account.Language) string {
	if base == "" {
		return ""
	}
	return base + address.PlanDetails.At(locale.Tagged(string(lang)))
}

// planLink returns the URL of the page of an account's plan; "" if the base URL is not known.
func planLink(base string, lang account.Language) string {
	if base == "" {
		return ""
	}
	return base + address.Plan.At(locale.Tagged(string(lang)))
}
