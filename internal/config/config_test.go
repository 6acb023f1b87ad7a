package config

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"
)

const secret = "0123456789abcdef0123456789abcdef"

func TestDefaults(t *testing.T) {
	t.Parallel()
	c, err := ReadServe([]string{"PALMARES_DATABASE_URL=postgres://u:hunter2@h/db", "PALMARES_SECRET=" + secret, "PALMARES_TRUSTED_PROXIES=10.0.0.0/8,::1/128"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != ":8080" || c.AdminListen != "127.0.0.1:9090" || c.DrainDelay != 2*time.Second || c.QuotaWait != 250*time.Millisecond || len(c.TrustedProxies) != 2 {
		t.Errorf("defaults: %+v", c)
	}
	for _, printed := range []string{fmt.Sprintf("%v %+v %#v", c, c, c), fmt.Sprint(slog.AnyValue(c.Secret).Resolve())} {
		if strings.Contains(printed, "hunter2") || strings.Contains(printed, secret) {
			t.Errorf("a secret shows: %s", printed)
		}
	}
	if c.URL.Reveal() != "postgres://u:hunter2@h/db" {
		t.Error("Reveal does not give the secret")
	}
}

func TestStripe(t *testing.T) {
	t.Parallel()
	all := []string{
		"PALMARES_STRIPE_KEY=" + secret, "PALMARES_STRIPE_WEBHOOK_SECRET=" + secret, "PALMARES_STRIPE_PRICE=price_1",
		"PALMARES_STRIPE_URL=http://[::1]:12111/",
	}
	c, err := ReadStripe(all)
	if err != nil || !c.Sells() || c.SellerCountry != "FR" {
		t.Errorf("sold with everything set: %v, %v", c, err)
	}
	if printed := fmt.Sprintf("%v %+v %#v", c, c, c); strings.Contains(printed, secret) {
		t.Errorf("a secret shows: %s", printed)
	}
	if c, err := ReadStripe(nil); err != nil || c.Sells() {
		t.Errorf("sold with nothing set: %v, %v", c, err)
	}
}

func TestDays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"": 400 * 24 * time.Hour, "31d": 31 * 24 * time.Hour, "744h": 31 * 24 * time.Hour, "1000h30m": 1000*time.Hour + 30*time.Minute} {
		environ := []string{"PALMARES_DATABASE_URL=postgres://h/db", "PALMARES_SECRET=" + secret}
		if text != "" {
			environ = append(environ, "PALMARES_EVENTS_KEEP="+text)
		}
		if c, err := ReadServe(environ); err != nil || time.Duration(c.EventsKeep) != want {
			t.Errorf("%q is %v: %v", text, c.EventsKeep, err)
		}
	}
}

func TestWhatIsWrongIsNamed(t *testing.T) {
	t.Parallel()
	good := []string{"PALMARES_DATABASE_URL=postgres://h/db", "PALMARES_SECRET=" + secret}
	for _, tc := range []struct {
		environ []string
		want    string
	}{
		{nil, "PALMARES_DATABASE_URL is not set"},
		{good[:1], "PALMARES_SECRET is not set"},
		{[]string{good[0], "PALMARES_SECRET=short"}, "PALMARES_SECRET has 5 characters"},
		{append(slices.Clone(good), "PALMARES_SECRET_PREVIOUS=short"), "PALMARES_SECRET_PREVIOUS has 5 characters"},
		{append(good, "PALMARES_LOG_FORMAT=xml"), `PALMARES_LOG_FORMAT is "xml": it is json or text`},
		{append(good, "PALMARES_DRAIN_DELAY=soon"), `PALMARES_DRAIN_DELAY is "soon": it is a duration such as 2s, 500ms or 1m30s`},
		{append(good, "PALMARES_CACHE_MB=lots"), `PALMARES_CACHE_MB is "lots": it is a whole number, in digits`},
		{append(good, "PALMARES_TRACE_RATIO=half"), `PALMARES_TRACE_RATIO is "half": it is a number such as 0.01`},
		{[]string{"PALMARES_DRAIN_DELAY=soon"}, "PALMARES_SECRET is not set"}, // all at once
		{append(good, "PALMARES_DRAIN_DELAY=-1s"), "PALMARES_DRAIN_DELAY is -1s"},
		{append(good, "PALMARES_TRACE_RATIO=2"), "PALMARES_TRACE_RATIO is 2"},
		{append(good, "PALMARES_DB_CONNS=3"), "PALMARES_DB_CONNS is 3: it is a number of connections, 4 at least"},
		{append(good, "PALMARES_EVENTS_KEEP=30d"), "PALMARES_EVENTS_KEEP is 30d: it is 31d at least, because deliveries are kept for 30 days"},
		{append(good, "PALMARES_EVENTS_KEEP=743h59m"), "PALMARES_EVENTS_KEEP is 743h59m0s: it is 31d at least"},
		{append(good, "PALMARES_EVENTS_KEEP=0"), "PALMARES_EVENTS_KEEP is 0d: it is 31d at least"},
		{append(good, "PALMARES_EVENTS_KEEP=-400d"), "PALMARES_EVENTS_KEEP is -400d: it is 31d at least"},
		{append(good, "PALMARES_EVENTS_KEEP=400"), `PALMARES_EVENTS_KEEP is "400": it is a number of days such as 400d, or hours such as 9600h`},
		{append(good, "PALMARES_EVENTS_KEEP=1.5d"), `PALMARES_EVENTS_KEEP is "1.5d": it is a number of days`},
		{append(good, "PALMARES_EVENTS_KEEP=999999d"), `PALMARES_EVENTS_KEEP is "999999d": it is a number of days`},
		{append(good, "PALMARES_QUOTA_WAIT=250"), "PALMARES_QUOTA_WAIT"}, // of what?
		{append(good, "PALMARES_QUOTA_WAIT=9ms"), "PALMARES_QUOTA_WAIT is 9ms: it is how long a request waits for Redis, from 10ms to 500ms"},
		{append(good, "PALMARES_QUOTA_WAIT=501ms"), "PALMARES_QUOTA_WAIT is 501ms"},
		{append(good, "PALMARES_QUOTA_WAIT=-250ms"), "PALMARES_QUOTA_WAIT is -250ms"},
		{append(good, "PALMARES_BASE_URL=api.example"), `PALMARES_BASE_URL is "api.example": it is the service's own address, such as https://api.example.org`},
		{append(good, "PALMARES_BASE_URL=ftp://api.example"), "PALMARES_BASE_URL"},
		{append(good, "PALMARES_BASE_URL=https://a.example/catalogue"), `PALMARES_BASE_URL is "https://a.example/catalogue": it has a path, and the service takes its whole host: write https://a.example`},
		{append(good, "PALMARES_BASE_URL=http://a.example", "PALMARES_SMTP_URL=smtp://h", "PALMARES_MAIL_FROM=a@b.example"), `PALMARES_BASE_URL is "http://a.example": whoever is on the way reads what http carries, so nobody could sign in or pay there: write https://`},
		{append(good, "PALMARES_BASE_URL=http://192.0.2.1:8080", "PALMARES_STRIPE_KEY=k", "PALMARES_STRIPE_WEBHOOK_SECRET=k", "PALMARES_STRIPE_PRICE=p"), "PALMARES_BASE_URL is"},
		{append(good, "PALMARES_LISTEN=8080"), `PALMARES_LISTEN is "8080": an address ends with a colon and a port: write :8080 for every address of this machine, or 127.0.0.1:8080 for this machine alone`},
		{append(good, "PALMARES_LISTEN=localhost"), `PALMARES_LISTEN is "localhost": it is an address and a port, such as :8080 or 127.0.0.1:8080`},
		{append(good, "PALMARES_ADMIN_LISTEN=9090"), `PALMARES_ADMIN_LISTEN is "9090": an address ends with a colon and a port: write :9090`},
		{append(good, "PALMARES_LISTEN=127.0.0.1:1:1"), "PALMARES_LISTEN"},
		{append(good, "PALMARES_LISTEN=:"), "PALMARES_LISTEN"},
		{append(good, "PALMARES_CONTACT=nobody"), `PALMARES_CONTACT is "nobody": it is an e-mail address, such as catalog@example.org`},
		{append(good, "PALMARES_CONTACT=Us <us@example.org>"), "PALMARES_CONTACT"},
		{append(good, "PALMARES_BASE_URL=https://"), "PALMARES_BASE_URL"},
		{append(good, "PALMARES_BASE_URL=https://api.example/?a"), "PALMARES_BASE_URL"},
		{append(good, "PALMARES_BASE_URL=https://api.example/#a"), "PALMARES_BASE_URL"},
		{append(good, "PALMARES_BASE_URL=https://user@api.example"), "PALMARES_BASE_URL"},
		{append(good, "PALMARES_BASE_URL=https://api.example/<a>"), "PALMARES_BASE_URL"},
		{append(good, "PALMARES_BASE_URL=https://api.example/a, b"), "PALMARES_BASE_URL"},
		{append(good, "PALMARES_BASE_URL=https://catégories.example"), "PALMARES_BASE_URL"},
		{append(good, "PALMARES_STRIPE_KEY="+secret, "PALMARES_STRIPE_PRICE=price_1"), "PALMARES_STRIPE_WEBHOOK_SECRET is not set: PALMARES_STRIPE_KEY and PALMARES_STRIPE_PRICE cannot be used without"},
		{append(good, "PALMARES_STRIPE_WEBHOOK_SECRET="+secret), "PALMARES_STRIPE_KEY and PALMARES_STRIPE_PRICE are not set: PALMARES_STRIPE_WEBHOOK_SECRET cannot"},
		{append(good, "PALMARES_STRIPE_KEY="+secret, "PALMARES_STRIPE_WEBHOOK_SECRET="+secret, "PALMARES_STRIPE_PRICE=price_1"), "PALMARES_BASE_URL is not set: with PALMARES_STRIPE_KEY"},
		{append(good, "PALMARES_SELLER_COUNTRY=france"), `PALMARES_SELLER_COUNTRY is "france": it is the two capital letters of a country`},
		{append(good, "PALMARES_SELLER_VAT=none"), `PALMARES_SELLER_VAT is "none": it is standard, small_seller or franchise`},
		{append(good, "PALMARES_SELLER_VAT=franchise", "PALMARES_SELLER_COUNTRY=DE"), "PALMARES_SELLER_VAT is franchise, which is of article 293 B of the French tax code"},
		{append(good, "PALMARES_STRIPE_URL=https://stripe.example"), `PALMARES_STRIPE_URL is "https://stripe.example": it is for tests`},
		{append(good, "PALMARES_STRIPE_URL=http://10.0.0.1:80"), "PALMARES_STRIPE_URL"},
		{append(good, "PALMARES_STRIPE_URL=http://localhost:80"), "PALMARES_STRIPE_URL"}, // a name may lead elsewhere
		{append(good, "PALMARES_STRIPE_URL=http://127.0.0.1@stripe.example"), "PALMARES_STRIPE_URL"},
		{append(good, "PALMARES_STRIPE_URL=http://127.0.0.1:80/v1"), "PALMARES_STRIPE_URL"},
		{append(good, "PALMARES_REDIS_CA_FILE=/ca.pem"), "PALMARES_REDIS_CA_FILE is set, and PALMARES_REDIS_URL is not"},
		{append(good, "PALMARES_SIGNUP=ajar"), `PALMARES_SIGNUP is "ajar": it is open or closed`},
		{append(good, "PALMARES_LOG_LEVEL=loud"), `PALMARES_LOG_LEVEL is "loud": it is debug, info, warn or error`},
	} {
		_, err := ReadServe(tc.environ)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: got %v, want %s", tc.environ, err, tc.want)
		}
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("the secret shows in %v", err)
		}
		if first := len(tc.environ) > 2; first && strings.Contains(err.Error(), "\n") {
			t.Errorf("one fault is told twice: %v", err)
		}
	}
	if _, err := ReadDatabase(good[:1]); err != nil {
		t.Error(err)
	}
	for given, want := range map[string]string{
		"": "", "https://api.example": "https://api.example", "http://127.0.0.1:8080/": "http://127.0.0.1:8080",
		"https://example.org//": "https://example.org", "http://[::1]:80": "http://[::1]:80",
	} {
		c, err := ReadServe(append(good, "PALMARES_BASE_URL="+given))
		if err != nil || c.Base() != want {
			t.Errorf("PALMARES_BASE_URL=%s: %q, %v", given, c.Base(), err)
		}
	}
}

func TestUnknownVariables(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]string{
		"PALMARES_CACHE_MB=64":                   "",
		"PALMARES_MAIL_FROM=a@example.org":       "",
		"PALMARES_SIGNUP=closed":                 "",
		"PALMARES_TEST_DATABASE_URL=x":           "",
		"PALMARES_LONG=1":                        "",
		"PATH=/bin":                              "",
		"PALMARES_SERVICE_HOST=10.0.0.1":         "",
		"PALMARES_SERVICE_PORT=80":               "",
		"PALMARES_SERVICE_PORT_HTTP=80":          "",
		"PALMARES_PORT=tcp://10.0.0.1:80":        "",
		"PALMARES_PORT_80_TCP=tcp://10.0.0.1:80": "",
		"PALMARES_PORT_80_TCP_ADDR=10.0.0.1":     "",
		"PALMARES_ADMIN_PORT_9090_TCP_PROTO=tcp": "",
		"PALMARES_CACHE_M_B=64":                  "PALMARES_CACHE_MB",
		"PALMARES_CACHEMB=64":                    "PALMARES_CACHE_MB",
		"PALMARES_DATABASEURL=" + secret:         "PALMARES_DATABASE_URL",
		"PALMARES_TRUSTED_PROXY=10.0.0.0/8":      "PALMARES_TRUSTED_PROXIES",
		"PALMARES_ADMIN=:9090":                   "PALMARES_ADMIN_LISTEN",
		"PALMARES_LOGLEVEL=debug":                "PALMARES_LOG_LEVEL",
		"PALMARES_STRIPE_SECRET=" + secret:       "PALMARES_STRIPE_WEBHOOK_SECRET",
		"PALMARES_WHATEVER=1":                    "none",
		"PALMARES_PORT=8080":                     "none",
	} {
		got := UnknownVariables([]string{setting})
		switch {
		case want == "" && len(got) == 0:
		case len(got) == 1 && got[0].Nearest == strings.TrimPrefix(want, "none") && want != "":
			if text := got[0].String(); strings.Contains(text, secret) || !strings.Contains(text, want) && want != "none" {
				t.Errorf("%s: %s", setting, text)
			}
		default:
			t.Errorf("%s: %v, want %s", setting, got, want)
		}
	}
}

// What the checks of a repository know a program by is three variables.
func TestUnknownVariables_OfChecks(t *testing.T) {
	t.Parallel()
	all := []string{"PALMARES_VERSION=v1.2.3", "PALMARES_URL=https://a.example/palmares", "PALMARES_SHA256=00"}
	if got := UnknownVariables(all); len(got) > 0 {
		t.Errorf("together: %v", got)
	}
	if got := UnknownVariables(all[:2]); len(got) != 2 {
		t.Errorf("two of them: %v", got)
	}
}

// http is for machines that nobody else can reach by that name.
func TestAddress_Unsafe(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]bool{
		"": false, "https://a.example": false, "http://127.0.0.1:8080": false, "http://localhost:8080": false, "http://[::1]": false,
		"http://palmares": false, "http://10.1.2.3": false, "http://[fd00::1]:80": false, "http://a.localhost": false, "http://a.internal": false,
		"http://a.example": true, "http://192.0.2.1": true, "http://[2001:db8::1]": true, "http://A.EXAMPLE.": true, "http://[::ffff:192.0.2.1]": true,
	} {
		if got := (Address{base}).Unsafe(); got != want {
			t.Errorf("%s is unsafe: %t", base, got)
		}
		// Where nothing is at stake, it is a warning.
		if _, err := ReadServe([]string{"PALMARES_DATABASE_URL=postgres://h/db", "PALMARES_SECRET=" + secret, "PALMARES_BASE_URL=" + base}); err != nil {
			t.Errorf("%s: %v", base, err)
		}
	}
}

func TestReadPublisher(t *testing.T) {
	t.Parallel()
	good := []string{"PALMARES_DATABASE_URL=postgres://h/db"}
	c, err := ReadPublisher(good)
	if err != nil || c.PublishBranch != "main" || c.PublishPath != "catalog" || c.PublishEvery != time.Minute || c.PublishMaxFiles != 50_000 {
		t.Errorf("%+v, %v", c, err)
	}
	for setting, want := range map[string]string{
		"PALMARES_PUBLISH_EVERY=9s":       "PALMARES_PUBLISH_EVERY is 9s",
		"PALMARES_PUBLISH_EVERY=25h":      "PALMARES_PUBLISH_EVERY is 25h0m0s",
		"PALMARES_PUBLISH_EVERY=often":    "a duration such as",
		"PALMARES_PUBLISH_TIMEOUT=0s":     "PALMARES_PUBLISH_TIMEOUT is 0s",
		"PALMARES_PUBLISH_MAX_MB=0":       "PALMARES_PUBLISH_MAX_MB is 0",
		"PALMARES_PUBLISH_MAX_FILES=0":    "PALMARES_PUBLISH_MAX_FILES is 0",
		"PALMARES_PUBLISH_LISTEN=nowhere": `PALMARES_PUBLISH_LISTEN is "nowhere"`,
		"PALMARES_DATABASE_URL=":          "PALMARES_DATABASE_URL is not set",
		"PALMARES_LOG_FORMAT=xml":         "PALMARES_LOG_FORMAT",
	} {
		if _, err := ReadPublisher(append(good[:1:1], setting)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", setting, err)
		}
	}
	if got := UnknownVariables([]string{"PALMARES_PUBLISH_TOKEN_FILE=x", "PALMARES_PUBLISH_URL=x"}); len(got) > 0 {
		t.Errorf("unknown: %v", got)
	}
}
