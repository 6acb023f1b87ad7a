package portal_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A form that was unfolded, or that came back with a fault, has a way out, which is a link.
func TestForms_CanBeLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.account("ada@example.org", account.Pro)
	b := w.signedIn("ada@example.org")
	b.create("Production")
	receiver, _ := w.newReceiver()
	endpoint, _ := b.addEndpoint(receiver.URL)
	for path, want := range map[string]int{"/compte/cles": 3, "/compte/reglages": 1, endpoint: 3} {
		body := b.get(path).says(path, http.StatusOK).Body
		links := strings.Count(body, `<a class="cancel" href="`+path+`">Annuler</a>`)
		folded := len(regexp.MustCompile(`<details[^>]*><summary[^>]*>[^\n]*?</summary>\s*<form`).FindAllString(body, -1))
		testkit.Equal(t, path+": ways out of forms", []int{links, folded}, []int{want, want})
	}
}

// The button that sends the link again says so.
func TestSignIn_SendsAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	asked := b.ask("ada@example.org").says("asked", http.StatusOK, "Renvoyer l’e-mail")
	testkit.Equal(t, "the first button", strings.Contains(asked.Body, "Recevoir le lien"), false)
	b.submit(asked.form("ask"), nil).says("again", http.StatusOK, "Renvoyer l’e-mail")
}

// The index of the settings leads to every part of the page.
func TestSettings_Index(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.account("ada@example.org", account.Developer)
	body := w.signedIn("ada@example.org").settings().Body
	_, index, _ := strings.Cut(body, `<nav class="index"`)
	index, _, _ = strings.Cut(index, "</nav>")
	links := regexp.MustCompile(`href="#([a-z]+)"`).FindAllStringSubmatch(index, -1)
	testkit.Equal(t, "links for parts", len(links), strings.Count(body, `<section class="sec`))
	for _, l := range links {
		if !regexp.MustCompile(`<section class="sec[^"]*" id="` + l[1] + `">`).MatchString(body) {
			t.Errorf("%s leads nowhere", l[0])
		}
	}
}

// A form that is refused begins its title with it, gives the summary the focus, and says at each field what is
// wrong with it.
func TestForms_SayWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.account("ada@example.org", account.Pro)
	b := w.signedIn("ada@example.org")
	b.create("Production")
	receiver, _ := w.newReceiver()
	endpoint, _ := b.addEndpoint(receiver.URL)
	b.submit(b.get(endpoint).form("verify"), nil)
	keys := b.get("/compte/cles")
	for field, refused := range map[string]page{
		"email":   w.browser().ask("ada"),
		"names":   b.submit(b.get("/compte/liste").form("save"), map[string]string{"names": "no such tool"}),
		"url":     b.submit(b.get("/compte/webhooks").form("add"), map[string]string{"url": "x"}),
		"types":   b.submit(b.get(endpoint).form("save"), map[string]string{"types": "tool.eaten"}),
		"to":      b.submit(b.get(endpoint).form("replay-range", `id="from"`), map[string]string{"from": "1", "to": "x"}),
		"name":    b.submit(keys.form("create"), map[string]string{"name": " "}),
		"name-":   b.submit(keys.form("rename"), map[string]string{"name": " "}),
		"confirm": b.submit(b.settings().form("delete"), map[string]string{"confirm": "x"}),
	} {
		refused.says(field, http.StatusUnprocessableEntity, "<title>Erreur\u00a0: ", `role="alert" tabindex="-1" autofocus`)
		link := regexp.MustCompile(`<li><a href="#(` + field + `[^"]*)">([^<]+)</a>`).FindStringSubmatch(refused.Body)
		if link == nil {
			t.Errorf("%s: the summary does not lead to it: %s", field, refused)
			continue
		}
		refused.says(field, http.StatusUnprocessableEntity, `<p class="fault" id="fault-`+link[1]+`">`+link[2]+`</p>`)
		control := regexp.MustCompile(`<[a-z]+ [^>]*id="` + link[1] + `"[^>]*aria-describedby="fault-` + link[1] + `[ "]`)
		if !control.MatchString(refused.Body) {
			t.Errorf("%s is not described by what is wrong with it", field)
		}
	}
	if p := b.get("/en/account/keys"); strings.Contains(p.Body, "<title>Error: ") {
		t.Error("a page without a fault begins with one")
	}
	b.submit(b.get("/en/account/keys").form("create"), map[string]string{"name": " "}).says("in English", http.StatusUnprocessableEntity, "<title>Error: ")
}
