package publish_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/publish"
)

// A price begins on the day that its since says, also when that is written later. It must be after the beginning of the price
// before, and a new price needs a day of its own or none.
func TestSince(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 2)
	published := func(price, since string, correct ...string) error {
		t.Helper()
		d.now = d.now.AddDate(0, 0, 1)
		if since != "" {
			price += "\nsince: " + since
		}
		d.tool("outil-0", price)
		_, err := d.run(publish.Options{Correct: correct})
		return err
	}
	refused := func(what string, err error, says string) {
		t.Helper()
		var faults *publish.FaultsError
		if !errors.As(err, &faults) || !strings.Contains(fmt.Sprint(faults.Faults), says) {
			t.Errorf("%s: %v, want a fault that says %q", what, err, says)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(published("10 €/mois", ""))           // 2 March
	must(published("12 €/mois", ""))           // 3 March
	must(published("12 €/mois", "2026-03-03")) // the day that it has is after 2 March
	refused("a day before the price before", published("14 €/mois", "2026-03-03"), "since is still 2026-03-03")
	refused("not after", published("14 €/mois", "2026-03-02"), "since 2026-03-02 is not after 2026-03-03")
	must(published("14 €/mois", "2026-03-04"))
	refused("moved too far", published("14 €/mois", "2026-03-03"), "is not after 2026-03-03")
	must(published("15 €/mois", "2026-03-04", "outil-0")) // a correction leaves the day
	must(published("16 €/mois", ""))

	feed, err := d.db.Catalog.Feed(t.Context())
	must(err)
	defer feed.Close()
	delta, err := feed.Since(t.Context(), catalog.Edition{})
	must(err)
	list, _ := catalog.Empty().Apply(delta).Intervals("outil-0")
	got := ""
	for _, i := range list {
		if i.Field == catalog.PriceHistory {
			got += fmt.Sprintf("%s %s/%s %s %t\n", i.Price, i.From, i.Until, i.Basis, i.Corrected)
		}
	}
	if want := "16 €/mois 2026-03-10/ published false\n15 €/mois 2026-03-04/2026-03-10 stated true\n" +
		"12 €/mois 2026-03-03/2026-03-04 stated false\n10 €/mois 2026-03-02/2026-03-03 published false\n"; got != want {
		t.Errorf("the history is\n%swant\n%s", got, want)
	}
}
