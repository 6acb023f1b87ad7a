package portal

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// deliveriesPerPage is how many deliveries a page lists.
const deliveriesPerPage = 25

// Parameters of the list of deliveries.
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

// A stateMark is a state with the class that colours it.
type stateMark struct{ Class, Text string }

// A deliveryRow is a delivery in a list.
type deliveryRow struct {
	webhook.Delivery

	Path  string
	Mark  stateMark
	When  string
	Spent string // by the last attempt; "" without one
}

// A deliveryList is a page of deliveries with its filters.
type deliveryList struct {
	Rows          []deliveryRow
	States, Types []choice
	Filtered      bool
	Older, Newest string // links; "" without
}

// deliveryList lists the deliveries of an endpoint that the address asks for.
func (r *request) deliveryList(endpoint string) (l deliveryList, err error) {
	f := webhook.DeliveryFilter{Limit: deliveriesPerPage + 1}
	for _, s := range []webhook.DeliveryState{webhook.Delivered, webhook.Pending, webhook.Exhausted} {
		on := r.query.Get(stateParam) == string(s)
		if on {
			f.State = s
		}
		l.States = append(l.States, choice{string(s), r.Must("deliveries." + string(s)), on})
	}
	for _, t := range webhook.Types() {
		on := r.query.Get(typeParam) == string(t)
		if on {
			f.Type = t
		}
		l.Types = append(l.Types, choice{string(t), string(t), on})
	}
	l.Filtered = f.State != "" || f.Type != ""
	if n, err := strconv.ParseInt(r.query.Get(beforeParam), 10, 64); err == nil && n > 0 {
		f.Before = n
		l.Newest = r.deliveriesPath(endpoint, f, 0)
	}
	found, _, err := r.portal.o.Endpoints.Deliveries(r.ctx, r.by, endpoint, f)
	if err != nil {
		return l, err
	}
	if len(found) > deliveriesPerPage {
		found = found[:deliveriesPerPage]
		l.Older = r.deliveriesPath(endpoint, f, found[deliveriesPerPage-1].Seq)
	}
	for _, d := range found {
		l.Rows = append(l.Rows, r.deliveryRow(d))
	}
	return l, nil
}

// deliveriesPath is where the deliveries of events before one are listed, under the same filter.
func (r *request) deliveriesPath(endpoint string, f webhook.DeliveryFilter, before int64) string {
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
	path := r.path("endpoint", endpoint)
	if len(q) > 0 {
		path += "?" + q.Encode()
	}
	return path + "#livraisons"
}

func (r *request) deliveryRow(d webhook.Delivery) deliveryRow {
	row := deliveryRow{Delivery: d, Path: r.path("delivery", d.Endpoint, d.ID), Mark: r.deliveryMark(d), When: r.ago(d.CreatedAt)}
	if last, ok := d.Last(); ok {
		row.When, row.Spent = r.ago(last.At), r.millis(last.Took)
	}
	return row
}

// deliveryMark is the state of a delivery: the status of its last attempt, and which attempt that was.
func (r *request) deliveryMark(d webhook.Delivery) stateMark {
	last, attempted := d.Last()
	switch {
	case d.State == webhook.Delivered:
		return stateMark{"ok", strconv.Itoa(d.Status)}
	case d.State == webhook.Exhausted:
		return stateMark{"bad", r.Must("deliveries.given-up")}
	case !attempted || d.Attempts == 0:
		return stateMark{"wait", r.Must("deliveries.waiting")}
	}
	return stateMark{"wait", r.Must("deliveries.attempt", r.outcome(last), r.Integer(d.Attempts), r.Integer(webhook.Attempts))}
}

// outcome is the status of an attempt, or why there is none.
func (r *request) outcome(a webhook.Attempt) string {
	if a.Status != 0 {
		return strconv.Itoa(a.Status)
	}
	return r.say(a.Error)
}

// An attemptView is an attempt: what was sent and what came back.
type attemptView struct {
	Number   int
	Open     bool
	At       time.Time
	When     string
	Mark     stateMark
	Headers  []header
	Status   string // the first line of the answer, or why there is none
	Problem  string // why an answer does not count; "" if it does
	Spent    string
	Response code
	Empty    bool // there is no response
}

// A header is a line of a request.
type header struct{ Name, Value string }

// attemptView lays out an attempt of a message.
func (r *request) attemptView(id string, a webhook.Attempt) attemptView {
	v := attemptView{
		At: a.At, When: r.moment(a.At), Mark: stateMark{"bad", r.outcome(a)}, Spent: r.millis(a.Took),
		Response: newCode([]byte(a.Response)), Empty: a.Response == "",
		Headers: []header{
			{"content-type", "application/json"},
			{"webhook-id", id},
			{"webhook-timestamp", "…"}, // the moment of sending is not stored, only that of the answer
			{"webhook-signature", "v1,…"},
		},
	}
	if a.Status == 0 {
		v.Status = r.say(a.Error)
		return v
	}
	v.Status = strings.TrimSpace(strconv.Itoa(a.Status) + " " + http.StatusText(a.Status))
	switch {
	case a.Status >= 200 && a.Status <= 299:
		v.Mark.Class = "ok"
	case a.Status >= 300 && a.Status <= 399:
		v.Problem = r.Must("delivery.redirect")
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
	Next                       string // when it is attempted next; "" if it is not
	Ended                      string // why it is exhausted; "" otherwise
}

func showDelivery(r *request) (*answer, error) {
	id, s := r.ids[1], r.portal.o.Endpoints
	e, err := s.Show(r.ctx, r.by, r.ids[0])
	if err != nil {
		return nil, err
	}
	list, attempts, err := s.Deliveries(r.ctx, r.by, e.ID, webhook.DeliveryFilter{ID: id, Attempts: true})
	if err != nil {
		return nil, err
	}
	d := list[0]
	body := deliveryBody{deliveryRow: r.deliveryRow(d), EndpointPath: r.path("endpoint", e.ID), EndpointName: shortURL(e.URL)}
	payload, err := s.Payload(r.ctx, r.by, e.ID, id)
	switch {
	case errors.Is(err, webhook.ErrNoDelivery):
		body.Lost = true
	case err != nil:
		return nil, err
	}
	body.Payload = newCode(payload)
	for i, a := range attempts[id] {
		v := r.attemptView(id, a)
		v.Number, v.Open = i+1, i == len(attempts[id])-1
		body.Tries = append(body.Tries, v)
	}
	slices.Reverse(body.Tries)
	switch now := r.portal.o.Now(); {
	case d.State == webhook.Pending:
		body.Next = r.Must("delivery.next", r.span(d.NextAt.Sub(now)))
	case d.State == webhook.Exhausted && d.EndReason != webhook.Reason{}:
		body.Ended = r.say(d.EndReason)
	case d.State == webhook.Exhausted:
		body.Ended = r.Must("delivery.exhausted")
	}
	return &answer{body: body, title: string(d.Type) + ", " + shortURL(e.URL)}, nil
}

// replayDelivery replays one delivery, under its id.
func replayDelivery(r *request) (*answer, error) {
	err := r.portal.o.Endpoints.ReplayDelivery(r.ctx, r.by, r.ids[0], r.ids[1])
	if err == nil {
		return goTo(r.path("delivery", r.ids...), "delivery-replayed")
	}
	text, ok := r.refusal(err)
	if !ok {
		return nil, err
	}
	a, err := showDelivery(r)
	if err != nil {
		return nil, err
	}
	a.status, a.faults = http.StatusUnprocessableEntity, []fault{{"rejouer", text}}
	return a, nil
}

// refusals are what the service of webhooks does not do, and why, as names of texts.
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

// refusal says why something was not done; ok is false for errors that are not the asker's.
func (r *request) refusal(err error) (text string, ok bool) {
	for _, known := range refusals {
		if errors.Is(err, known.err) {
			return r.Must(known.text), true
		}
	}
	if rotating, ok := errors.AsType[*webhook.RotatingError](err); ok {
		return r.Must("webhooks.refused.rotating", r.moment(rotating.Until)), true
	}
	if category, ok := errors.AsType[*webhook.CategoryError](err); ok {
		return r.Must("webhooks.refused.category", category.Asked), true
	}
	return "", false
}

// shortURL is a URL without https://.
func shortURL(s string) string { return strings.TrimPrefix(s, "https://") }

// typeText says what an event of a type is.
func (r *request) typeText(t catalog.EventType) string {
	return r.Must("webhooks.type." + strings.ReplaceAll(string(t), ".", "-"))
}
