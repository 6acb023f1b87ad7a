package catalog

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// costs returns the intervals of a tool from words such as "2025-01-10 24 €/mois": from a day until the next, or until
// the day behind a slash. A word before the price is its model or "annoncé"; "?" is a beginning that nobody knows.
func costs(t *testing.T, words ...string) (all []Interval) {
	t.Helper()
	for n, text := range words {
		days, price, _ := strings.Cut(text, " ")
		i := Interval{Field: PriceHistory, Pricing: Paid, Basis: Published}
		from, until, _ := strings.Cut(days, "/")
		i.From, i.Until = Date(strings.TrimPrefix(from, "?")), Date(until)
		price, announced := strings.CutPrefix(price, "annoncé ")
		price, freemium := strings.CutPrefix(price, "freemium ")
		if announced {
			i.Basis = Announced
		}
		if freemium {
			i.Pricing = Freemium
		}
		if i.Price = price; n > 0 && !announced && all[0].Until == "" {
			all[0].Until = i.From
		}
		if price == "" { // a life alone
			i = Interval{Field: LifeHistory, From: i.From, Until: i.Until}
		}
		all = append([]Interval{i}, all...)
	}
	return all
}

// Bills by hand, in euros: of each month the sum, "?" for unknown, with what else there is to say.
func TestBill(t *testing.T) {
	t.Parallel()
	const today = Date("2026-05-14")
	monthly := []string{"2025-01-10 24 €/mois"}
	for _, c := range []struct {
		what     string
		tools    [][]string
		times    []int64
		from, to string
		want     string
	}{
		{"a price for a month", [][]string{monthly}, nil, "2025-02", "2025-04", "24 24 24"},
		{"before the price is known", [][]string{monthly}, nil, "2024-12", "2025-02", "? ? 24"},
		{"a price from the first on", [][]string{{"2025-02-01 24 €/mois"}}, nil, "2025-01", "2025-02", "? 24"},
		{"a change within a month counts from the next", [][]string{{"2025-01-01 20 €/mois", "2025-03-02 24 €/mois"}}, nil, "2025-02", "2025-04", "20 20 24"},
		{"a change on the first counts at once", [][]string{{"2025-01-01 20 €/mois", "2025-03-01 24 €/mois"}}, nil, "2025-02", "2025-03", "20 24"},
		{"a price within a month never counts", [][]string{{"2025-01-01 20 €/mois", "2025-03-02 99 €/mois", "2025-03-30 24 €/mois"}}, nil, "2025-03", "2025-04", "20 24"},
		{"five times", [][]string{{"2025-01-01 9,90 €/mois"}}, []int64{5}, "2025-01", "2025-02", "49.5 49.5"},
		{"a year that divides by twelve", [][]string{{"2025-01-01 120 €/an"}}, nil, "2025-01", "2025-03", "10 10 10"},
		{
			"a year that does not",
			[][]string{{"2024-01-01 100 €/an"}},
			nil, "2025-01", "2025-12",
			"8.33 8.34 8.33 8.33 8.34 8.33 8.33 8.34 8.33 8.33 8.34 8.33",
		},
		{"a year, three times", [][]string{{"2024-01-01 100 €/an"}}, []int64{3}, "2025-01", "2025-02", "24.99 25.02"},
		{"from a month to a year", [][]string{{"2025-01-01 12 €/mois", "2025-02-15 120 €/an"}}, nil, "2025-02", "2025-03", "12 10"},
		{"retired within a month", [][]string{{"2025-01-01/2025-03-15", "2025-01-01/2025-03-15 24 €/mois"}}, nil, "2025-02", "2025-05", "24 24 0 0"},
		{"retired on the first", [][]string{{"2025-01-01/2025-03-01", "2025-01-01/2025-03-01 24 €/mois"}}, nil, "2025-02", "2025-03", "24 0"},
		{
			"retired, and back at another price",
			[][]string{{"2025-01-01/2025-02-10", "2025-01-01/2025-02-10 24 €/mois", "2025-04-20", "2025-04-20 30 €/mois"}},
			nil, "2025-02", "2025-05", "24 0 0 30",
		},
		{"retired before it was here", [][]string{{"?/2025-03-15"}}, nil, "2025-03", "2025-04", "? 0"},
		{"another period", [][]string{{"2025-01-01 5 €/crédit"}, monthly}, nil, "2025-02", "2025-03", "24 24 not monthly: a"},
		{"another period for a while", [][]string{{"2025-01-01 20 €/mois", "2025-02-01 5 €/crédit", "2025-03-01 24 €/mois"}}, nil, "2025-01", "2025-03", "20 0 24 not monthly: a"},
		{"free in any period", [][]string{{"2025-01-01 0 €/crédit"}}, nil, "2025-01", "2025-02", "0 0"},
		{"freemium", [][]string{{"2025-01-01 freemium 8 €/mois"}, {"2025-01-01 freemium 0 €/mois"}}, nil, "2025-01", "2025-02", "8 8 freemium: a"},
		{"announced", [][]string{{"2025-01-01 24 €/mois", "2026-06-10 annoncé 29 €/mois"}}, nil, "2026-05", "2026-08", "24 24 29 29 announced: 2026-07 2026-08"},
		{"announced, and its day has come without it", [][]string{{"2025-01-01 24 €/mois", "2026-05-14 annoncé 29 €/mois"}}, nil, "2026-05", "2026-07", "24 24 24"},
		{"after today, the price of today", [][]string{monthly}, nil, "2026-05", "2026-07", "24 24 24"},
		{"two tools, one of them later", [][]string{monthly, {"2025-03-05 10 €/mois"}}, nil, "2025-03", "2025-04", "24 34"},
		{"a beginning that nobody knows", [][]string{{"?/2025-03-05 20 €/mois", "2025-03-05 24 €/mois"}}, nil, "2025-02", "2025-04", "? ? 24"},
		{"nothing but a beginning that nobody knows", [][]string{{"? 20 €/mois"}}, nil, "2026-04", "2026-06", "? 20 20"},
		{"nothing", nil, nil, "2025-01", "2025-02", "0 0"},
	} {
		var tools []billed
		for i, words := range c.tools {
			tool := billed{string(rune('a' + i)), 1, costs(t, words...)}
			if c.times != nil {
				tool.times = c.times[i]
			}
			tools = append(tools, tool)
		}
		from, err := ParseMonth(c.from)
		testkit.Must(t, err)
		to, err := ParseMonth(c.to)
		testkit.Must(t, err)
		testkit.Equal(t, c.what, inWords(newBill(tools, from, to, today)), c.want)
	}
}

func inWords(b Bill) string {
	var words, announced []string
	for _, m := range b.Months {
		word := "?"
		if m.Known {
			word = strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", float64(m.Cents)/100), "0"), ".")
		}
		words = append(words, word)
		if slices.ContainsFunc(m.Lines, func(l BillLine) bool { return l.Announced }) {
			announced = append(announced, m.Month.String())
		}
	}
	for what, list := range map[string][]string{"not monthly:": b.NotMonthly, "freemium:": b.Freemium, "announced:": announced} {
		if len(list) > 0 {
			words = append(append(words, what), list...)
		}
	}
	return strings.Join(words, " ")
}

// The bill of a union is the sum of the bills, twelve months of a yearly price are the year, and each month is the sum
// of its lines.
func TestBill_AddsUp(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(41, 1))
	offers := []string{"0 €/mois", "9,90 €/mois", "24 €/mois", "100 €/an", "199,90 €/an", "0,01 €/an", "5 €/crédit", "freemium 8 €/mois"}
	const today = Date("2026-05-14")
	for range 200 {
		var tools []billed
		for i := range 1 + r.IntN(6) {
			var words []string
			day := Date("2024-01-05").Time()
			for range 1 + r.IntN(5) {
				words = append(words, string(DateOf(day))+" "+offers[r.IntN(len(offers))])
				day = day.AddDate(0, 0, 1+r.IntN(200))
			}
			if r.IntN(3) == 0 {
				words[len(words)-1] = strings.Replace(words[len(words)-1], " ", "/"+string(DateOf(day))+" ", 1)
				words = append(words, "2024-01-05/"+string(DateOf(day)))
			}
			tools = append(tools, billed{string(rune('a' + i)), int64(1 + r.IntN(9)), costs(t, words...)})
		}
		from := Month(12*2024 - 3 + r.IntN(30))
		to := from + Month(r.IntN(MaxBillMonths))
		whole := newBill(tools, from, to, today)
		cut := r.IntN(len(tools) + 1)
		left, right := newBill(tools[:cut], from, to, today), newBill(tools[cut:], from, to, today)
		testkit.Equal(t, "months", len(whole.Months), int(to-from)+1)
		for i, m := range whole.Months {
			var sum int64
			for _, l := range m.Lines {
				sum += l.Cents
			}
			if a, b := left.Months[i], right.Months[i]; m.Cents != sum || m.Cents != a.Cents+b.Cents || len(m.Lines) != len(a.Lines)+len(b.Lines) {
				t.Fatalf("%s costs %d, its lines %d, in two parts %d and %d: %v", m.Month, m.Cents, sum, a.Cents, b.Cents, tools)
			}
		}
		testkit.Equal(t, "not monthly", whole.NotMonthly, union(left.NotMonthly, right.NotMonthly))
		testkit.Equal(t, "freemium", whole.Freemium, union(left.Freemium, right.Freemium))
		yearly, year := Price{r.Int64N(1_000_000), "an"}, int64(0)
		for m := from; m < from+12; m++ {
			cents, _ := yearly.In(m)
			year += cents
		}
		testkit.Equal(t, "twelve months of a year", year, yearly.Cents)
	}
}

func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
