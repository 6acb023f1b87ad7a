package portal

import (
	"errors"
	"net/http"
	"slices"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/webhook"
)

func webhooksRoutes() []*route {
	return []*route{
		{
			name: "webhooks", paths: [2]string{"/compte/webhooks", "/en/account/webhooks"}, entry: "webhooks",
			get: showWebhooks, shows: []string{"webhooks", "endpoint"}, actions: map[string]handler{"add": addEndpoint},
		},
		{
			name: "endpoint", paths: [2]string{"/compte/webhooks/{id}", "/en/account/webhooks/{id}"}, entry: "webhooks",
			get: showEndpoint, actions: map[string]handler{
				"save": saveEndpoint, "verify": verifyEndpoint, "test": testEndpoint, "rotate": rotateSecret,
				"pause": pauseEndpoint, "enable": enableEndpoint, "delete": deleteEndpoint,
				"replay-range": replayRange, "replay-failed": replayFailed,
			},
			outside: []string{"verify", "test"},
		},
		{
			name: "delivery", paths: [2]string{"/compte/webhooks/{id}/{id}", "/en/account/webhooks/{id}/{id}"}, entry: "webhooks",
			get: showDelivery, actions: map[string]handler{"replay": replayDelivery},
		},
	}
}

// A webhooksBody is what the list of endpoints shows.
type webhooksBody struct {
	Path      string
	Pro       bool // the plan has webhooks
	Full      bool // it allows no more of them
	Limit     int
	Endpoints []endpointRow
	Form      endpointForm
	Catalog   []eventType
	Example   code
	Of        string // the type of the example
}

// An endpointRow is an endpoint in the list.
type endpointRow struct {
	Path, Name, Description, Filters string
	Mark                             stateMark
	Delivered, Pending               string
}

// An eventType is a type in the catalog of events.
type eventType struct {
	Name, Text, Path string
	Current          bool
}

// webhooksBody reads the list of endpoints, and fills the form with what was typed.
func (r *request) webhooksBody() (b webhooksBody, err error) {
	s := r.portal.o.Endpoints
	list, err := s.List(r.ctx, r.by, r.account.ID)
	if err != nil {
		return b, err
	}
	limit := r.account.Plan.Limits().Endpoints
	b = webhooksBody{
		Path: r.path("webhooks"), Pro: r.account.Plan == account.Pro, Full: len(list) >= limit, Limit: limit, Form: r.endpointForm(r.draft()),
	}
	for _, e := range list {
		row := endpointRow{
			Path: r.path("endpoint", e.ID), Name: shortURL(e.URL), Description: e.Description, Mark: r.endpointMark(e),
			Filters: r.Must("webhooks.all"),
		}
		if n := len(e.Types); n > 0 {
			row.Filters = r.Many("webhooks.types", n)
		}
		if n := len(e.Categories); n > 0 {
			row.Filters += ", " + r.Many("webhooks.categories", n)
		}
		stats, err := s.Stats(r.ctx, r.by, e.ID)
		if err != nil {
			return b, err
		}
		row.Delivered, row.Pending = "–", r.pending(stats)
		if stats.Attempted > 0 {
			row.Delivered = r.delivered(stats)
		}
		b.Endpoints = append(b.Endpoints, row)
	}
	r.addCatalog(&b)
	return b, nil
}

// addCatalog adds the types of events, and an example of one: that of a price when none is asked
// for.
func (r *request) addCatalog(b *webhooksBody) {
	of := catalog.EventType(r.query.Get(typeParam))
	if !slices.Contains(webhook.Types(), of) {
		of = catalog.PriceChanged
	}
	for _, t := range webhook.Types() {
		b.Catalog = append(b.Catalog, eventType{
			Name: string(t), Text: r.typeText(t), Path: b.Path + "?" + typeParam + "=" + string(t) + "#exemple", Current: t == of,
		})
	}
	if sample, ok := webhook.Sample(of, r.portal.o.Now()); ok {
		b.Example, b.Of = newCode(sample.Payload()), string(of)
	}
}

func showWebhooks(r *request) (*answer, error) {
	body, err := r.webhooksBody()
	if err != nil {
		return nil, err
	}
	return show(body)
}

// addEndpoint creates an endpoint and shows its page with the secret, which this answer alone shows.
func addEndpoint(r *request) (*answer, error) {
	created, err := r.portal.o.Endpoints.Create(r.ctx, r.by, r.account.ID, r.draft())
	if errors.Is(err, webhook.ErrSecretChanged) {
		web.SetError(r.w, err) // it is created all the same; the operator has to know
		err = nil
	}
	if err == nil {
		return r.endpointAnswer(created.ID, func(a *answer, b *endpointBody) {
			b.NewSecret, a.notice = created.Secret.Reveal(), r.Must("endpoint.created")
		})
	}
	faults := r.fieldFaults(err)
	if faults == nil {
		return nil, err
	}
	body, err := r.webhooksBody()
	if err != nil {
		return nil, err
	}
	return &answer{status: http.StatusUnprocessableEntity, body: body, faults: faults}, nil
}
