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
	index, _, _ := strings.Cut(body[strings.Index(body, `<nav class="index"`):], "</nav>")
	links := regexp.MustCompile(`href="#([a-z]+)"`).FindAllStringSubmatch(index, -1)
	testkit.Equal(t, "links for parts", len(links), strings.Count(body, `<section class="sec`))
	for _, l := range links {
		if !regexp.MustCompile(`<section class="sec[^"]*" id="` + l[1] + `">`).MatchString(body) {
			t.Errorf("%s leads nowhere", l[0])
		}
	}
}
