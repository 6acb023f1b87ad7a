package config

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret")
	testkit.Must(t, os.WriteFile(file, []byte(secret+"\n"), 0o600))
	all := Settings([]string{
		"PALMARES_DATABASE_URL=postgres://u:hunter2@h:5432/db?sslmode=verify-full&password=hunter2", "PALMARES_SECRET_FILE=" + file,
		"PALMARES_CACHE_MB=64", "PALMARES_LOG_LEVEL=loud", "PALMARES_SMTP_URL_FILE=/nowhere/smtp", "PALMARES_LISTEN=",
		"PALMARES_STRIPE_KEY=hunter2",
	})
	got := make(map[string]Setting)
	for _, s := range all {
		got[s.Name] = s
	}
	testkit.Equal(t, "how many there are", len(got), len(variablesOf(reflect.TypeFor[Serve]())))
	for _, want := range []Setting{
		{"PALMARES_DATABASE_URL", "postgres://[redacted]@h:5432/db?sslmode=verify-full&password=[redacted]", "", FromEnvironment, ""},
		{"PALMARES_SECRET", "[redacted]", "", FromFile, file},
		{"PALMARES_CACHE_MB", "64", "64", FromEnvironment, ""},
		{"PALMARES_LOG_LEVEL", "loud", "info", FromEnvironment, ""},
		{"PALMARES_SMTP_URL", "", "", FromFile, "/nowhere/smtp"},
		{"PALMARES_LISTEN", ":8080", ":8080", FromDefault, ""},
		{"PALMARES_STRIPE_KEY", "[redacted]", "", FromEnvironment, ""},
		{"PALMARES_REDIS_URL", "", "", FromNowhere, ""},
	} {
		testkit.Equal(t, want.Name, got[want.Name], want)
	}
	if text := fmt.Sprint(all); strings.Contains(text, "hunter2") || strings.Contains(text, secret) {
		t.Errorf("a secret shows: %s", text)
	}
}

func TestMaskURL(t *testing.T) {
	t.Parallel()
	const hidden = "[redacted]"
	for given, want := range map[string]string{
		"redis://h:6379":                          "redis://h:6379",
		"redis://:hunter2@h:6379/1":               "redis://[redacted]@h:6379/1",
		"redis://h1:1?addr=h2:2&password=hunter2": "redis://h1:1?addr=h2:2&password=[redacted]",
		"smtps://u:hunter2@h":                     "smtps://[redacted]@h",
		"postgres:///db?host=/run&user=hunter2":   "postgres:///db?host=/run&user=[redacted]",
		"postgres://h/db?hunter2":                 "postgres://h/db?[redacted]",
		// What is not quite a URL is not shown at all.
		"host=h password=hunter2":       hidden,
		"hunter2":                       hidden,
		"postgres://u:hunter2/x@h/db":   hidden,
		"postgres://u:2/hunter2@h/db":   hidden,
		"postgres://u:2#hunter2@h/db":   hidden,
		"postgres://u:2?hunter2@h/db":   hidden,
		"postgres:u:hunter2@h/db":       hidden,
		"postgres://u:hunter2%@h/db":    hidden,
		"postgres://h/db#hunter2":       hidden,
		"postgres://u:hunter2@h:many/x": hidden,
	} {
		if got := maskURL(given, true); got != want {
			t.Errorf("%s is shown as %s, want %s", given, got, want)
		}
	}
	testkit.Equal(t, "an address without a scheme", maskURL("catalogue.example.org", false), "catalogue.example.org")
}
