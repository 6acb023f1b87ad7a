package webhooks

import (
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/portal/page"
	"github.com/palmares-hq/palmares/internal/webhook"
)

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

// Every reason of package webhook has a text in each language, with a place for its detail if it has one.
func TestReasonTexts(t *testing.T) {
	t.Parallel()
	codes := webhook.Reasons()
	for _, code := range codes {
		for _, l := range locale.Languages() {
			text := reasonTexts["reason."+string(code)][l]
			if text == "" {
				t.Errorf("the reason %s has no text in %s", code, l)
			}
			if strings.Contains(text, "%s") != code.Detailed() {
				t.Errorf("the reason %s has a detail: %t. Its text in %s: %s", code, code.Detailed(), l, text)
			}
		}
	}
	if len(reasonTexts) != len(codes) {
		t.Errorf("there are texts for %d reasons, and %d reasons", len(reasonTexts), len(codes))
	}
}

func TestReasonText(t *testing.T) {
	t.Parallel()
	r := &page.Request{Text: layout.NewWriter(locale.French, layout.Join(page.Texts(), Texts()))}
	for reason, want := range map[webhook.Reason]string{
		{}:                                       "",
		{Code: webhook.DisabledByOwner}:          "Vous l’avez mis en pause.",
		{Code: webhook.TimedOut, Detail: "15 s"}: "pas de réponse en 15\u00a0s",
		{Code: webhook.AnsweredGone, Detail: "2026-11-15T20:00:01Z"}: "Votre récepteur a répondu 410 (Gone) le 15\u00a0novembre 2026 à\u00a020\u00a0h\u00a000\u00a0min\u00a001\u00a0s\u00a0UTC\u00a0: les livraisons sont arrêtées.",
		{Code: webhook.AnsweredGone, Detail: "noon"}:                 "Votre récepteur a répondu 410 (Gone) le noon\u00a0: les livraisons sont arrêtées.",
		{Code: webhook.SecretUnreadable}:                             "Nous ne pouvons plus déchiffrer son secret\u00a0: renouvelez-le pour que les livraisons reprennent.",
		{Code: webhook.InWords, Detail: "100%s the operator’s own"}:  "100%s the operator’s own",
		{Code: webhook.InWords, Detail: "connection refused"}:        "connection refused",
	} {
		if got := reasonText(r, reason); got != want {
			t.Errorf("%q is %q, want %q", reason, got, want)
		}
	}
}
