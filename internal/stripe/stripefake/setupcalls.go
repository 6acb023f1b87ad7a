package stripefake

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// setupCalls are the calls that read and change what a seller sets up, by route.
var setupCalls = map[string]call{
	"GET /v1/account":                             readAccount,
	"GET /v1/products/{id}":                       readProduct,
	"POST /v1/products":                           createProduct,
	"POST /v1/products/{id}":                      updateProduct,
	"GET /v1/prices":                              listPrices,
	"POST /v1/prices":                             createPrice,
	"GET /v1/tax/settings":                        readTaxSettings,
	"GET /v1/tax/registrations":                   listRegistrations,
	"GET /v1/billing_portal/configurations":       listPortalConfigurations,
	"POST /v1/billing_portal/configurations":      createPortalConfiguration,
	"POST /v1/billing_portal/configurations/{id}": updatePortalConfiguration,
	"GET /v1/events":                              listEvents,
	"GET /v1/webhook_endpoints":                   listEndpoints,
	"POST /v1/webhook_endpoints":                  createEndpoint,
	"POST /v1/webhook_endpoints/{id}":             updateEndpoint,
}

var readAccount = call{
	do: func(s *Server, _ string, _ url.Values) (any, error) { return s.setup.Account, nil },
}

var readProduct = call{
	do: func(s *Server, id string, _ url.Values) (any, error) {
		if p := s.findProduct(id); p != nil {
			return *p, nil
		}
		return nil, noSuch("product", id)
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

var portalFeatures = []string{
	"features[customer_update][enabled]", "features[invoice_history][enabled]", "features[payment_method_update][enabled]",
	"features[subscription_cancel][enabled]", "features[subscription_update][enabled]", "metadata[]",
}

// createPortalConfiguration makes a configuration of the portal. It is never the default one, which is made in the
// dashboard:
// https://docs.stripe.com/api/customer_portal/configurations/object, is_default.
var createPortalConfiguration = call{
	params: portalFeatures,
	do: func(s *Server, _ string, form url.Values) (any, error) {
		made := PortalConfiguration{
			ID: s.newID("bpc"), Object: "billing_portal.configuration", Active: true, Created: s.time().Unix(), Metadata: metadata(form, "metadata"),
		}
		made.Features.set(form)
		s.setup.Portals = append(slices.Clone(s.setup.Portals), made)
		return made, nil
	},
}

// updatePortalConfiguration changes the features that the form names, and leaves the others:
// https://docs.stripe.com/api/customer_portal/configurations/update
var updatePortalConfiguration = call{
	params: portalFeatures,
	do: func(s *Server, id string, form url.Values) (any, error) {
		s.setup.Portals = slices.Clone(s.setup.Portals) // tests hold the former ones
		for i := range s.setup.Portals {
			if c := &s.setup.Portals[i]; c.ID == id {
				c.Features.set(form)
				return *c, nil
			}
		}
		return nil, noSuch("configuration", id)
	},
}

func (f *PortalFeatures) set(form url.Values) {
	f.CustomerUpdate.AllowedUpdates = slices.Concat([]string{}, f.CustomerUpdate.AllowedUpdates)
	for name, enabled := range map[string]*bool{
		"customer_update": &f.CustomerUpdate.Enabled, "invoice_history": &f.InvoiceHistory.Enabled,
		"payment_method_update": &f.PaymentMethodUpdate.Enabled, "subscription_cancel": &f.SubscriptionCancel.Enabled,
		"subscription_update": &f.SubscriptionUpdate.Enabled,
	} {
		if said := form.Get("features[" + name + "][enabled]"); said != "" {
			*enabled = said == "true"
		}
	}
}

// mostEndpoints is how many an account may have: https://docs.stripe.com/webhooks, "up to 16 webhook endpoints".
const mostEndpoints = 16

// createEndpoint makes an endpoint. Only this call can set its version and tells its secret
// (https://docs.stripe.com/api/webhook_endpoints/create and …/object, secret). The first endpoint gets the server's
// Secret.
var createEndpoint = call{
	params: []string{"api_version", "description", "enabled_events[]", "url"},
	do: func(s *Server, _ string, form url.Values) (any, error) {
		events := many(form, "enabled_events")
		switch {
		case len(s.setup.Endpoints) >= mostEndpoints:
			return nil, invalid("", "", "You have reached the maximum of %d webhook endpoints.", mostEndpoints)
		case len(events) == 0:
			return nil, invalid("enabled_events", "parameter_missing", "Missing required param: enabled_events.")
		case !s.reaches(form.Get("url")):
			return nil, invalid("url", "url_invalid", "Invalid URL: URL must be publicly accessible.")
		}
		made := WebhookEndpoint{
			ID: s.newID("we"), Object: "webhook_endpoint", Created: s.time().Unix(), EnabledEvents: events, Status: "enabled", URL: form.Get("url"),
		}
		if form.Has("api_version") {
			version := form.Get("api_version")
			made.APIVersion = &version
		}
		told := made
		if told.Secret = s.Secret; len(s.setup.Endpoints) > 0 {
			told.Secret = s.newID("whsec")
		}
		s.setup.Endpoints = append(slices.Clone(s.setup.Endpoints), made)
		return told, nil
	},
}

// updateEndpoint changes the events of an endpoint, and enables or disables it. Its version cannot be changed:
// https://docs.stripe.com/api/webhook_endpoints/update
var updateEndpoint = call{
	params: []string{"disabled", "enabled_events[]"},
	do: func(s *Server, id string, form url.Values) (any, error) {
		s.setup.Endpoints = slices.Clone(s.setup.Endpoints) // tests hold the former ones
		for i := range s.setup.Endpoints {
			e := &s.setup.Endpoints[i]
			if e.ID != id {
				continue
			}
			if events := many(form, "enabled_events"); len(events) > 0 {
				e.EnabledEvents = events
			}
			switch form.Get("disabled") {
			case "true":
				e.Status = "disabled"
			case "false":
				e.Status = "enabled"
			}
			return *e, nil
		}
		return nil, noSuch("webhook endpoint", id)
	},
}

// reaches reports whether Stripe sends events to a URL: in live mode only by https, and never to an address that is not
// public (https://docs.stripe.com/webhooks, "publicly accessible HTTPS URL").
func (s *Server) reaches(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && (s.live || u.Scheme != "http") {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && !ip.IsLoopback() && !ip.IsPrivate() || err != nil && strings.Contains(u.Hostname(), ".")
}

// many returns the values of a list parameter, name[0], name[1] and so on.
func many(form url.Values, name string) (all []string) {
	for i := 0; ; i++ {
		value := form.Get(name + "[" + strconv.Itoa(i) + "]")
		if value == "" {
			return all
		}
		all = append(all, value)
	}
}

// ChangeSetup calls change, under the lock, for what the seller set up in the dashboard.
func (s *Server) ChangeSetup(change func(*Setup)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.setup)
}
