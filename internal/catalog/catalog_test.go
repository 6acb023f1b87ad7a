package catalog_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	. "github.com/palmares-hq/palmares/internal/catalog"
	build "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestParseDate_OnlyDaysThatExist(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"2026-03-14", "2024-02-29", "0001-01-01", "9999-12-31"} {
		d, err := ParseDate(s)
		if err != nil || string(d) != s || DateOf(d.Time()) != d {
			t.Errorf("ParseDate(%q) = %q, %v", s, d, err)
		}
	}
	for _, s := range []string{
		"", "2026-3-14", "2026-03-14T00:00:00Z", "2026-02-30", "2025-02-29", "2026-13-01", "2026-00-10", "2026-01-00",
		"14/03/2026", " 2026-03-14", "2026-03-14 ", "26-03-14", "-2026-03-14", "20260314",
	} {
		if d, err := ParseDate(s); err == nil || !strings.Contains(err.Error(), strconv.Quote(s)) {
			t.Errorf("ParseDate(%q) = %q, %v; want an error that quotes it", s, d, err)
		}
	}
	wantPanic(t, "the time of no day", func() { Date("hier").Time() })
}

func TestDates_AreDaysInUTC(t *testing.T) {
	t.Parallel()
	paris := time.FixedZone("Europe/Paris", 2*60*60)
	testkit.Equal(t, "half past one on 1 July in Paris", DateOf(time.Date(2026, 7, 1, 1, 30, 0, 0, paris)), Date("2026-06-30"))
	e := Edition{PublishedAt: time.Date(2026, 12, 31, 23, 30, 0, 0, time.FixedZone("", -60*60))}
	testkit.Equal(t, "the day of an edition", e.Date(), Date("2027-01-01"))
}

func TestValidSlug(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"a", "0", "copeau", "echafaude-3", "a-b-c", "3d", strings.Repeat("a", MaxSlug)} {
		if !ValidSlug(s) {
			t.Errorf("%q is refused", s)
		}
	}
	for _, s := range []string{
		"", "-", "-a", "a-", "a--b", "A", "aB", "é", "a_b", "a b", "a.b", "a/b", "../a", "a\n", "a\x00", "ａ",
		strings.Repeat("a", MaxSlug+1),
	} {
		if ValidSlug(s) {
			t.Errorf("%q is accepted", s)
		}
	}
}

func TestConstants_AreTheWireValues(t *testing.T) {
	t.Parallel()
	testkit.Equal(t, "icp", ICPs(), []ICP{"vibe-coder", "agentic-engineer", "mixte"})
	testkit.Equal(t, "pricing", Pricings(), []Pricing{"gratuit", "freemium", "payant"})
	testkit.Equal(t, "reason", Reasons(), []Reason{"mort", "acquis", "deprecie", "pivot", "absorbe"})
	testkit.Equal(t, "sort", ToolOrders(), []ToolOrder{"score_desc", "score_asc", "name_asc", "name_desc", "price_asc", "price_desc"})
	testkit.Equal(t, "credit", build.Service().Credit(), "Source : Palmarès (https://palmares.example)")
}
