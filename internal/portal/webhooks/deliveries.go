package webhooks

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/portal/page"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// deliveriesPerPage is how many deliveries a page lists.
const deliveriesPerPage = 25

// The query parameters of the list of deliveries.
const (
	stateParam  = "etat"
	typeParam   = "type"
	beforeParam = "avant"
)

// A choice is an option or a checkbox.
type choice struct {
	Value, Text string
	On          bool
}

// A deliveryRow is a delivery in a list.
type deliveryRow struct {
	webhook.Delivery

	Path string
	Mark page.Mark
	When string
	Took string // how long the last attempt took; "" without an attempt
}

// A deliveryList is a page of deliveries with its filters.
type deliveryList struct {
	Rows          []deliveryRow
	States, Types []choice
	Filtered      bool
	Older, Newest string // links to other pages; "" for none
}

// readDeliveries reads the deliveries of an endpoint that the query parameters ask for.
func (p *Pages) readDeliveries(r *page.Request, endpoint string) (l deliveryList, err error) {
	f := webhook.DeliveryFilter{Limit: deliveriesPerPage + 1}
	for _, s := range []webhook.DeliveryState{webhook.Delivered, webhook.Pending, webhook.Exhausted} {
		on := r.Query.Get(stateParam) == string(s)
		if on {
			f.State = s
		}
		l.States = append(l.States, choice{string(s), r.Text.Must("deliveries." + string(s)), on})
	}
	for _, t := range webhook.Types() {
		on := r.Query.Get(typeParam) == string(t)
		if on {
			f.Type = t
		}
		l.Types = append(l.Types, choice{string(t), string(t), on})
	}
	l.Filtered = f.State != "" || f.Type != ""
	if n, err := strconv.ParseInt(r.Query.Get(beforeParam), 10, 64); err == nil && n > 0 {
		f.Before = n
		l.Newest = deliveriesPath(r, endpoint, f, 0)
	}
	found, _, err := p.Endpoints.Deliveries(r.Context(), r.By, endpoint, f)
	if err != nil {
		return l, err
	}
	if len(found) > deliveriesPerPage {
		found = found[:deliveriesPerPage]
		l.Older = deliveriesPath(r, endpoint, f, found[deliveriesPerPage-1].Seq)
	}
	for _, d := range found {
		l.Rows = append(l.Rows, newDeliveryRow(r, d))
	}
	return l, nil
}

// deliveriesPath returns the path of the list of deliveries under the same filter, older than the event before;
// 0 for the newest.
func deliveriesPath(r *page.Request, endpoint string, f webhook.DeliveryFilter, before int64) string {
	q := url.Values{}
	if f.State != "" {
		q.Set(stateParam, string(f.State))
	}
	if f.Type != "" {
		q.Set(typeParam, string(f.Type))
	}
	if before > 0 {
		q.Set(beforeParam, strconv.FormatInt(before, 10))
	}
	path := r.At(address.Endpoint, endpoint)
	if len(q) > 0 {
		path += "?" + q.Encode()
	}
	return path + "#livraisons"
}

func newDeliveryRow(r *page.Request, d webhook.Delivery) deliveryRow {
	row := deliveryRow{Delivery: d, Path: r.At(address.Delivery, d.Endpoint, d.ID), Mark: deliveryMark(r, d), When: r.Ago(d.CreatedAt)}
	if last, ok := d.Last(); ok {
		row.When, row.Took = r.Ago(last.At), r.Millis(last.Took)
	}
	return row
}

// deliveryMark returns the state of a delivery. While it is being retried, that is the result of the last
// attempt and which attempt it was.
func deliveryMark(r *page.Request, d webhook.Delivery) page.Mark {
	last, attempted := d.Last()
	switch {
	case d.State == webhook.Delivered:
		return page.OK(strconv.Itoa(d.Status))
	case d.State == webhook.Exhausted:
		return page.Bad(r.Text.Must("deliveries.given-up"))
	case !attempted || d.Attempts == 0:
		return page.Waiting(r.Text.Must("deliveries.waiting"))
	}
	return page.Waiting(r.Text.Must("deliveries.attempt", outcome(r, last), r.Text.Integer(d.Attempts), r.Text.Integer(webhook.Attempts)))
}

// outcome returns the HTTP status of an attempt, or the reason why there is none.
func outcome(r *page.Request, a webhook.Attempt) string {
	if a.Status != 0 {
		return strconv.Itoa(a.Status)
	}
	return reasonText(r, a.Error)
}

// An attemptView is an attempt: what was sent and what came back.
type attemptView struct {
	Number   int
	Open     bool
	At       time.Time
	When     string
	Mark     page.Mark
	Headers  []header
	Status   string // the status line of the response, or why there is none
	Problem  string // why the response does not count as delivered; "" if nothing needs saying
	Took     string
	Response code
	Empty    bool // there is no response
}

// A header is a header field of a request.
type header struct{ Name, Value string }

// newAttemptView returns the view of an attempt to send the message with that id.
func newAttemptView(r *page.Request, id string, a webhook.Attempt) attemptView {
	v := attemptView{
		At: a.At, When: r.Second(a.At), Mark: page.Bad(outcome(r, a)), Took: r.Millis(a.Took),
		Response: newCode([]byte(a.Response)), Empty: a.Response == "",
		Headers: []header{
			{"content-type", "application/json"},
			{"webhook-id", id},
			{"webhook-timestamp", "…"}, // only the time of the response is stored, not that of sending
			{"webhook-signature", "v1,…"},
		},
	}
	if a.Status == 0 {
		v.Status = reasonText(r, a.Error)
		return v
	}
	v.Status = strings.TrimSpace(strconv.Itoa(a.Status) + " " + http.StatusText(a.Status))
	switch {
	case a.Status >= 200 && a.Status <= 299:
		v.Mark.Class = "ok"
	case a.Status >= 300 && a.Status <= 399:
		v.Problem = r.Text.Must("delivery.redirect")
	}
	return v
}

// A deliveryBody is what the page of a delivery shows.
type deliveryBody struct {
	deliveryRow

	EndpointPath, EndpointName string
	Payload                    code
	Lost                       bool // the event is no longer in the log
	Tries                      []attemptView
	Next                       string // when the next attempt is; "" if there is none
	Ended                      string // why there are no more attempts; "" if it is not exhausted
}

// ShowDelivery shows a delivery with its attempts.
func (p *Pages) ShowDelivery(r *page.Request) (*page.Answer, error) {
	id, s := r.IDs[1], p.Endpoints
	e, err := s.Show(r.Context(), r.By, r.IDs[0])
	if err != nil {
		return nil, err
	}
	list, attempts, err := s.Deliveries(r.Context(), r.By, e.ID, webhook.DeliveryFilter{ID: id, Attempts: true})
	if err != nil {
		return nil, err
	}
	d := list[0]
	body := deliveryBody{deliveryRow: newDeliveryRow(r, d), EndpointPath: r.At(address.Endpoint, e.ID), EndpointName: shortURL(e.URL)}
	payload, err := s.Payload(r.Context(), r.By, e.ID, id)
	switch {
	case errors.Is(err, webhook.ErrNoDelivery):
		body.Lost = true
	case err != nil:
		return nil, err
	}
	body.Payload = newCode(payload)
	for i, a := range attempts[id] {
		v := newAttemptView(r, id, a)
		v.Number, v.Open = i+1, i == len(attempts[id])-1
		body.Tries = append(body.Tries, v)
	}
	slices.Reverse(body.Tries)
	switch {
	case d.State == webhook.Pending:
		body.Next = r.Text.Must("delivery.next", r.Span(d.NextAt.Sub(r.Now)))
	case d.State == webhook.Exhausted && d.EndReason != webhook.Reason{}:
		body.Ended = reasonText(r, d.EndReason)
	case d.State == webhook.Exhausted:
		body.Ended = r.Text.Must("delivery.exhausted")
	}
	return &page.Answer{Body: body, Title: string(d.Type) + ", " + shortURL(e.URL)}, nil
}

// ReplayDelivery replays one delivery, under its id.
func (p *Pages) ReplayDelivery(r *page.Request) (*page.Answer, error) {
	err := p.Endpoints.ReplayDelivery(r.Context(), r.By, r.IDs[0], r.IDs[1])
	if err == nil {
		return page.GoTo(r.At(address.Delivery, r.IDs...), "delivery-replayed")
	}
	text, ok := refusal(r, err)
	if !ok {
		return nil, err
	}
	a, err := p.ShowDelivery(r)
	if err != nil {
		return nil, err
	}
	a.Status, a.FieldErrors = http.StatusUnprocessableEntity, []page.FieldError{page.NewFieldError("rejouer", text)}
	return a, nil
}

// refusals maps the errors of package webhook that are the owner's doing to the names of texts that explain
// them.
var refusals = []struct {
	err  error
	text string
}{
	{webhook.ErrNotPro, "webhooks.refused.plan"},
	{webhook.ErrTooMany, "webhooks.refused.many"},
	{webhook.ErrNotActive, "webhooks.refused.inactive"},
	{webhook.ErrNotVerified, "webhooks.refused.unverified"},
	{webhook.ErrTooOld, "webhooks.refused.old"},
	{webhook.ErrTooManyAsked, "webhooks.refused.range"},
}

// refusal returns a sentence that says why something was not done; ok is false for errors that are not the
// owner's doing.
func refusal(r *page.Request, err error) (text string, ok bool) {
	for _, known := range refusals {
		if errors.Is(err, known.err) {
			return r.Text.Must(known.text), true
		}
	}
	if rotating, ok := errors.AsType[*webhook.RotatingError](err); ok {
		return r.Text.Must("webhooks.refused.rotating", r.Second(rotating.Until)), true
	}
	if category, ok := errors.AsType[*webhook.CategoryError](err); ok {
		return r.Text.Must("webhooks.refused.category", category.Asked), true
	}
	return "", false
}

// shortURL is a URL without https://.
func shortURL(s string) string { return strings.TrimPrefix(s, "https://") }

// typeText returns a sentence that says what an event type means.
func typeText(r *page.Request, t catalog.EventType) string {
	return r.Text.Must("webhooks.type." + strings.ReplaceAll(string(t), ".", "-"))
}
