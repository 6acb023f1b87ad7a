package main

import (
	"net/http"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/docs/guides"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/sampletest"
	"github.com/palmares-hq/palmares/internal/site/guide"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Every sample of every guide does what its page shows, for somebody who follows the guides on a
// node that serves the example: from an empty directory, with a key of their own.
func TestGuides(t *testing.T) {
	t.Parallel()
	paths := map[string]struct{ docs, signIn, keys string }{
		"en": {"/en/docs", "/en/account/sign-in", "/en/account/keys"},
		"fr": {"/docs", "/compte/connexion", "/compte/cles"},
	}
	for _, language := range []string{"en", "fr"}[:testkit.Size(1, 2)] { // both have the same samples, as a test of them says
		paths := paths[language]
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			sampletest.NewSession(t) // or there is no need to start a node
			mail := testkit.NewMailbox(t)
			n := guided(t, mail)
			key := signedUp(t, n, mail, paths.signIn, paths.keys)
			index := testkit.Get(t, n.public+paths.docs+".md").Body
			pages := regexp.MustCompile(`\((\S+\.md)\)`).FindAllStringSubmatch(index, -1)
			testkit.Equal(t, "the guides, and the reference", len(pages), len(guides.Names)+1)
			texts := textsOf(t, pages[:len(guides.Names)])
			compiled := sampletest.Compile(t, key, texts...)
			for i, text := range texts {
				t.Run(path.Base(pages[i][1]), func(t *testing.T) {
					s := sampletest.NewSession(t)
					s.Key, s.Compiled = key, compiled
					must(t, s.Run(t.Context(), text))
				})
			}
			followErrors(t, n, key)
		})
	}
}

// Every program of every operation prints what its page shows. Both languages show the same ones, as a
// test of package site says.
func TestReference(t *testing.T) {
	t.Parallel()
	sampletest.NewSession(t) // or there is no need to start a node
	mail := testkit.NewMailbox(t)
	n := guided(t, mail)
	key := signedUp(t, n, mail, "/en/account/sign-in", "/en/account/keys")
	index := testkit.Get(t, n.public+"/en/docs/api.md").Body
	pages := regexp.MustCompile(`\((\S+\.md)\)`).FindAllStringSubmatch(index, -1)
	testkit.Equal(t, "the operations", len(pages), 27)
	var some [][]string
	for i := 0; i < len(pages); i += testkit.Size(4, 1) { // one template writes the programs of all of them
		some = append(some, pages[i])
	}
	pages = some
	texts := textsOf(t, pages)
	compiled := sampletest.Compile(t, key, texts...)
	for i, text := range texts {
		t.Run(path.Base(pages[i][1]), func(t *testing.T) {
			s := sampletest.NewSession(t)
			s.Key, s.Compiled = key, compiled
			samples, err := guide.Samples(text)
			must(t, err)
			ran := make(map[string]bool)
			for _, sample := range samples {
				ran[sample.Language] = ran[sample.Language] || !sample.Output && !sample.Shown
			}
			testkit.Equal(t, "the languages", [4]bool{ran["sh"], ran["go"], ran["ts"], ran["python"]}, [4]bool{true, true, true, true})
			must(t, s.Run(t.Context(), text))
		})
	}
}

// textsOf gets the pages that links lead to.
func textsOf(t *testing.T, links [][]string) []string {
	t.Helper()
	texts := make([]string, len(links))
	for i, link := range links {
		texts[i] = testkit.Get(t, link[1]).Body
	}
	return texts
}

// followErrors wants errors to name a guide that is there. It uses up the quotas.
func followErrors(t *testing.T, n *server, key string) {
	t.Helper()
	named := regexp.MustCompile(`; (http://\S+/en/docs/\S+) says`)
	for _, x := range []struct {
		path   string
		header http.Header
		status int
		most   int // requests
	}{
		{"/api/embeddings", nil, 401, 1},
		{"/api/nope", nil, 404, 1},
		{"/api/v1/tools/nope", nil, 404, 1},
		{"/api/v1/stats", nil, 429, 101},
		{"/api/v1/stats", testkit.Bearer(key), 429, 1001},
	} {
		var got testkit.Response
		for i := 0; i < x.most && got.Status != x.status; i++ {
			var err error
			got, err = testkit.Fetch(n.public+x.path, x.header)
			must(t, err)
		}
		guide := named.FindStringSubmatch(got.Body)
		if got.Status != x.status || guide == nil || !testkit.Get(t, guide[1]).OK() {
			t.Errorf("%s: %v names %q, want %d and a guide", x.path, got, guide, x.status)
		}
	}
}

// guided starts a node with all its engines, which knows its own address.
func guided(t *testing.T, mail *testkit.Mailbox) *server {
	t.Helper()
	url, address := pgtest.URL(t), testkit.FreeAddress(t)
	palmares(t, database(url), "migrate")
	palmares(t, database(url), "publish", exampleCatalog)
	n := serve(t, url, "PALMARES_LISTEN="+address, "PALMARES_BASE_URL=http://"+address,
		"PALMARES_REDIS_URL="+redistest.NewServer(t).URL(), "PALMARES_SMTP_URL="+mail.URL,
		"PALMARES_MAIL_FROM=noreply@palmares.test")
	n.ready()
	n.counts(1)
	return n
}

// signedUp makes an account on the pages, and a key.
func signedUp(t *testing.T, n *server, mail *testkit.Mailbox, signIn, keys string) string {
	t.Helper()
	const email = "reader@example.org"
	b := testkit.NewBrowser(t, n.public)
	b.Get(signIn)
	b.Submit(signIn, "ask", map[string]string{"email": email})
	code := strings.ReplaceAll(mailedCode.FindString(mail.Wait(t, email).Text), " ", "")
	b.Submit(signIn, "code", map[string]string{"code": code, "email": email})
	form := once.FindStringSubmatch(b.Get(keys).Body)
	if form == nil {
		t.Fatal("no form creates a key")
	}
	key := wholeKey.FindString(b.Submit(keys, "create", map[string]string{"name": "first", "once": form[1]}).Body)
	if key == "" {
		t.Fatal("the page shows no key")
	}
	return key
}
