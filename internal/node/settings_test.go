package node

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// wrongSettings are settings that nobody can run a node with, and what palmares config and palmares serve both say.
// FOLDER is one that is there, with the file empty.pem in it.
var wrongSettings = []struct{ settings, want string }{
	{"PALMARES_DATABASE_URL=", "PALMARES_DATABASE_URL is not set: it names the PostgreSQL database"},
	{"PALMARES_DATABASE_URL=127.0.0.1:5432/x", "PALMARES_DATABASE_URL cannot be read: write it as postgres://user:password@host:5432/palmares; it is such an address, or pairs"},
	{"PALMARES_DATABASE_URL=mysql://a@b/c", "PALMARES_DATABASE_URL cannot be read"},
	{"PALMARES_DATABASE_URL=postgres://h:port/x", "PALMARES_DATABASE_URL cannot be read: write it as postgres://user:password@host:5432/palmares; its port is no number"},
	{"PALMARES_DATABASE_URL=postgres://u:hunter2/ter3@h/x", "its port is no number, or its password has a / ? or # that is not written as %2F, %3F or %23"},
	{"PALMARES_DATABASE_URL=postgres://u:hunter2@ter3#x@h/x", "its password has a / ? or # that is not written as %2F, %3F or %23"},
	{"PALMARES_DATABASE_URL=postgres://u:hunter2@ter3/x@h/x", "its password has a / ? or #"},
	{"PALMARES_DATABASE_URL=postgres://u:hunter2@ter3?x@h/x", "its password has a / ? or #"},
	{"PALMARES_DATABASE_URL=postgres://u:hunter2%@h/x", "it has a % without two hexadecimal digits after it: a % itself is written as %25"},
	{"PALMARES_DATABASE_URL=postgres://u:hun ter2@h/x", "its user or password has characters that are to be written as %XX"},
	{"PALMARES_DATABASE_URL=postgres://h/x?sslmode=verify-full&sslrootcert=/nowhere/ca.pem", "PALMARES_DATABASE_URL cannot be used: it names a file that cannot be read: open /nowhere/ca.pem"},
	{"PALMARES_DATABASE_URL=postgres://h/x?sslmode=verify-full&sslrootcert=FOLDER/empty.pem", "the file that sslrootcert names has no certificate in it"},
	{"PALMARES_DATABASE_URL=postgres://h/x?sslmode=maybe", "what it sets sslmode to cannot be used"},
	{"PALMARES_DATABASE_URL_FILE=/nowhere/url", "PALMARES_DATABASE_URL and PALMARES_DATABASE_URL_FILE are both set"},
	{"PALMARES_DATABASE_URL= PALMARES_DATABASE_URL_FILE=/nowhere/url", "PALMARES_DATABASE_URL_FILE: open /nowhere/url"},
	{"PALMARES_REDIS_URL=127.0.0.1:6379", "PALMARES_REDIS_URL cannot be read: it is of the form redis://user:password@host:6379/0"},
	{"PALMARES_REDIS_URL=http://127.0.0.1:6379", "PALMARES_REDIS_URL cannot be read"},
	{"PALMARES_REDIS_URL=redis://u:hunter2/ter3@h", "PALMARES_REDIS_URL cannot be read"},
	{"PALMARES_REDIS_URL=redis://u:hunter2@ter3#x@h", "PALMARES_REDIS_URL cannot be read"},
	{"PALMARES_REDIS_URL=redis://h/database", "PALMARES_REDIS_URL cannot be read"},
	{"PALMARES_REDIS_CA_FILE=/nowhere/ca.pem", "PALMARES_REDIS_CA_FILE is set, and PALMARES_REDIS_URL is not"},
	{"PALMARES_REDIS_URL=redis://h PALMARES_REDIS_CA_FILE=/nowhere/ca.pem", "PALMARES_REDIS_URL begins with redis://, which is without TLS: write rediss://"},
	{"PALMARES_REDIS_URL=rediss://h PALMARES_REDIS_CA_FILE=/nowhere/ca.pem", "PALMARES_REDIS_CA_FILE cannot be read: open /nowhere/ca.pem"},
	{"PALMARES_REDIS_URL=rediss://h PALMARES_REDIS_CA_FILE=FOLDER/empty.pem", "there is no certificate in it"},
	{"PALMARES_SMTP_URL=smtp://h", "PALMARES_SMTP_URL and PALMARES_MAIL_FROM go together"},
	{"PALMARES_MAIL_FROM=a@example.org", "PALMARES_SMTP_URL and PALMARES_MAIL_FROM go together"},
	{"PALMARES_SMTP_URL=127.0.0.1:25 PALMARES_MAIL_FROM=a@example.org", "PALMARES_SMTP_URL: it is not a URL such as smtp://user:password@host:587"},
	{"PALMARES_SMTP_URL=http://h PALMARES_MAIL_FROM=a@example.org", "PALMARES_SMTP_URL: it begins with neither smtp:// nor smtps://"},
	{"PALMARES_SMTP_URL=smtp://user@h PALMARES_MAIL_FROM=a@example.org", "PALMARES_SMTP_URL: it has a user without a password"},
	{"PALMARES_SMTP_URL=smtp://u:hunter2@ter3#x@h PALMARES_MAIL_FROM=a@example.org", "PALMARES_SMTP_URL: it goes on after the host"},
	{"PALMARES_SMTP_URL=smtp://h?tls=maybe PALMARES_MAIL_FROM=a@example.org", "PALMARES_SMTP_URL: after the question mark there can be tls=none or tls=starttls"},
	{"PALMARES_SMTP_URL=smtp://h PALMARES_MAIL_FROM=nobody", `PALMARES_MAIL_FROM is "nobody": it is an e-mail address`},
	{"PALMARES_SECRET=", "PALMARES_SECRET is not set"},
	{"PALMARES_SECRET=short", "PALMARES_SECRET has 5 characters"},
	{"PALMARES_LISTEN=8080", `PALMARES_LISTEN is "8080": an address ends with a colon and a port`},
	{"PALMARES_LISTEN=:9090", `PALMARES_ADMIN_LISTEN is "127.0.0.1:9090", and PALMARES_LISTEN ":9090": a port has one listener`},
	{"PALMARES_ADMIN_LISTEN=127.0.0.1:8080", `PALMARES_ADMIN_LISTEN is "127.0.0.1:8080", and PALMARES_LISTEN ":8080": a port has one listener`},
	{"PALMARES_LISTEN=127.0.0.1:8080 PALMARES_ADMIN_LISTEN=[::]:8080", "a port has one listener"},
	{"PALMARES_LISTEN=:99999", `PALMARES_LISTEN is ":99999": its port is no number from 0 to 65535`},
	{"PALMARES_LISTEN=localhost:9090", "a port has one listener"},
	{"PALMARES_LISTEN=:http PALMARES_ADMIN_LISTEN=127.0.0.1:80", "a port has one listener"},
	{"PALMARES_BASE_URL=https://me:hunter2@catalogue.example.org", "PALMARES_BASE_URL has a user in it: it is the service's own address"},
	{"PALMARES_BASE_URL=catalogue.example.org", "PALMARES_BASE_URL is \"catalogue.example.org\": it is the service's own address"},
	{"PALMARES_TRUSTED_PROXIES=proxy.internal", "PALMARES_TRUSTED_PROXIES: "},
	{"PALMARES_WEBHOOK_NETWORKS=10.0.0.0", `PALMARES_WEBHOOK_NETWORKS: "10.0.0.0" is no network such as 10.0.0.0/8`},
	{"PALMARES_SNAPSHOT_FILE=/nowhere/copy", "PALMARES_SNAPSHOT_FILE: there is no folder /nowhere: make it, or name another file"},
	{"PALMARES_SNAPSHOT_FILE=FOLDER", "is a folder: name a file"},
	{"PALMARES_SIGNUP=ajar", `PALMARES_SIGNUP is "ajar": it is open or closed`},
	{"PALMARES_STRIPE_KEY=sk_test_hunter2", "PALMARES_STRIPE_WEBHOOK_SECRET and PALMARES_STRIPE_PRICE are not set"},
	{"PALMARES_SELLER_COUNTRY=france", `PALMARES_SELLER_COUNTRY is "france": it is the two capital letters of a country`},
	{"PALMARES_SELLER_VAT=exempt", `PALMARES_SELLER_VAT is "exempt": it is standard, small_seller or franchise`},
	{"PALMARES_DB_CONNS=2", "PALMARES_DB_CONNS is 2: it is a number of connections, 4 at least"},
	{"PALMARES_DRAIN_DELAY=soon", `PALMARES_DRAIN_DELAY is "soon": it is a duration such as 2s`},
	{"PALMARES_CACHE_MB=lots", `PALMARES_CACHE_MB is "lots": it is a whole number, in digits`},
	{"PALMARES_TRACE_RATIO=2", "PALMARES_TRACE_RATIO is 2: it is the share of requests to trace, from 0 to 1"},
	{"PALMARES_QUOTA_WAIT=1s", "PALMARES_QUOTA_WAIT is 1s: it is how long a request waits for Redis, from 10ms to 500ms"},
	{"PALMARES_PURGE_URL=127.0.0.1:6081", "PALMARES_PURGE_URL cannot be read: it is where the cache is asked to drop something, such as http://127.0.0.1:6081/"},
	{"PALMARES_PURGE_URL=http://me:hunter2@h/", "PALMARES_PURGE_URL has a password or a query: write it without, and what is secret into PALMARES_PURGE_TOKEN"},
	{"PALMARES_PURGE_URL=http://h/ PALMARES_PURGE_CACHE=squid", `PALMARES_PURGE_CACHE is "squid": it is varnish, fastly, cloudflare`},
	{"PALMARES_PURGE_URL=https://api.fastly.com/service/x/purge PALMARES_PURGE_CACHE=fastly", "PALMARES_PURGE_TOKEN is not set: fastly drops nothing without one"},
	{"PALMARES_PURGE_TOKEN=hunter2", "PALMARES_PURGE_TOKEN is set, and PALMARES_PURGE_URL is not"},
	{"PALMARES_EVENTS_KEEP=30d", "PALMARES_EVENTS_KEEP is 30d: it is 31d at least"},
}

// environOf is what a shell would make of settings that stand in a line, after good ones.
func environOf(dir, line string) []string {
	values := map[string]string{"PALMARES_DATABASE_URL": "postgres://h/x", "PALMARES_SECRET": strings.Repeat("5", 64)}
	for setting := range strings.SplitSeq(" "+line, " PALMARES_") {
		name, value, _ := strings.Cut(setting, "=")
		values["PALMARES_"+name] = strings.ReplaceAll(value, "FOLDER", dir)
	}
	var environ []string
	for name, value := range values {
		environ = append(environ, name+"="+value)
	}
	return environ
}

// What palmares config lets pass, palmares serve starts with: they say the same, and nothing of a password.
func TestSettings_WrongOnes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "empty.pem"), []byte("nothing\n"), 0o600))
	for _, c := range wrongSettings {
		environ := environOf(dir, c.settings)
		_, checked := CheckSettings(environ)
		if checked == nil || !strings.Contains(checked.Error(), c.want) {
			t.Errorf("%s: config says %v", c.settings, checked)
			continue
		}
		var log strings.Builder
		_, started := New(t.Context(), Options{Environ: environ, Roles: []string{API, Site, Worker}, Log: &log})
		if started == nil || started.Error() != "configuration:\n"+checked.Error() {
			t.Errorf("%s: config says\n%v\nand serve\n%v", c.settings, checked, started)
		}
		for _, part := range []string{"hunter2", "ter3", "hun ter2"} {
			if strings.Contains(c.settings, part) && strings.Contains(started.Error()+log.String(), part) {
				t.Errorf("%s: a part of the password shows: %v %s", c.settings, started, &log)
			}
		}
	}
	if len(wrongSettings) < 40 {
		t.Errorf("%d wrong settings", len(wrongSettings))
	}
}

// Of a file that cannot be read, nothing is said of what would be in it.
func TestSettings_UnreadFiles(t *testing.T) {
	t.Parallel()
	_, err := CheckSettings(environOf("", "PALMARES_DATABASE_URL= PALMARES_DATABASE_URL_FILE=/nowhere/1 PALMARES_REDIS_URL_FILE=/nowhere/2 "+
		"PALMARES_SMTP_URL_FILE=/nowhere/3 PALMARES_MAIL_FROM=a@example.org PALMARES_SECRET= PALMARES_SECRET_FILE=/nowhere/4"))
	if err == nil {
		t.Fatal("it is let pass")
	}
	lines := strings.Split(err.Error(), "\n")
	testkit.Equal(t, "lines", len(lines), 4)
	for _, line := range lines {
		if !strings.Contains(line, "_FILE: open /nowhere/") {
			t.Error(line)
		}
	}
}

// What works and is hardly meant is said, by both, and without the secret.
func TestSettings_OddOnes(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"PALMARES_SECRET=changeme-changeme-changeme-changeme":         "PALMARES_SECRET looks as if it was taken from an example",
		"PALMARES_SECRET=change_this_secret_to_something_long":        "PALMARES_SECRET looks as if it was taken from an example",
		`PALMARES_SECRET="` + strings.Repeat("5", 64) + `"`:           "PALMARES_SECRET begins and ends with a quotation mark",
		`PALMARES_STRIPE_KEY='sk_test_1'`:                             "PALMARES_STRIPE_KEY begins and ends with a quotation mark",
		"PALMARES_ADMIN_LISTEN=:9090":                                 `PALMARES_ADMIN_LISTEN is ":9090", all addresses of this machine`,
		"PALMARES_ADMIN_LISTEN=[::]:9090":                             "all addresses of this machine",
		"PALMARES_BASE_URL=http://catalogue.example.org":              "a public host without TLS",
		"PALMARES_TRUSTED_PROXIES=0.0.0.0/1":                          "PALMARES_TRUSTED_PROXIES trusts a very large network, 0.0.0.0/1",
		"PALMARES_LISTEN=127.0.0.1:8080":                              "",
		"PALMARES_ADMIN_LISTEN=10.1.2.3:9090":                         "",
		"PALMARES_SECRET=secretariat-of-the-association-of-reviewers": "",
	} {
		odd, _ := CheckSettings(environOf(t.TempDir(), line))
		said := strings.Join(odd, "\n")
		if want == "" && said != "" || !strings.Contains(said, want) {
			t.Errorf("%s: %q", line, said)
		}
		testkit.Equal(t, line+" shows a secret", strings.Contains(said, "sk_test_1") || strings.Contains(said, "changeme"), false)
	}
	var log strings.Builder
	_, err := New(t.Context(), Options{Environ: environOf("", "PALMARES_ADMIN_LISTEN=:1 PALMARES_LISTEN=256.0.0.1:2"), Roles: []string{API}, Log: io.Writer(&log)})
	if err == nil || !strings.Contains(log.String(), "all addresses of this machine") {
		t.Errorf("serve: %v, %s", err, &log)
	}
}
