package about_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/sitetest"
)

// The page of plans names all that Pro promises.
func TestPlans_WhatProPromises(t *testing.T) {
	t.Parallel()
	sitetest.Example(t).Check(t, []sitetest.Wanted{
		{Path: "/tarifs", Says: []string{
			`<th scope="row">Objectif de disponibilité</th>`, `<td class="pro" data-l="Pro">99 %</td>`, `<th scope="row">Assistance prioritaire par e-mail</th>`,
		}},
		{Path: "/en/plans", Says: []string{
			`<th scope="row">Availability target</th>`, `<td class="pro" data-l="Pro">99%</td>`, `<th scope="row">Priority support by e-mail</th>`,
		}},
		{Path: "/docs/authentification", Says: []string{"objectif de disponibilité", "assistance prioritaire"}},
		{Path: "/en/docs/authentication", Says: []string{"availability target", "priority support by e-mail"}},
		{Path: "/docs/api/get-usage", Says: []string{"objectif de disponibilité de 99 %"}},
		{Path: "/en/docs/api/get-usage", Says: []string{"availability target of 99%", "priority support by e-mail"}},
	})
}
