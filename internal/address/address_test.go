package address_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestPage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, got, want string }{
		{"French", address.Tool.At(locale.French, "tournevis"), "/outils/tournevis"},
		{"English", address.Tool.At(locale.English, "tournevis"), "/en/tools/tournevis"},
		{"before an extension", address.ToolCard.At(locale.English, "tournevis"), "/en/og/tournevis.png"},
		{"there once", address.Badge.At(locale.English, "tournevis"), "/badge/tournevis.svg"},
		{"two items", address.Delivery.At(locale.English, "ep", "msg"), "/en/account/webhooks/ep/msg"},
		{"an item that is no slug", address.Endpoint.At(locale.French, "a/{b}?"), "/compte/webhooks/a%2F%7Bb%7D%3F"},
		{"its pattern", address.Delivery.In(locale.French), "/compte/webhooks/{id}/{id}"},
		{"an item that the page has not", address.Tools.At(locale.French, "tournevis"), "/outils"},
		{"a link", address.SignInWith(locale.English, "a&b"), "/en/account/sign-in/link?jeton=a%26b"},
	} {
		testkit.Equal(t, c.name, c.got, c.want)
	}
	named, err := address.Named("plan-payment")
	testkit.Must(t, err)
	testkit.Equal(t, "by its name", named, address.PlanPayment)
	if _, err := address.Named("nothing"); err == nil {
		t.Error("a name that no page has is taken")
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/":                       "landing ",
		"/outils":                 "tools ",
		"/outils/lumen":           "tool lumen",
		"/en/tools/lumen":         "tool lumen",
		"/outils/lumen.md":        "tool source lumen",
		"/en/reviews/lumen":       "review lumen",
		"/docs/api":               "reference ",
		"/docs/api/tools":         "operation tools",
		"/flux/categories/c.atom": "feed-category c",
		"/badge/lumen.svg":        "badge lumen",
		"/compte/webhooks/ep":     "endpoint ep",
		"/outils/":                "",
		"/outils/a/b":             "",
		"/en/outils/lumen":        "",
		"/tools/lumen":            "",
		"":                        "",
	} {
		page, item, found := address.Find(path)
		testkit.Equal(t, path, found, want != "")
		if found {
			testkit.Equal(t, path, page.Name+" "+item, want)
		}
	}
}

func TestLanguageOf(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]locale.Language{
		"/": locale.French, "/outils": locale.French, "/english": locale.French,
		"/en": locale.English, "/en/": locale.English, "/en/nothing": locale.English,
	} {
		testkit.Equal(t, path, address.LanguageOf(path), want)
	}
}
