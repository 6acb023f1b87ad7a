package webhooks

import (
	"errors"
	"slices"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/portal/page"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// A webhooksBody is what the list of endpoints shows.
type webhooksBody struct {
	Path      string
	Pro       bool // the plan includes webhooks
	Full      bool // the account has as many as its plan allows
	Limit     int
	Endpoints []endpointRow
	Form      endpointForm
	Catalog   []eventType
	Example   code
	Of        string // the event type of the example
}

// An endpointRow is an endpoint in the list.
type endpointRow struct {
	Path, Name, Description, Filters string
	Mark                             page.Mark
	Delivered, Pending               string
}

// An eventType is an entry in the list of event types.
type eventType struct {
	Name, Text, Path string
	Current          bool
}

// body returns the body of the list of endpoints, with the form as it was filled in.
func (p *Pages) body(r *page.Request) (b webhooksBody, err error) {
	s := p.Endpoints
	list, err := s.List(r.Context(), r.By, r.Account.ID)
	if err != nil {
		return b, err
	}
	limit := r.Account.Plan.Limits().Endpoints
	b = webhooksBody{
		Path: r.At(address.Webhooks), Pro: r.Account.Plan == account.Pro, Full: len(list) >= limit, Limit: limit, Form: p.newEndpointForm(r, draft(r)),
	}
	for _, e := range list {
		row := endpointRow{
			Path: r.At(address.Endpoint, e.ID), Name: shortURL(e.URL), Description: e.Description,
			Filters: r.Text.Must("webhooks.all"),
		}
		if n := len(e.Types); n > 0 {
			row.Filters = r.Text.Many("webhooks.types", n)
		}
		if n := len(e.Categories); n > 0 {
			row.Filters += ", " + r.Text.Many("webhooks.categories", n)
		}
		stats, err := s.Stats(r.Context(), r.By, e.ID)
		if err != nil {
			return b, err
		}
		row.Mark, row.Delivered, row.Pending = endpointMark(r, e, stats), "–", pending(r, stats)
		if stats.Attempted > 0 {
			row.Delivered = delivered(r, stats)
		}
		b.Endpoints = append(b.Endpoints, row)
	}
	addCatalog(r, &b)
	return b, nil
}

// addCatalog adds the event types, and an example of the one asked for, by default a price change.
func addCatalog(r *page.Request, b *webhooksBody) {
	of := catalog.EventType(r.Query.Get(typeParam))
	if !slices.Contains(webhook.Types(), of) {
		of = catalog.PriceChanged
	}
	for _, t := range webhook.Types() {
		b.Catalog = append(b.Catalog, eventType{
			Name: string(t), Text: typeText(r, t), Path: b.Path + "?" + typeParam + "=" + string(t) + "#exemple", Current: t == of,
		})
	}
	if sample, ok := webhook.Sample(of, r.Now); ok {
		b.Example, b.Of = newCode(sample.Payload()), string(of)
	}
}

// Show shows the list of endpoints.
func (p *Pages) Show(r *page.Request) (*page.Answer, error) {
	body, err := p.body(r)
	if err != nil {
		return nil, err
	}
	return page.Show(body)
}

// Add creates an endpoint and shows its page with the secret, which this answer alone shows.
func (p *Pages) Add(r *page.Request) (*page.Answer, error) {
	created, err := p.Endpoints.Create(r.Context(), r.By, r.Account.ID, draft(r))
	if errors.Is(err, webhook.ErrSecretChanged) {
		r.LogError(err) // it is created all the same; the operator has to know
		err = nil
	}
	if err == nil {
		return p.endpointAnswer(r, created.ID, func(a *page.Answer, b *endpointBody) {
			b.NewSecret, a.Notice = created.Secret.Reveal(), r.Text.Must("endpoint.created")
		})
	}
	wrong := fieldErrors(r, err)
	if wrong == nil {
		return nil, err
	}
	body, err := p.body(r)
	if err != nil {
		return nil, err
	}
	return page.Invalid(body, wrong...), nil
}
