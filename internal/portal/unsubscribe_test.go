package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// post sends a body as a mail program does: without cookies or the headers of browsers.
func (w *world) post(path, contentType, body string) testkit.Response {
	w.Helper()
	req, err := http.NewRequestWithContext(w.Context(), http.MethodPost, w.url+path, strings.NewReader(body))
	testkit.Must(w, err)
	req.Header.Set("Content-Type", contentType)
	b := w.browser()
	b.client.Jar = nil
	r, err := testkit.Do(b.client, req)
	testkit.Must(w, err)
	return r
}

func TestUnsubscribe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, bob := w.account("ada@example.org", account.Developer), w.account("bob@example.org", account.Developer)
	link := "/compte/desabonnement?jeton=" + url.QueryEscape(account.UnsubscribeToken(testkit.Ring(t, string(secret)), ada.ID))
	on := [][2]bool{{true, true}, {true, true}}
	off := [][2]bool{{false, true}, {true, true}}

	// Looking changes nothing, and neither does a token that is not the account's.
	w.browser().send(http.MethodHead, link, nil, nil)
	p := w.browser().get(link)
	token := account.UnsubscribeToken(testkit.Ring(t, string(secret)), ada.ID)
	_, mac, _ := strings.Cut(token, ".")
	for _, wrong := range []string{
		"", "?jeton=", "?jeton=" + ada.ID, "?jeton=" + bob.ID + "." + mac, "?jeton=" + token[:len(token)-4],
		"?jeton=" + url.QueryEscape(account.UnsubscribeToken(testkit.Ring(t, "another secret, as long as the first one"), ada.ID)),
	} {
		r := w.post("/compte/desabonnement"+wrong, "application/x-www-form-urlencoded", "List-Unsubscribe=One-Click")
		if r.Status != http.StatusNotFound || !strings.Contains(r.Body, "Rien n’a été changé") {
			t.Errorf("a wrong token %q: %s", wrong, r)
		}
	}
	testkit.Equal(t, "before", w.mailed(ada, bob), on)

	const multipart = "--b\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--b--\r\n"
	for name, press := range map[string]func() testkit.Response{
		"a mail program": func() testkit.Response {
			return w.post(link, "application/x-www-form-urlencoded", "List-Unsubscribe=One-Click")
		},
		"another mail program": func() testkit.Response { return w.post(link, "multipart/form-data; boundary=b", multipart) },
		"the button":           func() testkit.Response { b := w.browser(); return b.submit(p.form("unsubscribe"), nil).Response },
		"the button, by somebody else": func() testkit.Response {
			b := w.signedIn("bob@example.org")
			return b.submit(b.get(link).form("unsubscribe"), nil).Response
		},
	} {
		testkit.Must(t, w.o.Accounts.SetSwitch(t.Context(), account.Operator(), ada.ID, account.UsageMail, true))
		if r := press(); !r.Says("Vous ne recevrez plus d’e-mails") {
			t.Errorf("%s: %s", name, r)
		}
		testkit.Equal(t, "after "+name, w.mailed(ada, bob), off)
	}
}
