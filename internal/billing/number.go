package billing

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

var (
	siren = regexp.MustCompile(`^\d{9}$`)
	// vatNumber is a VAT number of a member state as VIES takes it: the country, and up to 12 letters and
	// digits. Whether there is such a number is the provider's to find out.
	vatNumber = regexp.MustCompile(`^([A-Z]{2})[0-9A-Z+*]{2,12}$`)
	// otherNumber is that of a business elsewhere, of which nothing is known.
	otherNumber = regexp.MustCompile(`^[0-9A-Z./-]{2,30}$`)
)

// compact writes a number without what people put between its digits.
func compact(number string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '.' || r == '-' {
			return -1
		}
		return unicode.ToUpper(r)
	}, number)
}

// isVATNumber reports whether a number is a VAT number of the country. Greece's begin with EL.
func isVATNumber(country, number string) bool {
	if !slices.Contains(Countries(), country) {
		return false
	}
	if country == "GR" {
		country = "EL"
	}
	found := vatNumber.FindStringSubmatch(compact(number))
	return found != nil && found[1] == country
}

// validNumber reports whether a business in the country can have that number. None is fine.
func validNumber(country, number string) bool {
	short := compact(number)
	switch {
	case short == "":
		return true
	case country == "FR" && siren.MatchString(short):
		return luhn(short)
	case slices.Contains(Countries(), country):
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
