package report_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/report"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Whoever is refused because others have filled a bound, of a tool, of a wider network or of all, is not charged: they
// may send as much about another tool, or later, as if they had not tried.
func TestSend_ChargesNobodyForWhatOthersFilled(t *testing.T) {
	t.Parallel()
	const tries = 2 * report.MostPer64
	for name, c := range map[string]struct {
		sent   int // by the sender before
		others int
		from   func(i int) string
		about  func(i int) string
		slug   string        // that the sender wants to report
		met    int           // the bound
		later  time.Duration // when there is room again for another tool
	}{
		"a tool": {
			0, report.MostPerTool, func(i int) string { return fmt.Sprintf("2001:db9:%x::1", i) }, func(int) string { return "rabot" },
			"rabot", report.MostPerTool, 0,
		},
		"a wider network": {
			0, report.MostPer56, func(i int) string { return fmt.Sprintf("2001:db8:0:%x::1", 1+i%200) }, func(i int) string { return fmt.Sprint("outil-", i) },
			"lime", report.MostPer56, time.Hour,
		},
		"all": {
			0, report.MostInAll, func(i int) string { return fmt.Sprintf("2001:db9:%x::1", i) }, func(i int) string { return fmt.Sprint("outil-", i) },
			"lime", report.MostInAll, time.Hour,
		},
		"what is left for those who have sent": {
			1, report.MostAgain - 1, func(i int) string { return fmt.Sprintf("2001:db9:%x::1", i) }, func(i int) string { return fmt.Sprint("outil-", i) },
			"lime", report.MostAgain, time.Hour,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			redis, err := quota.NewRedis(redistest.URL(t))
			testkit.Must(t, err)
			t.Cleanup(redis.Close)
			clock := testkit.NewClock(time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC))
			var log testkit.Log
			s := report.NewService(report.Options{
				Store: pgtest.Open(t).Reports, Secrets: testkit.Ring(t, "a secret of thirty-two characters"), Now: clock.Now,
				Limits: quota.NewHourly(quota.HourlyOptions{
					Redis: redis, Secret: []byte(rand.Text()), Logger: log.Logger(), Now: clock.Now, Wait: quota.MaxWait,
				}),
			})
			n := 0
			send := func(from, slug string) error {
				n++
				return s.Send(t.Context(), netip.MustParseAddr(from), report.Draft{
					Slug: slug, Field: report.Price, Value: "20 €/mois", Right: fmt.Sprint("25 €, form ", n), Language: account.French,
				})
			}
			const sender = "2001:db8::1"
			for range c.sent {
				testkit.Must(t, send(sender, c.slug))
			}
			for i := range c.others {
				testkit.Must(t, send(c.from(i), c.about(i)))
			}
			clock.Advance(time.Minute)
			for range tries {
				var met *limit.ReachedError
				if err := send(sender, c.slug); !errors.As(err, &met) || met.Most != c.met {
					t.Fatalf("what others have filled: %v", err)
				}
			}
			clock.Advance(c.later)
			for i := range report.MostPer64 {
				if err := send(sender, fmt.Sprint("varlope-", i)); err != nil {
					t.Errorf("report %d of the sender's own: %v", i+1, err)
				}
			}
		})
	}
}
