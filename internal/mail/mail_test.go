package mail

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/digest"
	"github.com/palmares-hq/palmares/internal/layouttest"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

var update = flag.Bool("update", false, "write the golden files anew")

var (
	testService = Service{Name: "Le Banc", BaseURL: "https://banc.example"}
	testReason  = webhook.Reason{Code: webhook.AllFailed, Detail: "2026-11-10T08:05:00Z"}
)

// words are an operator's reason.
func words(s string) webhook.Reason { return webhook.Reason{Code: webhook.InWords, Detail: s} }

const testEndpointURL = "https://user:hunter2@hooks.example.com/palmares/in?token=hunter3#x"

// digested are changes of every sort.
var digested = []digest.Change{
	{Slug: "rabot", Name: "Rabot", Page: true, Life: digest.Retired, RetiredAt: "2026-11-10", Reason: catalog.Acquired, Successor: "Lime & Cie"},
	{Slug: "scie", Name: "Scie", Life: digest.Removed},
	{Slug: "etau", Name: "Étau", Page: true, Life: digest.Returned},
	{Slug: "gouge", Name: "Gouge", Page: true, End: &digest.Move[catalog.Date]{Is: "2027-01-31"}, Successor: "Bédane"},
	{Slug: "vrille", Name: "Vrille", Page: true, End: &digest.Move[catalog.Date]{Was: "2027-01-31", Is: "2027-03-01"}},
	{Slug: "pince", Name: "Pince", Page: true, End: &digest.Move[catalog.Date]{Was: "2027-01-31"}},
	{
		Slug: "lime", Name: "Lime", Page: true, Price: &digest.Move[string]{Was: "20 €/mois", Is: "24,50 €/mois"},
		Score: &digest.Move[catalog.Measure]{Was: catalog.Hundredths(810), Is: catalog.Hundredths(750)},
	},
	{Slug: "cle", Name: "Clé", Page: true, Price: &digest.Move[string]{Was: "240 €/mois", Is: "24 €/mois", Corrected: true}},
	{Slug: "fil", Name: "Fil", Page: true, Score: &digest.Move[catalog.Measure]{Is: catalog.Hundredths(750)}},
	{Slug: "vis", Name: "Vis", Page: true, Score: &digest.Move[catalog.Measure]{Was: catalog.Hundredths(750)}},
	{Slug: "clou", Name: "Clou", Page: true, Score: &digest.Move[catalog.Measure]{Was: catalog.Hundredths(75), Is: catalog.Hundredths(750), Corrected: true}},
}

// mails are all mails, in a language.
func mails(language string) map[string]Message {
	h := Header{Service: testService, To: "zoe@example.test", Language: language, ID: "job-7"}
	link := func(path string) string { return "https://banc.example/compte/" + path }
	until := testDate.Add(10 * time.Minute)
	usage := Usage{
		Percent: 80, Used: 800, Limit: 1000, Resets: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC),
		Link: link("utilisation"), Unsubscribe: link("reglages/desabonnement?jeton=c0ffee"),
	}
	full := usage
	full.Percent, full.Used = 100, 1000
	disabled := DisabledEndpoint{ID: "ep_1", URL: testEndpointURL, Reason: testReason, Link: link("webhooks/ep_1")}
	operators := disabled
	operators.Reason, operators.Link = words("we were asked to by its host, who says: <b>stop</b>"), ""
	invoice := Document{
		Number: "PAL-0042", Date: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), Euros: true, Net: 9900, Tax: 1980, Total: 11880,
		Page: "https://invoice.stripe.com/i/acct_1/live_c0ffee?s=ap", PDF: "https://pay.stripe.com/invoice/acct_1/live_c0ffee/pdf?s=ap",
	}
	reverse := invoice
	reverse.ReverseCharge, reverse.Tax, reverse.Total = true, 0, 9900
	credited := func(reason string) Document {
		n := invoice
		n.Number, n.Corrects, n.Refunded, n.Reason = "PAL-0042-CN-01", invoice.Number, 11880, reason
		n.Page, n.PDF = "", "https://pay.stripe.com/credit_notes/acct_1/live_c0ffee/pdf?s=ap"
		return n
	}
	return map[string]Message{
		"sign-in":              SignIn(h, SignInMail{Link: link("connexion?jeton=" + strings.Repeat("c0ffee", 12)), Code: "012345", Until: until}),
		"sign-in-last":         SignIn(h, SignInMail{Link: link("connexion?jeton=c0ffee"), Code: "012345", Until: until, Last: true}),
		"sign-in-no-code":      SignIn(h, SignInMail{Link: link("connexion?jeton=c0ffee"), Until: until}),
		"email-change-old":     EmailChangeOld(h, "o'zoe+new@example.test", link("adresse?jeton=c0ffee&de=1"), until),
		"email-change-new":     EmailChangeNew(h, link("adresse?jeton=c0ffee"), until),
		"farewell":             DeletionNotice(h, false),
		"farewell-ordered":     DeletionNotice(h, true),
		"usage-80":             UsageNotice(h, usage),
		"usage-100":            UsageNotice(h, full),
		"disabled":             EndpointDisabled(h, disabled),
		"disabled-by-operator": EndpointDisabled(h, operators),
		"pro-welcome":          ProWelcome(h, Welcome{Keys: 10, Endpoints: 10, Link: link("offre")}),
		"pro-ordered": ProWelcome(h, Welcome{Keys: 10, Endpoints: 10, Link: link("offre"), Order: &Order{
			ID: "ABCDEFGHIJKLMNOPQRSTUVWXYZ", At: until, Name: "Atelier <Ada>", Number: "732829320", Net: 9900, Tax: 1980,
			Address: []string{"3 rue du Puits", "58500 Clamecy"}, Country: "FR", Email: "factures@example.test", Reference: "BC 12",
			Terms: "Nos conditions.", Legal: "Qui nous sommes.", Cancel: "https://banc.example/resilier",
		}}),
		"pro-cancelled": ProCancelled(h, Cancelled{Ends: usage.Resets, Link: link("offre")}),
		"pro-resumed":   ProResumed(h, Resumed{Next: usage.Resets, Link: link("offre")}),
		"pro-unpaid-0":  ProUnpaid(h, UnpaidInvoice{Day: 0, Until: until, Link: link("offre")}),
		"pro-unpaid-3":  ProUnpaid(h, UnpaidInvoice{Day: 3, Until: until, Link: link("offre")}),
		"pro-unpaid-6":  ProUnpaid(h, UnpaidInvoice{Day: 6, Until: until, Link: link("offre")}),
		"pro-ended": ProEnded(h, Ended{
			Keys: []string{"CI <nightly>", "Café"}, Endpoints: []string{testEndpointURL}, Link: link("offre"),
		}),
		"pro-ended-unpaid":   ProEnded(h, Ended{Unpaid: true, Endpoints: []string{testEndpointURL}, Link: link("offre")}),
		"pro-ended-void":     ProEnded(h, Ended{Void: true, Link: link("offre")}),
		"pro-ended-bare":     ProEnded(h, Ended{}),
		"invoice":            Invoice(h, invoice),
		"invoice-reverse":    Invoice(h, reverse),
		"invoice-foreign":    Invoice(h, Document{Number: "PAL-0044", Date: testDate, Total: 9900, Page: invoice.Page}),
		"refunded":           CreditNote(h, credited("deleted")),
		"refunded-given":     CreditNote(h, credited("given")),
		"refunded-ended":     CreditNote(h, credited("ended")),
		"refunded-cancelled": CreditNote(h, credited("cancelled")),
		"credited":           CreditNote(h, credited("")),
		"credited-bare":      CreditNote(h, Document{Number: "PAL-0042-CN-01", Date: testDate, Euros: true, Net: 500, Total: 500}),
		"credited-differs":   CreditNote(h, credited("difference")),
		"differs":            OrderDiffers(h, OrderDifference{Number: "PAL-0042", Ordered: 9900, Invoiced: 11781, Credited: 1881, Link: link("offre")}),
		"differs-less":       OrderDiffers(h, OrderDifference{Number: "PAL-0042", Ordered: 11880, Invoiced: 9900, Link: link("offre")}),
		"differs-operator": OperatorDiffers(h, OrderDifference{
			Account: "0190-1", Order: "ABCDEFGHIJKLMNOPQRSTUVWXYZ", Number: "PAL-0042", Ordered: 9900, Invoiced: 11781, Credited: 1881,
		}),
		"pro-unpaid-bare": ProUnpaid(h, UnpaidInvoice{Link: link("offre")}),
		"vat-refused":     VATNumberRefused(h, RefusedVATNumber{Until: until, Link: link("offre")}),
		"report-digest": ReportDigest(h, []ReportLine{
			{ID: 7, Slug: "rabot", Field: "price", Wanted: true}, {ID: 12, Slug: "lime-a-ongles", Field: "retired_at"},
		}, 23),
		"report-digest-one": ReportDigest(h, []ReportLine{{ID: 7, Slug: "rabot", Field: "other"}}, 1),
		"report-answer":     ReportAnswer(h, "https://banc.example/outils/rabot", "Merci, c’est corrigé.\n\nLa rédaction <b>du Banc</b>"),
		"digest": WatchDigest(h, Digest{
			Changes: digested, Page: func(slug string) string { return "https://banc.example/outils/" + slug },
			List: link("liste"), Unsubscribe: link("desabonnement/liste?jeton=c0ffee"),
		}),
		"digest-one": WatchDigest(h, Digest{
			Changes: digested[:1], Weekly: true, Page: func(slug string) string { return "https://banc.example/outils/" + slug },
			List: link("liste"), Unsubscribe: link("desabonnement/liste?jeton=c0ffee"),
		}),
		"vat-removed":       VATNumberRemoved(h, RemovedVATNumber{Link: link("offre/facturation")}),
		"vat-removed-again": VATNumberRemoved(h, RemovedVATNumber{Again: true, Link: link("offre/facturation")}),
	}
}

// typed is what tests type that is not set as a language is set.
var typed = strings.NewReplacer("o'zoe", "", "o&#39;zoe", "", "012 345", "", "who says:", "")

// checkTypography holds a message to the typography that pages are held to.
func checkTypography(t *testing.T, language string, m Message) {
	t.Helper()
	faults := layouttest.Typography(typed.Replace(m.HTML))
	for _, text := range append(strings.Split(m.Text, "\n\n"), m.Subject) {
		faults = append(faults, layouttest.TypographyOf(language, typed.Replace(text))...)
	}
	for _, fault := range faults {
		t.Error(fault)
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"fr", "en"} {
		for name, m := range mails(language) {
			t.Run(name+"-"+language, func(t *testing.T) {
				t.Parallel()
				text := "Subject: " + m.Subject + "\nList-Unsubscribe: " + m.Unsubscribe + "\n\n" + m.Text
				for ext, got := range map[string]string{".txt": text, ".html": m.HTML} {
					path := filepath.Join("testdata", name+"-"+language+ext)
					if *update {
						testkit.Must(t, os.WriteFile(path, []byte(got), 0o600))
					}
					if got != testkit.ReadFile(t, path) {
						t.Errorf("it is not %s (go test ./internal/mail -run Golden -update):\n%s", path, got)
					}
				}
				for line := range strings.Lines(m.Text) {
					line = strings.TrimSuffix(line, "\n")
					isLink := strings.HasPrefix(line, "https://") && !strings.Contains(line, " ")
					if utf8.RuneCountInString(line) > width && !isLink || strings.HasSuffix(line, " ") {
						t.Errorf("a line that is too long, or ends in a space: %q", line)
					}
				}
				checkTypography(t, language, m)
				for kind, part := range map[string]string{"text/plain": m.Subject + "\n" + m.Text, "text/html": m.HTML} {
					for _, fault := range testkit.RawFormats(kind, part) {
						t.Errorf("its %s says %s", kind, fault)
					}
				}
				for _, secret := range []string{"hunter", "Palmar", "<no value>"} {
					if strings.Contains(m.Text+m.HTML+m.Subject, secret) {
						t.Errorf("it says %q", secret)
					}
				}
			})
		}
	}
}

var fetched = regexp.MustCompile(`(?i)<(img|script|link|table|iframe|form)|src=|url\(|@import|@font-face`)

// The letters arrive as they were written, in two parts that have the same links. Nothing in them
// is fetched from anywhere, and there is one button at most.
func TestSend_Letters(t *testing.T) {
	t.Parallel()
	box := testkit.NewMailbox(t)
	sender := newSender(t, box.URL)
	for name, m := range mails("fr") {
		testkit.Must(t, sender.Send(t.Context(), m))
		got := box.Wait(t, m.To)
		checkLines(t, got.Raw)
		testkit.Equal(t, name+": subject", got.Subject, m.Subject)
		testkit.Equal(t, name+": text", got.Text, m.Text)
		testkit.Equal(t, name+": HTML", got.HTML, m.HTML)
		kind, _, _ := strings.Cut(got.Header.Get("Content-Type"), ";")
		if m.Attached == nil {
			testkit.Equal(t, name+": kind", kind, "multipart/alternative")
		} else {
			testkit.Equal(t, name+": kind", kind, "multipart/mixed")
		}
		testkit.Equal(t, name+": attached", len(got.Files), len(m.Attached))
		for _, a := range m.Attached {
			testkit.Equal(t, name+": "+a.Name, got.Files[a.Name], a.Text)
		}
		if plain, rich := strings.Index(string(got.Raw), "text/plain"), strings.Index(string(got.Raw), "text/html"); plain > rich {
			t.Errorf("%s: the text comes after the HTML", name)
		}
		testkit.Equal(t, name+": Auto-Submitted", got.Header.Get("Auto-Submitted"), "auto-generated")
		testkit.Equal(t, name+": Message-ID", got.Header.Get("Message-Id"), "<"+m.ID+"@palmares.test>")
		list, post := "", ""
		if m.Unsubscribe != "" {
			list, post = "<"+m.Unsubscribe+">", "List-Unsubscribe=One-Click"
		}
		testkit.Equal(t, name+": List-Unsubscribe", got.Header.Get("List-Unsubscribe"), list)
		testkit.Equal(t, name+": List-Unsubscribe-Post", got.Header.Get("List-Unsubscribe-Post"), post)
		if fetched.MatchString(m.HTML) || strings.Count(m.HTML, "text-decoration:none") > 1 {
			t.Errorf("%s: more than a page of text with a button:\n%s", name, m.HTML)
		}
		for _, link := range got.Links {
			if !strings.Contains(m.Text, link) {
				t.Errorf("%s: only the HTML has the link %s", name, link)
			}
			if link != testService.BaseURL && !strings.Contains(link, "hooks.example.com") &&
				!strings.Contains(m.HTML, `href="`+strings.ReplaceAll(link, "&", "&amp;")+`"`) {
				t.Errorf("%s: only the text has the link %s", name, link)
			}
		}
	}
}

func TestSignIn_ShowsTheCodeInTheBodyOnly(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"fr", "en"} {
		m := mails(language)["sign-in"]
		if strings.ContainsAny(m.Subject, "0123456789") || !strings.Contains(m.Text, "\n    012 345\n") ||
			!strings.Contains(m.HTML, ">012 345<") {
			t.Errorf("%s\n\n%s", m.Subject, m.Text)
		}
	}
}

// What strangers can choose is text, in both parts.
func TestLetter_IsEscaped(t *testing.T) {
	t.Parallel()
	hostile := `"<img src=x>"@example.test`
	m := EmailChangeOld(Header{Service: Service{Name: "<i>A & B</i>"}, To: "zoe@example.test", ID: "1"}, hostile, "https://a.test/", testDate)
	if !strings.Contains(m.Text, hostile) || strings.Contains(m.HTML, "<img") || strings.Contains(m.HTML, "<i>") {
		t.Errorf("%s\n%s", m.Text, m.HTML)
	}
	m = EmailChangeNew(Header{To: "zoe@example.test", ID: "1"}, "javascript:alert(1)", testDate)
	if strings.Contains(m.HTML, "javascript:") {
		t.Errorf("a link that is none:\n%s", m.HTML)
	}
}

func TestService_Name(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]Service{
		"Le Banc":           testService,
		"banc.example:8080": {BaseURL: "http://banc.example:8080/api"},
		"API":               {},
	} {
		testkit.Equal(t, "name", s.name(), want)
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	layouttest.Used(t, os.DirFS("."), texts)
}

// Every reason that an endpoint can have has a text, with a place for its detail if it has one.
func TestReasonTexts(t *testing.T) {
	t.Parallel()
	for _, code := range webhook.EndpointReasons() {
		for language, text := range reasonTexts["reason."+string(code)] {
			if text == "" || strings.Contains(text, "%s") != code.Detailed() {
				t.Errorf("the reason %s has a detail: %t. Its text in %s: %q",
					code, code.Detailed(), locale.Language(language), text)
			}
		}
	}
	if len(reasonTexts) != len(webhook.EndpointReasons()) {
		t.Errorf("there are %d texts, and %d reasons", len(reasonTexts), len(webhook.EndpointReasons()))
	}
}

func TestEndpointDisabled(t *testing.T) {
	t.Parallel()
	h := Header{Service: testService, To: "zoe@example.test", Language: "en", ID: "not used"}
	disabled := func(id string, reason webhook.Reason) Message {
		return EndpointDisabled(h, DisabledEndpoint{ID: id, URL: testEndpointURL, Reason: reason})
	}
	m := disabled("ep_1", testReason)
	for _, tt := range []struct {
		other Message
		same  bool
	}{
		{disabled("ep_1", testReason), true},
		{disabled("ep_1", words("another reason")), false},
		{disabled("ep_2", testReason), false},
	} {
		if other := tt.other; (other.ID == m.ID) != tt.same {
			t.Errorf("%q has the ID %s, and %q %s", other.Text, other.ID, m.Text, m.ID)
		}
	}
	testkit.Equal(t, "subject", m.Subject, "Your webhook endpoint at hooks.example.com is paused")
	for _, url := range []string{"", "https://a b\r\nBcc: eve@example.test/", "https://bücher.example/x"} {
		odd := EndpointDisabled(h, DisabledEndpoint{ID: "ep_1", URL: url, Reason: words("it said:\r\n\r\n{{.URL}} \xff <b>é</b>")})
		odd.HTML = ""
		header, text := parse(t, send(t, odd)[0].data)
		if header.Get("Bcc") != "" || !strings.Contains(text, "Reason: it said: {{.URL}} \uFFFD <b>é</b>\n") ||
			url == "" && strings.Contains(text, "URL: ") {
			t.Errorf("%q:\n%s", url, text)
		}
	}
	for reason, want := range map[webhook.Reason]string{
		testReason: "toutes les tentatives échouent depuis le 10\u00a0novembre\u00a02026\u00a0à\u00a08\u00a0h\u00a005\u00a0UTC",
		{Code: webhook.AnsweredGone, Detail: "2026-12-01T00:00:00Z"}: "le récepteur a répondu 410 Gone le 1er\u00a0décembre\u00a02026\u00a0à\u00a00\u00a0h\u00a0UTC",
		words("every attempt has failed since Monday"):               "every attempt has failed since Monday",
		words("100%s ours"):               "100%s ours",
		{Code: webhook.ConnectionRefused}: "connection refused",
		{}:                                "inconnu",
		words(""):                         "inconnu",
	} {
		testkit.Equal(t, reason.String(), Header{}.draft("mail.hello").reason(reason), want)
	}
	for what, text := range map[string]string{
		"failing": "every attempt has failed since 2026-11-10T08:05:00Z", "words": "we were asked to", "lines": "one\n two",
	} { // programs that know no codes give a message the same ID, so that none is sent twice
		digest := sha256.Sum256([]byte(strings.Join(strings.Fields(text), " ")))
		got := disabled("ep_1", webhook.StoredReason(text, "", "")).ID
		testkit.Equal(t, what, got, fmt.Sprintf("endpoint-disabled-ep_1-%x", digest[:6]))
	}
	if !slices.Contains(strings.Split(m.Text, "\n"), "    URL: https://hooks.example.com/palmares/in") {
		t.Errorf("the URL is not shown without its secrets:\n%s", m.Text)
	}
}
