package node

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A node that sells says at its start that its table of rates is old, and nothing while it is not.
func TestWarnOfRates(t *testing.T) {
	t.Parallel()
	of, err := time.Parse(time.DateOnly, billing.RatesOf)
	testkit.Must(t, err)
	for months, want := range map[int]bool{0: false, 5: false, 7: true} {
		var log strings.Builder
		warnOfRates(slog.New(slog.NewTextHandler(&log, nil)), of.AddDate(0, months, 0))
		said := strings.Contains(log.String(), "level=WARN") && strings.Contains(log.String(), billing.RatesOf)
		testkit.Equal(t, log.String(), said, want)
	}
}
