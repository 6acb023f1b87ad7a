package postgres_test

import (
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/postgres"
)

// A URL that cannot be read is named by its variable, with what to write; no part of it is shown, which
// might be one of a password.
func TestOpen_NamesTheVariable(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"postgres://[oups":                                               "has no ]",
		"postgres://u:hunter2/hunter2@127.0.0.1:1/x":                     "%2F, %3F or %23",
		"postgres://u:hunter2@127.0.0.1:hunter2/x":                       "its port is no number",
		"postgres://u:hunter2%@127.0.0.1:1/x":                            "%25",
		"postgres://u:hunter2@127.0.0.1:1/x?sslmode=no":                  "what it sets sslmode to cannot be used",
		"postgres://u:hunter2@127.0.0.1:99999/x":                         "its port is no number from 1 to 65535",
		"postgres://u:hunter2@127.0.0.1/x?sslmode=no&connect_timeout=no": "not as there",
		"127.0.0.1:5432/hunter2":                                         "host=127.0.0.1",
	} {
		_, open := postgres.Open(t.Context(), url, postgres.Options{})
		_, migrate := postgres.Migrate(t.Context(), url, nil, nil)
		for what, err := range map[string]error{"Open": open, "Migrate": migrate} {
			if err == nil || !strings.HasPrefix(err.Error(), "PALMARES_DATABASE_URL cannot be read: write it as postgres://user:password@host:5432/palmares; ") ||
				!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s, %s: %v", what, url, err)
			}
		}
	}
}
