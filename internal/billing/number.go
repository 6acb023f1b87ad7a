package billing

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

var (
	siren = regexp.MustCompile(`^\d{9}$`)
	// otherNumber matches the number of a business outside the member states, whose form is not known.
	otherNumber = regexp.MustCompile(`^[0-9A-Z./-]{2,30}$`)
)

// vatForms match VAT numbers after their two letters, by country, in the forms that the provider accepts
// (docs.stripe.com/billing/customer/tax-ids). Only the register knows whether a number has been issued.
var vatForms = map[string]*regexp.Regexp{
	"AT": regexp.MustCompile(`^U\d{8}$`), "BE": regexp.MustCompile(`^[01]\d{9}$`), "BG": regexp.MustCompile(`^\d{9,10}$`),
	"CY": regexp.MustCompile(`^\d{8}[A-Z]$`), "CZ": regexp.MustCompile(`^\d{8,10}$`), "DE": regexp.MustCompile(`^\d{9}$`),
	"DK": regexp.MustCompile(`^\d{8}$`), "EE": regexp.MustCompile(`^\d{9}$`), "GR": regexp.MustCompile(`^\d{9}$`),
	"ES": regexp.MustCompile(`^[A-Z0-9]\d{7}[A-Z0-9]$`), "FI": regexp.MustCompile(`^\d{8}$`),
	"FR": regexp.MustCompile(`^[A-HJ-NP-Z0-9]{2}\d{9}$`), "HR": regexp.MustCompile(`^\d{11}$`), "HU": regexp.MustCompile(`^\d{8}$`),
	"IE": regexp.MustCompile(`^\d[A-Z0-9+*]\d{5}[A-Z]{1,2}$`), "IT": regexp.MustCompile(`^\d{11}$`),
	"LT": regexp.MustCompile(`^(\d{9}|\d{12})$`), "LU": regexp.MustCompile(`^\d{8}$`), "LV": regexp.MustCompile(`^\d{11}$`),
	"MT": regexp.MustCompile(`^\d{8}$`), "NL": regexp.MustCompile(`^\d{9}B\d{2}$`), "PL": regexp.MustCompile(`^\d{10}$`),
	"PT": regexp.MustCompile(`^\d{9}$`), "RO": regexp.MustCompile(`^\d{2,10}$`), "SE": regexp.MustCompile(`^\d{12}$`),
	"SI": regexp.MustCompile(`^\d{8}$`), "SK": regexp.MustCompile(`^\d{10}$`),
}

// compact returns a number in upper case without spaces, dots and hyphens.
func compact(number string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '.' || r == '-' {
			return -1
		}
		return unicode.ToUpper(r)
	}, number)
}

// isVATNumber reports whether a number can be a VAT number of the country. Greece's begin with EL, and a French one
// ends with a SIREN.
func isVATNumber(country, number string) bool {
	form, prefix, short := vatForms[country], country, compact(number)
	if country == "GR" {
		prefix = "EL"
	}
	rest, ok := strings.CutPrefix(short, prefix)
	if !ok || form == nil || !form.MatchString(rest) {
		return false
	}
	return country != "FR" || isFrenchVATNumber(rest)
}

// isFrenchVATNumber checks the key and the SIREN of a French VAT number without its FR. A key with letters is not
// checked: it follows another rule, which is not published.
func isFrenchVATNumber(rest string) bool {
	key, err := strconv.Atoi(rest[:2])
	n, bad := strconv.Atoi(rest[2:])
	if bad != nil || !luhn(rest[2:]) {
		return false
	}
	return err != nil || key == (12+3*(n%97))%97 //nolint:mnd // the tax authority's rule
}

// validNumber reports whether a business in the country can have that number. An empty one is valid.
func validNumber(country, number string) bool {
	short := compact(number)
	switch {
	case short == "":
		return true
	case country == "FR" && siren.MatchString(short):
		return luhn(short)
	case inUnion(country):
		return isVATNumber(country, number)
	}
	return otherNumber.MatchString(short)
}

// luhn reports whether the last digit of a number is the check digit of the others, as that of a SIREN is.
func luhn(number string) bool {
	sum := 0
	for i, c := range number {
		d := int(c - '0')
		if (len(number)-i)%2 == 0 {
			if d *= 2; d > 9 { //nolint:mnd // the digits of the double are added up
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}
