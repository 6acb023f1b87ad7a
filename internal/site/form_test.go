package site_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/report"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// taken are reports that were handed over.
type taken struct {
	mu      sync.Mutex
	drafts  []report.Draft
	fail    error
	started chan struct{} // is told of each that waits, while hold is set
	hold    chan struct{}
}

func (r *taken) Send(ctx context.Context, _ netip.Addr, d report.Draft) error {
	if r.hold != nil {
		r.started <- struct{}{}
		select {
		case <-r.hold:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drafts = append(r.drafts, d)
	return r.fail
}

// send sends a form to a page, from the site itself unless headers say otherwise.
func send(s *site.Site, path string, form url.Values, headers ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, req)
	return w
}

// A form takes what readers say is wrong, without a cookie, and says what became of it.
func TestReportForm(t *testing.T) {
	t.Parallel()
	got, outcomes := &taken{}, []string{}
	r := sitetest.New(t, catalogtest.Snapshot(catalogtest.Tool("rabot"), catalogtest.Retired("feu")), func(o *site.Options) {
		o.Reports, o.Contact = got, "redaction@a.example"
		o.Sent = func(outcome string) { outcomes = append(outcomes, outcome) }
	})
	form := r.Get("/signaler/rabot")
	for _, text := range []string{
		`<form class="stack report" method="post" action="/signaler/rabot"`, `name="field"`, `name="right"`, `name="source"`, `name="email"`,
		"Le prix\u00a0: 20\u00a0€/mois", `<meta name="robots" content="noindex">`,
	} {
		if !form.Says(text) {
			t.Errorf("the form does not have %q", text)
		}
	}
	testkit.Equal(t, "cookies", form.Header.Get("Set-Cookie"), "")
	testkit.Equal(t, "it is kept like any page", form.Header.Get("Cache-Control"), r.Get("/outils/rabot").Header.Get("Cache-Control"))
	if dead := r.Get("/en/report/feu"); !dead.Says("The retirement date: ") || dead.Says("The price") {
		t.Errorf("the form of a retired tool: %v", dead)
	}
	for _, path := range []string{"/outils/rabot", "/outils/feu"} {
		if got := r.Get(path); !strings.Contains(got.Body, `href="/signaler/`) {
			t.Errorf("%s does not lead to the form", path)
		}
	}
	testkit.Equal(t, "an unknown tool", r.Get("/signaler/personne").Status, 404)

	typed := url.Values{"field": {"price"}, "right": {"<b>25 €</b>"}, "source": {"https://a.example/"}, "email": {"zoe@a.example"}}
	sent := send(r.Site, "/signaler/rabot", typed)
	if sent.Code != 200 || !strings.Contains(sent.Body.String(), "Merci") || strings.Contains(sent.Body.String(), "25 €") ||
		sent.Header().Get("Cache-Control") != "no-store" || sent.Header().Get("Set-Cookie") != "" {
		t.Errorf("sent: %d %v %.300s", sent.Code, sent.Header(), sent.Body)
	}
	testkit.Equal(t, "what was handed over", got.drafts, []report.Draft{{
		Slug: "rabot", Field: report.Price, Value: "20\u00a0€/mois", Right: "<b>25 €</b>", Source: "https://a.example/", Email: "zoe@a.example",
		Language: account.French,
	}})

	got.fail = &report.FaultError{Inputs: []string{"field", "source"}}
	again := send(r.Site, "/en/report/rabot", url.Values{"right": {`"><script>`}, "source": {"x"}})
	for _, text := range []string{"Choose what is wrong.", "begins with https://", `&#34;&gt;&lt;script&gt;</textarea>`, `value="x"`, `aria-invalid="true"`} {
		if again.Code != 422 || !strings.Contains(again.Body.String(), text) {
			t.Errorf("%d, without %q", again.Code, text)
		}
	}
	for name, c := range map[string]struct {
		fail   error
		status int
		says   string
	}{
		"a limit":       {&limit.ReachedError{Until: r.Now().Add(90 * time.Second)}, 429, "Le vôtre n’est pas enregistré"},
		"full":          {report.ErrFull, 429, "Le vôtre n’est pas enregistré"},
		"no PostgreSQL": {errors.New("dial 10.0.0.7: refused"), 503, "La base de données ne répond pas"},
	} {
		got.fail = c.fail
		refused := send(r.Site, "/signaler/rabot", typed)
		body := strings.ReplaceAll(refused.Body.String(), "&#39;", "’")
		if refused.Code != c.status || !strings.Contains(body, c.says) || !strings.Contains(body, `href="mailto:redaction@a.example"`) ||
			refused.Header().Get("Retry-After") == "" || strings.Contains(body, "10.0.0.7") {
			t.Errorf("%s: %d %v %.2000s", name, refused.Code, refused.Header(), body)
		}
	}
	got.fail = &limit.ReachedError{Until: r.Now().Add(time.Hour)}
	one, other := send(r.Site, "/en/report/rabot", typed), send(r.Site, "/en/report/rabot?x=1", typed)
	testkit.Equal(t, "the page of a limit is the same for all", one.Body.String(), other.Body.String())
	testkit.Equal(t, "and in its language", strings.Contains(one.Body.String(), "Too many reports"), true)
	got.fail = nil
	before := len(got.drafts)
	typed.Set("website", "https://spam.example/")
	if trapped := send(r.Site, "/signaler/rabot", typed); trapped.Code != 200 || !strings.Contains(trapped.Body.String(), "Merci") {
		t.Errorf("a program: %d", trapped.Code)
	}
	typed.Del("website")
	for name, c := range map[string]struct {
		path    string
		headers []string
		form    url.Values
		status  int
	}{
		"another site":    {"/signaler/rabot", []string{"Sec-Fetch-Site", "cross-site"}, typed, 403},
		"another origin":  {"/signaler/rabot", []string{"Sec-Fetch-Site", "", "Origin", "https://b.example"}, typed, 403},
		"JSON":            {"/signaler/rabot", []string{"Content-Type", "application/json"}, typed, 415},
		"too much":        {"/signaler/rabot", nil, url.Values{"right": {strings.Repeat("x", 17<<10)}}, 413},
		"an unknown tool": {"/signaler/personne", nil, typed, 404},
		"another page":    {"/outils/rabot", nil, typed, 405},
	} {
		testkit.Equal(t, name, send(r.Site, c.path, c.form, c.headers...).Code, c.status)
	}
	testkit.Equal(t, "handed over since", len(got.drafts), before)
	testkit.Equal(t, "what may be sent", r.Do(http.MethodPut, "/signaler/rabot").Header.Get("Allow"), "GET, HEAD, POST")
	testkit.Equal(t, "outcomes", strings.Join(outcomes[:2], " ")+" "+outcomes[len(outcomes)-1], "stored faulty trapped")
}

// Without anybody who takes reports there is no form, and pages lead to the operator's address.
func TestReportForm_Nobody(t *testing.T) {
	t.Parallel()
	r := sitetest.New(t, catalogtest.Snapshot(catalogtest.Tool("rabot")), func(o *site.Options) { o.Contact = "redaction@a.example" })
	testkit.Equal(t, "the form", r.Get("/signaler/rabot").Status, 404)
	testkit.Equal(t, "a form that is sent", send(r.Site, "/signaler/rabot", url.Values{}).Code, 405)
	if !r.Get("/outils/rabot").Says(`href="mailto:redaction@a.example?subject=`) {
		t.Error("the page of a tool does not lead to the operator")
	}
}

// Few forms of a network wait for the database at once, and few of all; the others are told so, and wait for
// nothing.
func TestReportForm_Crowd(t *testing.T) {
	t.Parallel()
	got := &taken{started: make(chan struct{}), hold: make(chan struct{})}
	r := sitetest.New(t, catalogtest.Snapshot(catalogtest.Tool("rabot")), func(o *site.Options) { o.Reports = got })
	var waiting sync.WaitGroup
	for range 2 {
		waiting.Go(func() { send(r.Site, "/signaler/rabot", url.Values{"field": {"price"}}) })
		<-got.started
	}
	third := send(r.Site, "/signaler/rabot", url.Values{"field": {"price"}})
	testkit.Equal(t, "a third", third.Code, 503)
	if body := third.Body.String(); !strings.Contains(body, "Trop de formulaires") || strings.Contains(body, "base de données") {
		t.Errorf("it is told %s", body)
	}
	close(got.hold)
	waiting.Wait()
	testkit.Equal(t, "handed over", len(got.drafts), 2)
}
