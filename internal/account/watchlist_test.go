package account_test

import (
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Digests go at six in UTC, weekly ones on Mondays, and never at the time that is asked about.
func TestFrequency_After(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ at, daily, weekly string }{
		{"2026-11-19T05:59:59Z", "2026-11-19T06:00:00Z", "2026-11-23T06:00:00Z"}, // a Thursday
		{"2026-11-19T06:00:00Z", "2026-11-20T06:00:00Z", "2026-11-23T06:00:00Z"},
		{"2026-11-23T05:00:00Z", "2026-11-23T06:00:00Z", "2026-11-23T06:00:00Z"},
		{"2026-11-23T06:00:00Z", "2026-11-24T06:00:00Z", "2026-11-30T06:00:00Z"},
		{"2026-11-23T07:30:00+02:00", "2026-11-23T06:00:00Z", "2026-11-23T06:00:00Z"},
		{"2026-12-31T23:00:00Z", "2027-01-01T06:00:00Z", "2027-01-04T06:00:00Z"},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		testkit.Must(t, err)
		testkit.Equal(t, c.at+", daily", account.Daily.After(at).Format(time.RFC3339), c.daily)
		testkit.Equal(t, c.at+", weekly", account.Weekly.After(at).Format(time.RFC3339), c.weekly)
	}
	if _, err := account.ParseFrequency("hourly"); err == nil {
		t.Error("hourly is taken")
	}
}
