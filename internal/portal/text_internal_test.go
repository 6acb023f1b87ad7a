package portal

import (
	"os"
	"testing"

	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/layouttest"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/webhook"
)

func TestTexts(t *testing.T) {
	t.Parallel()
	layouttest.Texts(t, texts())
	layouttest.Used(t, os.DirFS("."), texts())
}

// JSON is laid out with its keys and strings marked; other text stays as it is, and nothing of either
// is markup.
func TestNewCode(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":"<b>\"c\": d","e":[1,"f"]}`: "{\n  <span class=\"k\">&#34;a&#34;</span>: <span class=\"s\">&#34;&lt;b&gt;\\&#34;c\\&#34;: d&#34;</span>,\n" +
			"  <span class=\"k\">&#34;e&#34;</span>: [\n    1,\n    <span class=\"s\">&#34;f&#34;</span>\n  ]\n}",
		`<p>no "JSON"`: `&lt;p&gt;no &#34;JSON&#34;`,
		`"`:            `&#34;`,
		``:             ``,
	} {
		if got := string(newCode([]byte(text)).HTML); got != want {
			t.Errorf("%s is laid out as\n%s\nwant\n%s", text, got, want)
		}
	}
}

// What package webhook writes down has a text, under the words it uses.
func TestSaid(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		webhook.NotVerified, webhook.NotPro, webhook.DisabledByOwner,
		webhook.ErrNotPublic.Error(), webhook.ErrPort.Error(), webhook.ErrInterrupted.Error(),
	} {
		if _, ok := saidTexts["said."+s]; !ok {
			t.Errorf("there is no text for %q", s)
		}
	}
	r := &request{Writer: layout.NewWriter(locale.French, texts())}
	for said, want := range map[string]string{
		"timed out after 15 s": "pas de réponse en 15 s",
		"the receiver answered 410 Gone at 2026-11-15T20:00:01Z": "Votre récepteur a répondu 410 (Gone) le 15\u00a0novembre 2026, 20:00:01\u00a0UTC\u00a0: les livraisons sont arrêtées.",
		"its secret cannot be opened: …":                         "Nous ne pouvons plus ouvrir son secret\u00a0: renouvelez-le pour que les livraisons reprennent.",
		"the operator’s own words":                               "the operator’s own words",
	} {
		if got := r.say(said); got != want {
			t.Errorf("%q is %q, want %q", said, got, want)
		}
	}
}
