package mailjobs

import (
	"context"
	"errors"
	"fmt"

	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/jobs"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/mail"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// Webhooks are the jobs that tell owners of endpoints that were disabled.
func (m *Mails) Webhooks(accounts *account.Service) jobs.Group {
	return jobs.Group{
		Name: "webhook mails",
		Add: func(cfg *river.Config) {
			river.AddWorker(cfg.Workers, river.WorkFunc(func(ctx context.Context, job *river.Job[webhook.NotifyDisabled]) error {
				if m.Mailer == nil {
					return nil
				}
				return m.TellDisabled(ctx, accounts, job.Args.Endpoint)
			}))
		},
		Remote: []string{webhook.NotifyDisabled{}.Kind()},
	}
}

// TellDisabled sends mail to the owner of an endpoint that was disabled, unless the owner wants none.
func (m *Mails) TellDisabled(ctx context.Context, accounts *account.Service, id string) error {
	e, err := m.DB.Webhooks.Endpoint(ctx, account.Operator(), id)
	if errors.Is(err, webhook.ErrNoEndpoint) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return err
	}
	owner, err := accounts.Show(ctx, account.Operator(), e.Account)
	if errors.Is(err, account.ErrNoAccount) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return err
	}
	if !owner.MailEndpoints {
		return nil
	}
	header, err := m.header(ctx, owner.Email, owner.Language, "")
	if err != nil {
		return err
	}
	err = m.deliver(ctx, mail.EndpointDisabled(header, mail.DisabledEndpoint{
		ID: e.ID, URL: e.URL, Reason: e.Reason, Link: endpointLink(header.Service.BaseURL, owner.Language, e.ID),
	}))
	if mail.Permanent(err) {
		return nil // trying again would change nothing
	}
	if err != nil {
		return fmt.Errorf("telling the owner of %s: %w", id, err)
	}
	return nil
}

// endpointLink is the page of an endpoint; "" where the address of pages is not known.
func endpointLink(base string, lang account.Language, id string) string {
	if base == "" {
		return ""
	}
	return base + address.Endpoint.At(locale.Tagged(string(lang)), id)
}
