package catalog_test

import (
	"strings"
	"testing"

	. "github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// One package has one form, whoever writes it. The types are those whose rules differ.
func TestParsePackage(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"pkg:npm/lumen":               "pkg:npm/lumen",
		"PKG:NPM/Lumen":               "pkg:npm/lumen", // which packageurl-go leaves as it is
		"pkg:/npm/lumen":              "pkg:npm/lumen",
		"pkg://npm/lumen":             "pkg:npm/lumen",
		"pkg:npm/@Lumen/CLI@1.2.3":    "pkg:npm/%40lumen/cli",
		"pkg:npm/%40lumen/cli@1.2.3":  "pkg:npm/%40lumen/cli",
		"pkg:npm/@lumen/cli":          "pkg:npm/%40lumen/cli",
		"pkg:npm/lumen@1?a=b#c/d":     "pkg:npm/lumen",
		"pkg:npm/lumen?;;&=&%zz":      "pkg:npm/lumen", // qualifiers are not looked at
		"pkg:npm/lumen#../..":         "pkg:npm/lumen",
		"pkg:pypi/Lumen_CLI@2":        "pkg:pypi/lumen-cli",
		"pkg:pypi/zope.interface":     "pkg:pypi/zope.interface",
		"pkg:cargo/Lumen_CLI":         "pkg:cargo/Lumen_CLI",
		"pkg:golang/GitHub.com/A/B@1": "pkg:golang/github.com/a/b",
		"pkg:github/Lumen/CLI":        "pkg:github/lumen/cli",
		"pkg:bitbucket/Lumen/CLI":     "pkg:bitbucket/lumen/cli",
		"pkg:composer/Lumen/CLI":      "pkg:composer/lumen/cli",
		"pkg:hex/Lumen":               "pkg:hex/lumen",
		"pkg:pub/Lumen":               "pkg:pub/lumen",
		"pkg:oci/Lumen":               "pkg:oci/lumen",
		"pkg:luarocks/Lumen/CLI":      "pkg:luarocks/lumen/cli",
		"pkg:huggingface/Lumen/CLI":   "pkg:huggingface/Lumen/CLI",
		"pkg:nuget/Lumen.Cli":         "pkg:nuget/Lumen.Cli",
		"pkg:maven/org.Lumen/Cli@1":   "pkg:maven/org.Lumen/Cli",
		"pkg:gem/lumen":               "pkg:gem/lumen",
		"pkg:docker/lumen/lumen@1":    "pkg:docker/lumen/lumen",
		"pkg:generic/l%C3%A9a+b c":    "pkg:generic/l%C3%A9a%2Bb%20c",

		"pkg:vscode-extension/Lumen/CLI@1?platform=universal": "pkg:vscode-extension/lumen/cli",

		"": "", "pkg": "", "pkg:": "", "pkg:npm": "", "pkg:npm/": "", "pkg:/": "", "npm/lumen": "", "pkg:npm/@lumen": "", "pkg:npm/lumen/cli": "",
		"pkg:pypi/a/b": "", "pkg:1x/a": "", "pkg:npm/%": "", "pkg:npm/%zz": "", "pkg:npm/%00": "", "pkg:npm/%ff": "", "pkg:npm/a\xff": "",
		"pkg:npm/a\u202eb": "", "pkg:npm/%E2%80%AE": "", "pkg:swift/a": "", "pkg:npm/?a=b": "", "pkg:?a/b": "", "pkg:#npm/lumen": "",
	} {
		got, err := ParsePackage(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q, %v, want %q", text, got, err, want)
		}
		if again, err := ParsePackage(got); got != "" && (again != got || err != nil) {
			t.Errorf("%q is %q, and that is %q, %v", text, got, again, err)
		}
	}
}

// Whatever is pasted, the form is its own form, and plain text.
func FuzzParsePackage(f *testing.F) {
	for _, s := range []string{"pkg:npm/%40a/b@1?c=d#e", "pkg:golang/İ/%2F", "pkg:x/%E2%84%AA/a%2Fb/c", "pkg:oci/\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		form, err := ParsePackage(s)
		if err != nil {
			return
		}
		again, err := ParsePackage(form)
		testkit.Must(t, err)
		testkit.Equal(t, "the form of "+form, again, form)
		if strings.ContainsFunc(form, func(r rune) bool { return r <= ' ' || r > '~' }) {
			t.Errorf("%q has more than plain characters: %q", s, form)
		}
	})
}
