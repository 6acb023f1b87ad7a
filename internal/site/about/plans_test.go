package about_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/sitetest"
)

// The page of plans names all that Pro promises.
func TestPlans_WhatProPromises(t *testing.T) {
	t.Parallel()
	sitetest.Example(t).Check(t, []sitetest.Wanted{
		{Path: "/tarifs", Says: []string{
			`<th scope="row">Objectif de disponibilité</th>`, `<td class="pro" data-l="Objectif de disponibilité">99 %</td>`, `<th scope="row">Assistance prioritaire par e-mail</th>`,
		}},
		{Path: "/en/plans", Says: []string{
			`<th scope="row">Availability target</th>`, `<td class="pro" data-l="Availability target">99%</td>`, `<th scope="row">Priority support by e-mail</th>`,
		}},
		{Path: "/docs/authentification", Says: []string{"objectif de disponibilité", "assistance prioritaire"}},
		{Path: "/en/docs/authentication", Says: []string{"availability target", "priority support by e-mail"}},
		{Path: "/docs/authentification", Says: []string{"99 %"}},
		{Path: "/docs/api/get-usage", Says: []string{"objectif de disponibilité de 99 %"}},
		{Path: "/en/docs/api/get-usage", Says: []string{"availability target of 99%", "priority support by e-mail"}},
	})
}

// An operator who promises something else says so in the catalogue, and tables and guides follow.
func TestPlans_WhatTheOperatorPromises(t *testing.T) {
	t.Parallel()
	promising := func(pro catalog.Pro) *sitetest.Reader {
		c := catalogtest.Contents(catalogtest.Tool("a"))
		c.Service.Words.Pro = pro
		return sitetest.New(t, catalog.Empty().Apply(catalogtest.Whole(c, catalogtest.Edition(1))))
	}
	promising(catalog.Pro{Availability: "99.95"}).Check(t, []sitetest.Wanted{
		{Path: "/tarifs", Says: []string{`<td class="pro" data-l="Objectif de disponibilité">99,95 %</td>`, "Assistance prioritaire"}},
		{Path: "/en/plans", Says: []string{`<td class="pro" data-l="Availability target">99.95%</td>`}},
		{Path: "/docs/authentification", Says: []string{"99,95 %"}},
	})
	promising(catalog.Pro{Availability: "0", NoSupport: true}).Check(t, []sitetest.Wanted{
		{Path: "/tarifs", Silent: []string{"Objectif de disponibilité", "Assistance prioritaire", "99 %"}},
		{Path: "/en/plans", Silent: []string{"Availability target", "Priority support"}},
	})
}
