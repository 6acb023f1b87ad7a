package portal

import (
	"errors"
	"slices"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// An endpointForm is what an owner writes about an endpoint.
type endpointForm struct {
	URL, Description  string
	Types, Categories []choice
}

// endpointForm fills the form with what an endpoint has.
func (r *request) endpointForm(d webhook.Draft) endpointForm {
	f := endpointForm{URL: d.URL, Description: d.Description}
	for _, t := range webhook.Types() {
		f.Types = append(f.Types, choice{string(t), r.typeText(t), slices.Contains(d.Types, t)})
	}
	var known []string
	for _, c := range r.portal.o.Catalog.Current().Categories() {
		known = append(known, c.Slug)
		f.Categories = append(f.Categories, choice{c.Slug, c.Label, slices.Contains(d.Categories, c.Slug)})
	}
	for _, slug := range d.Categories {
		if !slices.Contains(known, slug) { // the catalog has it no longer: its owner can take it off
			f.Categories = append(f.Categories, choice{slug, slug, true})
		}
	}
	return f
}

// draft is what was written into the form.
func (r *request) draft() webhook.Draft {
	d := webhook.Draft{URL: r.field("url"), Description: r.field("description"), Categories: r.form["categories"]}
	for _, t := range r.form["types"] {
		d.Types = append(d.Types, catalog.EventType(t))
	}
	return d
}

// fieldFaults are the faults of the form of an endpoint; none for errors that are not the asker's.
func (r *request) fieldFaults(err error) []fault {
	field := "url"
	if wrong, ok := errors.AsType[*webhook.FieldError](err); ok {
		field = wrong.Field
	}
	if text, ok := r.refusal(err); ok {
		return []fault{{field, text}}
	}
	switch wrong, ok := errors.AsType[*webhook.FieldError](err); {
	case !ok:
		return nil
	case errors.Is(err, webhook.ErrNotPublic):
		return []fault{{field, r.Must("webhooks.fault.private")}}
	default:
		return []fault{{field, r.Must("webhooks.fault." + wrong.Field)}}
	}
}

// A missedView is what an endpoint missed while it was not active.
type missedView struct {
	webhook.Missed

	Events bool   // it missed some
	Since  string // the choice of ReplayFailed that holds all that failed; "" if nothing did
}

// A sentTest is a test and its answer.
type sentTest struct {
	attemptView

	Type     string
	Payload  code
	Verified bool // it was the challenge of a verification, which was not answered
}

// An endpointBody is what the page of an endpoint shows.
type endpointBody struct {
	webhook.Endpoint

	Path, Name string
	Mark       stateMark
	Why        string // why it is not active
	Delivered  string // of those that were attempted in the last 24 hours
	Pending    string
	Median     string // "" without an attempt
	NewSecret  string // shown this once
	Rotating   bool   // two secrets sign
	Missed     *missedView
	Enabled    bool // just now: Missed is what it missed before
	Test       *sentTest
	List       deliveryList
	Form       endpointForm
	TestTypes  []choice
	Since      []choice
	From, To   string // the range to replay
	Challenge  code   // an example of a challenge
	Answer     code   // and of its answer
}

// Verified reports whether it answered its challenge once.
func (b endpointBody) Verified() bool { return !b.VerifiedAt.IsZero() }

// Active reports whether it is delivered to.
func (b endpointBody) Active() bool { return b.State == webhook.Active }

// Off reports whether its owner can switch it on.
func (b endpointBody) Off() bool { return b.State == webhook.Disabled }

// OnHold reports whether it waits for its account to be on Pro.
func (b endpointBody) OnHold() bool { return b.State == webhook.Paused }

// replaySpans are the times that can be chosen for replaying what failed.
var replaySpans = []struct {
	name string
	span time.Duration
}{
	{"1h", time.Hour}, {"24h", 24 * time.Hour}, {"7d", 7 * 24 * time.Hour}, {"30d", webhook.ReplayFor},
}

// endpointBody reads all that the page of an endpoint shows.
func (r *request) endpointBody(id string) (b endpointBody, err error) {
	s := r.portal.o.Endpoints
	e, err := s.Show(r.ctx, r.by, id)
	if err != nil {
		return b, err
	}
	now := r.portal.o.Now()
	b = endpointBody{
		Endpoint: e, Path: r.path("endpoint", e.ID), Name: shortURL(e.URL), Mark: r.endpointMark(e),
		Why: r.say(e.Reason), Rotating: e.OldSecretUntil.After(now), From: r.field("from"), To: r.field("to"),
		Form:      r.endpointForm(webhook.Draft{URL: e.URL, Description: e.Description, Types: e.Types, Categories: e.Categories}),
		Challenge: newCode(webhook.TestPayload(e.ID, now, exampleChallenge)),
		Answer:    newCode([]byte(`{"challenge":"` + exampleChallenge + `"}`)),
	}
	stats, err := s.Stats(r.ctx, r.by, id)
	if err != nil {
		return b, err
	}
	b.Delivered, b.Pending = r.delivered(stats), r.pending(stats)
	if stats.MedianTook > 0 {
		b.Median = r.millis(stats.MedianTook)
	}
	if b.List, err = r.deliveryList(id); err != nil {
		return b, err
	}
	if e.State != webhook.Active && b.Verified() {
		missed, err := s.Missed(r.ctx, r.by, id)
		if err != nil {
			return b, err
		}
		b.Missed = r.missedView(missed)
	}
	for _, t := range append([]catalog.EventType{webhook.TestEvent}, webhook.Types()...) {
		b.TestTypes = append(b.TestTypes, choice{string(t), string(t), r.form.Get("type") == string(t)})
	}
	for _, span := range replaySpans {
		b.Since = append(b.Since, choice{span.name, r.Must("endpoint.since." + span.name), r.form.Get("since") == span.name})
	}
	return b, nil
}

// delivered says how many deliveries succeeded, of all or of the latest.
func (r *request) delivered(s webhook.DeliveryStats) string {
	text := "endpoint.of-all"
	if s.Attempted >= webhook.MaxStats {
		text = "endpoint.of-latest"
	}
	return r.Must(text, r.Integer(s.Delivered), r.Integer(s.Attempted))
}

// pending says how many deliveries wait for an attempt.
func (r *request) pending(s webhook.DeliveryStats) string {
	if s.Pending >= webhook.MaxStats {
		return r.Must("endpoint.or-more", r.Integer(s.Pending))
	}
	return r.Integer(s.Pending)
}

// exampleChallenge stands for a challenge where one is explained.
const exampleChallenge = "K7QZ3V5M2XTBW4NEHCFA6RJYDL"

func (r *request) endpointMark(e webhook.Endpoint) stateMark {
	class := map[webhook.State]string{webhook.Active: "ok", webhook.Disabled: "bad"}[e.State]
	if class == "" || e.State == webhook.Active && e.Reason != (webhook.Reason{}) {
		class = "wait"
	}
	return stateMark{class, r.Must("endpoint.state." + string(e.State))}
}

func (r *request) missedView(m webhook.Missed) *missedView {
	v := &missedView{Missed: m, Events: m.From > 0 && m.From <= m.To}
	if m.Failed > 0 {
		ago := r.portal.o.Now().Sub(m.FailedSince)
		v.Since = replaySpans[len(replaySpans)-1].name
		for _, span := range slices.Backward(replaySpans) {
			if ago < span.span {
				v.Since = span.name
			}
		}
	}
	return v
}

// endpointAnswer shows the page of an endpoint after change has completed what it shows.
func (r *request) endpointAnswer(id string, change func(*answer, *endpointBody)) (*answer, error) {
	body, err := r.endpointBody(id)
	if err != nil {
		return nil, err
	}
	a := &answer{template: "endpoint", title: r.Must("endpoint.of", body.Name)}
	change(a, &body)
	a.body = body
	return a, nil
}
