package webhooks

import (
	"errors"
	"html/template"
	"slices"
	"time"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/guard"
	"github.com/palmares-hq/palmares/internal/portal/page"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// An endpointForm is the form with an endpoint's URL, description and filters.
type endpointForm struct {
	URL, Description string
	Types            []choice
	Categories       []categoryChoice
}

// A categoryChoice is a category to tick.
type categoryChoice struct {
	Value string
	Text  template.HTML
	On    bool
}

// newEndpointForm returns a form filled with a draft.
func (p *Pages) newEndpointForm(r *page.Request, d webhook.Draft) endpointForm {
	f := endpointForm{URL: d.URL, Description: d.Description}
	for _, t := range webhook.Types() {
		f.Types = append(f.Types, choice{string(t), typeText(r, t), slices.Contains(d.Types, t)})
	}
	var known []string
	for _, c := range p.Catalog.Current().Categories() {
		known = append(known, c.Slug)
		f.Categories = append(f.Categories, categoryChoice{c.Slug, r.Text.Translated(c.Label, c.English), slices.Contains(d.Categories, c.Slug)})
	}
	for _, slug := range d.Categories {
		if !slices.Contains(known, slug) { // gone from the catalog; the owner can still remove it
			f.Categories = append(f.Categories, categoryChoice{slug, template.HTML(template.HTMLEscapeString(slug)), true}) //nolint:gosec // it was escaped
		}
	}
	return f
}

// draft returns what was typed into the form.
func draft(r *page.Request) webhook.Draft {
	d := webhook.Draft{URL: r.Field("url"), Description: r.Field("description"), Categories: r.Form["categories"]}
	for _, t := range r.Form["types"] {
		d.Types = append(d.Types, catalog.EventType(t))
	}
	return d
}

// fieldErrors returns what is wrong with an endpoint's form; nil for errors that are not the owner's doing.
func fieldErrors(r *page.Request, err error) []page.FieldError {
	field := "url"
	if wrong, ok := errors.AsType[*webhook.FieldError](err); ok {
		field = wrong.Field
	}
	if text, ok := refusal(r, err); ok {
		return []page.FieldError{page.NewFieldError(field, text)}
	}
	switch wrong, ok := errors.AsType[*webhook.FieldError](err); {
	case !ok:
		return nil
	case errors.Is(err, guard.ErrNotPublic):
		return []page.FieldError{page.NewFieldError(field, r.Text.Must("webhooks.error.private"))}
	default:
		return []page.FieldError{page.NewFieldError(field, r.Text.Must("webhooks.error."+wrong.Field))}
	}
}

// A missedView is what an endpoint missed while it was not active.
type missedView struct {
	webhook.Missed

	Events bool   // it missed events
	Since  string // the shortest time span of ReplayFailed that covers every failure; "" if nothing failed
}

// A sentTest is a test and its answer.
type sentTest struct {
	attemptView

	Type      string
	Payload   code
	Challenge bool // it was the challenge of a verification that failed
}

// An endpointBody is what the page of an endpoint shows.
type endpointBody struct {
	webhook.Endpoint

	Path, Name string
	Mark       page.Mark
	Why        string // why the endpoint is not active
	Delivered  string // how many succeeded of those attempted in the last 24 hours
	Pending    string
	Median     string           // "" without an attempt
	Hours      [2]template.HTML // the last 24 hours, wide and narrow; empty without an attempt
	NewSecret  string           // shown only once
	Rotating   bool             // messages are signed with two secrets
	Missed     *missedView
	Enabled    bool // it was just enabled: Missed is what it missed until then
	Test       *sentTest
	List       deliveryList
	Form       endpointForm
	TestTypes  []choice
	Since      []choice
	From, To   string // the range of event numbers to replay
	Challenge  code   // an example of a challenge
	Answer     code   // an example of the response to it
}

// Verified reports whether the endpoint has ever answered its challenge.
func (b endpointBody) Verified() bool { return !b.VerifiedAt.IsZero() }

// Active reports whether events are delivered to the endpoint.
func (b endpointBody) Active() bool { return b.State == webhook.Active }

// Off reports whether the endpoint is disabled, so that its owner can enable it.
func (b endpointBody) Off() bool { return b.State == webhook.Disabled }

// OnHold reports whether the endpoint is paused until its account has Pro.
func (b endpointBody) OnHold() bool { return b.State == webhook.Paused }

// replaySpans are the time spans to choose from for replaying failed deliveries, shortest first.
var replaySpans = []struct {
	name string
	span time.Duration
}{
	{"1h", time.Hour}, {"24h", 24 * time.Hour}, {"7d", 7 * 24 * time.Hour}, {"30d", webhook.ReplayFor},
}

// readEndpoint reads all that the page of an endpoint shows.
func (p *Pages) readEndpoint(r *page.Request, id string) (b endpointBody, err error) {
	s := p.Endpoints
	e, err := s.Show(r.Context(), r.By, id)
	if err != nil {
		return b, err
	}
	b = endpointBody{
		Endpoint: e, Path: r.At(address.Endpoint, e.ID), Name: shortURL(e.URL),
		Why: reasonText(r, e.Reason), Rotating: e.OldSecretUntil.After(r.Now), From: r.Field("from"), To: r.Field("to"),
		Form:      p.newEndpointForm(r, webhook.Draft{URL: e.URL, Description: e.Description, Types: e.Types, Categories: e.Categories}),
		Challenge: newCode(webhook.TestPayload(e.ID, r.Now, exampleChallenge)),
		Answer:    newCode([]byte(`{"challenge":"` + exampleChallenge + `"}`)),
	}
	stats, err := s.Stats(r.Context(), r.By, id)
	if err != nil {
		return b, err
	}
	b.Mark, b.Delivered, b.Pending = endpointMark(r, e, stats), delivered(r, stats), pending(r, stats)
	if stats.MedianTook > 0 {
		b.Median = r.Millis(stats.MedianTook)
	}
	b.Hours = hoursChart(r, stats)
	if b.List, err = p.readDeliveries(r, id); err != nil {
		return b, err
	}
	if e.State != webhook.Active && b.Verified() {
		missed, err := s.Missed(r.Context(), r.By, id)
		if err != nil {
			return b, err
		}
		b.Missed = newMissedView(r, missed)
	}
	for _, t := range append([]catalog.EventType{webhook.TestEvent}, webhook.Types()...) {
		b.TestTypes = append(b.TestTypes, choice{string(t), string(t), r.Form.Get("type") == string(t)})
	}
	for _, span := range replaySpans {
		b.Since = append(b.Since, choice{span.name, r.Text.Must("endpoint.since." + span.name), r.Form.Get("since") == span.name})
	}
	return b, nil
}

// delivered writes how many deliveries succeeded: of all, or of the latest webhook.MaxStats if there are more.
func delivered(r *page.Request, s webhook.DeliveryStats) string {
	text := "endpoint.of-all"
	if s.Attempted >= webhook.MaxStats {
		text = "endpoint.of-latest"
	}
	return r.Text.Must(text, r.Text.Integer(s.Delivered), r.Text.Integer(s.Attempted))
}

// pending says how many deliveries wait for an attempt.
func pending(r *page.Request, s webhook.DeliveryStats) string {
	if s.Pending >= webhook.MaxStats {
		return r.Text.Must("endpoint.or-more", r.Text.Integer(s.Pending))
	}
	return r.Text.Integer(s.Pending)
}

// exampleChallenge is the challenge in the explanation of verification.
const exampleChallenge = "K7QZ3V5M2XTBW4NEHCFA6RJYDL"

func endpointMark(r *page.Request, e webhook.Endpoint, s webhook.DeliveryStats) page.Mark {
	if e.Failing(s) {
		return page.Bad(r.Text.Must("endpoint.state.failing"))
	}
	class := map[webhook.State]string{webhook.Active: "ok", webhook.Disabled: "bad"}[e.State]
	if class == "" || e.State == webhook.Active && e.Reason != (webhook.Reason{}) {
		class = "wait"
	}
	return page.Mark{Class: class, Text: r.Text.Must("endpoint.state." + string(e.State))}
}

func newMissedView(r *page.Request, m webhook.Missed) *missedView {
	v := &missedView{Missed: m, Events: m.From > 0 && m.From <= m.To}
	if m.Failed > 0 {
		ago := r.Now.Sub(m.FailedSince)
		v.Since = replaySpans[len(replaySpans)-1].name
		for _, span := range slices.Backward(replaySpans) {
			if ago < span.span {
				v.Since = span.name
			}
		}
	}
	return v
}

// endpointAnswer shows the page of an endpoint. change may alter the answer and its body first.
func (p *Pages) endpointAnswer(r *page.Request, id string, change func(*page.Answer, *endpointBody)) (*page.Answer, error) {
	body, err := p.readEndpoint(r, id)
	if err != nil {
		return nil, err
	}
	a := &page.Answer{Template: "endpoint", Title: r.Text.Must("endpoint.of", body.Name)}
	change(a, &body)
	a.Body = body
	return a, nil
}
