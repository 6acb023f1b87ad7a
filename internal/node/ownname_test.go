package node

import (
	"encoding/json"
	"fmt"
	"html"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/mail/mailbox"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/stripetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// The names of another operator, as long as allowed, and where it is.
const (
	otherName = "Observatoire indépendant des logiciels d’intelligence artificielle de Strasbourg"
	otherBase = "https://essais.example.org"
)

// programName is the name of the program, however the rest of it is written or encoded.
var programName = regexp.MustCompile(`(?i)palmar`)

// signature is the line that names the program, unless the operator takes it away.
var signature = regexp.MustCompile(`<p class="dim">(?:Fonctionne avec|Powered by) Palmarès</p>`)

// clientGuide are the guides of programs that have that name wherever they are used.
var clientGuide = regexp.MustCompile(`^(?:/docs/(?:client-|audit)|/en/docs/(?:[a-z]+-client|audit))`)

// A reader looks for the name of the program in all that another operator's service says.
type reader struct {
	*running
	signed  bool // pages name the program, once
	key     string
	kinds   map[string]int  // pages that were crawled, by kindOf
	answers map[string]int  // by type of content and status
	mails   map[string]bool // that were read, by whom they are for and their subject
}

// look reads an answer: its status, header and body.
func (r *reader) look(where string, a testkit.Response) testkit.Response {
	r.t.Helper()
	body := a.Body
	kind, _, _ := strings.Cut(a.Header.Get("Content-Type"), ";")
	r.answers[fmt.Sprint(kind, " ", a.Status)]++
	if kind == "text/html" && body != "" { // there is none for HEAD
		if !strings.Contains(body, html.EscapeString(otherName)) {
			r.t.Errorf("%s does not name its operator: %v", where, a)
		}
		if found := len(signature.FindAllString(body, -1)); r.signed && found != 1 {
			r.t.Errorf("%s names the program %d times, want once", where, found)
		}
		if r.signed {
			body = signature.ReplaceAllString(body, "")
		}
	}
	if !clientGuide.MatchString(where) {
		r.absent(where, body)
	}
	for name, values := range a.Header {
		r.absent(where+", header "+name, name+": "+strings.Join(values, ", "))
	}
	return a
}

// absent wants a text not to name the program.
func (r *reader) absent(where, text string) {
	r.t.Helper()
	if at := programName.FindStringIndex(text); at != nil {
		r.t.Errorf("%s names the program: …%q…", where, text[max(0, at[0]-100):min(len(text), at[1]+60)])
	}
}

var (
	linked   = regexp.MustCompile(`(?:href=|src=|action=|url\()"([^"]+)"|` + regexp.QuoteMeta(otherBase) + `([^\s"'<>)\]\\]*)`)
	wordPath = regexp.MustCompile(`^(?:en|docs|static|api|v1|feeds|flux|compte|account|embeddings)$|\.(?:xml|txt|json)$`)
)

// kindOf is what a path has in common with those of the same kind: an item's own name is left out.
func kindOf(u *url.URL) string {
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	for i, part := range parts {
		if i > 0 && !wordPath.MatchString(parts[i-1]) && !wordPath.MatchString(part) {
			parts[i] = "*" + path.Ext(part)
		}
	}
	names := make([]string, 0, 4)
	for name := range u.Query() {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(parts, "/") + "?" + strings.Join(names, "&")
}

// crawl follows all links from the first pages, but only so many to pages of one kind.
func (r *reader) crawl(most int) {
	r.t.Helper()
	r.kinds = make(map[string]int)
	seen := make(map[string]bool)
	next := []string{
		"/", "/en/", "/robots.txt", "/sitemap.xml", "/en/llms.txt", "/favicon.ico", "/static/portal.js", "/static/payment.js", // linked elsewhere
		"/nowhere", "/en/nowhere", "/outils/nowhere", "/static/nowhere.css", "/outils?page=zero",
		"/api", "/api/v1/nowhere", "/api/v1/tools?limit=zero", "/api/v1/tools/nowhere", "/api/embeddings",
	}
	for len(next) > 0 {
		at := next[0]
		next = next[1:]
		u, err := url.Parse(at)
		if err != nil || seen[at] || r.kinds[kindOf(u)] >= most {
			continue
		}
		seen[at] = true
		r.kinds[kindOf(u)]++
		key := ""
		if strings.HasPrefix(u.Path, "/api/v1/") {
			key = r.key // or the quota is soon used up
		}
		a := r.look(at, r.get(at, key))
		for _, m := range linked.FindAllStringSubmatch(a.Body, -1) {
			to := strings.TrimPrefix(html.UnescapeString(m[1]+m[2]), otherBase)
			if end := strings.IndexAny(to, "#\"'<>"); end >= 0 {
				to = to[:end]
			}
			if strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//") {
				next = append(next, to)
			}
		}
	}
	for _, kind := range []string{
		"outils/*?", "en/tools/*?", "avis/*?", "en/reviews/*?", "en/comparisons/*?", "alternatives/*?", "categories/*?", "en/status?", "journal?", "tarifs?",
		"docs/api?", "en/docs/api?", "docs/webhooks?", "docs/webhooks.md?", "en/docs/errors?", "en/docs/errors.md?", "en/privacy?", "mentions-legales?", "en/account/sign-in?",
		"flux/prix.atom?", "flux/categories/*.atom?", "badge/*.svg?lang", "og/*.png?", "llms.txt?", "api/v1/openapi.json?", "api/v1/pricing/*?",
	} {
		if r.kinds[kind] == 0 {
			r.t.Errorf("no link leads to %s: the test does not test it", kind)
		}
	}
}

// refused reads what the API answers to those who ask wrongly.
func (r *reader) refused(key string) {
	r.t.Helper()
	for _, method := range []string{http.MethodPost, http.MethodOptions, http.MethodHead, "NONE"} {
		for _, at := range []string{"/api/v1/tools", "/", "/compte/cles", "/stripe/events", "/nowhere"} {
			r.look(method+" "+at, post(r.t, method, r.public+at, "t=1,v1=zz", strings.NewReader("{}")))
		}
	}
	for _, header := range []http.Header{testkit.Bearer("plm_nothing"), testkit.Bearer(account.NewKey().Reveal()), {"Authorization": {"Basic eDp5"}}} {
		a, err := testkit.Fetch(r.public+"/api/v1/stats", header)
		must(r.t, err)
		r.look("a wrong key", a)
	}
	a := r.look("too many", r.get("/api/v1/stats", key))
	testkit.Equal(r.t, "the status of one request too many", a.Status, http.StatusTooManyRequests)
}

func sentTo(m mailbox.Message) string { return fmt.Sprint(m.To, ": ", m.Subject) }

// mail reads a mail: what it says, how it is addressed, and every header.
func (r *reader) mail(m mailbox.Message) mailbox.Message {
	r.t.Helper()
	r.mails[sentTo(m)] = true
	where := "the mail “" + m.Subject + "”"
	r.absent(where, m.From+"\n"+string(m.Raw)+"\n"+m.Subject+"\n"+m.Text+"\n"+m.HTML)
	for name, values := range m.Header {
		for _, value := range values {
			plain, err := new(mime.WordDecoder).DecodeHeader(value)
			must(r.t, err)
			r.absent(where+", header "+name, plain)
		}
	}
	if !strings.Contains(m.Text, otherName) || !strings.Contains(m.HTML, html.EscapeString(otherName)) {
		r.t.Errorf("%s does not name its operator:\n%s", where, m.Text)
	}
	return m
}

// A subscriber is somebody with an account, who reads everything in one language.
type subscriber struct {
	*reader
	*testkit.Browser
	lang  locale.Language
	email string
	box   *testkit.Mailbox
}

// at is the path of an account page.
func (o *subscriber) at(p address.Page) string { return p.At(o.lang) }

// visit looks at a page, which must be there.
func (o *subscriber) visit(path string) testkit.Response {
	o.t.Helper()
	a := o.look(path, o.Get(path))
	if !a.OK() {
		o.t.Fatalf("%s: %v", path, a)
	}
	return a
}

// do sends a form and wants a status.
func (o *subscriber) do(path, action string, status int, fields map[string]string) testkit.Response {
	o.t.Helper()
	a := o.look(path+", "+action, o.Submit(path, action, fields))
	if a.Status != status {
		o.t.Fatalf("%s, %s: %v, want %d", path, action, a, status)
	}
	if to := a.Header.Get("Location"); strings.HasPrefix(to, "/") {
		o.visit(to)
	}
	return a
}

// mailed reads the next mail.
func (o *subscriber) mailed() mailbox.Message { o.t.Helper(); return o.mail(o.box.Wait(o.t, o.email)) }

// mailedLink waits for a mail with a link that has a parameter. On a busy machine one of before may come twice.
func (o *subscriber) mailedLink(param string) mailbox.Message {
	o.t.Helper()
	for {
		m := o.mailed()
		if slices.ContainsFunc(m.Links, func(link string) bool { return strings.Contains(link, "?"+param+"=") }) {
			return m
		}
	}
}

// follow opens the link of a mail that has a parameter, and presses its button.
func (o *subscriber) follow(m mailbox.Message, param, action string, status int) {
	o.t.Helper()
	for _, link := range m.Links {
		if path, token, ok := strings.Cut(strings.TrimPrefix(link, otherBase), "?"+param+"="); ok {
			o.visit(path + "?" + param + "=" + token)
			o.do(path, action, status, map[string]string{"link": token})
			return
		}
	}
	o.t.Fatalf("no link with %s in:\n%s", param, m.Text)
}

var (
	madeOnce  = regexp.MustCompile(`name="once" value="([^"]+)"`)
	shownKey  = regexp.MustCompile(`plm_[0-9A-Za-z]{36}`)
	shownLink = regexp.MustCompile(`/(?:compte|en/account)/webhooks/ep_[a-z0-9]+(?:/msg_[a-z0-9]+)?`)
)

// signUp makes the account, and a key.
func (o *subscriber) signUp() {
	o.t.Helper()
	signIn, keys := o.at(address.SignIn), o.at(address.Keys)
	o.visit(signIn)
	o.do(signIn, "ask", http.StatusUnprocessableEntity, map[string]string{"email": "nobody"})
	o.do(signIn, "ask", http.StatusOK, map[string]string{"email": o.email})
	o.do(signIn, "code", http.StatusUnprocessableEntity, map[string]string{"code": "x", "email": o.email})
	o.follow(o.mailed(), "jeton", "enter", http.StatusSeeOther)
	form := madeOnce.FindStringSubmatch(o.visit(keys).Body)
	if form == nil {
		o.t.Fatal("no form makes a key")
	}
	key := shownKey.FindString(o.do(keys, "create", http.StatusOK, map[string]string{"name": "k", "once": form[1]}).Body)
	testkit.EventuallyTrue(o.t, "the key works", func() bool { return o.get("/api/v1/usage", key).OK() })
	o.do(keys, "call", http.StatusOK, map[string]string{"key": key, "name": "k"})
	o.look("a forged form", o.Submit(keys, "create", map[string]string{"jeton": "forged"}))
	o.look("no such page", o.Get(keys+"/x"))
}

// subscribe pays for Pro.
func (o *subscriber) subscribe(p *till) (subscription string) {
	o.t.Helper()
	o.visit(o.at(address.Plan))
	order := o.at(address.PlanOrder)
	stripetest.OrderOnPage(func() string { return o.visit(order).Body }, func(action string, fields map[string]string) string {
		return o.do(order, action, http.StatusOK, fields).Body
	})
	for _, c := range p.Checkouts() {
		if sub, err := p.Complete(c.ID); err == nil {
			subscription = sub.ID
		}
	}
	o.visit(o.at(address.PlanPayment))
	must(o.t, p.deliver(o.running))
	o.mailed() // that Pro has begun,
	o.mailed() // and the invoice
	return subscription
}

// receive makes an endpoint, and reads what it is sent until its receiver is gone.
func (o *subscriber) receive(publish func()) {
	o.t.Helper()
	receiver := newReceiver(o.t)
	receiver.Answer(func(body []byte) (int, string) {
		var m struct{ Data struct{ Challenge string } }
		must(o.t, json.Unmarshal(body, &m))
		return http.StatusOK, m.Data.Challenge
	})
	o.visit(o.at(address.Webhooks))
	o.do(o.at(address.Webhooks), "add", http.StatusUnprocessableEntity, map[string]string{"url": "nowhere"})
	endpoint := shownLink.FindString(o.do(o.at(address.Webhooks), "add", http.StatusOK, map[string]string{"url": receiver.URL + "/hooks"}).Body)
	o.do(endpoint, "verify", http.StatusSeeOther, nil)
	o.do(endpoint, "test", http.StatusOK, map[string]string{"type": "price.changed"})
	before := len(receiver.Requests())
	publish()
	receives(o.t, receiver, before+1)
	var delivery string
	testkit.EventuallyTrue(o.t, "the delivery is shown", func() bool {
		for _, link := range shownLink.FindAllString(o.visit(endpoint).Body, -1) {
			if strings.Contains(link, "/msg_") {
				delivery = link
			}
		}
		return delivery != ""
	})
	o.visit(delivery)
	o.do(endpoint, "rotate", http.StatusOK, nil)
	o.do(endpoint, "pause", http.StatusSeeOther, nil)
	o.do(endpoint, "enable", http.StatusOK, nil)
	receiver.Answer(func([]byte) (int, string) { return http.StatusGone, "" })
	o.do(delivery, "replay", http.StatusSeeOther, nil)
	o.mailed() // that it is disabled
	o.visit(endpoint)
	for i, request := range receiver.Requests() {
		for name, values := range request.Header {
			o.absent(fmt.Sprintf("request %d of webhooks, header %s", i, name), name+": "+strings.Join(values, ", "))
		}
		o.absent(fmt.Sprintf("request %d of webhooks", i), string(request.Body))
	}
}

// unsubscribe fails to pay, pays, and cancels.
func (o *subscriber) unsubscribe(p *till, subscription string) {
	o.t.Helper()
	for _, happens := range []func(string) error{p.FailPayment, func(id string) error {
		must(o.t, p.Pay(id)) // one that is unpaid ends at once
		must(o.t, p.deliver(o.running))
		p.worked()
		o.mailed() // the invoice
		o.visit(o.at(address.PlanCancel))
		o.do(o.at(address.PlanCancel), "cancel", http.StatusSeeOther, nil)
		return nil
	}, p.EndPeriod} {
		must(o.t, happens(subscription))
		must(o.t, p.deliver(o.running))
		o.mailed()
		o.visit(o.at(address.Plan))
	}
}

// leave changes the address, exports the account and deletes it.
func (o *subscriber) leave() {
	o.t.Helper()
	settings, before := o.at(address.Settings), o.email
	o.visit(o.at(address.Usage))
	o.visit(o.at(address.Usage) + "?format=csv")
	o.visit(settings)
	o.do(settings, "export", http.StatusOK, nil)
	o.do(settings, "address", http.StatusSeeOther, map[string]string{"email": "new-" + before})
	for _, email := range []string{before, "new-" + before} {
		o.email = email
		o.follow(o.mailedLink("token"), "token", "confirm", http.StatusOK)
	}
	o.visit(settings)
	o.do(settings, "delete", http.StatusUnprocessableEntity, map[string]string{"confirm": before})
	time.Sleep(time.Second) // what is paid in the second of the deletion is given back, which is one more mail
	o.do(settings, "delete", http.StatusOK, map[string]string{"confirm": o.email})
	o.mailed()
	o.look("signed out", o.Get(settings))
}

// rename makes a catalog another operator's.
func rename(t *testing.T, dir string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text := strings.NewReplacer("https://palmares.example", otherBase, "palmares.example", "essais.example.org", "Palmarès", otherName).
			Replace(testkit.ReadFile(t, file))
		return os.WriteFile(file, []byte(text), 0o600)
	}))
	must(t, os.Remove(filepath.Join(dir, "pages", "favicon.svg"))) // ours is shown
	for name, text := range map[string]string{
		"pages/logo.svg":  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><circle cx="20" cy="20" r="18"/></svg>`,
		"pages/theme.css": ":root { --mark: #d8c4f0; }\n",
		"catalog.yaml":    testkit.ReadFile(t, filepath.Join(dir, "catalog.yaml")) + "powered_by: false\n",
	} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
}

// Nothing that another operator's service answers, mails or sends names the program: pages in both
// languages, the API, files, headers, mails and webhooks. With powered_by, which is the default, one
// line of each page does.
func TestOperator_RunsItUnderHisOwnName(t *testing.T) {
	t.Parallel()
	if testkit.Raced {
		t.Skip("one reader looks at every page")
	}
	testkit.Equal(t, "the length of the name", utf8.RuneCountInString(otherName), 80)
	db, redis, box := pgtest.Migrated(t), redistest.NewServer(t), testkit.NewMailbox(t)
	dir := testkit.CopyOf(t, exampleCatalog)
	rename(t, dir)
	publishDir(t, db, dir)
	p := newTill(t, db)
	heavy, info := newKey(t, p.s, "heavy@example.org", account.Developer)
	a, err := p.s.Accounts.Find(t.Context(), account.Operator(), "heavy@example.org")
	must(t, err)
	useUp(t, redis.URL(), a)
	must(t, open(t, db).Keys.Touch(t.Context(), []string{info.ID}, time.Now()))
	key, _ := newKey(t, p.s, "pro@example.org", account.Pro)
	r := &reader{
		running: startRoles(t, []string{API, Site, Worker}, db, p.settings("PALMARES_REDIS_URL="+redis.URL(), "PALMARES_BASE_URL="+otherBase,
			"PALMARES_SMTP_URL="+box.URL, "PALMARES_MAIL_FROM=noreply@essais.example.org",
			"PALMARES_STRIPE_TEST=fr@example.org,en@example.org")...), // where the public is, a test key sells to nobody else
		key: key, answers: make(map[string]int), mails: make(map[string]bool),
	}
	r.ready()
	r.tier(key, "pro")
	r.metrics(map[string]float64{"palmares_quota_shared": 1})
	used := r.mail(box.Wait(t, "heavy@example.org"))

	r.crawl(testkit.Size(1, 3))
	r.refused(heavy)
	unsubscribe := strings.TrimPrefix(strings.Trim(used.Header.Get("List-Unsubscribe"), "<>"), otherBase)
	r.look("the end of mail about usage", r.get(unsubscribe, ""))
	for lang, tool := range map[locale.Language]string{locale.French: "archivette", locale.English: "babeluche"} {
		o := &subscriber{reader: r, Browser: testkit.NewBrowser(t, r.public), lang: lang, email: lang.String() + "@example.org", box: box}
		o.signUp()
		subscription := o.subscribe(p)
		o.receive(func() {
			file := filepath.Join(dir, "tools", tool+".md")
			must(t, os.WriteFile(file, []byte(testkit.ReadFile(t, file)+"\nEncore une phrase.\n"), 0o600))
			publishDir(t, db, dir)
		})
		o.unsubscribe(p, subscription)
		o.leave()
	}
	for _, m := range box.All("") { // some come twice on a busy machine
		if !r.mails[sentTo(m)] {
			t.Errorf("nobody read the mail to %s", sentTo(m))
		}
	}
	for _, answer := range []string{
		"application/json 400", "application/json 401", "application/json 404", "application/json 405", "application/json 429", "text/csv 200",
		"text/html 200", "text/html 400", "text/html 403", "text/html 404", "text/html 405", "text/html 422", "text/markdown 200", "image/png 200",
	} {
		if r.answers[answer] == 0 {
			t.Errorf("no answer was %s: the test does not test it", answer)
		}
	}

	testkit.Edit(t, filepath.Join(dir, "catalog.yaml"), "powered_by: false\n", "")
	publishDir(t, db, dir)
	testkit.EventuallyTrue(t, "the line is there", func() bool { return signature.MatchString(r.get("/", "").Body) })
	r.signed = true
	r.crawl(1)
	for _, p := range []address.Page{address.SignIn, address.Keys} {
		for _, path := range []string{p.French, p.English} {
			r.look(path, testkit.NewBrowser(t, r.public).Get(path))
		}
	}
}
