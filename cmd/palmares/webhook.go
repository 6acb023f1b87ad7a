package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/services"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// webhookCommand groups the commands about endpoints.
type webhookCommand struct {
	Create     webhookCreate     `cmd:"" help:"Create an endpoint and print its secret, once."`
	Verify     webhookVerify     `cmd:"" help:"Send an endpoint its challenge; an answer makes it active."`
	List       webhookList       `cmd:"" help:"List the endpoints of an account."`
	Show       webhookShow       `cmd:"" help:"Show one endpoint."`
	Update     webhookUpdate     `cmd:"" help:"Change which events an endpoint receives."`
	Test       webhookTest       `cmd:"" help:"Send an endpoint a test or a sample event and show what it answers."`
	Enable     webhookEnable     `cmd:"" help:"Deliver to an endpoint again, from now on."`
	Disable    webhookDisable    `cmd:"" help:"Stop delivering to an endpoint."`
	Rotate     webhookRotate     `cmd:"" help:"Give an endpoint a new secret; the old one still signs for a day."`
	Reseal     webhookReseal     `cmd:"" help:"Seal all secrets with a new PALMARES_SECRET."`
	Delete     webhookDelete     `cmd:"" help:"Delete an endpoint and its deliveries."`
	Deliveries webhookDeliveries `cmd:"" help:"List an endpoint's deliveries, the newest first."`
	Replay     webhookReplay     `cmd:"" help:"Deliver again: one delivery, or a range of events."`
}

// Help is shown by palmares webhook --help.
func (webhookCommand) Help() string {
	return `A Pro account may have 10 endpoints. Each gets the types of events and the categories
it asks for, signed with a secret of its own (Standard Webhooks). Nodes with the role worker
deliver: palmares serve --roles worker.

PALMARES_DATABASE_URL names the database. Commands that send or handle secrets (create, verify,
test, rotate, reseal) need the PALMARES_SECRET of the nodes and obey PALMARES_WEBHOOK_NETWORKS.`
}

type webhookCreate struct {
	Email string `arg:"" help:"The account."`
	URL   string `arg:"" help:"Where to send: https, on port 443."`
	filters
	Vouch bool `help:"Make it active without a challenge: you vouch that its owner wants it."`
}

// Help is shown by palmares webhook create --help.
func (webhookCreate) Help() string {
	return `The secret is printed alone on standard output, for scripts. Nothing is delivered
until the endpoint has answered a challenge (palmares webhook verify ID): nobody can aim
deliveries at somebody else's server.`
}

func (c *webhookCreate) Run(ctx context.Context, con *console) error {
	email, err := account.ParseEmail(c.Email)
	if err != nil {
		return err
	}
	cfg, err := config.ReadWebhooks(os.Environ())
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	networks, err := cfg.Networks()
	if err != nil {
		return err
	}
	url, err := webhook.ParseURL(c.URL, networks)
	if err != nil {
		return err
	}
	draft, err := c.draft()
	if err != nil {
		return err
	}
	draft.URL, draft.Vouched = url, c.Vouch
	return withSecret(ctx, func(s *services.Services) error {
		a, err := s.Accounts.Find(ctx, account.Operator(), email)
		if err != nil {
			return fmt.Errorf("%s: %w", email, err)
		}
		made, err := s.Endpoints.Create(ctx, account.Operator(), a.ID, draft)
		warnUnchecked(con, made.Unchecked, draft.Categories)
		if err != nil && !errors.Is(err, webhook.ErrSecretChanged) {
			return about(email, err)
		}
		next := "it is active"
		if !c.Vouch {
			next = "next, once the receiver runs: palmares webhook verify " + made.ID
		}
		fmt.Fprintf(con.err, "endpoint %s created for %s; %s\nits secret is shown only once:\n",
			made.ID, email, next)
		if _, err := fmt.Fprintln(con.out, made.Secret.Reveal()); err != nil {
			return fmt.Errorf("the secret could not be printed: palmares webhook rotate %s (%w)", made.ID, err)
		}
		return err
	})
}

type webhookVerify struct {
	ID string `arg:"" help:"The endpoint."`
}

// Help is shown by palmares webhook verify --help.
func (webhookVerify) Help() string {
	return `Sends a webhook.test event with a challenge. A receiver that answers 2xx with the
challenge as the whole body, or with {"challenge":"..."}, makes the endpoint active.`
}

func (c *webhookVerify) Run(ctx context.Context, con *console) error {
	return withSecret(ctx, func(s *services.Services) error {
		v, err := s.Endpoints.Verify(ctx, account.Operator(), c.ID)
		switch {
		case err != nil:
			return about(c.ID, err)
		case v.Already:
			fmt.Fprintf(con.err, "%s is already active\n", c.ID)
			return nil
		case !v.Answered:
			return fmt.Errorf("%s did not answer its challenge: %s", c.ID, describeResult(v.Result))
		}
		fmt.Fprintf(con.err, "%s answered and is active; it receives what is published from now on\n", c.ID)
		return nil
	})
}

// describeResult describes the response of an endpoint, or why there is none.
func describeResult(r webhook.Result) string {
	if r.Reason != (webhook.Reason{}) {
		return r.Reason.String()
	}
	return fmt.Sprintf("status %d after %d ms, with the body %q", r.Status, r.Took.Milliseconds(), r.Response)
}

type webhookTest struct {
	ID   string `arg:"" help:"The endpoint."`
	Type string `placeholder:"TYPE" help:"Send a sample of this type, such as price.changed, instead of a webhook.test."`
}

// Help is shown by palmares webhook test --help.
func (webhookTest) Help() string {
	return `A sample is about an invented item and has "test": true in its data. It is sent once,
whatever the endpoint asked for, and is not among its deliveries.`
}

func (c *webhookTest) Run(ctx context.Context, con *console) error {
	kind := webhook.TestEvent
	if c.Type != "" && c.Type != string(webhook.TestEvent) {
		types, err := webhook.ParseTypes([]string{c.Type})
		if err != nil {
			return err
		}
		kind = types[0]
	}
	return withSecret(ctx, func(s *services.Services) error {
		result, err := s.Endpoints.Test(ctx, account.Operator(), c.ID, kind)
		if err != nil {
			return about(c.ID, err)
		}
		if !result.OK() {
			return fmt.Errorf("%s: %s", c.ID, describeResult(result))
		}
		fmt.Fprintf(con.err, "%s: %s\n", c.ID, describeResult(result))
		return nil
	})
}

type webhookEnable struct {
	ID string `arg:"" help:"The endpoint."`
}

func (c *webhookEnable) Run(ctx context.Context, con *console) error {
	return withServices(ctx, func(s *services.Services) error {
		missed, err := s.Endpoints.Enable(ctx, account.Operator(), c.ID)
		if errors.Is(err, webhook.ErrNotVerified) {
			return fmt.Errorf("%s has not answered its challenge: palmares webhook verify %s", c.ID, c.ID)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.ID, err)
		}
		fmt.Fprintf(con.err, "%s receives what is published from now on; %s\n", c.ID, missedEvents(c.ID, missed))
		if missed.Failed > 0 {
			since := time.Since(missed.FailedSince).Truncate(time.Hour) + time.Hour
			fmt.Fprintf(con.err, "%d of its deliveries failed for good: "+
				"palmares webhook replay %s --failed --since %.0fh\n",
				missed.Failed, c.ID, min(since, webhook.ReplayFor).Hours())
		}
		return nil
	})
}

// missedEvents says what an endpoint missed while it was not active, and how to replay it.
func missedEvents(id string, m webhook.Missed) string {
	if m.From > m.To {
		return "it missed nothing"
	}
	replay := fmt.Sprintf("palmares webhook replay %s --from %d --to %d", id, m.Replayable, m.To)
	switch missed := fmt.Sprintf("it missed events %d to %d", m.From, m.To); m.Replayable {
	case m.From:
		return missed + ": " + replay
	case 0:
		return missed + ", which are too old to be replayed"
	default:
		return fmt.Sprintf("%s, and those from %d on can be replayed: %s", missed, m.Replayable, replay)
	}
}

// byOwner is the reason that webhook show prints for an endpoint disabled without one.
var byOwner = webhook.Reason{Code: webhook.DisabledByOwner}.String()

type webhookDisable struct {
	ID     string `arg:"" help:"The endpoint."`
	Reason string `default:"${byowner}" help:"Why, for its owner to read."`
}

func (c *webhookDisable) Run(ctx context.Context, con *console) error {
	return withServices(ctx, func(s *services.Services) error {
		words := c.Reason
		if words == byOwner {
			words = ""
		}
		if err := s.Endpoints.Disable(ctx, account.Operator(), c.ID, words); err != nil {
			return fmt.Errorf("%s: %w", c.ID, err)
		}
		fmt.Fprintf(con.err, "%s receives nothing more\n", c.ID)
		return nil
	})
}

type webhookRotate struct {
	ID    string `arg:"" help:"The endpoint."`
	Force bool   `help:"Rotate even though two secrets already sign: the older one stops at once."`
}

func (c *webhookRotate) Run(ctx context.Context, con *console) error {
	return withSecret(ctx, func(s *services.Services) error {
		r, err := s.Endpoints.Rotate(ctx, account.Operator(), c.ID, c.Force)
		if err != nil && !errors.Is(err, webhook.ErrSecretChanged) {
			return about(c.ID, err)
		}
		fmt.Fprintf(con.err, "the old secret of %s still signs until %s", c.ID, moment(r.Until))
		if r.Revoked {
			fmt.Fprint(con.err, ", the one before it no longer signs")
		}
		fmt.Fprintln(con.err, "; the new one is shown only once:")
		if _, err := fmt.Fprintln(con.out, r.Secret.Reveal()); err != nil {
			return fmt.Errorf("the secret could not be printed: palmares webhook rotate %s --force (%w)",
				c.ID, err)
		}
		return err
	})
}

type webhookDelete struct {
	ID string `arg:"" help:"The endpoint."`
}

func (c *webhookDelete) Run(ctx context.Context, con *console) error {
	return withServices(ctx, func(s *services.Services) error {
		if err := s.Endpoints.Delete(ctx, account.Operator(), c.ID); err != nil {
			return fmt.Errorf("%s: %w", c.ID, err)
		}
		fmt.Fprintf(con.err, "%s is deleted\n", c.ID)
		return nil
	})
}
