package figures

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// history gives a tool the prices that it had, oldest first, and the days on which they changed.
func history(first string, changes ...string) func(*catalog.Tool) {
	pricing := func(price string) catalog.Pricing {
		if p, _ := catalog.ParsePrice(price); p.Cents == 0 {
			return catalog.Free
		}
		return catalog.Paid
	}
	return func(t *catalog.Tool) {
		last := first
		for i := 0; i < len(changes); i += 2 {
			day, price := catalog.Date(changes[i]), changes[i+1]
			t.History = slices.Insert(t.History, 0, catalog.PriceChange{
				ChangedAt: day, OldPricing: pricing(last), OldPrice: last, NewPricing: pricing(price), NewPrice: price,
			})
			last = price
		}
		t.Pricing, t.Price = pricing(last), last
	}
}

func TestPriceIndex(t *testing.T) {
	t.Parallel()
	tool := catalogtest.Tool
	s := catalogtest.Snapshot(
		tool("a", history("10 €/mois", "2026-08-31", "20 €/mois", "2026-11-02", "15 €/mois")),
		tool("b", catalogtest.Priced(catalog.Freemium, "30 €/mois")),
		tool("c", history("480 €/an")), // 40 a month
		tool("d", history("5 €/siège")),
		tool("e", history("50 €/mois", "2026-10-01", "0 €/mois", "2026-10-01", "25 €/mois")),
		tool("f", history("0 €/mois", "2026-09-30", "9,99 €/mois")),
		tool("g", catalogtest.Priced(catalog.Freemium, "0 €/mois")),
		tool("h", catalogtest.In("image"), history("10 €/mois")),
	)
	x := Of(s, "2026-11-15", nil).Prices
	months := func(category string) []string {
		var lines []string
		for _, m := range x.Category(category).Months {
			lines = append(lines, fmt.Sprintf("%s: %d of %d, %d others, %d up, %d down",
				m.First.Format("2006-01"), m.Median, m.Tools, m.Others, m.Up, m.Down))
		}
		return lines
	}
	testkit.Equal(t, "code", months("code"), []string{
		"2026-07: 3500 of 4, 1 others, 0 up, 0 down",
		"2026-08: 3500 of 4, 1 others, 1 up, 0 down",
		"2026-09: 3000 of 5, 1 others, 1 up, 0 down",
		"2026-10: 2500 of 5, 1 others, 1 up, 1 down",
		"2026-11: 2500 of 5, 1 others, 0 up, 1 down",
	})
	testkit.Equal(t, "a category in which nothing moved", months("image"),
		[]string{"2026-11: 1000 of 1, 0 others, 0 up, 0 down"})
	testkit.Equal(t, "a category without tools", months("vide"), []string(nil))
	testkit.Equal(t, "the number of months of all", len(months("")), 5)
	_, drawn := x.Category("code").Drawn()
	testkit.Equal(t, "three months of five tools", drawn, true)
	_, drawn = Of(s, "2026-10-31", nil).Prices.Category("code").Drawn()
	testkit.Equal(t, "two months of five tools", drawn, false)

	var moved []string
	for _, m := range x.Moves("code", catalog.Paging{Page: 1, Limit: 4}).Items {
		moved = append(moved, m.Tool.Slug+" "+m.Change().NewPrice)
	}
	testkit.Equal(t, "the newest movements", moved,
		[]string{"a 15 €/mois", "e 25 €/mois", "e 0 €/mois", "f 9,99 €/mois"})
	for number, want := range map[int]int{2: 1, 3: 0, 1 << 62: 0} {
		page := x.Moves("code", catalog.Paging{Page: number, Limit: 4})
		testkit.Equal(t, fmt.Sprint("movements on page ", number), len(page.Items), want)
		testkit.Equal(t, "movements", page.Total, 5)
	}
}

// Within a month the largest change comes first, wherever a page begins.
func TestMovesByMonth(t *testing.T) {
	t.Parallel()
	tool := func(slug, first string, changes ...string) any {
		return catalogtest.Tool(slug, history(first, changes...))
	}
	x := Of(catalogtest.Snapshot(
		tool("a", "20 €/mois", "2026-09-02", "33 €/mois", "2026-10-03", "30 €/mois"),
		tool("b", "10 €/mois", "2026-10-20", "9 €/mois"),
		tool("c", "0 €/mois", "2026-10-05", "9 €/mois"),
		tool("d", "10 €/mois", "2026-10-30", "9 €/siège"),
	), "2026-11-15", nil).Prices
	moves := func(limit int) (got []string) {
		for number := 1; ; number++ {
			page := x.MovesByMonth("", catalog.Paging{Page: number, Limit: limit})
			if len(page.Items) == 0 {
				return got
			}
			for _, m := range page.Items {
				got = append(got, m.Tool.Slug+" "+m.Change().NewPrice)
			}
		}
	}
	for limit := range 6 {
		testkit.Equal(t, fmt.Sprint("pages of ", limit+1), moves(limit+1),
			[]string{"c 9 €/mois", "b 9 €/mois", "a 30 €/mois", "d 9 €/siège", "a 33 €/mois"})
	}
}

// spent is how much CPU the process has used, its garbage collector included.
func spent(tb testing.TB) time.Duration {
	tb.Helper()
	var usage syscall.Rusage
	testkit.Must(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkOf computes the figures of 100,000 tools: some with a history of
// prices, or each with three changes, and a change log as long as a snapshot keeps it.
func BenchmarkOf(b *testing.B) {
	few := catalogtest.Generated(100_000)
	many := catalogtest.Edited(few, func(c *catalog.Contents) {
		for i, t := range c.Tools {
			history("20 €/mois", fmt.Sprintf("202%d-%02d-%02d", 1+i%3, 1+i%12, 1+i%28), "30 €/mois",
				fmt.Sprintf("202%d-%02d-%02d", 4+i%2, 1+i%12, 1+i%28), fmt.Sprintf("%d €/an", 100+i%400),
				fmt.Sprintf("2026-%02d-%02d", 1+i%11, 1+i%28), fmt.Sprintf("%d €/mois", 5+i%90))(t)
		}
	})
	for name, c := range map[string]*catalog.Contents{"few": few, "many": many} {
		s := catalog.Empty().Apply(catalogtest.Whole(c, catalogtest.Edition(1)))
		s = catalogtest.Amend(s, func(c *catalog.Contents) {
			for i, t := range c.Tools {
				t.Score = catalog.Hundredths(i % 1000)
			}
		})
		b.Run(name, func(b *testing.B) {
			before := spent(b)
			for b.Loop() {
				Of(s, "2026-11-15", nil)
			}
			b.ReportMetric((spent(b)-before).Seconds()*1000/float64(b.N), "cpu-ms/op")
		})
	}
}
