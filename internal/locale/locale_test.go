package locale_test

import (
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestForms(t *testing.T) {
	t.Parallel()
	first := time.Date(2026, time.February, 1, 0, 0, 0, 0, time.UTC)
	absent := catalog.Measure{}
	fr, en := locale.French, locale.English
	for _, tc := range []struct{ name, got, want string }{
		{"no group", fr.Integer(999), "999"},
		{"groups", fr.Integer(1234567), "1\u202f234\u202f567"},
		{"English groups", en.Integer(-1234), "\u22121,234"},
		{"a whole score", fr.Measure(catalog.Hundredths(800)), "8,0"},
		{"two decimals", fr.Measure(catalog.Hundredths(724)), "7,2"},
		{"a half", fr.Measure(catalog.Hundredths(725)), "7,3"},
		{"almost ten", fr.Measure(catalog.Hundredths(995)), "10,0"},
		{"an English score", en.Measure(catalog.Hundredths(910)), "9.1"},
		{"no score", fr.Measure(absent), "–"},
		{"nothing", fr.Euros(0), "0\u00a0€"},
		{"cents", fr.Euros(99), "0,99\u00a0€"},
		{"ten cents", fr.Euros(990), "9,90\u00a0€"},
		{"thousands", fr.Euros(499900), "4\u202f999\u00a0€"},
		{"English euros", en.Euros(499950), "€4,999.50"},
		{"a month", fr.Price(catalog.Price{Cents: 2400, Period: "mois"}), "24\u00a0€/mois"},
		{"a month in a sentence", fr.SpokenPrice(catalog.Price{Cents: 2400, Period: "mois"}), "24\u00a0€ par mois"},
		{"an English month", en.Price(catalog.Price{Cents: 2400, Period: "mois"}), "€24/month"},
		{"an English year", en.Price(catalog.Price{Cents: 2400, Period: "an"}), "€24/year"},
		{"a seat", en.Price(catalog.Price{Cents: 1500, Period: "siège"}), "€15/seat"},
		{"a time of the day", fr.Clock(first.Add(9*time.Hour + 2*time.Minute)), "9\u00a0h\u00a002"},
		{"a whole hour", fr.Clock(first), "0\u00a0h"},
		{"an English time", en.Clock(first.Add(9*time.Hour + 2*time.Minute)), "09:02"},
		{"a French seat", fr.Price(catalog.Price{Cents: 1500, Period: "siège"}), "15\u00a0€/siège"},
		{"a period that nobody knows", en.Price(catalog.Price{Cents: 1500, Period: "lune"}), "€15/lune"},
		{"a rise", fr.Percent(17), "+17\u00a0%"},
		{"a fall", fr.Percent(-11), "\u221211\u00a0%"},
		{"as before", en.Percent(0), "0%"},
		{"an English fall", en.Percent(-11), "\u221211%"},
		{"a whole rate", fr.Rate(200), "20\u00a0%"},
		{"half a percent", fr.Rate(255) + ", " + en.Rate(255), "25,5\u00a0%, 25.5%"},
		{"first", fr.Ordinal(1), "1er"},
		{"second", fr.Ordinal(2), "2e"},
		{"English ordinals", en.Ordinal(1) + en.Ordinal(2) + en.Ordinal(3) + en.Ordinal(4), "1st2nd3rd4th"},
		{"the teens", en.Ordinal(11) + en.Ordinal(112) + en.Ordinal(21), "11th112th21st"},
		{"the first of a month", fr.Date(first), "1er\u00a0février 2026"},
		{"an English day", en.Date(first), "1\u00a0February 2026"},
		{"a weekday", fr.FullDate(first), "dimanche 1er\u00a0février 2026"},
		{"a month's name", fr.Month(first) + ", " + fr.ShortMonth(first), "février 2026, févr."},
		{"an English month's name", en.Month(first) + ", " + en.ShortMonth(first), "February 2026, Feb"},
		{"quotation marks", fr.Quoted("a") + en.Quoted("b"), "«\u202fa\u202f»“b”"},
		{
			"typed French", locale.FrenchText("L'outil : « bon » ? 20 €, 5 % !"),
			"L’outil\u00a0: «\u202fbon\u202f»\u202f? 20\u00a0€, 5\u00a0%\u202f!",
		},
		{
			"units", locale.FrenchText("à 11 h 20, 16 Go en 140 ms, 3 séries"),
			"à 11\u00a0h\u00a020, 16\u00a0Go en 140\u00a0ms, 3 séries",
		},
		{
			"numbers", locale.FrenchText("30 jours, 1 500 photos, 1 000 000 lignes, 5 joueurs"),
			"30\u00a0jours, 1\u202f500 photos, 1\u202f000\u202f000 lignes, 5 joueurs",
		},
		{"other spaces", locale.FrenchText("«\u00a0oui\u00a0»\u00a0; non"), "«\u202foui\u202f»\u202f; non"},
		{"typed English", locale.EnglishText(`A "tool" isn't "old".`), "A “tool” isn’t “old”."},
		{"English after code", locale.English.Typeset("'s name"), "’s name"},
		{"one line", locale.OneLine(" a\u00a0:\n\tb\u202f! "), "a\u00a0: b\u202f!"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			testkit.Equal(t, "the text", tc.got, tc.want)
		})
	}
}

func TestOne(t *testing.T) {
	t.Parallel()
	for n, want := range map[int][2]bool{0: {true, false}, 1: {true, true}, 2: {false, false}} {
		testkit.Equal(t, "French", locale.French.One(n), want[0])
		testkit.Equal(t, "English", locale.English.One(n), want[1])
	}
}

// Tables whose names collide are refused: a page would be headed by the text of another.
func TestJoin(t *testing.T) {
	t.Parallel()
	one, other := locale.Texts{"a.title": {"un", "one"}}, locale.Texts{"b.title": {"deux", "two"}}
	testkit.Equal(t, "texts of both", len(locale.Join(one, other)), 2)
	defer func() {
		testkit.Equal(t, "what it says", recover(), any(`two texts have the name "a.title"`))
	}()
	locale.Join(one, other, locale.Texts{"a.title": {"trois", "three"}})
}
