package api_test

import (
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Every response of licensed data names the licence, in one Link field and behind the links to other pages; the
// contract and the data package name it, too. Without a licence none does.
func TestLicense(t *testing.T) {
	t.Parallel()
	for _, license := range append(catalog.Licenses(), "") {
		s := amend(t, func(c *catalog.Contents) { c.Service.License = license })
		c := newClient(t, of(s))
		want := ""
		if license != "" {
			want = "<" + license.URL() + `>; rel="license"`
		}
		for _, target := range append(routes, fileRoutes[0]) {
			for range 3 { // made, made and kept, kept
				links := c.get(target).want(200).header["Link"]
				switch {
				case len(links) > 1:
					t.Errorf("%s has the links %q", target, links)
				case want == "" && len(links) == 1 && strings.Contains(links[0], "license"):
					t.Errorf("%s has the licence of nothing: %s", target, links[0])
				case want != "" && (len(links) != 1 || !strings.HasSuffix(links[0], want)):
					t.Errorf("%s has the links %q", target, links)
				}
			}
		}
		if license != "" {
			first := c.get("tools?limit=1").want(200).header.Get("Link")
			if !strings.Contains(first, `rel="next"`) || strings.Index(first, `rel="license"`) < strings.Index(first, `rel="last"`) {
				t.Errorf("the links of a page: %s", first)
			}
		}
		var contract struct {
			Info struct{ License struct{ Name, URL string } }
		}
		c.get("openapi.json").want(200).into(&contract)
		var described struct {
			Licenses []struct{ Name, Title, Path string }
		}
		c.get("export/datapackage.json").want(200).into(&described)
		if license == "" {
			testkit.Equal(t, "the contract", contract.Info.License.Name, "Free of rights; the credit line is the condition of use")
			testkit.Equal(t, "the package", len(described.Licenses), 0)
			continue
		}
		testkit.Equal(t, "the contract", contract.Info.License.Name+" "+contract.Info.License.URL, license.Title()+" "+license.URL())
		testkit.Equal(t, "the package", len(described.Licenses), 1)
		testkit.Equal(t, "the package's licence", described.Licenses[0].Name+" "+described.Licenses[0].Path, string(license)+" "+license.URL())
	}
}
