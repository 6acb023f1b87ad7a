package billing

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// What is missing of the numbers before ( ), within and after a span, in the order in which documents became final.
func TestNumbers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ numbers, missing string }{
		{"", ""},
		{"A-7", ""}, // nothing is known of those before
		{"(A-6) A-8", "A-7"},
		{"(A-3) (A-6) A-7", ""}, // 4 and 5 are missing in another span
		{"A-1 A-3 A-2", ""},     // within a second
		{"(A-3) A-2 A-4", ""},
		{"A-1 A-9 (A-5)", "A-2 to A-4, A-6 to A-8"}, // final after the span
		{"A-1 A-9 A-2 A-8", "A-3 to A-7"},
		{"A-1 A-3 (A-9)", "A-2"}, // 4 to 8 are missing in another span
		{"A-0008 A-0010 B-2 B-4", "A-0009, B-3"},
		{"A-9998 A-10001", "A-9999 to A-10000"},
		{"A-0001-CN-01 A-0001-CN-03", "A-0001-CN-02"},
		{"draft  A-99999999999999999999", ""}, // by hand
	} {
		n := make(numbers)
		for number := range strings.SplitSeq(tt.numbers, " ") {
			bare := strings.Trim(number, "()")
			n.add(Document{Kind: InvoiceDocument, Number: bare}, bare == number)
		}
		if got := strings.Join(n.missing(), ", "); got != tt.missing {
			t.Errorf("%s: %q is missing, want %q", tt.numbers, got, tt.missing)
		}
	}
}

func TestDocument_Rate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		country  string
		net, vat int64
		want     int
	}{
		{"FR", 9900, 1980, 200},
		{"FI", 9900, 2525, 255},
		{"DE", 9900, 0, 0},
		{"FR", 0, 0, 0},
		{"DE", 9900, 1980, 200}, // of a small seller in France
		{"FR", 3, 1, 200},
		{"FR", -1568, -313, 200},
		{"DE", 9900, 693, 70},
		{"US", 9900, 812, 82},
		{"", 10000, 2000, 200},
	} {
		if got := (Document{Country: tt.country, Net: tt.net, VAT: tt.vat}).rate("FR"); got != tt.want {
			t.Errorf("%s, %d and %d: %d, want %d", tt.country, tt.net, tt.vat, got, tt.want)
		}
	}
}

// Every seller there can be has a time zone.
func TestZones(t *testing.T) {
	t.Parallel()
	var wrong []string
	for _, country := range Countries() {
		if _, err := time.LoadLocation(zones[country]); err != nil || zones[country] == "" {
			wrong = append(wrong, fmt.Sprint(country, err))
		}
	}
	if wrong != nil || len(zones) != len(Countries()) {
		t.Errorf("%d zones; wrong are %v", len(zones), slices.Sorted(slices.Values(wrong)))
	}
}
