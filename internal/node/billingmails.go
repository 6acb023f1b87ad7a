package node

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/mail"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// billingMails sends the mails about subscriptions. Without a mailer it sends none: the jobs end.
type billingMails struct {
	mailer *mail.Sender // nil where no mail is sent
	letter letters
	logger *slog.Logger
	asleep func(ctx context.Context, accountID string) (keys, endpoints []string, err error)
}

func (b *builder) billingMails(db *postgres.DB) (*billingMails, error) {
	mailer, err := b.mailer()
	if err != nil {
		return nil, err
	}
	return &billingMails{
		mailer: mailer, letter: b.letters(db), logger: b.logger,
		asleep: func(ctx context.Context, accountID string) ([]string, []string, error) {
			return asleep(ctx, db, accountID)
		},
	}, nil
}

// asleep names the keys of an account that sleep and the endpoints that are paused.
func asleep(ctx context.Context, db *postgres.DB, accountID string) (keys, endpoints []string, err error) {
	all, err := account.NewService(db.Accounts, db.Keys, nil).Keys(ctx, account.Operator(), accountID)
	if err != nil {
		return nil, nil, err
	}
	for _, k := range all {
		if k.Asleep {
			keys = append(keys, k.Name)
		}
	}
	list, err := db.Webhooks.Endpoints(ctx, account.Operator(), accountID)
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

// send sends a notice. One that is refused for good is not an error: trying again would change
// nothing.
func (m *billingMails) send(ctx context.Context, n billing.Notice) error {
	if m.mailer == nil {
		return nil
	}
	letter, err := m.letter(ctx, n.Account.Email, n.Account.Language, n.ID)
	if err != nil {
		return err
	}
	message, err := m.message(ctx, letter, n)
	if err != nil {
		return err
	}
	err = m.mailer.Send(ctx, message)
	if mail.Permanent(err) {
		m.logger.Warn("a mail about a subscription was refused and is not sent again", "mail", n.ID, "error", err)
		return nil
	}
	return err
}

// message is the mail of a notice.
func (m *billingMails) message(ctx context.Context, l mail.Letter, n billing.Notice) (mail.Message, error) {
	link := planLink(l.Service.BaseURL, n.Account.Language)
	switch n.Kind {
	case billing.NoticeWelcome:
		limits := account.Pro.Limits()
		return mail.ProWelcome(l, mail.Welcome{Keys: limits.Keys, Endpoints: limits.Endpoints, Link: link}), nil
	case billing.NoticeCancelled:
		return mail.ProCancelled(l, mail.Cancelled{Ends: n.Until, Link: link}), nil
	case billing.NoticeUnpaid:
		return mail.ProUnpaid(l, mail.UnpaidInvoice{Day: n.Day, Until: n.Until, Link: link}), nil
	case billing.NoticeEnded:
		keys, endpoints, err := m.asleep(ctx, n.Account.ID)
		unpaid := n.Subscription.Status == billing.PastDue || n.Subscription.Status == billing.Unpaid
		return mail.ProEnded(l, mail.Ended{Unpaid: unpaid, Keys: keys, Endpoints: endpoints, Link: link}), err
	}
	return mail.Message{}, fmt.Errorf("there is no mail for a notice of the kind %q", n.Kind)
}

// planLink is the page of an account's plan; "" where the address of pages is not known.
func planLink(base string, lang account.Language) string {
	if base == "" {
		return ""
	}
	return base + billing.PlanPath(lang)
}
