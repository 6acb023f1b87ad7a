package portal

import (
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// refuse shows the page with why something was not done, at a part of it. Other errors pass.
func (r *request) refuse(part string, err error) (*answer, error) {
	text, ok := r.refusal(err)
	if !ok {
		return r.limit(err, func(text string) (*answer, error) { return r.fail(fault{part, text}) })
	}
	return r.fail(fault{part, text})
}

// fail shows the page with faults.
func (r *request) fail(faults ...fault) (*answer, error) {
	return r.endpointAnswer(r.ids[0], func(a *answer, _ *endpointBody) {
		a.status, a.faults = http.StatusUnprocessableEntity, faults
	})
}

func showEndpoint(r *request) (*answer, error) {
	return r.endpointAnswer(r.ids[0], func(a *answer, _ *endpointBody) {
		n, err := strconv.Atoi(r.query.Get(countParam))
		switch {
		case err != nil || n < 0 || r.query.Get(doneParam) != replayedText:
		case n == 0:
			a.notice = r.Must("endpoint.replayed.none")
		default:
			a.notice = r.Many("endpoint.replayed", n)
		}
	})
}

const (
	replayedText = "webhook-replayed" // what was done
	countParam   = "nombre"           // to how many deliveries
)

// saveEndpoint changes the description and the filters.
func saveEndpoint(r *request) (*answer, error) {
	d := r.draft()
	_, _, err := r.portal.o.Endpoints.Update(r.ctx, r.by, r.ids[0], webhook.Change{
		Description: &d.Description, NewTypes: true, Types: d.Types, NewCategories: true, Categories: d.Categories,
	})
	if err == nil {
		return goTo(r.path("endpoint", r.ids...), "webhook-saved")
	}
	faults := r.fieldFaults(err)
	if faults == nil {
		return nil, err
	}
	return r.endpointAnswer(r.ids[0], func(a *answer, b *endpointBody) {
		a.status, a.faults = http.StatusUnprocessableEntity, faults
		d.URL = b.URL
		b.Form = r.endpointForm(d)
	})
}

// verifyEndpoint sends the challenge and shows the answer if it is not the right one.
func verifyEndpoint(r *request) (*answer, error) {
	at := r.portal.o.Now()
	v, err := r.portal.o.Endpoints.Verify(r.ctx, r.by, r.ids[0])
	switch {
	case err != nil:
		return r.refuse("verifier", err)
	case v.Already || v.Answered:
		return goTo(r.path("endpoint", r.ids...), "webhook-verified")
	}
	text := "endpoint.fault.challenge"
	switch ok, class := v.Result.OK(), v.Result.Class; {
	case ok && class:
		text = "endpoint.fault.challenge.class"
	case class:
		text = "endpoint.fault.answer.class"
	case !ok:
		text = "endpoint.fault.answer"
	}
	return r.endpointAnswer(r.ids[0], func(a *answer, b *endpointBody) {
		a.status, a.faults = http.StatusUnprocessableEntity, []fault{{"essai", r.Must(text)}}
		b.Test = r.sentTest(b.ID, webhook.TestEvent, at, v.Result)
		b.Test.Verified = true
	})
}

// testEndpoint sends a test and shows its answer.
func testEndpoint(r *request) (*answer, error) {
	t, at := catalog.EventType(r.field("type")), r.portal.o.Now()
	if t != webhook.TestEvent && !slices.Contains(webhook.Types(), t) {
		return r.fail(fault{"test-type", r.Must("webhooks.fault.types")})
	}
	result, err := r.portal.o.Endpoints.Test(r.ctx, r.by, r.ids[0], t)
	if err != nil {
		return r.refuse("test-type", err)
	}
	return r.endpointAnswer(r.ids[0], func(_ *answer, b *endpointBody) { b.Test = r.sentTest(b.ID, t, at, result) })
}

func (r *request) sentTest(id string, t catalog.EventType, at time.Time, result webhook.Result) *sentTest {
	a := webhook.Attempt{At: at, Status: result.Status, Error: result.Reason, Response: result.Response, Took: result.Took}
	v := &sentTest{attemptView: r.attemptView("msg_…", a), Type: string(t)}
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

// onlyClass leaves of an answer the class of its status, such as 4xx.
func (v *sentTest) onlyClass(status int) {
	v.Spent = ""
	if status != 0 {
		v.Status = strconv.Itoa(status/100) + "xx"
		v.Mark.Text = v.Status
	}
}

// rotateSecret gives a new secret, which this answer alone shows.
func rotateSecret(r *request) (*answer, error) {
	rotated, err := r.portal.o.Endpoints.Rotate(r.ctx, r.by, r.ids[0], r.form.Get("force") != "")
	if err != nil && !errors.Is(err, webhook.ErrSecretChanged) {
		return r.refuse("secret", err)
	}
	if err != nil {
		web.SetError(r.w, err) // it is rotated all the same; the operator has to know
	}
	return r.endpointAnswer(r.ids[0], func(a *answer, b *endpointBody) {
		b.NewSecret, a.notice = rotated.Secret.Reveal(), r.Must("endpoint.rotated", r.moment(rotated.Until))
	})
}

// pauseEndpoint ends the deliveries until the endpoint is enabled.
func pauseEndpoint(r *request) (*answer, error) {
	if err := r.portal.o.Endpoints.Disable(r.ctx, r.by, r.ids[0], ""); err != nil {
		return r.refuse("pause", err)
	}
	return goTo(r.path("endpoint", r.ids...), "webhook-paused")
}

// enableEndpoint makes the endpoint active and shows what it missed, which nobody knows afterwards.
func enableEndpoint(r *request) (*answer, error) {
	missed, err := r.portal.o.Endpoints.Enable(r.ctx, r.by, r.ids[0])
	switch {
	case errors.Is(err, webhook.ErrNotVerified):
		return goTo(r.path("endpoint", r.ids...), "webhook-unverified")
	case err != nil:
		return r.refuse("pause", err)
	}
	return r.endpointAnswer(r.ids[0], func(a *answer, b *endpointBody) {
		a.notice = r.Must("endpoint.enabled")
		b.Missed, b.Enabled = r.missedView(missed), true
		if b.Missed.Replayable > 0 {
			b.From, b.To = strconv.FormatInt(missed.Replayable, 10), strconv.FormatInt(missed.To, 10)
		}
	})
}

func deleteEndpoint(r *request) (*answer, error) {
	if err := r.portal.o.Endpoints.Delete(r.ctx, r.by, r.ids[0]); err != nil {
		return r.refuse("supprimer", err)
	}
	return goTo(r.path("webhooks"), "webhook-deleted")
}

// largeNumber is a number as pages write it, with its thousands apart: by a comma in English, by a
// narrow space in French.
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

// replayRange replays the events from one number to another.
func replayRange(r *request) (*answer, error) {
	var faults []fault
	number := func(field string) int64 {
		n, ok := parseSeq(r.field(field))
		if !ok {
			faults = append(faults, fault{field, r.Must("endpoint.fault." + field)})
		}
		return n
	}
	from, to := number("from"), number("to")
	if faults == nil && from > to {
		faults = []fault{{"to", r.Must("endpoint.fault.order")}}
	}
	if faults != nil {
		return r.fail(faults...)
	}
	n, err := r.portal.o.Endpoints.ReplayRange(r.ctx, r.by, r.ids[0], from, to)
	if err != nil {
		return r.refuse("from", err)
	}
	return r.replayed(n)
}

// replayFailed replays what failed within a time.
func replayFailed(r *request) (*answer, error) {
	for _, span := range replaySpans {
		if span.name != r.form.Get("since") {
			continue
		}
		n, err := r.portal.o.Endpoints.ReplayFailed(r.ctx, r.by, r.ids[0], span.span)
		if err != nil {
			return r.refuse("since", err)
		}
		return r.replayed(n)
	}
	return r.fail(fault{"since", r.Must("endpoint.fault.since")})
}

// replayed goes back to the deliveries and says how many are replayed.
func (r *request) replayed(n int) (*answer, error) {
	return goTo(r.path("endpoint", r.ids...), replayedText+"&"+countParam+"="+strconv.Itoa(n))
}
