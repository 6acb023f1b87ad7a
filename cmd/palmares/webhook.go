package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// webhookCommand groups what is done to the endpoints of webhooks.
type webhookCommand struct {
	Create     webhookCreate     `cmd:"" help:"Create an endpoint and print its secret, once."`
	Verify     webhookVerify     `cmd:"" help:"Send an endpoint its challenge; an answer makes it active."`
	List       webhookList       `cmd:"" help:"List the endpoints of an account."`
	Show       webhookShow       `cmd:"" help:"Show one endpoint."`
	Update     webhookUpdate     `cmd:"" help:"Change what an endpoint hears of."`
	Test       webhookTest       `cmd:"" help:"Send an endpoint a test or a sample event and show what it answers."`
	Enable     webhookEnable     `cmd:"" help:"Deliver to an endpoint again, from the end of the log."`
	Disable    webhookDisable    `cmd:"" help:"Deliver nothing more to an endpoint."`
	Rotate     webhookRotate     `cmd:"" help:"Give an endpoint another secret; the old one signs too for a day."`
	Reseal     webhookReseal     `cmd:"" help:"Seal all secrets with PALMARES_SECRET, after it has changed."`
	Delete     webhookDelete     `cmd:"" help:"Delete an endpoint and its deliveries."`
	Deliveries webhookDeliveries `cmd:"" help:"List an endpoint's deliveries, the newest first."`
	Replay     webhookReplay     `cmd:"" help:"Deliver again: one delivery, or a range of events."`
}

// Help is shown by palmares webhook --help.
func (webhookCommand) Help() string {
	return `A Pro account may have 10 endpoints. Each hears of the types of events and the categories it asks for, signed with a secret of
its own (Standard Webhooks). Deliveries are made by the nodes that run the role worker: palmares serve --roles worker.

PALMARES_DATABASE_URL names the database. What sends or makes secrets (create, verify, test, rotate, reseal) needs PALMARES_SECRET, the
same as the nodes', and obeys PALMARES_WEBHOOK_NETWORKS.`
}

// withEndpoints runs a command that neither sends to endpoints nor handles their secrets.
func withEndpoints(ctx context.Context, do func(*webhook.Endpoints) error) error {
	return withDatabase(ctx, func(db *postgres.DB) error { return do(endpointsOf(db)) })
}

// endpointsOf is what can be done with the endpoints of a database without its secret.
func endpointsOf(db *postgres.DB) *webhook.Endpoints {
	return webhook.NewEndpoints(webhook.EndpointsOptions{Store: db})
}

// withWebhooks runs a command that sends to endpoints or handles their secrets, with the
// secret of the database.
func withWebhooks(ctx context.Context, do func(*webhook.Endpoints, *account.Service) error) error {
	cfg, err := config.ReadWebhooks(os.Environ())
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	sender, box, err := newSender(cfg)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	defer sender.Close()
	return withDatabase(ctx, func(db *postgres.DB) error {
		check := func() error { return webhook.CheckSecret(ctx, db, box, time.Now()) }
		if err := check(); err != nil {
			return err
		}
		endpoints := webhook.NewEndpoints(webhook.EndpointsOptions{Store: db, Sender: sender, Box: box})
		if err := do(endpoints, accountsOf(db)); err != nil {
			return err
		}
		// Had all been resealed meanwhile, what was sealed now would have been left out.
		if err := check(); err != nil {
			return fmt.Errorf("it is done, but PALMARES_SECRET was changed meanwhile: run palmares webhook reseal once more (%w)", err)
		}
		return nil
	})
}

// about says what an error is about, unless the error does.
func about(what string, err error) error {
	var unknown *webhook.CategoryError
	if errors.Is(err, webhook.ErrSealed) || errors.As(err, &unknown) {
		return err
	}
	return fmt.Errorf("%s: %w", what, err)
}

type webhookCreate struct {
	Email string `arg:"" help:"The account."`
	URL   string `arg:"" help:"Where to send: https, on port 443."`
	filters
	Vouch bool `help:"Make it active at once: you vouch that its owner wants it."`
}

// Help is shown by palmares webhook create --help.
func (webhookCreate) Help() string {
	return `The secret is printed alone on standard output, so that a script can take it. The endpoint hears of nothing until it has answered a
challenge (palmares webhook verify ID): nobody can aim deliveries at somebody else's server.`
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
	return withWebhooks(ctx, func(endpoints *webhook.Endpoints, accounts *account.Service) error {
		a, err := accounts.Find(ctx, account.Operator(), email)
		if err != nil {
			return fmt.Errorf("%s: %w", email, err)
		}
		made, err := endpoints.Create(ctx, account.Operator(), a.ID, draft)
		warnUnchecked(con, made.Unchecked, draft.Categories)
		if err != nil {
			return about(email, err)
		}
		next := "it is active"
		if !c.Vouch {
			next = "next, once the receiver runs: palmares webhook verify " + made.ID
		}
		fmt.Fprintf(con.err, "endpoint %s created for %s; %s\nits secret is shown this once:\n", made.ID, email, next)
		if _, err := fmt.Fprintln(con.out, made.Secret.Reveal()); err != nil {
			return fmt.Errorf("the secret could not be printed: palmares webhook rotate %s (%w)", made.ID, err)
		}
		return nil
	})
}

type webhookVerify struct {
	ID string `arg:"" help:"The endpoint."`
}

// Help is shown by palmares webhook verify --help.
func (webhookVerify) Help() string {
	return `Sends a webhook.test event with a challenge. The receiver answers it with 2xx and the challenge itself as the whole body, or
{"challenge":"..."}; the endpoint is active then.`
}

func (c *webhookVerify) Run(ctx context.Context, con *console) error {
	return withWebhooks(ctx, func(endpoints *webhook.Endpoints, _ *account.Service) error {
		v, err := endpoints.Verify(ctx, account.Operator(), c.ID)
		switch {
		case err != nil:
			return about(c.ID, err)
		case v.Already:
			fmt.Fprintf(con.err, "%s is active already\n", c.ID)
			return nil
		case !v.Answered:
			return fmt.Errorf("%s did not answer its challenge: %s", c.ID, told(v.Result))
		}
		fmt.Fprintf(con.err, "%s answered and is active; it hears of what is published from now on\n", c.ID)
		return nil
	})
}

// told says what came of a request to an endpoint.
func told(r webhook.Result) string {
	if r.Err != nil {
		return r.Err.Error()
	}
	return fmt.Sprintf("status %d after %d ms, with the body %q", r.Status, r.Took.Milliseconds(), r.Response)
}

type webhookTest struct {
	ID   string `arg:"" help:"The endpoint."`
	Type string `placeholder:"TYPE" help:"Send a sample of this type of event, such as price.changed, instead of a webhook.test."`
}

// Help is shown by palmares webhook test --help.
func (webhookTest) Help() string {
	return `A sample is about an invented item and has "test": true in its data. It is sent whatever the endpoint asked for, once, and is not among
its deliveries.`
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
	return withWebhooks(ctx, func(endpoints *webhook.Endpoints, _ *account.Service) error {
		result, err := endpoints.Test(ctx, account.Operator(), c.ID, kind)
		if err != nil {
			return about(c.ID, err)
		}
		if !result.OK() {
			return fmt.Errorf("%s: %s", c.ID, told(result))
		}
		fmt.Fprintf(con.err, "%s: %s\n", c.ID, told(result))
		return nil
	})
}

type webhookEnable struct {
	ID string `arg:"" help:"The endpoint."`
}

func (c *webhookEnable) Run(ctx context.Context, con *console) error {
	return withEndpoints(ctx, func(endpoints *webhook.Endpoints) error {
		missed, err := endpoints.Enable(ctx, account.Operator(), c.ID)
		if errors.Is(err, webhook.ErrNotVerified) {
			return fmt.Errorf("%s has not answered its challenge: palmares webhook verify %s", c.ID, c.ID)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.ID, err)
		}
		fmt.Fprintf(con.err, "%s hears of what is published from now on; %s\n", c.ID, missedEvents(c.ID, missed))
		if missed.Failed > 0 {
			since := time.Since(missed.FailedSince).Truncate(time.Hour) + time.Hour
			fmt.Fprintf(con.err, "%d of its deliveries failed for good: palmares webhook replay %s --failed --since %.0fh\n",
				missed.Failed, c.ID, min(since, webhook.ReplayFor).Hours())
		}
		return nil
	})
}

// missedEvents says what an endpoint missed while it was not active, and how to get it.
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

type webhookDisable struct {
	ID     string `arg:"" help:"The endpoint."`
	Reason string `default:"disabled by its owner" help:"Why, for its owner to read."`
}

func (c *webhookDisable) Run(ctx context.Context, con *console) error {
	return withEndpoints(ctx, func(endpoints *webhook.Endpoints) error {
		if err := endpoints.Disable(ctx, account.Operator(), c.ID, c.Reason); err != nil {
			return fmt.Errorf("%s: %w", c.ID, err)
		}
		fmt.Fprintf(con.err, "%s hears of nothing more\n", c.ID)
		return nil
	})
}

type webhookRotate struct {
	ID    string `arg:"" help:"The endpoint."`
	Force bool   `help:"Rotate although the secret of the rotation before still signs: it ceases to at once."`
}

func (c *webhookRotate) Run(ctx context.Context, con *console) error {
	return withWebhooks(ctx, func(endpoints *webhook.Endpoints, _ *account.Service) error {
		r, err := endpoints.Rotate(ctx, account.Operator(), c.ID, c.Force)
		if err != nil {
			return fmt.Errorf("%s: %w", c.ID, err)
		}
		fmt.Fprintf(con.err, "the old secret of %s signs too until %s", c.ID, moment(r.Until))
		if r.Cut {
			fmt.Fprint(con.err, ", the one before the last signs no more")
		}
		fmt.Fprintln(con.err, "; the new one is shown this once:")
		_, err = fmt.Fprintln(con.out, r.Secret.Reveal())
		return err
	})
}

type webhookDelete struct {
	ID string `arg:"" help:"The endpoint."`
}

func (c *webhookDelete) Run(ctx context.Context, con *console) error {
	return withEndpoints(ctx, func(endpoints *webhook.Endpoints) error {
		if err := endpoints.Delete(ctx, account.Operator(), c.ID); err != nil {
			return fmt.Errorf("%s: %w", c.ID, err)
		}
		fmt.Fprintf(con.err, "%s is deleted\n", c.ID)
		return nil
	})
}
