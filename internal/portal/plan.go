package portal

import (
	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/webhook"
)

func planRoutes() []*route {
	return []*route{{
		name: "plan", paths: [2]string{"/compte/offre", "/en/account/plan"}, entry: "plan", get: showPlan,
	}}
}

// A planBody is what the page of the plan shows.
type planBody struct {
	Plan       account.Plan
	Limits     account.Limits
	Plans      []planColumn
	Embeddings int    // tools whose reviews come in chunks
	Contact    string // of the operator, who sets plans; "" for none

	Keys   []string // names of the keys, if there are more than the plan allows
	Revoke int      // how many of them to revoke before another can be created
	Paused []string // addresses of endpoints that wait for Pro
}

// A planColumn is a plan in the table.
type planColumn struct {
	account.Limits
	Current bool
}

func showPlan(r *request) (*answer, error) {
	o, plan := r.portal.o, r.account.Plan
	body := planBody{
		Plan: plan, Limits: plan.Limits(), Embeddings: catalog.EmbeddingsSize, Contact: o.Contact,
	}
	for _, p := range []account.Plan{account.Developer, account.Pro} {
		body.Plans = append(body.Plans, planColumn{p.Limits(), p == plan})
	}
	keys, err := o.Accounts.Keys(r.ctx, r.by, r.account.ID)
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		if k.RevokedAt.IsZero() && k.EndsAt.IsZero() {
			body.Keys = append(body.Keys, k.Name)
		}
	}
	if body.Revoke = len(body.Keys) - body.Limits.Keys + 1; body.Revoke < 2 {
		body.Keys = nil
	}
	endpoints, err := o.Endpoints.List(r.ctx, r.by, r.account.ID)
	if err != nil {
		return nil, err
	}
	for _, e := range endpoints {
		if e.State == webhook.Paused {
			body.Paused = append(body.Paused, e.URL)
		}
	}
	return show(body)
}
