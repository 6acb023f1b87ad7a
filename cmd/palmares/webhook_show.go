package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/services"
	"github.com/palmares-hq/palmares/internal/webhook"
)

type webhookList struct {
	Email string `arg:"" help:"The account."`
	JSON  bool   `help:"Print the endpoints as a JSON array."`
}

func (c *webhookList) Run(ctx context.Context, con *console) error {
	email, err := account.ParseEmail(c.Email)
	if err != nil {
		return err
	}
	return withAccount(ctx, email, func(s *services.Services, a account.Account) error {
		list, err := s.Endpoints.List(ctx, account.Operator(), a.ID)
		if err != nil {
			return err
		}
		if c.JSON {
			shown := make([]endpointJSON, len(list))
			for i, e := range list {
				shown[i] = shownEndpoint(e)
			}
			return con.json(shown)
		}
		if len(list) == 0 {
			fmt.Fprintf(con.err, "%s has no endpoint yet: palmares webhook create %s URL\n", email, email)
			return nil
		}
		rows := [][]string{{"ID", "STATE", "URL", "TYPES", "CATEGORIES"}}
		for _, e := range list {
			rows = append(rows, []string{e.ID, string(e.State), e.URL, orAll(typeNames(e.Types)), orAll(e.Categories)})
		}
		return con.table(rows)
	})
}

func typeNames(types []catalog.EventType) []string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = string(t)
	}
	return names
}

func orAll(list []string) string {
	if len(list) == 0 {
		return "all"
	}
	return strings.Join(list, " ")
}

type webhookShow struct {
	ID   string `arg:"" help:"The endpoint."`
	JSON bool   `help:"Print the endpoint as JSON."`
}

func (c *webhookShow) Run(ctx context.Context, con *console) error {
	return withServices(ctx, func(s *services.Services) error {
		e, err := s.Endpoints.Show(ctx, account.Operator(), c.ID)
		if err != nil {
			return fmt.Errorf("%s: %w", c.ID, err)
		}
		if c.JSON {
			return con.json(shownEndpoint(e))
		}
		missed, err := missedBy(ctx, s, e)
		if err != nil {
			return err
		}
		rows := [][]string{
			{"id", e.ID},
			{"url", e.URL},
			{"description", e.Description},
			{"state", string(e.State)},
			{"reason", e.Reason.String()},
			{"types", orAll(typeNames(e.Types))},
			{"categories", orAll(e.Categories)},
			{"heard of", "events up to " + strconv.FormatInt(e.Cursor, 10)},
			{"missed", missed},
			{"verified", moment(e.VerifiedAt)},
			{"failing since", moment(e.FailingSince)},
			{"old secret until", moment(e.OldSecretUntil)},
			{"created", moment(e.CreatedAt)},
		}
		var told [][]string
		for _, r := range rows {
			if r[1] != "" {
				told = append(told, r)
			}
		}
		return con.table(told)
	})
}

// missedBy says what a paused or disabled endpoint has missed so far; "" if nothing.
func missedBy(ctx context.Context, s *services.Services, e webhook.Endpoint) (string, error) {
	if e.State != webhook.Paused && e.State != webhook.Disabled {
		return "", nil
	}
	m, err := s.Endpoints.Missed(ctx, account.Operator(), e.ID)
	if err != nil || m.From > m.To {
		return "", err
	}
	return strings.TrimPrefix(missedEvents(e.ID, m), "it missed "), nil
}

func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// endpointJSON is how --json shows an endpoint.
type endpointJSON struct {
	ID           string   `json:"id"`
	URL          string   `json:"url"`
	Description  string   `json:"description"`
	State        string   `json:"state"`
	Reason       string   `json:"reason"`
	Types        []string `json:"types"`
	Categories   []string `json:"categories"`
	Cursor       int64    `json:"cursor"`
	VerifiedAt   *string  `json:"verified_at"`
	FailingSince *string  `json:"failing_since"`
	CreatedAt    string   `json:"created_at"`
}

func shownEndpoint(e webhook.Endpoint) endpointJSON {
	return endpointJSON{
		ID: e.ID, URL: e.URL, Description: e.Description, State: string(e.State), Reason: e.Reason.String(),
		Types: typeNames(e.Types), Categories: append([]string{}, e.Categories...), Cursor: e.Cursor,
		CreatedAt: moment(e.CreatedAt), VerifiedAt: orNull(e.VerifiedAt), FailingSince: orNull(e.FailingSince),
	}
}

// orNull returns a time as --json prints it: null if it is zero.
func orNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := moment(t)
	return &text
}

// missedByPaused describes what each paused endpoint of an account has missed. Ask before the account is back
// on Pro: the endpoints then continue from the end of the log, and what they missed can no longer be known.
func missedByPaused(ctx context.Context, s *services.Services, accountID string) (lines []string, err error) {
	list, err := s.Endpoints.List(ctx, account.Operator(), accountID)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		if e.State != webhook.Paused {
			continue
		}
		missed, err := missedBy(ctx, s, e)
		if err != nil {
			return nil, err
		}
		if missed != "" {
			lines = append(lines, e.ID+" missed "+missed)
		}
	}
	return lines, nil
}

// tellPaused prints how many endpoints of an account are paused until it is on Pro.
func tellPaused(ctx context.Context, con *console, s *services.Services, accountID string) error {
	list, err := s.Endpoints.List(ctx, account.Operator(), accountID)
	if err != nil {
		return err
	}
	paused := 0
	for _, e := range list {
		if e.State == webhook.Paused {
			paused++
		}
	}
	if paused > 0 {
		fmt.Fprintf(con.err, "%d of its %d webhook endpoints are paused until the account is back on the plan pro\n",
			paused, len(list))
	}
	return nil
}
