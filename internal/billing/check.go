package billing

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// TaxCode is that of software as a service for businesses, by which the provider computes the tax of Pro:
// docs.stripe.com/tax/tax-codes.
const TaxCode = "txcd_10103001"

// A Wanted is what the provider's set-up is compared with.
type Wanted struct {
	Country  string        // of the seller
	Public   bool          // others than this machine reach the nodes
	Endpoint string        // where nodes take events; "" if their address is not set
	Version  string        // of events
	Events   []string      // that nodes need
	Texts    OperatorTexts // as they are published
	Now      time.Time
}

// A Verdict is what a Line says.
type Verdict string

// The verdicts.
const (
	Right  Verdict = "right"
	Wrong  Verdict = "wrong"
	Unseen Verdict = "unseen" // it cannot be seen with this key, or by no key
)

// A Line is about one setting.
type Line struct {
	Step    int // of the nine steps of docs/operations/billing.md
	What    string
	Verdict Verdict
	Detail  string // what it is, or what to do
}

// A setting is one that is compared.
type setting struct {
	step  int
	what  string
	judge func(Setup, Wanted) (Verdict, string)
}

// settings are compared in the order in which they are set up. One fault makes one line wrong: what
// cannot be told because of it is not seen.
var settings = []setting{
	{1, "account", judgeSeller},
	{1, "tax settings", judgeTax},
	{2, "registration", judgeRegistration},
	{2, "one-stop shop", judgeOneStopShop},
	{3, "price", judgePrice},
	{3, "tax code", judgeTaxCode},
	{4, "invoices", always("numbers, footer and language are in the dashboard alone: look at an invoice")},
	{5, "failed payments", always("retries, and what follows the last, are in the dashboard alone")},
	{6, "portal", judgePortal},
	{6, "portal: cancelling", judgeCancelling},
	{6, "portal: switching plans", judgeSwitching},
	{7, "key", judgeKey},
	{7, "mode", judgeMode},
	{8, "endpoint", judgeEndpoint},
	{8, "endpoint: events", judgeEvents},
	{8, "endpoint: version", judgeVersion},
	{9, "rates of VAT", judgeRates},
}

// CheckSetup compares how the provider is set up with what it must be, line by line.
func CheckSetup(s Setup, w Wanted) []Line {
	pages := w.Texts.pages()
	lines := make([]Line, 0, len(settings)+len(pages))
	for _, c := range settings {
		v, detail := c.judge(s, w)
		lines = append(lines, Line{c.step, c.what, v, detail})
	}
	for _, p := range pages {
		line := Line{9, p.what, Right, "published"}
		if fault := p.fault(); fault != "" {
			line.Verdict, line.Detail = Wrong, "nothing is sold: "+fault
		}
		lines = append(lines, line)
	}
	return lines
}

func always(detail string) func(Setup, Wanted) (Verdict, string) {
	return func(Setup, Wanted) (Verdict, string) { return Unseen, "no key can see it: " + detail }
}

// told reports whether the provider told something, and if not, what to say.
func told[T any](s Seen[T]) (Verdict, string, bool) {
	if s.Err != nil {
		return Unseen, s.Err.Error(), false
	}
	return Right, "", true
}

func judgeSeller(s Setup, w Wanted) (Verdict, string) {
	if v, why, ok := told(s.Seller); !ok {
		return v, why
	}
	switch {
	case !s.Seller.Is.Charges:
		return Wrong, "it may take no payments yet: complete it under Settings, Business"
	case s.Seller.Is.Country != w.Country:
		return Wrong, fmt.Sprintf("it is one of %s, and PALMARES_SELLER_COUNTRY is %s", s.Seller.Is.Country, w.Country)
	}
	return Right, "of " + w.Country + ", takes payments"
}

func judgeTax(s Setup, w Wanted) (Verdict, string) {
	if v, why, ok := told(s.Tax); !ok {
		return v, why
	}
	switch tax := s.Tax.Is; {
	// The status is pending until the head office is known, and nothing is computed before:
	// docs.stripe.com/tax/settings-api.
	case !tax.Active:
		return Wrong, "no tax is computed, for want of " + strings.Join(tax.Missing, ", ") + ": Settings, Tax"
	case tax.HeadOffice != w.Country:
		return Wrong, fmt.Sprintf("the head office is in %s, and PALMARES_SELLER_COUNTRY is %s", orNothing(tax.HeadOffice), w.Country)
	}
	return Right, "active, the head office is in " + w.Country
}

// Without a registration the provider computes no tax, and calls that not_collecting: docs.stripe.com/tax/zero-tax.
func judgeRegistration(s Setup, w Wanted) (Verdict, string) {
	if v, why, ok := told(s.Registrations); !ok {
		return v, why
	}
	if !s.registered(w.Country, "standard") {
		return Wrong, "none in " + w.Country + ": invoices there have no tax, and you owe it"
	}
	return Right, "in " + w.Country
}

// One registration of the Union scheme covers all member states: docs.stripe.com/tax/supported-countries/european-union.
func judgeOneStopShop(s Setup, w Wanted) (Verdict, string) {
	if v, why, ok := told(s.Registrations); !ok {
		return v, why
	}
	if !s.registered(w.Country, "oss_union") {
		return Wrong, "no registration for it (OSS, Union scheme): whoever has no VAT number in another member state pays no tax, and you owe it"
	}
	return Right, "Union scheme, in " + w.Country
}

func (s Setup) registered(country, kind string) bool {
	return slices.Contains(s.Registrations.Is, Registration{country, kind})
}

func judgePrice(s Setup, _ Wanted) (Verdict, string) {
	if v, why, ok := told(s.Price); !ok {
		return v, why
	}
	switch s.Price.Is {
	case ProPrice:
	case Price{}:
		return Wrong, "nothing is sold: there is none with the id of PALMARES_STRIPE_PRICE"
	default:
		return Wrong, fmt.Sprintf("nothing is sold: %s instead of %s", s.Price.Is, ProPrice)
	}
	return Right, ProPrice.String()
}

// A product without a tax code has the preset one: docs.stripe.com/tax/products-prices-tax-codes-tax-behavior.
func judgeTaxCode(s Setup, _ Wanted) (Verdict, string) {
	if v, why, ok := told(s.TaxCode); !ok {
		return v, why
	}
	code, whose := s.TaxCode.Is, "of the product"
	if code == "" {
		if v, why, ok := told(s.Tax); !ok {
			return v, why
		}
		code, whose = s.Tax.Is.TaxCode, "the preset one"
	}
	if code != TaxCode {
		return Wrong, fmt.Sprintf("%s, %s, instead of %s (software as a service, business use)", orNothing(code), whose, TaxCode)
	}
	return Right, code + ", " + whose
}

// Until the settings are saved once there is no configuration, and no portal opens:
// docs.stripe.com/customer-management/activate-no-code-customer-portal.
func judgePortal(s Setup, _ Wanted) (Verdict, string) {
	if v, why, ok := told(s.Portal); !ok {
		return v, why
	}
	p := s.Portal.Is
	if p == nil {
		return Wrong, "it was never saved, so that it opens for nobody: Settings, Billing, Customer portal"
	}
	var lacks []string
	for _, part := range []struct {
		what string
		on   bool
	}{{"invoices", p.Invoices}, {"payment methods", p.PaymentMethod}, {"billing address", p.Address}, {"tax ID", p.TaxID}} {
		if !part.on {
			lacks = append(lacks, part.what)
		}
	}
	if len(lacks) > 0 {
		return Wrong, "customers cannot see or change: " + strings.Join(lacks, ", ")
	}
	return Right, "invoices, payment methods, billing address, tax ID"
}

func judgeCancelling(s Setup, _ Wanted) (Verdict, string) {
	switch v, why, ok := s.portal(); {
	case !ok:
		return v, why
	case s.Portal.Is.Cancel:
		return Wrong, "on: who cancels there is not told what becomes of keys and endpoints. Switch it off"
	}
	return Right, "off"
}

func judgeSwitching(s Setup, _ Wanted) (Verdict, string) {
	switch v, why, ok := s.portal(); {
	case !ok:
		return v, why
	case s.Portal.Is.SwitchPlan:
		return Wrong, "on: who switches to another product pays for what gives nothing. Switch it off"
	}
	return Right, "off"
}

// portal reports whether there is one to look at.
func (s Setup) portal() (Verdict, string, bool) {
	if v, why, ok := told(s.Portal); !ok {
		return v, why, false
	}
	return Unseen, "there is no portal to look at", s.Portal.Is != nil
}

func judgeKey(s Setup, _ Wanted) (Verdict, string) {
	switch {
	case s.KeyRefused:
		return Wrong, "the provider refuses it: set PALMARES_STRIPE_KEY to one that is valid"
	case !s.Restricted:
		return Right, "a secret key, which can do more than is needed: a restricted one is better"
	}
	return Right, "restricted"
}

func judgeMode(s Setup, w Wanted) (Verdict, string) {
	switch {
	case s.Live && !w.Public:
		return Wrong, "a live key, on an address that nobody else reaches: take one of a sandbox"
	case s.Live:
		return Right, "live"
	case w.Public:
		return Wrong, "a test key, on a public address: nobody could really pay"
	}
	return Right, "test, on an address that nobody else reaches"
}

// endpoints returns those that are enabled at the address of the nodes.
func (s Setup) endpoints(w Wanted) (found []Endpoint) {
	for _, e := range s.Endpoints.Is {
		if e.URL == w.Endpoint && w.Endpoint != "" && e.Enabled {
			found = append(found, e)
		}
	}
	return found
}

func judgeEndpoint(s Setup, w Wanted) (Verdict, string) {
	if v, why, ok := told(s.Endpoints); !ok {
		return v, why
	}
	if w.Endpoint == "" {
		return Wrong, "PALMARES_BASE_URL is not set: it says where events go"
	}
	if len(s.endpoints(w)) > 0 {
		return Right, w.Endpoint
	}
	var others []string
	for _, e := range s.Endpoints.Is {
		if e.URL == w.Endpoint {
			return Wrong, "the one at " + e.URL + " is disabled"
		}
		others = append(others, e.URL)
	}
	return Wrong, "none at " + w.Endpoint + ": there is " + orNothing(strings.Join(others, ", "))
}

func judgeEvents(s Setup, w Wanted) (Verdict, string) {
	found, v, why := s.oneEndpoint(w)
	if found == nil {
		return v, why
	}
	var lacks []string
	for _, event := range w.Events {
		if !slices.ContainsFunc(found, func(e Endpoint) bool { return slices.Contains(e.Events, event) || slices.Contains(e.Events, "*") }) {
			lacks = append(lacks, event)
		}
	}
	if len(lacks) > 0 {
		return Wrong, "it does not send " + strings.Join(lacks, ", ")
	}
	return Right, fmt.Sprintf("all %d", len(w.Events))
}

func judgeVersion(s Setup, w Wanted) (Verdict, string) {
	found, v, why := s.oneEndpoint(w)
	if found == nil {
		return v, why
	}
	if i := slices.IndexFunc(found, func(e Endpoint) bool { return e.Version != w.Version }); i >= 0 {
		return Wrong, fmt.Sprintf("%s instead of %s", orAccounts(found[i].Version), w.Version)
	}
	return Right, w.Version
}

// orAccounts names a version: an endpoint without one has that of the account, which may change.
func orAccounts(version string) string {
	if version == "" {
		return "the account's"
	}
	return version
}

// oneEndpoint returns the endpoints at the address of the nodes, or what to say where there is none.
func (s Setup) oneEndpoint(w Wanted) ([]Endpoint, Verdict, string) {
	if v, why, ok := told(s.Endpoints); !ok {
		return nil, v, why
	}
	return s.endpoints(w), Unseen, "there is no endpoint to look at"
}

func judgeRates(_ Setup, w Wanted) (Verdict, string) {
	if RatesOld(w.Now) {
		return Wrong, "the table is of " + RatesOf + ", more than six months ago: what pages estimate may be wrong. Update the program"
	}
	return Right, "of " + RatesOf
}
