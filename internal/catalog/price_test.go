package catalog_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	. "github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// priceForm is the pattern of schemas/tool.schema.json.
var priceForm = regexp.MustCompile(`^(0|[1-9][0-9]{0,6})(,[0-9]{2})? €/[a-zà-öø-ÿœ]{1,20}$`)

// Every text that differs from a price by one edit is read exactly when the schema takes it.
func TestParsePrice_ReadsWhatTheSchemaTakes(t *testing.T) {
	t.Parallel()
	texts := []string{
		"0 €/mois", "20 €/mois", "199,90 €/an", "0,50 €/siège", "1234567 €/œuvre", "12345678 €/an",
		"007 €/an", "1 €/" + strings.Repeat("é", 20), "1 €/" + strings.Repeat("é", 21), "1 €/a÷b", "1 €/",
	}
	letters := []rune("0129,. €/-+aàéöøÿœ÷ßþZ\u00a0\n")
	random := rand.New(rand.NewPCG(5, 6))
	read := 0
	for range 20_000 {
		text := []rune(texts[random.IntN(6)])
		i, letter := random.IntN(len(text)), letters[random.IntN(len(letters))]
		switch random.IntN(3) {
		case 0:
			text[i] = letter
		case 1:
			text = append(text[:i], text[i+1:]...)
		case 2:
			text = append(text[:i], append([]rune{letter}, text[i:]...)...)
		}
		texts = append(texts, string(text))
	}
	for _, s := range texts {
		p, ok := ParsePrice(s)
		if ok != priceForm.MatchString(s) {
			t.Errorf("ParsePrice(%q) = %v, %t", s, p, ok)
		}
		if !ok {
			continue
		}
		read++
		if again, ok := ParsePrice(p.String()); again != p || !ok {
			t.Errorf("%q is %v, written %q, which is read as %v", s, p, p.String(), again)
		}
		if written := p.String(); written != strings.Replace(s, ",00 ", " ", 1) {
			t.Errorf("%q is written %q", s, written)
		}
	}
	if read < 1000 {
		t.Errorf("only %d of %d texts are prices", read, len(texts))
	}
}

func TestPrice_Yearly(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Price{
		"20 €/mois": {24_000, "an"}, "199,90 €/an": {19_990, "an"}, "0 €/mois": {0, "an"}, "9,05 €/siège": {905, "siège"},
	} {
		p, _ := ParsePrice(text)
		testkit.Equal(t, text, p.Yearly(), want)
	}
}

func TestPriceSteps_OldestFirstUpToTheCurrentPrice(t *testing.T) {
	t.Parallel()
	x := catalogtest.Tool("a", catalogtest.Priced(Paid, "24 €/mois"))
	testkit.Equal(t, "without a history", x.PriceSteps(), []PriceStep{{"", Paid, Price{2400, "mois"}}})
	x.History = []PriceChange{
		{ChangedAt: "2026-10-06", OldPricing: Paid, OldPrice: "27 €/mois", NewPricing: Paid, NewPrice: "24 €/mois"},
		{ChangedAt: "2026-04-14", OldPricing: Free, OldPrice: "0 €/mois", NewPricing: Paid, NewPrice: "27 €/mois"},
	}
	testkit.Equal(t, "with a history", x.PriceSteps(), []PriceStep{
		{"", Free, Price{0, "mois"}}, {"2026-04-14", Paid, Price{2700, "mois"}}, {"2026-10-06", Paid, Price{2400, "mois"}},
	})
}

// Both ways, and not from or to what is free: 0 has no multiple.
func TestPrice_Jumps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"20 €/mois", "100 €/mois", false},
		{"20 €/mois", "100,01 €/mois", true},
		{"20 €/mois", "240 €/an", false},
		{"20 €/mois", "1200,01 €/an", true},
		{"0 €/mois", "900 €/mois", false},
		{"20 €/mois", "900 €/siège", false},
		{"20 €/siège", "900 €/siège", true},
	} {
		a, _ := ParsePrice(c.a)
		b, _ := ParsePrice(c.b)
		if a.Jumps(b) != c.want || b.Jumps(a) != c.want {
			t.Errorf("%s to %s: %t, back: %t, want %t", a, b, a.Jumps(b), b.Jumps(a), c.want)
		}
	}
}

// Every period that is known is one that a price may have, once, and has a name in English.
func TestPeriods(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range Periods() {
		if _, ok := ParsePrice("1 €/" + p.Name); !ok || seen[p.Name] || p.English == "" || PeriodInEnglish(p.Name) != p.English {
			t.Errorf("%+v", p)
		}
		seen[p.Name] = true
	}
	if got := PeriodInEnglish("lune"); got != "" {
		t.Errorf("a period that nobody knows is %q in English", got)
	}
}
