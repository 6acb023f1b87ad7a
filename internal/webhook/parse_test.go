package webhook

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/guard"
)

func TestIDs(t *testing.T) {
	t.Parallel()
	for form, make := range map[string]func() string{`^ep_[a-z0-9]{16}$`: NewEndpointID, `^msg_[a-z0-9]{24}$`: NewDeliveryID} {
		seen := map[string]bool{}
		for range 1000 {
			id := make()
			if !regexp.MustCompile(form).MatchString(id) || seen[id] {
				t.Fatalf("%s is not %s, or comes twice", id, form)
			}
			seen[id] = true
		}
	}
}

// Every type that the catalog declares can be subscribed to.
func TestTypes_AreThoseOfTheLog(t *testing.T) {
	t.Parallel()
	f, err := parser.ParseFile(token.NewFileSet(), "../catalog/log.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var declared []catalog.EventType
	ast.Inspect(f, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			if named, ok := v.Type.(*ast.Ident); ok && named.Name == "EventType" {
				text, _ := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
				declared = append(declared, catalog.EventType(text))
			}
		}
		return true
	})
	if !slices.Equal(declared, Types()) || len(declared) < 9 {
		t.Errorf("EventTypes of internal/catalog/log.go is not what is declared above it:\ndeclared %v\ntypes    %v", declared, Types())
	}
}

func TestParseTypes(t *testing.T) {
	t.Parallel()
	got, err := ParseTypes([]string{"price.changed", "tool.created", "price.changed"})
	if want := []catalog.EventType{catalog.PriceChanged, catalog.ToolCreated}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v %v", got, err)
	}
	if got, err := ParseTypes(nil); err != nil || len(got) != 0 {
		t.Errorf("%v %v", got, err)
	}
	for _, name := range []string{"", "tool", "tool.Created", "webhook.test", " tool.created", strings.Repeat("x", 10_000)} {
		_, err := ParseTypes([]string{"tool.created", name})
		if err == nil || !strings.Contains(err.Error(), "tool.created, tool.updated") || len(err.Error()) > 400 {
			t.Errorf("%.50q: %v", name, err)
		}
	}
}

func TestParseCategories(t *testing.T) {
	t.Parallel()
	got, err := ParseCategories([]string{"voix", "code", "voix"})
	if err != nil || !slices.Equal(got, []string{"voix", "code"}) {
		t.Errorf("%v %v", got, err)
	}
	var many []string
	for i := range 50 {
		many = append(many, "c"+strconv.Itoa(i))
	}
	if got, err := ParseCategories(append(many, "c1")); err != nil || len(got) != 50 {
		t.Errorf("50 and one that comes twice: %v %v", got, err)
	}
	if _, err := ParseCategories(append(many, "c50")); err == nil || !strings.Contains(err.Error(), "at most 50") {
		t.Errorf("51: %v", err)
	}
	for _, slug := range []string{"", "Code", "a b", "é", "-a", strings.Repeat("a", 81)} {
		if _, err := ParseCategories([]string{slug}); err == nil {
			t.Errorf("%q is a category", slug)
		}
	}
}

func TestParseDescription(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                          "",
		"  Mon équipe 👩‍🚀 \n":       "Mon équipe 👩‍🚀",
		strings.Repeat("é", 200):    strings.Repeat("é", 200),
		"<script>alert(1)</script>": "<script>alert(1)</script>", // whoever shows it escapes it
	} {
		if got, err := ParseDescription(text); err != nil || got != want {
			t.Errorf("%q: %q %v", text, got, err)
		}
	}
	for _, text := range []string{strings.Repeat("é", 201), "a\nb", "a\x00b", "a\x7fb", "a\u0085b", "a\u2028b", "a\u202eb", "a\x1b[31mb", "a\xffb"} {
		if got, err := ParseDescription(text); err == nil {
			t.Errorf("%q was read as %q", text, got)
		}
	}
}

func TestParseURL(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"https://hooks.example.com":                           "https://hooks.example.com",
		"https://hooks.example.com/":                          "https://hooks.example.com/",
		"HTTPS://Hooks.Example.COM:443/Path?Q=%2F&x":          "https://hooks.example.com/Path?Q=%2F&x",
		"https://hooks.example.com:/x":                        "https://hooks.example.com/x",
		"https://xn--caf-dma.example/a%20b%2Fc":               "https://xn--caf-dma.example/a%20b%2Fc",
		"https://8.8.8.8/x":                                   "https://8.8.8.8/x",
		"https://[2606:4700:0::1111]:443/x":                   "https://[2606:4700::1111]/x",
		"https://un.cafe/":                                    "https://un.cafe/", // all of its letters are hexadecimal digits
		"https://1.2.3.example.com/":                          "https://1.2.3.example.com/",
		"https://localhost.example.com/":                      "https://localhost.example.com/",
		"https://example.com/@127.0.0.1/":                     "https://example.com/@127.0.0.1/",
		"https://a.example/" + strings.Repeat("x", maxURL-18): "https://a.example/" + strings.Repeat("x", maxURL-18),
	} {
		got, err := ParseURL(raw, nil)
		if err != nil || got != want {
			t.Errorf("%.80s: %.80s %v, want %.80s", raw, got, err, want)
		}
	}
	for raw, says := range map[string]string{
		"":                                                    "https://",
		"hooks.example.com":                                   "https://",
		"//hooks.example.com/":                                "https://",
		"http://hooks.example.com/":                           "https://",
		"ftp://hooks.example.com/":                            "https://",
		"file:///etc/passwd":                                  "https://",
		"gopher://127.0.0.1:6379/_":                           "https://",
		"https:hooks.example.com":                             "https://host",
		"https:///x":                                          "https://host",
		"https://:443/":                                       "must be a name",
		"https://hooks.example.com:80/":                       "port 443",
		"https://hooks.example.com:8443/":                     "port 443",
		"https://hooks.example.com:0443/":                     "port 443",
		"https://hooks.example.com:65979/":                    "port 443", // 443 in 16 bits
		"https://hooks.example.com:x/":                        "cannot be read",
		"https://u@hooks.example.com/":                        "user name",
		"https://u:p@hooks.example.com/":                      "user name",
		"https://@hooks.example.com/":                         "user name",
		"https://hooks.example.com/#":                         "fragment",
		"https://hooks.example.com/#a":                        "fragment",
		"https://hooks.example.com./":                         "must be a name",
		"https://hooks..example.com/":                         "must be a name",
		"https://-a.example.com/":                             "must be a name",
		"https://a_b.example.com/":                            "must be a name",
		"https://a*.example.com/":                             "must be a name",
		"https://" + strings.Repeat("a", 64) + ".example/":    "must be a name",
		"https://" + strings.Repeat("a.", 127) + "example/":   "must be a name",
		"https://intranet/":                                   "not a public name",
		"https://café.example/":                               "xn--",
		"https://caf%C3%A9.example/":                          "must be a name",
		"https://hooks.example.com/a b":                       "percent-encoded",
		"https://hooks.example.com/\n":                        "percent-encoded",
		"https://hooks.example.com\t/":                        "percent-encoded",
		"https://a.example/" + strings.Repeat("x", maxURL-17): "at most 2048",
	} {
		if got, err := ParseURL(raw, nil); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.80q: read as %.80q: %v, want %q", raw, got, err, says)
		}
	}
}

func TestParseURL_WithNetworksToAllow(t *testing.T) {
	t.Parallel()
	allow := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for raw, want := range map[string]string{
		"http://127.0.0.1:8080/x":      "http://127.0.0.1:8080/x",
		"http://127.0.0.1:80/":         "http://127.0.0.1/",
		"https://127.0.0.1:443":        "https://127.0.0.1",
		"http://127.0.0.1:443":         "http://127.0.0.1:443",
		"http://[FD00::1]:8080/":       "http://[fd00::1]:8080/",
		"http://localhost:8080/":       "http://localhost:8080/",
		"http://receiver:8080/":        "http://receiver:8080/", // a name that only the network knows
		"https://hooks.internal/":      "https://hooks.internal/",
		"https://hooks.example.com/":   "https://hooks.example.com/",
		"http://hooks.example.com:81/": "http://hooks.example.com:81/", // the guard decides
	} {
		if got, err := ParseURL(raw, allow); err != nil || got != want {
			t.Errorf("%s: %s %v", raw, got, err)
		}
	}
	for _, raw := range []string{
		"http://10.0.0.1/", "https://10.0.0.1/", "https://[::1]/", "http://8.8.8.8/", "https://8.8.8.8:8443/", "http://127.1/", "http://2130706433:8080/",
		"http://0x7f.1/", "http://u@127.0.0.1/", "ftp://127.0.0.1/", "http://127.0.0.1:0/", "http://127.0.0.1:65536/", "http://[::ffff:127.0.0.1]/", "http://127.0.0.1/#",
	} {
		if got, err := ParseURL(raw, allow); err == nil {
			t.Errorf("%s was read as %s", raw, got)
		}
	}
}

func FuzzParseURL(f *testing.F) {
	for _, target := range hostile {
		f.Add(target)
	}
	for _, raw := range []string{"https://hooks.example.com/a?b=c", "https://8.8.8.8/", "https://[2606:4700::1111]:443/", "http://x:1/"} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := ParseURL(raw, nil)
		if err != nil {
			if got != "" || len(err.Error()) > 500 || !utf8.ValidString(err.Error()) {
				t.Errorf("%q: %q %v", raw, got, err)
			}
			return
		}
		if again, err := ParseURL(got, nil); err != nil || again != got {
			t.Errorf("%q is read as %q, and that as %q: %v", raw, got, again, err)
		}
		u, err := url.Parse(got)
		if err != nil || u.Scheme != "https" || u.User != nil || u.Port() != "" || u.Fragment != "" || !strings.Contains(u.Host, ".") && !strings.Contains(u.Host, ":") {
			t.Errorf("%q: %q %v", raw, got, err)
		}
		if addr, err := netip.ParseAddr(u.Hostname()); err == nil {
			if err := guard.Check(netip.AddrPortFrom(addr, 443), nil, 443); err != nil {
				t.Errorf("%q: the guard refuses %s", raw, addr)
			}
		} else if last := u.Host[strings.LastIndexByte(u.Host, '.')+1:]; last == "" || last[0] < 'a' || last[0] > 'z' {
			t.Errorf("%q: the host %q might be taken for an address", raw, u.Host)
		}
	})
}

func TestAnswersChallenge(t *testing.T) {
	t.Parallel()
	const c = "XK4Q7"
	for _, response := range []string{c, " " + c + "\r\n", `{"challenge":"XK4Q7"}`, " {\n\t\"challenge\" : \"XK4Q7\" } \n"} {
		if !answersChallenge(response, c) {
			t.Errorf("%q does not succeed", response)
		}
	}
	reflected := string(TestPayload("ep_a", noon, c))
	for _, response := range []string{
		"", "ok", "xk4q7", c + c, c + " ok", `"XK4Q7"`, reflected, reflected + c, c + "\n" + reflected, `{"challenge":"XK4Q"}`, `{"challenge":"XK4Q7"`,
		`{"endpoint":"ep_a","challenge":"XK4Q7"}`, `{"challenge":"XK4Q7","endpoint":"ep_a"}`, `{"Challenge":"XK4Q7"}`, `{"challenge":["XK4Q7"]}`,
		`{"challenge":{"challenge":"XK4Q7"}}`, `{"challenge":"x","challenge":"XK4Q7"}`, `{"challenge":"XK4Q7","challenge":"XK4Q7"}`,
		`{"challenge":"XK4Q7"} {}`, `{"challenge":"XK4Q7"}x`, `[{"challenge":"XK4Q7"}]`, `{"data":{"challenge":"XK4Q7"}}`, `{}`, `null`,
	} {
		if answersChallenge(response, c) {
			t.Errorf("%q succeeds", response)
		}
	}
	for _, response := range []string{"", " ", `{"challenge":""}`} {
		if answersChallenge(response, "") {
			t.Errorf("%q answers a challenge that there is none of", response)
		}
	}
}
