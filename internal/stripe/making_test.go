package stripe_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/stripe"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/stripetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// newSetUp gives a test an account at which nothing is set up, and who sets it up.
func newSetUp(t *testing.T) (*stripefake.Server, *stripe.Client) {
	t.Helper()
	return newSetUpWith(t, stripefake.Options{Bare: true})
}

func newSetUpWith(t *testing.T, o stripefake.Options) (*stripefake.Server, *stripe.Client) {
	t.Helper()
	fake := stripetest.New(t, o)
	setUps.mu.Lock()
	setUps.all = append(setUps.all, fake)
	setUps.mu.Unlock()
	c, err := stripe.NewForSetUp(stripe.Options{Key: fake.Key, URL: fake.URL})
	testkit.Must(t, err)
	return fake, c
}

func wish() billing.SetUpWish {
	return billing.SetUpWish{
		Endpoint: "https://palmares.example/stripe/events", Version: stripe.Version, Events: stripe.EndpointEvents(),
		Keep: func(string) error { return nil },
	}
}

// did says what was done about each part.
func did(parts []billing.Part) string {
	var said []string
	for _, p := range parts {
		said = append(said, p.What+" "+string(p.Done))
	}
	return strings.Join(said, ", ")
}

const (
	allMade  = "product made, price made, portal made, endpoint made"
	allFound = "product found, price found, portal found, endpoint found"
)

// writes are how many calls have changed something, or tried to.
func writes(fake *stripefake.Server) int {
	return len(slices.DeleteFunc(fake.Requests(), func(r stripefake.Request) bool { return r.Method == http.MethodGet }))
}

// From nothing: a dry run makes nothing, a run makes everything as billing check wants it, and the next finds it.
func TestSetUp_FromNothing(t *testing.T) {
	t.Parallel()
	fake, c := newSetUp(t)
	w := wish()
	w.DryRun = true
	parts, price, err := billing.SetUp(t.Context(), c, w)
	testkit.Must(t, err)
	testkit.Equal(t, "a dry run", []any{did(parts), price, writes(fake)}, []any{allMade, "", 0})

	var secret string
	w.DryRun, w.Keep = false, func(told string) error { secret = told; return nil }
	parts, price, err = billing.SetUp(t.Context(), c, w)
	testkit.Must(t, err)
	testkit.Equal(t, "a run", []any{did(parts), secret, writes(fake)}, []any{allMade, fake.Secret, 4})

	w.SecretKept, w.Keep = true, func(string) error { return errors.New("there is one") }
	parts, again, err := billing.SetUp(t.Context(), c, w)
	testkit.Must(t, err)
	testkit.Equal(t, "the next", []any{did(parts), again, writes(fake)}, []any{allFound, price, 4})

	nodes, err := stripe.New(stripe.Options{Key: fake.Key, WebhookSecret: secret, Price: price, URL: fake.URL})
	testkit.Must(t, err)
	is, err := nodes.Setup(t.Context())
	testkit.Must(t, err)
	for _, line := range billing.CheckSetup(is, billing.Wanted{
		Country: "FR", Scheme: billing.Standard, Public: true, Endpoint: w.Endpoint, Version: w.Version, Events: w.Events, Now: noon,
	}) {
		if line.Verdict == billing.Wrong && line.Step != 7 && line.Step != 9 { // a test key, and no texts
			t.Errorf("%s: %s", line.What, line.Detail)
		}
	}
	_, err = nodes.Portal(t.Context(), newCustomer(t, nodes), account.French, "https://palmares.example/")
	testkit.Equal(t, "the portal opens", err, error(nil))
}

// What differs is put right where Stripe allows it, and said. A price is replaced on the same product.
func TestSetUp_PutsRight(t *testing.T) {
	t.Parallel()
	version := "2020-08-27"
	endpoint := func(change func(*stripefake.WebhookEndpoint)) func(*stripefake.Setup) {
		return func(s *stripefake.Setup) { change(&s.Endpoints[0]) }
	}
	for name, tt := range map[string]struct {
		edit func(*stripefake.Setup)
		want string // what the next run does
		says string
		then string // what the one after it does
	}{
		"events are missing": {
			endpoint(func(e *stripefake.WebhookEndpoint) {
				e.EnabledEvents = append([]string{"plan.created"}, e.EnabledEvents[1:]...)
			}),
			"product found, price found, portal found, endpoint changed", "did not send checkout.session.completed", allFound,
		},
		"the endpoint is disabled": {
			endpoint(func(e *stripefake.WebhookEndpoint) { e.Status = "disabled" }),
			"product found, price found, portal found, endpoint changed", "it was disabled", allFound,
		},
		"another version": {
			endpoint(func(e *stripefake.WebhookEndpoint) { e.APIVersion = &version }),
			"product found, price found, portal found, endpoint made, endpoint to do", "the version 2020-08-27: disable it", allFound + ", endpoint to do",
		},
		"another address": {
			endpoint(func(e *stripefake.WebhookEndpoint) { e.URL = "https://old.example/stripe/events" }),
			"product found, price found, portal found, endpoint made", "https://palmares.example/stripe/events, 21 events", allFound,
		},
		"the portal cancels": {
			func(s *stripefake.Setup) { s.Portals[0].Features.SubscriptionCancel.Enabled = true },
			"product found, price found, portal changed, endpoint found", "it was: invoices, payment methods, cancelling", allFound,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake, c := newSetUp(t)
			_, _, err := billing.SetUp(t.Context(), c, wish())
			testkit.Must(t, err)
			fake.ChangeSetup(tt.edit)
			w := wish()
			w.SecretKept = !strings.Contains(tt.want, "endpoint made")
			parts, _, err := billing.SetUp(t.Context(), c, w)
			testkit.Must(t, err)
			testkit.Equal(t, "the next run", did(parts), tt.want)
			if !slices.ContainsFunc(parts, func(p billing.Part) bool { return strings.Contains(p.Detail, tt.says) }) {
				t.Errorf("none says %q: %v", tt.says, parts)
			}
			w.SecretKept = true
			parts, _, err = billing.SetUp(t.Context(), c, w)
			testkit.Must(t, err)
			testkit.Equal(t, "the one after it", did(parts), tt.then)
		})
	}
}

// Prices never change: another one takes the lookup key of the wrong one, on the same product. One that was made by hand
// and is in use is found by its id.
func TestSetUp_Prices(t *testing.T) {
	t.Parallel()
	fake, c := newSetUpWith(t, stripefake.Options{}) // a product and a price made by hand
	w := wish()
	w.Price = fake.Price
	parts, price, err := billing.SetUp(t.Context(), c, w)
	testkit.Must(t, err)
	testkit.Equal(t, "by hand", []any{did(parts), price}, []any{"product found, price found, portal made, endpoint made", fake.Price})

	dear := fake.AddPrice(func(p *stripefake.Price) { p.UnitAmount = 4900 })
	w.Price, w.SecretKept = dear, true
	parts, replaced, err := billing.SetUp(t.Context(), c, w)
	testkit.Must(t, err)
	testkit.Equal(t, "instead of a wrong one", did(parts), "product found, price made, portal found, endpoint found")
	if !strings.Contains(parts[1].Detail, dear+" is 49.00 eur a month") {
		t.Errorf("it says %q", parts[1].Detail)
	}
	parts, again, err := billing.SetUp(t.Context(), c, w) // nodes still have the wrong one
	testkit.Must(t, err)
	testkit.Equal(t, "found by its lookup key", []any{did(parts), again}, []any{allFound, replaced})

	w.Price = replaced
	testkit.Must(t, fake.ArchivePrice(replaced))
	parts, next, err := billing.SetUp(t.Context(), c, w)
	testkit.Must(t, err)
	testkit.Equal(t, "instead of an archived one", []any{did(parts), next != replaced}, []any{"product found, price made, portal found, endpoint found", true})
	product, err := c.Present(t.Context(), next)
	testkit.Must(t, err)
	testkit.Equal(t, "on the same product", product.Keyed.Product, product.Product.ID)
}

// A product that differs is put right. Whoever sells another one by hand, at a wrong price, has a price of that.
func TestSetUp_Products(t *testing.T) {
	t.Parallel()
	fake, c := newSetUp(t)
	byHand := func(what, form string) {
		t.Helper()
		status, _ := rawStripe{T: t, Server: fake}.call(what, form)
		testkit.Equal(t, what, status, http.StatusOK)
	}
	_, first, err := billing.SetUp(t.Context(), c, wish())
	testkit.Must(t, err)
	w := wish()
	w.SecretKept = true
	for form, says := range map[string]string{"active=false": "it was archived", "tax_code=txcd_99999999": "tax code was txcd_99999999"} {
		byHand("POST /v1/products/prod_palmares_pro", form)
		for _, want := range []string{"product changed, price found", "product found, price found"} {
			parts, _, err := billing.SetUp(t.Context(), c, w)
			testkit.Must(t, err)
			testkit.Equal(t, form, did(parts[:2]), want)
			testkit.Equal(t, "it says so", strings.Contains(parts[0].Detail, says), strings.Contains(want, "changed"))
		}
	}
	byHand("POST /v1/products", "id=prod_other&name=Another&tax_code="+billing.TaxCode)
	w.Price = fake.AddPrice(func(p *stripefake.Price) { p.Product = "prod_other" })
	parts, price, err := billing.SetUp(t.Context(), c, w)
	testkit.Must(t, err)
	testkit.Equal(t, "of another product", []any{did(parts[:2]), price != first}, []any{"product found, price made", true})
}

// A dying is a provider that makes so many parts, and of the next one only says that it could not be reached.
type dying struct {
	*stripe.Client
	left int
	late bool // it was made all the same, and the answer was lost
}

var errDied = errors.New("died")

func (d *dying) make(do func() error) error {
	if d.left--; d.left >= 0 {
		return do()
	}
	if d.late {
		return errors.Join(do(), errDied)
	}
	return errDied
}

func (d *dying) SaveProduct(ctx context.Context, id string) (made string, err error) {
	err = d.make(func() error { made, err = d.Client.SaveProduct(ctx, id); return err })
	return made, err
}

func (d *dying) MakePrice(ctx context.Context, product string) (made string, err error) {
	err = d.make(func() error { made, err = d.Client.MakePrice(ctx, product); return err })
	return made, err
}

func (d *dying) SavePortal(ctx context.Context, id string) (made string, err error) {
	err = d.make(func() error { made, err = d.Client.SavePortal(ctx, id); return err })
	return made, err
}

func (d *dying) SaveEndpoint(ctx context.Context, e billing.Endpoint) (id, secret string, err error) {
	err = d.make(func() error { id, secret, err = d.Client.SaveEndpoint(ctx, e); return err })
	return id, secret, err
}

// Wherever a run dies, the next goes on, and there is one of each part. An endpoint whose answer was lost has a secret that
// nobody knows: the run says how to come by another.
func TestSetUp_GoesOn(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} {
		for after := range 4 {
			fake, c := newSetUp(t)
			_, _, err := billing.SetUp(t.Context(), &dying{c, after, late}, wish())
			testkit.Equal(t, "it died", errors.Is(err, errDied), true)
			parts, _, err := billing.SetUp(t.Context(), c, wish())
			testkit.Must(t, err)
			lost := late && after == 3
			testkit.Equal(t, "how to come by the secret", strings.Contains(did(parts), "secret to do"), lost)
			made := make(map[string]int)
			for _, r := range fake.Requests() {
				if r.Method == http.MethodPost && r.Status == http.StatusOK {
					made[r.Path]++
				}
			}
			testkit.Equal(t, "made", made, map[string]int{
				"/v1/products": 1, "/v1/prices": 1, "/v1/billing_portal/configurations": 1, "/v1/webhook_endpoints": 1,
			})
		}
	}
}

// Nothing is changed when the secret of the endpoint would have no place to go, or there is no place for the endpoint.
func TestSetUp_Refuses(t *testing.T) {
	t.Parallel()
	fake, c := newSetUp(t)
	w := wish()
	w.SecretKept = true
	if _, _, err := billing.SetUp(t.Context(), c, w); !errors.Is(err, billing.ErrSecretKept) {
		t.Errorf("with a file that exists: %v", err)
	}
	fake.ChangeSetup(func(s *stripefake.Setup) { s.Endpoints = make([]stripefake.WebhookEndpoint, 16) })
	if _, _, err := billing.SetUp(t.Context(), c, wish()); err == nil || !strings.Contains(err.Error(), "16 endpoints") {
		t.Errorf("with 16 endpoints: %v", err)
	}
	testkit.Equal(t, "changed", writes(fake), 0)
	fake.ChangeSetup(func(s *stripefake.Setup) { s.Endpoints = nil })
	w = wish()
	w.Keep = func(string) error { return errors.New("the disk is full") }
	parts, price, err := billing.SetUp(t.Context(), c, w)
	testkit.Equal(t, "a secret that cannot be kept", []any{did(parts), price != "", err != nil}, []any{allMade + ", secret to do", true, true})
	if _, err := stripe.NewForSetUp(stripe.Options{Key: "whsec_1"}); err == nil {
		t.Error("a signing secret is taken for a key")
	}
}

// What Stripe documents of the objects of a set-up: ids of products and lookup keys are unique, prices never change, an
// endpoint has its version and tells its secret at its creation, is reached by the public and has 15 others at most, and
// settings of the portal that a call made are not the default ones.
func TestStandIn_SetUp(t *testing.T) {
	t.Parallel()
	r := newRaw(t, stripefake.Options{Bare: true})
	product := "id=prod_1&name=Palmares"
	price := "product=prod_1&currency=eur&unit_amount=9900&recurring[interval]=month&lookup_key=pro"
	events := "enabled_events[0]=invoice.paid&url="
	public := events + "https://palmares.example/"
	portal := "locale=fr&return_url=https://palmares.example/&customer=" + r.customer()
	take := func(what, form string) map[string]any {
		status, answer := r.call(what, form)
		testkit.Equal(t, what+" "+form, []any{status, code(answer)}, []any{http.StatusOK, ""})
		return answer
	}
	refuse := func(what, form string) {
		status, _ := r.call(what, form)
		testkit.Equal(t, what+" "+form, status, http.StatusBadRequest)
	}
	refuse("POST /v1/prices", price)
	take("POST /v1/products", product)
	refuse("POST /v1/products", product)
	first := take("POST /v1/prices", price)["id"].(string)
	refuse("POST /v1/prices", price)
	refuse("POST /v1/prices/"+first, "unit_amount=1")
	take("POST /v1/prices", price+"&transfer_lookup_key=true")
	testkit.Equal(t, "the key of the first price", take("GET /v1/prices/"+first, "")["lookup_key"], nil)

	endpoint := take("POST /v1/webhook_endpoints", public)
	testkit.Equal(t, "the secret at its creation", endpoint["secret"], any(r.Secret))
	of := "POST /v1/webhook_endpoints/" + endpoint["id"].(string)
	testkit.Equal(t, "and later", take(of, "disabled=true")["secret"], nil)
	refuse(of, "api_version=2020-08-27")
	for _, private := range []string{"http://localhost:8080/", "http://127.0.0.1/", "https://10.0.0.1/"} {
		refuse("POST /v1/webhook_endpoints", events+private)
	}
	for range 15 {
		take("POST /v1/webhook_endpoints", public)
	}
	refuse("POST /v1/webhook_endpoints", public)
	r.SetLive(true)
	refuse("POST /v1/webhook_endpoints", events+"http://palmares.example/")
	r.SetLive(false)

	refuse("POST /v1/billing_portal/sessions", portal)
	made := take("POST /v1/billing_portal/configurations", "features[invoice_history][enabled]=true")
	testkit.Equal(t, "the default settings", made["is_default"], any(false))
	refuse("POST /v1/billing_portal/sessions", portal)
	take("POST /v1/billing_portal/sessions", portal+"&configuration="+made["id"].(string))
}
