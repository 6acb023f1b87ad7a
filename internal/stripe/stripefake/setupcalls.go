package stripefake

import "net/url"

// setupCalls read what a seller set.
var setupCalls = map[string]call{
	"GET /v1/account":                       readAccount,
	"GET /v1/products/{id}":                 readProduct,
	"GET /v1/tax/settings":                  readTaxSettings,
	"GET /v1/tax/registrations":             listRegistrations,
	"GET /v1/billing_portal/configurations": listPortalConfigurations,
	"GET /v1/webhook_endpoints":             listEndpoints,
}

var readAccount = call{
	do: func(s *Server, _ string, _ url.Values) (any, error) { return s.setup.Account, nil },
}

var readProduct = call{
	do: func(s *Server, id string, _ url.Values) (any, error) {
		if id != s.price.Product {
			return nil, noSuch("product", id)
		}
		return map[string]any{
			"id": id, "object": "product", "active": true, "livemode": false, "name": "Palmarès Pro", "tax_code": s.setup.TaxCode,
		}, nil
	},
}

var readTaxSettings = call{
	do: func(s *Server, _ string, _ url.Values) (any, error) { return s.setup.Tax, nil },
}

var listRegistrations = call{
	params: []string{"limit", "starting_after", "status"},
	do: func(s *Server, _ string, form url.Values) (any, error) {
		var found []Registration
		for _, r := range s.setup.Registrations {
			if !form.Has("status") || form.Get("status") == r.Status {
				found = append(found, r)
			}
		}
		return page("/v1/tax/registrations", found, form, func(r Registration) string { return r.ID })
	},
}

var listPortalConfigurations = call{
	params: []string{"active", "is_default", "limit", "starting_after"},
	do: func(s *Server, _ string, form url.Values) (any, error) {
		var found []PortalConfiguration
		for _, c := range s.setup.Portals {
			if (form.Get("active") != "true" || c.Active) && (form.Get("is_default") != "true" || c.IsDefault) {
				found = append(found, c)
			}
		}
		return page("/v1/billing_portal/configurations", found, form, func(c PortalConfiguration) string { return c.ID })
	},
}

var listEndpoints = call{
	params: []string{"limit", "starting_after"},
	do: func(s *Server, _ string, form url.Values) (any, error) {
		return page("/v1/webhook_endpoints", s.setup.Endpoints, form, func(e WebhookEndpoint) string { return e.ID })
	},
}

// ChangeSetup changes what a seller set in the dashboard.
func (s *Server) ChangeSetup(change func(*Setup)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.setup)
}
