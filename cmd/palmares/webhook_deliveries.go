package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/services"
	"github.com/palmares-hq/palmares/internal/webhook"
)

type webhookDeliveries struct {
	ID       string `arg:"" help:"The endpoint."`
	Delivery string `arg:"" optional:"" help:"Only this delivery, with every attempt."`
	Attempts bool   `help:"Show every attempt, not only the last."`
	Before   int64  `placeholder:"SEQ" help:"Only deliveries of events before this one."`
	Limit    int32  `default:"50" help:"How many at most."`
	JSON     bool   `help:"Print the deliveries as a JSON array."`
}

// Help is shown by palmares webhook deliveries --help.
func (webhookDeliveries) Help() string {
	return `Deliveries are kept for 30 days after their last attempt, each with the beginning of
the receiver's response.`
}

// deliveryJSON is how --json shows a delivery.
type deliveryJSON struct {
	ID       string         `json:"id"`
	Seq      int64          `json:"seq"`
	Type     string         `json:"type"`
	Slug     string         `json:"slug"`
	State    string         `json:"state"`
	Attempts int            `json:"attempts"`
	MadeAt   string         `json:"made_at"`
	At       string         `json:"attempted_at,omitempty"`
	NextAt   string         `json:"next_at,omitempty"`
	TookMS   int64          `json:"took_ms"`
	Status   int            `json:"status,omitempty"`
	Error    string         `json:"error,omitempty"`
	Response string         `json:"response,omitempty"`
	EndedAt  string         `json:"ended_at,omitempty"`
	Ended    string         `json:"ended,omitempty"`
	History  *[]attemptJSON `json:"history,omitempty"`
}

// attemptJSON is how --json shows an attempt.
type attemptJSON struct {
	At       string `json:"at"`
	TookMS   int64  `json:"took_ms"`
	Status   int    `json:"status,omitempty"`
	Error    string `json:"error,omitempty"`
	Response string `json:"response,omitempty"`
}

func (c *webhookDeliveries) Run(ctx context.Context, con *console) error {
	if c.Limit < 1 {
		return fmt.Errorf("--limit is %d: it must be at least 1", c.Limit)
	}
	want := webhook.DeliveryFilter{
		ID: c.Delivery, Before: c.Before, Limit: int(c.Limit), Attempts: c.Attempts || c.Delivery != "",
	}
	return withServices(ctx, func(s *services.Services) error {
		list, attempts, err := s.Endpoints.Deliveries(ctx, account.Operator(), c.ID, want)
		switch {
		case errors.Is(err, webhook.ErrNoDelivery):
			return fmt.Errorf("%s: %w", c.Delivery, err)
		case err != nil:
			return fmt.Errorf("%s: %w", c.ID, err)
		}
		switch {
		case c.JSON:
			shown := make([]deliveryJSON, len(list))
			for i, d := range list {
				shown[i] = shownDelivery(d)
				if attempts != nil {
					shown[i].History = shownAttempts(attempts[d.ID])
				}
			}
			return con.json(shown)
		case len(list) == 0:
			fmt.Fprintf(con.err, "%s has no deliveries\n", c.ID)
			return nil
		case attempts != nil:
			return con.table(attemptRows(list, attempts))
		}
		return con.table(deliveryRows(list))
	})
}

func shownDelivery(d webhook.Delivery) deliveryJSON {
	return deliveryJSON{
		ID: d.ID, Seq: d.Seq, Type: string(d.Type), Slug: d.Slug, State: string(d.State), Attempts: d.Attempts,
		MadeAt: moment(d.CreatedAt), At: moment(d.AttemptedAt), NextAt: next(d), TookMS: d.Took.Milliseconds(),
		Status: d.Status, Error: d.Error.String(), Response: d.Response, EndedAt: moment(d.EndedAt), Ended: d.EndReason.String(),
	}
}

func shownAttempts(list []webhook.Attempt) *[]attemptJSON {
	shown := make([]attemptJSON, len(list))
	for i, a := range list {
		shown[i] = attemptJSON{moment(a.At), a.Took.Milliseconds(), a.Status, a.Error.String(), a.Response}
	}
	return &shown
}

func deliveryRows(list []webhook.Delivery) [][]string {
	rows := [][]string{{"ID", "SEQ", "TYPE", "SLUG", "STATE", "ATTEMPTS", "LAST", "TOOK", "NEXT", "RESULT"}}
	for _, d := range list {
		last, _ := d.Last()
		result := d.EndReason.String()
		if result == "" {
			result = resultOf(last)
		}
		rows = append(rows, []string{
			d.ID, strconv.FormatInt(d.Seq, 10), string(d.Type), d.Slug, string(d.State), strconv.Itoa(d.Attempts),
			moment(last.At), tookOf(last), next(d), result,
		})
	}
	return rows
}

// attemptRows returns a row for each attempt, followed by one that says when the next attempt is due, or why
// there is none.
func attemptRows(list []webhook.Delivery, attempts map[string][]webhook.Attempt) [][]string {
	rows := [][]string{{"ID", "SEQ", "TYPE", "SLUG", "ATTEMPT", "AT", "TOOK", "RESULT", "ANSWER"}}
	for _, d := range list {
		about := []string{d.ID, strconv.FormatInt(d.Seq, 10), string(d.Type), d.Slug}
		for i, a := range attempts[d.ID] {
			number := strconv.Itoa(i + 1)
			rows = append(rows, append(about[:4:4], number, moment(a.At), tookOf(a), resultOf(a), answerOf(a)))
		}
		switch {
		case d.State == webhook.Pending:
			rows = append(rows, append(about[:4:4], "next", next(d), "", "", ""))
		case d.EndReason != webhook.Reason{}:
			rows = append(rows, append(about[:4:4], "ended", moment(d.EndedAt), "", d.EndReason.String(), ""))
		}
	}
	return rows
}

// next returns when the next attempt of a delivery is; "" if there is none.
func next(d webhook.Delivery) string {
	if d.State != webhook.Pending {
		return ""
	}
	return moment(d.NextAt)
}

func tookOf(a webhook.Attempt) string {
	if a.At.IsZero() {
		return ""
	}
	return a.Took.Round(time.Millisecond).String()
}

func resultOf(a webhook.Attempt) string {
	if a.Error == (webhook.Reason{}) && a.Status != 0 {
		return strconv.Itoa(a.Status)
	}
	return a.Error.String()
}

// answerOf returns the beginning of the receiver's response, quoted, on one line.
func answerOf(a webhook.Attempt) string {
	const most = 60
	text := []rune(a.Response)
	switch {
	case len(text) == 0:
		return ""
	case len(text) > most:
		return strconv.Quote(string(text[:most]) + "…")
	}
	return strconv.Quote(a.Response)
}
