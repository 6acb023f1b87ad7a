package node

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/report"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// submitReport sends the form about a tool until it is taken or refused: on a busy machine it may be asked to come again.
func (r *running) submitReport(from, slug string, form url.Values) (got testkit.Response) {
	r.t.Helper()
	testkit.EventuallyTrue(r.t, "the form is taken or refused for good", func() bool {
		got = r.sendReport(from, slug, form)
		return got.Status != http.StatusServiceUnavailable
	})
	return got
}

// sendReport sends the form as the browser of an address does.
func (r *running) sendReport(from, slug string, form url.Values) testkit.Response {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.public+"/signaler/"+slug, strings.NewReader(form.Encode()))
	must(r.t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.Header.Set("X-Forwarded-For", from)
	res, err := testkit.Do(http.DefaultClient, req)
	must(r.t, err)
	return res
}

// What readers report is stored within bounds that Redis and PostgreSQL hold each by itself, the operator is told
// without a word of theirs, and an answer goes to whoever asked for one. Without PostgreSQL the page says so.
func TestReports(t *testing.T) {
	t.Parallel()
	server, redis, box := pgtest.NewServer(t), redistest.NewServer(t), testkit.NewMailbox(t)
	publishDir(t, server.URL(), fixtureCatalog)
	n := startRoles(t, []string{API, Site, Worker}, server.URL(), "PALMARES_REDIS_URL="+redis.URL(), "PALMARES_BASE_URL=https://palmares.example",
		"PALMARES_SMTP_URL="+box.URL, "PALMARES_MAIL_FROM=noreply@palmares.test", "PALMARES_CONTACT=redaction@palmares.test",
		"PALMARES_TRUSTED_PROXIES=127.0.0.0/8,::1/128")
	n.ready()
	s := openServices(t, server.URL())
	const word = "sesame-ouvre-toi" // in nothing that others see
	form := url.Values{"field": {"price"}, "right": {"25 €\r\nBcc: x@y.example " + word + "\x1b]0;x\a"}, "email": {"zoe@example.test"}}
	if got := n.submitReport("192.0.2.7", "ame", form); !got.Says("Merci") {
		t.Fatalf("sent: %v", got)
	}
	m := box.Wait(t, "redaction@palmares.test")
	if !strings.Contains(m.Text, "ame, le prix") || strings.Contains(m.Text+m.Header.Get("Subject"), word) || m.Header.Get("Bcc") != "" {
		t.Errorf("the operator is told %v %s", m.Header, m.Text)
	}
	all, total, err := s.Reports.List(t.Context(), account.Operator(), false, 10)
	must(t, err)
	testkit.Equal(t, "reports", total, 1)
	must(t, s.Reports.Close(t.Context(), account.Operator(), []int64{all[0].ID}, "Merci, c’est corrigé."))
	m = box.Wait(t, "zoe@example.test")
	if !strings.Contains(m.Text, "c’est corrigé") || strings.Contains(m.Text, word) || strings.Contains(m.Text, "Bcc") {
		t.Errorf("the answer: %s", m.Text)
	}

	flood := func(from string) (stored int) {
		t.Helper()
		for i := range report.MostPer64 + 3 {
			form.Set("right", "x "+strings.Repeat("y", i))
			switch got := n.submitReport(from, "ame", form); got.Status {
			case http.StatusOK:
				stored++
			case http.StatusTooManyRequests:
				if !strings.Contains(got.Body, "mailto:redaction@palmares.test") || got.Header.Get("Retry-After") == "" {
					t.Errorf("at the bound: %v", got)
				}
			default:
				t.Errorf("a form: %v", got)
			}
		}
		return stored
	}
	testkit.Equal(t, "from a network", flood("192.0.2.8"), report.MostPer64)
	_, total, err = s.Reports.List(t.Context(), account.Operator(), false, 10)
	must(t, err)
	testkit.Equal(t, "rows", total, report.MostPer64)
	for _, r := range mustList(t, s.Reports) {
		must(t, s.Reports.Close(t.Context(), account.Operator(), []int64{r.ID}, ""))
	}
	testkit.Equal(t, "from a network that Redis has seen", flood("192.0.2.8"), 0)
	n = startRoles(t, []string{API, Site}, server.URL(), "PALMARES_BASE_URL=https://palmares.example",
		"PALMARES_CONTACT=redaction@palmares.test", "PALMARES_TRUSTED_PROXIES=127.0.0.0/8,::1/128") // it counts alone, and has counted nothing
	n.ready()
	testkit.Equal(t, "from a network that the database has seen", flood("192.0.2.8"), 0)

	server.Stop()
	away := n.sendReport("192.0.2.9", "ame", form)
	if away.Status != http.StatusServiceUnavailable || !strings.Contains(away.Body, "La base de données ne répond pas") {
		t.Errorf("without PostgreSQL: %v", away)
	}
	testkit.Equal(t, "the form without PostgreSQL", n.get("/signaler/ame", "").OK(), true)
}

func mustList(t *testing.T, s *report.Service) []report.Report {
	t.Helper()
	all, _, err := s.List(t.Context(), account.Operator(), false, 100)
	must(t, err)
	return all
}
