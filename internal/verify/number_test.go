package verify

import (
	"fmt"
	"strings"
	"testing"
)

func TestSaysPrice(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{ // the amounts that it has of those below
		"20 €": "20", "20€": "20", "€20": "20", "€ 20": "20", "20,00 €": "20", "20.00 EUR": "20", "EUR 20": "20", "eur20": "20", "20EUR": "20",
		"€ 20.00": "20", "20 euros": "20", "20 Euro": "20", "20,0 €": "20", "20\u00a0€": "20", "20\u202f€": "20", "20 €/mois": "20", "(20 €)": "20",
		"20,- €": "20", "20.– €": "20", "dès 20 €.": "20", "€20, puis": "20", "-20 €": "20", "10-20 €": "20", "3x20 €": "20", "20\n€": "20",
		"2025 : 20 €": "20", "12 20 €": "20", "€20 12": "20", "€20 2025": "20", "20 € 1200 €": "20 1200", "€20 €1,200": "20 1200",
		"1200 €": "1200", "1 200 €": "1200", "1.200 €": "1200", "1,200 €": "1200", "1'200 €": "1200", "1’200 €": "1200", "€1,200.00": "1200",
		"1.200,00 €": "1200", "1 200,00 €": "1200", "1\u202f200 €": "1200", "€1 200": "1200", "EUR 1.200": "1200", "3 1 200 €": "1200", "2024 1 200 €": "1200",
		"19,99 €": "19.99", "€19.99": "19.99", "19€99": "19.99", "19 €99": "19.99", "19.99EUR": "19.99", "€19,99/mois": "19.99",
		"20€99": "", "120 €": "", "€120": "", "20,50 €": "", "€20.50": "", "200 €": "", "€200": "", "1 020 €": "", "€20 000": "", "20.000 €": "",
		"0,20 €": "", ".20 €": "", "020 €": "", "€020": "", "20": "", "$20": "", "20 %": "", "20 £": "", "20 k€": "", "€20k": "", "€20M": "", "20 Europe": "",
		"20 européens": "", "neur20": "", "20 jours, €": "", "1.2.20 €": "", "20,00,00 €": "", "20.0000 €": "", "1 20,5 €": "", "€": "", "eur": "", "20 eurl": "",
		"20\u200b0 €": "", "2\u00ad0 €": "20",
	} {
		var has []string
		for _, c := range []struct {
			name  string
			cents int64
		}{{"20", 2000}, {"1200", 120000}, {"19.99", 1999}} {
			if saysPrice(plainText(text), c.cents) {
				has = append(has, c.name)
			}
		}
		if got := strings.Join(has, " "); got != want {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}

func TestSaysNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"8.7": "8.7", "8,7": "8.7", "8,70": "8.7", "(8.7/10)": "8.7", "note 8.7.": "8.7", "8.7, 9": "8.7 9", "9.0": "9", "9,00": "9", "9": "9", "9/10": "9",
		"88.7": "", "8.75": "", "18,7": "", "8.7.1": "", "v8.7": "", "8.7k": "", "1'8.7": "", "90": "", "9.1": "", "0.9": "", "": "",
	} {
		var has []string
		for _, n := range []string{"8.7", "9"} {
			if saysNumber(plainText(text), n) {
				has = append(has, n)
			}
		}
		if got := strings.Join(has, " "); got != want {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}

func TestSaysDate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"2024-03-01": true, "2024-03-01T10:00": true, "01/03/2024": true, "1/3/2024": true, "01.03.2024": true, "2024/03/01": true, "1er mars 2024": true,
		"le 1 mars 2024,": true, "1 MARS 2024": true, "March 1, 2024": true, "March 1st, 2024": true, "1 March 2024": true, "1st of March 2024": true,
		"Mar 1 2024": true, "Mar. 1, 2024": true, "vendredi 1er\u00a0mars\n2024": true,
		"03/01/2024": false, "2024-03-011": false, "12024-03-01": false, "11 mars 2024": false, "1 mai 2024": false, "March 11, 2024": false, "1 mars 20241": false,
		"mars 2024": false, "2024-03-02": false, "1 mars": false,
	} {
		if got := saysDate("2024-03-01")(plainText(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	for month, text := range []string{
		"janv. 2024", "févr. 2024", "Mars 2024", "avril 2024", "may 2024", "Jun. 2024", "juil. 2024", "AOÛT 2024", "Sept 2024", "oct. 2024", "novembre 2024", "déc. 2024",
	} {
		if !saysDate(dayOf(month + 1))(plainText("28 " + text)) {
			t.Errorf("%q is not in month %d", text, month+1)
		}
	}
}

// FuzzSaysPrice holds that every spelling of an amount is found wherever it stands by itself, and no spelling of another is
// taken for it; and that no page brings the search down.
func FuzzSaysPrice(f *testing.F) {
	f.Add("à partir de ", int64(2000), uint8(0), " par mois")
	f.Add("", int64(0), uint8(3), "")
	f.Add("1 ", int64(120050), uint8(7), " 000")
	f.Add("€ 20 €", int64(1), uint8(11), "€")
	f.Fuzz(func(t *testing.T, before string, cents int64, form uint8, after string) {
		page := plainText(before + after)
		saysPrice(page, cents)
		saysFree(page)
		saysNumber(page, "8.7")
		saysText(page, fold(before))
		if cents < 0 || cents > 999_999_999 {
			return
		}
		text := spell(cents, form)
		words := func(s string) string { // without what could be a part of a number or of a currency
			return strings.Map(func(r rune) rune {
				if r >= 'f' && r <= 'j' || r == ' ' {
					return r
				}
				return -1
			}, s)
		}
		page = plainText("x " + words(before) + " x\n" + text + "\nx " + words(after) + " x")
		if !saysPrice(page, cents) {
			t.Errorf("%q has no %d", page, cents)
		}
		if saysPrice(page, cents+100) || saysPrice(page, cents*10+1) {
			t.Errorf("%q has more than %d", page, cents)
		}
	})
}

// spell writes an amount in one of the ways of pages.
func spell(cents int64, form uint8) string {
	whole, rest := fmt.Sprint(cents/100), ""
	point := []string{",", "."}[form%2]
	if between := []string{"", " ", "\u202f", []string{".", ","}[form%2]}[form/2%4]; between != "" {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + between + whole[i:]
		}
	}
	if form/8%2 == 0 || cents%100 != 0 {
		rest = fmt.Sprintf("%s%02d", point, cents%100)
	}
	amount := whole + rest
	return []string{amount + " €", amount + "€", "€" + amount, "€ " + amount, amount + " EUR", "EUR " + amount, amount + "\u00a0euros", "eur" + amount}[form/16%8]
}

// FuzzReadPage holds that no page brings reading it down, whatever its type and encoding, and that texts are of the form that
// searches want.
func FuzzReadPage(f *testing.F) {
	f.Add("text/html; charset=utf-8", []byte("<p>20 <b>€</b><script>x</script>"))
	f.Add("text/html", []byte("<meta charset=windows-1252>20 \x80<template><template></template>"))
	f.Add("text/plain; charset=utf-16le", []byte{'2', 0, '0', 0})
	f.Add("application/json", []byte(`{"a":["20 €",1e9,{"b":null}]}`))
	f.Add("text/markdown", []byte("\xff\xfe€"))
	f.Fuzz(func(t *testing.T, header string, data []byte) {
		p, _ := readPage(header, data, false)
		for _, text := range p.texts {
			if strings.Contains(text, "  ") || strings.Contains(text, "\n\n") || strings.ContainsAny(text, "\u00a0\u202f\u200b\t\r\x00") {
				t.Errorf("%q", text)
			}
		}
		p.unread()
	})
}
