package stripefake

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/stripe/stripe-go/v86/webhook"
)

// Events returns all events so far, the oldest first.
func (s *Server) Events() []Event {
	s.lockAndTick()
	defer s.mu.Unlock()
	return slices.Clone(s.events)
}

// SetVersion sets the API version of events from now on.
func (s *Server) SetVersion(version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version = version
}

// emit adds an event with a copy of an object as it is now. Call it under the lock.
func (s *Server) emit(kind, customer string, object any) {
	id := s.newID("evt")
	_, body := encode(map[string]any{
		"id": id, "object": "event", "api_version": s.version, "created": s.time().Unix(), "type": kind,
		"data": map[string]any{"object": object}, "livemode": s.live, "pending_webhooks": 1,
		"request": map[string]any{"id": nil, "idempotency_key": nil},
	}, nil)
	s.events = append(s.events, Event{ID: id, Type: kind, Customer: customer, Body: body, at: s.time()})
	if s.setup.wants(kind) {
		s.undelivered[id] = true
	}
	if s.sender != nil {
		s.sender.wake()
	}
}

// Sign returns the Stripe-Signature header for a body that is sent at a time.
func (s *Server) Sign(body []byte, at time.Time) string {
	return webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{
		Payload: body, Secret: s.Secret, Timestamp: at,
	}).Header
}

var client = &http.Client{
	Timeout:       time.Minute,
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Deliver sends events to a URL, signed now, one after another. It stops with an error at the first that
// is not accepted.
func (s *Server) Deliver(ctx context.Context, to string, events ...Event) error {
	for _, e := range events {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(e.Body))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json; charset=utf-8")
		req.Header.Set("Stripe-Signature", s.Sign(e.Body, s.now()))
		resp, err := client.Do(req)
		if err != nil {
			return fmt.Errorf("%s: %w", e.Type, err)
		}
		said, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10)) // only to say what was wrong
		_ = resp.Body.Close()
		if resp.StatusCode >= http.StatusMultipleChoices {
			return fmt.Errorf("%s: %s answers %s: %s", e.Type, to, resp.Status, said)
		}
		s.Delivered(e)
	}
	return nil
}

// Delivered marks an event as taken by an endpoint.
func (s *Server) Delivered(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.undelivered, e.ID)
}

// listEvents lists the events of the last 30 days, the newest first; all, or those that were or were not delivered:
// https://docs.stripe.com/api/events/list, delivery_success.
var listEvents = call{
	params: []string{"created[gte]", "delivery_success", "limit", "starting_after"},
	do: func(s *Server, _ string, form url.Values) (any, error) {
		since := s.time().AddDate(0, 0, -30).Unix() //nolint:mnd // as documented
		if at := form.Get("created[gte]"); at != "" {
			after, err := strconv.ParseInt(at, 10, 64)
			if err != nil {
				return nil, invalid("created[gte]", "parameter_invalid_integer", "Invalid integer")
			}
			since = max(since, after)
		}
		found := []Event{}
		for _, e := range slices.Backward(s.events) {
			missed := s.undelivered[e.ID]
			if e.at.Unix() >= since && (!form.Has("delivery_success") || missed == (form.Get("delivery_success") == "false")) {
				found = append(found, e)
			}
		}
		return page("/v1/events", found, form, func(e Event) string { return e.ID })
	},
}

// MarshalJSON implements json.Marshaler.
func (e Event) MarshalJSON() ([]byte, error) { return e.Body, nil }

// Emit adds an event of any kind about any object, which need not exist.
func (s *Server) Emit(kind, customer string, object json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.emit(kind, customer, object)
}
