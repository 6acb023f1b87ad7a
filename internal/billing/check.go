package billing

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// TaxCode is the code of software as a service for businesses, by which the provider computes the tax of Pro:
// docs.stripe.com/tax/tax-codes.
const TaxCode = "txcd_10103001"

// Wanted is what the provider's set-up is compared with.
type Wanted struct {
	Country  string        // of the seller
	Scheme   Scheme        // of its VAT
	Public   bool          // the nodes can be reached from other machines
	Endpoint string        // the URL where nodes take events; "" if their address is not set
	Version  string        // of events
	Events   []string      // the types that nodes need
	Texts    OperatorTexts // as they are published
	Binding  Binding       // the provider account that the customers belong to
	Heard    Heard         // the events that came to the nodes
	Now      time.Time
}

// A Verdict is the result for one setting.
type Verdict string

// The verdicts.
const (
	Right  Verdict = "right"
	Wrong  Verdict = "wrong"
	Unseen Verdict = "unseen" // it cannot be seen with this key, or with any
)

// A Line is the result of CheckSetup for one setting.
type Line struct {
	Step    int // of the nine steps of docs/operations/billing.md
	What    string
	Verdict Verdict
	Detail  string // what the setting is, or what to do
}

// A setting is a part of the provider's set-up that is compared.
type setting struct {
	step  int
	what  string
	judge func(Setup, Wanted) (Verdict, string)
}

// settings are in the order in which they are set up. One fault makes only one line Wrong: the lines that
// cannot be judged because of it are Unseen.
var settings = []setting{
	{1, "account", judgeSeller},
	{1, "tax settings", judgeTax},
	{2, "registration", judgeRegistration},
	{2, "one-stop shop", judgeOneStopShop},
	{3, "price", judgePrice},
	{3, "tax code", judgeTaxCode},
	{4, "invoices", always("numbers, footer and language are in the dashboard alone: look at an invoice")},
	{5, "failed payments", always("retries, and what follows the last, are in the dashboard alone")},
	{5, "the provider's own mails", judgeReceipts},
	{6, "portal", judgePortal},
	{6, "portal: billing details", judgeDetails},
	{6, "portal: cancelling", judgeCancelling},
	{6, "portal: switching plans", judgeSwitching},
	{7, "key", judgeKey},
	{7, "mode", judgeMode},
	{7, "account of the customers", judgeBinding},
	{8, "endpoint", judgeEndpoint},
	{8, "endpoint: events", judgeEvents},
	{8, "endpoint: version", judgeVersion},
	{8, "endpoint: deliveries", judgeDeliveries},
	{8, "endpoint: signatures", judgeSignatures},
	{9, "rates of VAT", judgeRates},
}

// CheckSetup compares how the provider is set up with what is wanted, one line for each setting.
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

// told reports whether the provider told a part of its set-up, and if not, what the line says.
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

// Without a registration the provider computes no tax, and calls that not_collecting: docs.stripe.com/tax/zero-tax. The
// registration at home says whether the seller is a small one, as its place of supply scheme:
// docs.stripe.com/api/tax/registrations/create, place_of_supply_scheme.
func judgeRegistration(s Setup, w Wanted) (Verdict, string) {
	if v, why, ok := told(s.Registrations); !ok {
		return v, why
	}
	home := s.registered(w.Country, "standard")
	union := slices.IndexFunc(s.Registrations.Is, func(r Registration) bool { return inUnion(r.Country) })
	switch {
	case w.Scheme == Franchise && union >= 0:
		return Wrong, "there is one, in " + s.Registrations.Is[union].Country + ": invoices carry VAT that who is exempt must not charge. End it, or set PALMARES_SELLER_VAT"
	case w.Scheme == Franchise:
		return Right, "none, as who is exempt needs none"
	case home == nil:
		return Wrong, "none in " + w.Country + ": invoices there have no tax, and you owe it"
	case Scheme(home.Scheme) != w.Scheme:
		return Wrong, fmt.Sprintf("the one in %s is of the scheme %s, and PALMARES_SELLER_VAT is %s: customers elsewhere in the Union would pay another rate than ordered",
			w.Country, orNothing(home.Scheme), w.Scheme)
	}
	return Right, "in " + w.Country
}

// One registration of the Union scheme covers all member states: docs.stripe.com/tax/supported-countries/european-union.
func judgeOneStopShop(s Setup, w Wanted) (Verdict, string) {
	if v, why, ok := told(s.Registrations); !ok {
		return v, why
	}
	switch there := s.registered(w.Country, "oss_union") != nil; {
	case w.Scheme != Standard && there:
		return Wrong, "registered for it, and PALMARES_SELLER_VAT is " + string(w.Scheme) + ", which does without: customers elsewhere in the Union pay another rate than ordered"
	case w.Scheme != Standard:
		return Right, "not registered for it, as " + string(w.Scheme) + " does without"
	case !there:
		return Wrong, "no registration for it (OSS, Union scheme): whoever has no VAT number in another member state pays no tax, and you owe it"
	}
	return Right, "Union scheme, in " + w.Country
}

// registered returns the registration of a kind in a country; nil for none.
func (s Setup) registered(country, kind string) *Registration {
	i := slices.IndexFunc(s.Registrations.Is, func(r Registration) bool { return r.Country == country && r.Kind == kind })
	if i < 0 {
		return nil
	}
	return &s.Registrations.Is[i]
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

// OwnMails says where to switch off the provider's own mails, which would repeat what nodes mail. No API call can do
// that.
const OwnMails = "switch off the provider's own mails under Settings, Customer emails, and under Settings, Billing, Invoices and Subscriptions and emails"

// No API call shows which mails the provider sends. An invoice gets a receipt number when a receipt is mailed
// (docs.stripe.com/api/invoices/object, receipt_number) or fetched by somebody: so one without proves that receipts are
// off. A sandbox mails none.
func judgeReceipts(s Setup, _ Wanted) (Verdict, string) {
	if v, why, ok := told(s.Receipts); !ok {
		return v, why
	}
	switch r := s.Receipts.Is; {
	case !s.Live:
		return Unseen, "in a sandbox none is sent: " + OwnMails
	case r.Invoices == 0:
		return Unseen, "nothing was paid yet: " + OwnMails
	case r.Mailed == r.Invoices:
		return Wrong, "customers get a receipt beside each invoice that nodes mail: " + OwnMails
	}
	return Right, "no receipt was mailed for the newest invoices; the other mails no key can see: " + OwnMails
}

// The portal cannot be opened until its settings have been saved once, which makes its configuration:
// docs.stripe.com/customer-management/activate-no-code-customer-portal.
func judgePortal(s Setup, _ Wanted) (Verdict, string) {
	if v, why, ok := told(s.Portal); !ok {
		return v, why
	}
	p := s.Portal.Is
	if p == nil {
		return Wrong, "it was never saved, so that it opens for nobody: palmares billing setup makes its settings"
	}
	var lacks []string
	for _, part := range []struct {
		what string
		on   bool
	}{{"invoices", p.Invoices}, {"payment methods", p.PaymentMethod}} {
		if !part.on {
			lacks = append(lacks, part.what)
		}
	}
	if len(lacks) > 0 {
		return Wrong, "customers cannot see or change: " + strings.Join(lacks, ", ")
	}
	return Right, "invoices, payment methods"
}

// Details are to be changed only on the account page, which refuses places where nothing is sold, and tells the
// provider.
func judgeDetails(s Setup, _ Wanted) (Verdict, string) {
	switch v, why, ok := s.portal(); {
	case !ok:
		return v, why
	case s.Portal.Is.Details:
		return Wrong, "on: what is changed there is compared with nothing, and overwritten by the account page. Switch it off"
	}
	return Right, "off"
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

func judgeBinding(s Setup, w Wanted) (Verdict, string) {
	if w.Binding.Since.IsZero() {
		return Right, "none is stored: it is, with the first customer"
	}
	held, since := w.Binding.Account, w.Binding.Since.Format(time.DateOnly)
	if v, why, ok := told(s.Seller); !ok {
		return v, why + ": nodes look whether it knows a customer instead"
	}
	if is := (ProviderAccount{s.Seller.Is.ID, s.Live}); held.isOther(is) {
		return Wrong, fmt.Sprintf("nothing is sold: it is of %s, and the customers are of %s; palmares billing adopt moves them on purpose", is, held)
	}
	return Right, held.String() + ", since " + since
}

// endpoints returns the enabled endpoints at the address of the nodes.
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

// orAccounts names the version of an endpoint. One without a version has the account's, which may change.
func orAccounts(version string) string {
	if version == "" {
		return "the account's"
	}
	return version
}

// oneEndpoint returns the enabled endpoints at the address of the nodes, and what the line says if there is none.
func (s Setup) oneEndpoint(w Wanted) ([]Endpoint, Verdict, string) {
	if v, why, ok := told(s.Endpoints); !ok {
		return nil, v, why
	}
	return s.endpoints(w), Unseen, "there is no endpoint to look at"
}

// slow is the age at which an undelivered event is late.
const slow = 10 * time.Minute

// judgeDeliveries looks at the events that the provider could not deliver. No test event is sent.
func judgeDeliveries(s Setup, w Wanted) (Verdict, string) {
	if v, why, ok := told(s.Undelivered); !ok {
		return v, why + ": " + w.Heard.taken(w.Now)
	}
	late := s.Undelivered.Is
	switch {
	case late.isLate(w.Now):
	case late.More:
		return Unseen, "the newest undelivered events are all of other programs in the account: " + w.Heard.taken(w.Now)
	default:
		return Right, "none waits; " + w.Heard.taken(w.Now)
	}
	number := strconv.Itoa(late.Events)
	if late.More {
		number += " or more"
	}
	return Wrong, fmt.Sprintf("whoever pays waits for Pro: %s not delivered since %s (%s); %s",
		number, late.Oldest.UTC().Format(time.DateTime), strings.Join(late.Types, ", "), w.Heard.taken(w.Now))
}

// isLate reports whether the oldest undelivered event is older than slow.
func (u Undelivered) isLate(now time.Time) bool {
	return u.Events > 0 && now.Sub(u.Oldest) > slow
}

// judgeSignatures tells a wrong signing secret from forgeries by strangers: with a wrong secret none of the provider's
// own events is accepted either.
func judgeSignatures(s Setup, w Wanted) (Verdict, string) {
	h := w.Heard
	if h.Forged == 0 {
		return Right, "none was forged within a day"
	}
	said := fmt.Sprintf("%d were forged within a day, the last at %s", h.Forged, h.LastForged.UTC().Format(time.DateTime))
	missed := s.Undelivered.Err != nil && h.LastTaken.Before(h.LastForged) || s.Undelivered.Is.isLate(w.Now)
	if missed {
		return Wrong, said + ": PALMARES_STRIPE_WEBHOOK_SECRET is not that of the endpoint"
	}
	return Right, said + ": by others, for what the provider sends is taken"
}

// taken says in words when the last event was taken.
func (h Heard) taken(now time.Time) string {
	if h.LastTaken.IsZero() {
		return "none was taken yet"
	}
	return fmt.Sprintf("the last was taken %s ago", now.Sub(h.LastTaken).Round(time.Second))
}

func judgeRates(_ Setup, w Wanted) (Verdict, string) {
	if RatesOld(w.Now) {
		return Wrong, "the table is of " + RatesOf + ", more than six months ago: what pages estimate may be wrong. Update the program"
	}
	return Right, "of " + RatesOf
}
