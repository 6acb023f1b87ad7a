package webhooks

import (
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/portal/page"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// refuse shows the page with a sentence at one of its parts that says why something was not done. It returns
// other errors unchanged.
func (p *Pages) refuse(r *page.Request, part string, err error) (*page.Answer, error) {
	text, ok := refusal(r, err)
	if !ok {
		return r.Limit(err, func(text string) (*page.Answer, error) { return p.fail(r, page.NewFieldError(part, text)) })
	}
	return p.fail(r, page.NewFieldError(part, text))
}

// fail shows the page with field errors.
func (p *Pages) fail(r *page.Request, wrong ...page.FieldError) (*page.Answer, error) {
	return p.endpointAnswer(r, r.IDs[0], func(a *page.Answer, _ *endpointBody) {
		a.Status, a.FieldErrors = http.StatusUnprocessableEntity, wrong
	})
}

// ShowEndpoint shows an endpoint with its deliveries.
func (p *Pages) ShowEndpoint(r *page.Request) (*page.Answer, error) {
	return p.endpointAnswer(r, r.IDs[0], func(a *page.Answer, _ *endpointBody) {
		n, err := strconv.Atoi(r.Query.Get(countParam))
		switch {
		case err != nil || n < 0 || r.Query.Get(page.DoneParam) != replayedText:
		case n == 0:
			a.Notice = r.Text.Must("endpoint.replayed.none")
		default:
			a.Notice = r.Text.Many("endpoint.replayed", n)
		}
	})
}

const (
	replayedText = "webhook-replayed" // the text that says so
	countParam   = "nombre"           // how many deliveries
)

// Save changes the description and the filters.
func (p *Pages) Save(r *page.Request) (*page.Answer, error) {
	d := draft(r)
	_, _, err := p.Endpoints.Update(r.Context(), r.By, r.IDs[0], webhook.Change{
		Description: &d.Description, NewTypes: true, Types: d.Types, NewCategories: true, Categories: d.Categories,
	})
	if err == nil {
		return page.GoTo(r.At(address.Endpoint, r.IDs...), "webhook-saved")
	}
	wrong := fieldErrors(r, err)
	if wrong == nil {
		return nil, err
	}
	return p.endpointAnswer(r, r.IDs[0], func(a *page.Answer, b *endpointBody) {
		a.Status, a.FieldErrors = http.StatusUnprocessableEntity, wrong
		d.URL = b.URL
		b.Form = p.newEndpointForm(r, d)
	})
}

// Verify sends the challenge. If the endpoint's response is wrong, the page shows it.
func (p *Pages) Verify(r *page.Request) (*page.Answer, error) {
	at := r.Now
	v, err := p.Endpoints.Verify(r.Context(), r.By, r.IDs[0])
	switch {
	case err != nil:
		return p.refuse(r, "verifier", err)
	case v.Already || v.Answered:
		return page.GoTo(r.At(address.Endpoint, r.IDs...), "webhook-verified")
	}
	text := "endpoint.error.challenge"
	switch ok, class := v.Result.OK(), v.Result.Class; {
	case ok && class:
		text = "endpoint.error.challenge.class"
	case class:
		text = "endpoint.error.answer.class"
	case !ok:
		text = "endpoint.error.answer"
	}
	return p.endpointAnswer(r, r.IDs[0], func(a *page.Answer, b *endpointBody) {
		a.Status, a.FieldErrors = http.StatusUnprocessableEntity, []page.FieldError{page.NewFieldError("essai", r.Text.Must(text))}
		b.Test = newSentTest(r, b.ID, webhook.TestEvent, at, v.Result)
		b.Test.Challenge = true
	})
}

// Test sends a test event and shows the response.
func (p *Pages) Test(r *page.Request) (*page.Answer, error) {
	t, at := catalog.EventType(r.Field("type")), r.Now
	if t != webhook.TestEvent && !slices.Contains(webhook.Types(), t) {
		return p.fail(r, page.NewFieldError("test-type", r.Text.Must("webhooks.error.types")))
	}
	result, err := p.Endpoints.Test(r.Context(), r.By, r.IDs[0], t)
	if err != nil {
		return p.refuse(r, "test-type", err)
	}
	return p.endpointAnswer(r, r.IDs[0], func(_ *page.Answer, b *endpointBody) { b.Test = newSentTest(r, b.ID, t, at, result) })
}

func newSentTest(r *page.Request, id string, t catalog.EventType, at time.Time, result webhook.Result) *sentTest {
	a := webhook.Attempt{At: at, Status: result.Status, Error: result.Reason, Response: result.Response, Took: result.Took}
	v := &sentTest{attemptView: newAttemptView(r, "msg_…", a), Type: string(t)}
	if result.Class {
		v.onlyClass(result.Status)
	}
	if sample, ok := webhook.Sample(t, at); ok {
		v.Payload = newCode(sample.Payload())
	} else {
		v.Payload = newCode(webhook.TestPayload(id, at, "…"))
	}
	return v
}

// onlyClass reduces a response to the class of its status, such as 4xx.
func (v *sentTest) onlyClass(status int) {
	v.Took = ""
	if status != 0 {
		v.Status = strconv.Itoa(status/100) + "xx"
		v.Mark.Text = v.Status
	}
}

// RotateSecret makes a new secret, which only this response shows.
func (p *Pages) RotateSecret(r *page.Request) (*page.Answer, error) {
	rotated, err := p.Endpoints.Rotate(r.Context(), r.By, r.IDs[0], r.Form.Get("force") != "")
	if err != nil && !errors.Is(err, webhook.ErrSecretChanged) {
		return p.refuse(r, "secret", err)
	}
	if err != nil {
		r.LogError(err) // it is rotated all the same; the operator has to know
	}
	return p.endpointAnswer(r, r.IDs[0], func(a *page.Answer, b *endpointBody) {
		b.NewSecret, a.Notice = rotated.Secret.Reveal(), r.Text.Must("endpoint.rotated", r.Second(rotated.Until))
	})
}

// Pause ends the deliveries until the endpoint is enabled.
func (p *Pages) Pause(r *page.Request) (*page.Answer, error) {
	if err := p.Endpoints.Disable(r.Context(), r.By, r.IDs[0], ""); err != nil {
		return p.refuse(r, "pause", err)
	}
	return page.GoTo(r.At(address.Endpoint, r.IDs...), "webhook-paused")
}

// Enable activates the endpoint and shows what it missed, which cannot be asked for later.
func (p *Pages) Enable(r *page.Request) (*page.Answer, error) {
	missed, err := p.Endpoints.Enable(r.Context(), r.By, r.IDs[0])
	switch {
	case errors.Is(err, webhook.ErrNotVerified):
		return page.GoTo(r.At(address.Endpoint, r.IDs...), "webhook-unverified")
	case err != nil:
		return p.refuse(r, "pause", err)
	}
	return p.endpointAnswer(r, r.IDs[0], func(a *page.Answer, b *endpointBody) {
		a.Notice = r.Text.Must("endpoint.enabled")
		b.Missed, b.Enabled = newMissedView(r, missed), true
		if b.Missed.Replayable > 0 {
			b.From, b.To = strconv.FormatInt(missed.Replayable, 10), strconv.FormatInt(missed.To, 10)
		}
	})
}

// Delete deletes the endpoint.
func (p *Pages) Delete(r *page.Request) (*page.Answer, error) {
	if err := p.Endpoints.Delete(r.Context(), r.By, r.IDs[0]); err != nil {
		return p.refuse(r, "supprimer", err)
	}
	return page.GoTo(r.At(address.Webhooks), "webhook-deleted")
}

// largeNumber matches a number as pages write it, with thousands separators: commas in English, narrow spaces
// in French.
var largeNumber = regexp.MustCompile(`^([0-9]+|[0-9]{1,3}([ \x{a0}\x{202f},][0-9]{3})+)$`)

// parseSeq reads the number of an event.
func parseSeq(text string) (seq int64, ok bool) {
	if !largeNumber.MatchString(text) {
		return 0, false
	}
	digits := strings.Map(func(c rune) rune {
		if c < '0' || c > '9' {
			return -1
		}
		return c
	}, text)
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 1 {
		return 0, false
	}
	return n, true
}

// ReplayRange replays the events from one number to another.
func (p *Pages) ReplayRange(r *page.Request) (*page.Answer, error) {
	var wrong []page.FieldError
	number := func(field string) int64 {
		n, ok := parseSeq(r.Field(field))
		if !ok {
			wrong = append(wrong, page.NewFieldError(field, r.Text.Must("endpoint.error."+field)))
		}
		return n
	}
	from, to := number("from"), number("to")
	if wrong == nil && from > to {
		wrong = []page.FieldError{page.NewFieldError("to", r.Text.Must("endpoint.error.order"))}
	}
	if wrong != nil {
		return p.fail(r, wrong...)
	}
	n, err := p.Endpoints.ReplayRange(r.Context(), r.By, r.IDs[0], from, to)
	if err != nil {
		return p.refuse(r, "from", err)
	}
	return replayed(r, n)
}

// ReplayFailed replays what failed within a time.
func (p *Pages) ReplayFailed(r *page.Request) (*page.Answer, error) {
	for _, span := range replaySpans {
		if span.name != r.Form.Get("since") {
			continue
		}
		n, err := p.Endpoints.ReplayFailed(r.Context(), r.By, r.IDs[0], span.span)
		if err != nil {
			return p.refuse(r, "since", err)
		}
		return replayed(r, n)
	}
	return p.fail(r, page.NewFieldError("since", r.Text.Must("endpoint.error.since")))
}

// replayed redirects to the endpoint's page, which says how many deliveries are being replayed.
func replayed(r *page.Request, n int) (*page.Answer, error) {
	return page.GoTo(r.At(address.Endpoint, r.IDs...), replayedText+"&"+countParam+"="+strconv.Itoa(n))
}
