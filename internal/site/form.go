package site

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/report"
	"github.com/palmares-hq/palmares/internal/site/pages"
	"github.com/palmares-hq/palmares/internal/web"
)

var formTexts = layout.Texts{
	"form.limited": {"Trop de signalements", "Too many reports"},
	"form.limited.sentence": {
		"Nous avons reçu trop de signalements. Le vôtre n’est pas enregistré\u00a0: réessayez plus tard.",
		"We have received too many reports. Yours was not saved: try again later.",
	},
	"form.away":           {"Le signalement n’a pas été enregistré", "The report was not saved"},
	"form.away.sentence":  {"La base de données ne répond pas. Réessayez dans quelques minutes.", "The database is not responding. Try again in a few minutes."},
	"form.crowd.sentence": {"Trop de formulaires sont envoyés à la fois. Réessayez dans quelques secondes.", "Too many forms are being sent at once. Try again in a few seconds."},
	"form.write":          {"Vous pouvez aussi nous écrire\u00a0:", "You can also write to us:"},
}

// Outcomes returns the outcomes of forms, for metrics.
func Outcomes() []string {
	return []string{outcomeStored, outcomeFaulty, outcomeLimited, outcomeFull, outcomeTrapped, outcomeFailed}
}

const (
	outcomeStored  = "stored"
	outcomeFaulty  = "faulty"
	outcomeLimited = "limited"
	outcomeFull    = "full"
	outcomeTrapped = "trapped"
	outcomeFailed  = "failed"
)

const (
	maxSendBytes = 16 << 10        // in the body of a form
	maxSends     = 16              // forms that wait for the database, on this node
	sendsOfOne   = 2               // of them from one network
	sendPatience = 5 * time.Second // the longest wait
)

// serveForm handles a submitted form. No cache may store the response. It refuses a form submitted from another site:
// there is no cookie to abuse, but the reader did not mean to send it.
func (s *Site) serveForm(w http.ResponseWriter, r *http.Request, t target, slug string) error {
	if err := s.origin.Check(r); err != nil {
		return web.Wrap(http.StatusForbidden, "the form was sent by another site", err)
	}
	form, err := web.ReadForm(w, r, maxSendBytes)
	if err != nil {
		return err
	}
	q := &request{edition: s.current(), route: t.route, lang: t.lang, slug: slug, client: web.ClientAddr(w), files: s.preview.current()}
	v := s.view(q)
	draft, err := pages.ReportDraft(v, slug, form)
	if err != nil {
		return err
	}
	if pages.Trapped(form) { // a program filled in the hidden field: thank it as if it had succeeded
		s.counted(outcomeTrapped)
	} else {
		err = s.send(r.Context(), q, draft)
		s.counted(outcomeOf(err))
	}
	if _, fault := errors.AsType[*report.FaultError](err); err != nil && !fault {
		return s.unsent(err)
	}
	leave, busy := s.renders.slotFor(q.client)(r.Context())
	if busy != nil {
		return busy
	}
	defer leave()
	d, err := t.route.sent(v, slug, form, err)
	if err != nil {
		return err
	}
	html, err := s.renderer.Render(d.Template, frame(v, q, d))
	if err != nil {
		return err
	}
	web.SetFields(w, s.headers...)
	web.SetFields(w, layout.CacheNever)
	layout.HTML(d.HTTPStatus(), html).Write(w, r)
	return nil
}

// send stores a report within sendPatience. It returns errCrowded if too many forms are being sent already.
func (s *Site) send(ctx context.Context, q *request, d report.Draft) error {
	leave, err := s.sends.Enter(s.sends.ClientShares(q.client, sendsOfOne)...)
	if err != nil {
		return errors.Join(errCrowded, err)
	}
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, sendPatience)
	defer cancel()
	return s.reports.Send(ctx, q.client, d)
}

func outcomeOf(err error) string {
	if err == nil {
		return outcomeStored
	}
	if _, ok := errors.AsType[*report.FaultError](err); ok {
		return outcomeFaulty
	}
	if _, ok := errors.AsType[*limit.ReachedError](err); ok {
		return outcomeLimited
	}
	if errors.Is(err, report.ErrFull) {
		return outcomeFull
	}
	return outcomeFailed
}

// unsent converts the error of send to an HTTP error: 429 if a limit was reached, with the time until it lifts, else
// 503.
func (s *Site) unsent(err error) error {
	met, limited := errors.AsType[*limit.ReachedError](err)
	switch {
	case limited:
		e := web.Wrap(http.StatusTooManyRequests, "too many reports", err)
		e.Header = http.Header{"Retry-After": {strconv.Itoa(max(1, int(math.Ceil(met.Until.Sub(s.now()).Seconds()))))}}
		return e
	case errors.Is(err, report.ErrFull):
		e := web.Wrap(http.StatusTooManyRequests, "too many reports", err)
		e.Header = http.Header{"Retry-After": {"86400"}}
		return e
	default: // the database, or too many forms that wait for it
		e := web.Wrap(http.StatusServiceUnavailable, "the report was not saved", errors.Join(errUnsent, err))
		e.Header = http.Header{"Retry-After": {"60"}}
		return e
	}
}

var (
	// errUnsent marks the 503 of a form that was not stored.
	errUnsent = errors.New("a form was not taken")
	// errCrowded means that too many forms are being sent at once.
	errCrowded = errors.New("too many forms at once")
)
