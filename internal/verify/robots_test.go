package verify

import (
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
)

func dayOf(month int) catalog.Date {
	return catalog.Date("2024-" + string([]byte{'0' + byte(month/10), '0' + byte(month%10)}) + "-28")
}

func TestRobots(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, allowed, forbidden string }{
		{"", "/ /a", ""},
		{"User-agent: *\nDisallow:", "/ /a", ""},
		{"User-agent: *\nDisallow: /", "", "/ /a"},
		{"user-agent:*\r\ndisallow:/a#b\r\n", "/ /b", "/a /ab /a/b"},
		{"\ufeffUser-agent: *\rDisallow: /a\r", "/b", "/a"},
		{"Disallow: /a", "/a", ""},
		{"User-agent: other\nDisallow: /", "/a", ""},
		{"User-agent: palmares\nDisallow: /", "/a", ""},
		{"User-agent: Palmares-Verify-Bot\nDisallow: /", "/a", ""},
		{"User-agent: PALMARES-VERIFY/1.0\nDisallow: /a", "/b", "/a"},
		{"User-agent: *\nDisallow: /\nUser-agent: palmares-verify\nDisallow: /b", "/a", "/b"},
		{"User-agent: *\nDisallow: /\nUser-agent: palmares-verify\nAllow:", "/a", ""},
		{"User-agent: *\nDisallow: /\nUser-agent: palmares-verify", "/a", ""},
		{"User-agent: palmares-verify\nUser-agent: other\nDisallow: /a\nUser-agent: third\nDisallow: /b", "/b", "/a"},
		{"User-agent: palmares-verify\nDisallow: /a\nUser-agent: third\nDisallow: /c\nUser-agent: palmares-verify\nDisallow: /b", "/c", "/a /b"},
		{"User-agent: palmares-verify\nSitemap: https://a.example/s\nCrawl-delay: 2\nnonsense\nUser-agent: other\nDisallow: /a", "/b", "/a"},
		{"User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b /a/bc", "/a /a/c"},
		{"User-agent: *\nAllow: /a/b\nDisallow: /a", "/a/b", "/a"},
		{"User-agent: *\nDisallow: /a\nAllow: /a", "/a", ""},
		{"User-agent: *\nAllow: /a\nDisallow: /a", "/a", ""},
		{"User-agent: *\nDisallow: /*.pdf$", "/a.pdf?x /a", "/a.pdf /b/c.pdf"},
		{"User-agent: *\nDisallow: /*a*b", "/b /ba /a", "/ab /xaxb /ab/c"},
		{"User-agent: *\nDisallow: /a$", "/ab", "/a"},
		{"User-agent: *\nDisallow: /a$b", "/a", "/a$b /a$bc /a%24b"},
		{"User-agent: *\nDisallow: /a*$", "/b", "/a /ab"},
		{"User-agent: *\nDisallow: /x*ab*ab$", "/xab", "/xabab /xababab"},
		{"User-agent: *\nDisallow: *b", "/a", "/ab /b"},
		{"User-agent: *\nDisallow: /caf%c3%a9\nDisallow: /th%65", "/cafe", "/caf%C3%A9 /café /the"},
		{"User-agent: *\nDisallow: /été", "/ete", "/%C3%A9t%c3%a9"},
		{"User-agent: *\nDisallow: /a%2Fb", "/a/b", "/a%2fb"},
		{"User-agent: *\nDisallow: /a-%2A", "/a-b", "/a-* /a-%2a"},
		{"User-agent: *\nDisallow: /a?b", "/a /a?c", "/a?b=1"},
	} {
		r := parseRobots([]byte(c.text))
		for path := range strings.FieldsSeq(c.allowed) {
			if !r.allows(path) {
				t.Errorf("%q forbids %s", c.text, path)
			}
		}
		for path := range strings.FieldsSeq(c.forbidden) {
			if r.allows(path) {
				t.Errorf("%q allows %s", c.text, path)
			}
		}
	}
}

// FuzzRobots holds that no robots.txt brings its reader down, and that one which forbids everything forbids every path.
func FuzzRobots(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /a*b$\nAllow: /%c3"), "/a%2")
	f.Add([]byte("user-agent: palmares-verify\ncrawl-delay: 1e9"), "/**$$")
	f.Fuzz(func(t *testing.T, data []byte, path string) {
		r := parseRobots(data)
		r.allows(path)
		if !matches(normalPath(path), "") || !matches(normalPath(path), "*$") {
			t.Errorf("%q does not match everything", path)
		}
		if parseRobots([]byte("User-agent: palmares-verify\nDisallow: *\n")).allows(path) {
			t.Errorf("%q is allowed", path)
		}
	})
}
