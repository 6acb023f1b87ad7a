package site_test

import (
	"testing"
)

// The page of plans names all that Pro promises.
func TestPlans_WhatProPromises(t *testing.T) {
	t.Parallel()
	example(t).check(t, []wanted{
		{path: "/tarifs", says: []string{
			`<th scope="row">Objectif de disponibilité</th>`, `<td class="pro" data-l="Pro">99 %</td>`, `<th scope="row">Assistance prioritaire par e-mail</th>`,
		}},
		{path: "/en/plans", says: []string{
			`<th scope="row">Availability target</th>`, `<td class="pro" data-l="Pro">99%</td>`, `<th scope="row">Priority support by e-mail</th>`,
		}},
		{path: "/docs/authentification", says: []string{"objectif de disponibilité", "assistance prioritaire"}},
		{path: "/en/docs/authentication", says: []string{"availability target", "priority support by e-mail"}},
		{path: "/docs/api/get-usage", says: []string{"objectif de disponibilité de 99 %"}},
		{path: "/en/docs/api/get-usage", says: []string{"availability target of 99 %", "priority support by e-mail"}},
	})
}
