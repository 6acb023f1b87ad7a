package main

import (
	"regexp"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/palmares-hq/palmares/internal/stripe"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
)

// setUp is the script command "setup": everything at the provider is as the manual says.
func setUp(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: setup")
	}
	version := stripe.Version
	fake := ts.Value("till").(*stripefake.Server)
	fake.ChangeSetup(func(s *stripefake.Setup) {
		s.Endpoints = []stripefake.WebhookEndpoint{{
			ID: "we_1", Object: "webhook_endpoint", APIVersion: &version, EnabledEvents: stripe.EndpointEvents(),
			Status: "enabled", URL: ts.Getenv("PALMARES_BASE_URL") + "/stripe/events",
		}}
	})
}

// wrongSettings are what somebody can get wrong at the provider. Each leaves the rest as it was.
var wrongSettings = map[string]func(*stripefake.Setup){
	"no-payments":   func(s *stripefake.Setup) { s.Account.ChargesEnabled = false },
	"other-country": func(s *stripefake.Setup) { s.Account.Country = "DE" },
	"no-head-office": func(s *stripefake.Setup) {
		s.Tax.Status, s.Tax.HeadOffice = "pending", nil
		s.Tax.StatusDetails = map[string]any{"pending": map[string]any{"missing_fields": []string{"head_office"}}}
	},
	"other-head-office": func(s *stripefake.Setup) {
		s.Tax.HeadOffice = &stripefake.HeadOffice{Address: stripefake.HeadOfficeAddress{Country: "BE"}}
	},
	"no-registration": func(s *stripefake.Setup) { s.Registrations = s.Registrations[1:] },
	"expired-registration": func(s *stripefake.Setup) {
		s.Registrations = append([]stripefake.Registration(nil), s.Registrations...)
		s.Registrations[0].Status = "expired"
	},
	"no-one-stop-shop": func(s *stripefake.Setup) { s.Registrations = s.Registrations[:1] },
	"small-seller": func(s *stripefake.Setup) {
		s.Registrations = []stripefake.Registration{stripefake.NewRegistration("FR", "small_seller", time.Unix(0, 0)), s.Registrations[1]}
	},
	"small-seller-alone": func(s *stripefake.Setup) {
		s.Registrations = []stripefake.Registration{stripefake.NewRegistration("FR", "small_seller", time.Unix(0, 0))}
	},
	"one-stop-shop-alone":     func(s *stripefake.Setup) { s.Registrations = s.Registrations[1:] },
	"registered-nowhere":      func(s *stripefake.Setup) { s.Registrations = nil },
	"tax-code":                func(s *stripefake.Setup) { code := "txcd_99999999"; s.TaxCode = &code },
	"no-tax-code":             func(s *stripefake.Setup) { s.TaxCode, s.Tax.Defaults.TaxCode = nil, nil },
	"no-portal":               func(s *stripefake.Setup) { s.Portals = nil },
	"portal-without-invoices": changePortal(func(f *stripefake.PortalFeatures) { f.InvoiceHistory.Enabled = false }),
	"portal-changes-details": changePortal(func(f *stripefake.PortalFeatures) {
		f.CustomerUpdate = stripefake.CustomerUpdate{AllowedUpdates: []string{"address"}, Enabled: true}
	}),
	"portal-cancels":           changePortal(func(f *stripefake.PortalFeatures) { f.SubscriptionCancel.Enabled = true }),
	"portal-switches":          changePortal(func(f *stripefake.PortalFeatures) { f.SubscriptionUpdate.Enabled = true }),
	"endpoint-elsewhere":       changeEndpoint(func(e *stripefake.WebhookEndpoint) { e.URL = "https://old.example/stripe/events" }),
	"endpoint-disabled":        changeEndpoint(func(e *stripefake.WebhookEndpoint) { e.Status = "disabled" }),
	"endpoint-events":          changeEndpoint(func(e *stripefake.WebhookEndpoint) { e.EnabledEvents = e.EnabledEvents[2:] }),
	"endpoint-version":         changeEndpoint(func(e *stripefake.WebhookEndpoint) { version := "2020-08-27"; e.APIVersion = &version }),
	"endpoint-without-version": changeEndpoint(func(e *stripefake.WebhookEndpoint) { e.APIVersion = nil }),
}

func changePortal(change func(*stripefake.PortalFeatures)) func(*stripefake.Setup) {
	return func(s *stripefake.Setup) {
		s.Portals = append([]stripefake.PortalConfiguration(nil), s.Portals...)
		change(&s.Portals[0].Features)
	}
}

func changeEndpoint(change func(*stripefake.WebhookEndpoint)) func(*stripefake.Setup) {
	return func(s *stripefake.Setup) {
		s.Endpoints = append([]stripefake.WebhookEndpoint(nil), s.Endpoints...)
		change(&s.Endpoints[0])
	}
}

// wantRight is the script command "right SETTING": with that setting, palmares billing check finds nothing wrong.
func wantRight(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: right setting")
	}
	defer withSetting(ts, args[0])()
	ts.Check(ts.Exec("palmares", "billing", "check"))
}

// withSetting changes a setting at the provider, unless it is "none", and returns what changes it back.
func withSetting(ts *testscript.TestScript, name string) func() {
	change, known := wrongSettings[name]
	if !known && name != "none" {
		ts.Fatalf("there is no setting %s", name)
	}
	fake := ts.Value("till").(*stripefake.Server)
	var before stripefake.Setup
	fake.ChangeSetup(func(s *stripefake.Setup) {
		if before = *s; known {
			change(s)
		}
	})
	return func() { fake.ChangeSetup(func(s *stripefake.Setup) { *s = before }) }
}

// wantWrong is the script command "wrong SETTING REGEXP": with that setting, palmares billing check ends
// with status 1, and the one line that is wrong matches. "wrong none REGEXP" changes nothing first.
func wantWrong(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: wrong setting regexp")
	}
	defer withSetting(ts, args[0])()
	expectStatus(ts, false, []string{"1", "palmares", "billing", "check"})
	lines := regexp.MustCompile(`(?m)^.* wrong .*$`).FindAllString(ts.ReadFile("stdout"), -1)
	if len(lines) != 1 || !regexp.MustCompile(args[1]).MatchString(lines[0]) {
		ts.Fatalf("want one line that matches %q, got:\n%s", args[1], strings.Join(lines, "\n"))
	}
}
