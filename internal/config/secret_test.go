package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		testkit.Must(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	const url = "postgres://u:hunter2@h/db"
	testkit.Equal(t, "what may be in a file", secretsOf(reflect.TypeFor[Serve]()), []string{
		"PALMARES_DATABASE_URL", "PALMARES_PURGE_TOKEN", "PALMARES_REDIS_URL", "PALMARES_SECRET", "PALMARES_SECRET_PREVIOUS",
		"PALMARES_SMTP_URL", "PALMARES_STRIPE_KEY", "PALMARES_STRIPE_WEBHOOK_SECRET",
	})

	// Every one of them, with and without the newline of an editor.
	for _, end := range []string{"", "\n", "\r\n"} {
		c, err := ReadServe([]string{
			"PALMARES_DATABASE_URL_FILE=" + file("database", url+end), "PALMARES_REDIS_URL_FILE=" + file("redis", "redis://h"+end),
			"PALMARES_SECRET_FILE=" + file("secret", secret+end), "PALMARES_SECRET_PREVIOUS_FILE=" + file("previous", secret+"2"+end),
			"PALMARES_SMTP_URL_FILE=" + file("smtp", "smtp://u:p@h"+end), "PALMARES_MAIL_FROM=a@example.org",
			"PALMARES_STRIPE_KEY_FILE=" + file("key", "sk_1"+end), "PALMARES_STRIPE_WEBHOOK_SECRET_FILE=" + file("signing", "whsec_1"+end),
			"PALMARES_STRIPE_PRICE=price_1", "PALMARES_BASE_URL=https://a.example",
			"PALMARES_SECRET=", // not set
		})
		testkit.Must(t, err)
		var got []string
		for _, s := range []Secret{c.URL, c.RedisURL, c.Secret, c.SecretPrevious, c.SMTPURL, c.StripeKey, c.StripeWebhookSecret} {
			got = append(got, s.Reveal())
		}
		testkit.Equal(t, "what is read", got, []string{url, "redis://h", secret, secret + "2", "smtp://u:p@h", "sk_1", "whsec_1"})
	}
	two, err := ReadDatabase([]string{"PALMARES_DATABASE_URL_FILE=" + file("two", url+"\n\n")})
	if err != nil || two.URL.Reveal() != url+"\n" {
		t.Errorf("more than one newline is cut: %v", err)
	}

	good := file("good", url)
	for what, tc := range map[string]struct {
		environ []string
		want    string
	}{
		"both":      {[]string{"PALMARES_DATABASE_URL=" + url, "PALMARES_DATABASE_URL_FILE=" + good}, "PALMARES_DATABASE_URL and PALMARES_DATABASE_URL_FILE are both set: set one of them"},
		"empty":     {[]string{"PALMARES_DATABASE_URL_FILE=" + file("empty", "")}, "PALMARES_DATABASE_URL_FILE: " + dir + "/empty is empty"},
		"a newline": {[]string{"PALMARES_DATABASE_URL_FILE=" + file("newline", "\n")}, "newline is empty"},
		"none":      {[]string{"PALMARES_DATABASE_URL_FILE=" + dir + "/none"}, "PALMARES_DATABASE_URL_FILE: open " + dir + "/none: no such file"},
		"a folder":  {[]string{"PALMARES_DATABASE_URL_FILE=" + dir}, "PALMARES_DATABASE_URL_FILE: read " + dir + ": is a directory"},
		"long":      {[]string{"PALMARES_DATABASE_URL_FILE=" + file("long", strings.Repeat("hunter2", 10_000))}, "long is longer than 64 KiB"},
		"no text":   {[]string{"PALMARES_DATABASE_URL_FILE=" + file("binary", "hunter2\x00")}, "binary is no text"},
		"short":     {[]string{"PALMARES_DATABASE_URL_FILE=" + good, "PALMARES_SECRET_FILE=" + file("short", "hunter2")}, "PALMARES_SECRET has 7 characters"},
	} {
		environ := tc.environ
		if what != "short" {
			environ = append(environ, "PALMARES_SECRET="+secret)
		}
		_, err := ReadServe(environ)
		if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", what, err, tc.want)
		}
	}
	if got := UnknownVariables([]string{"PALMARES_SECRET_FILE=x", "PALMARES_STRIPE_KEY_FILE=x"}); len(got) > 0 {
		t.Errorf("unknown: %v", got)
	}
	if got := UnknownVariables([]string{"PALMARES_DATABASE_FILE=x", "PALMARES_LISTEN_FILE=x"}); len(got) != 2 || got[0].Nearest != "PALMARES_DATABASE_URL_FILE" {
		t.Errorf("misspelt: %v", got)
	}
}
