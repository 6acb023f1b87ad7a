package billing

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/locale"
)

// The most characters that fields of Details may have. The provider accepts 150 for a business name and 140 for a
// reference.
const (
	maxName      = 150
	maxLine      = 200
	maxCity      = 100
	maxPostcode  = 20
	maxReference = 100
)

// clean returns the details with superfluous spaces removed, the number compacted and the country in upper case.
func (d Details) clean() Details {
	for _, part := range []*string{&d.Name, &d.Line1, &d.Line2, &d.Postcode, &d.City, &d.Region, &d.Reference} {
		*part = strings.Join(strings.Fields(*part), " ")
	}
	d.Number, d.Country, d.Email = compact(d.Number), strings.ToUpper(strings.TrimSpace(d.Country)), strings.TrimSpace(d.Email)
	return d
}

// faults returns what is wrong with details that were cleaned, in the order of the page.
func (d Details) faults() (faults []Fault) {
	add := func(fault Fault, is bool) {
		if is {
			faults = append(faults, fault)
		}
	}
	add(FaultName, d.Name == "" || !isLine(d.Name, maxName))
	faults = append(faults, d.placeFaults()...)
	add(FaultSIREN, d.Country == "FR" && d.Number == "")
	add(FaultAddress, d.Line1 == "" || !isLine(d.Line1, maxLine) || !isLine(d.Line2, maxLine))
	add(FaultCity, d.City == "" || !isLine(d.City, maxCity) || !isLine(d.Region, maxCity))
	if d.Email != "" {
		_, err := account.ParseEmail(d.Email)
		add(FaultEmail, err != nil)
	}
	add(FaultReference, !isLine(d.Reference, maxReference))
	return faults
}

// placeFaults returns the faults in the fields that the tax depends on: country, postcode and number.
func (d Details) placeFaults() (faults []Fault) {
	_, unsold := NotSoldTo(d.Country, d.Postcode)
	switch {
	case !locale.IsCountry(d.Country):
		faults = append(faults, FaultCountry)
	case unsold:
		faults = append(faults, FaultPlace)
	case NeedsPostcode(d.Country) && digits(d.Postcode) == "" || !isLine(d.Postcode, maxPostcode):
		faults = append(faults, FaultPostcode)
	}
	if !validNumber(d.Country, d.Number) {
		faults = append(faults, FaultNumber)
	}
	return faults
}

// isLine reports whether a text of at most that many characters can be printed on one line of an invoice.
func isLine(s string, most int) bool {
	return utf8.ValidString(s) && utf8.RuneCountInString(s) <= most && !strings.ContainsFunc(s, unicode.IsControl)
}

// VATNumber returns the number if it is a VAT number of the country; "" otherwise.
func (d Details) VATNumber() string {
	if !isVATNumber(d.Country, d.Number) {
		return ""
	}
	return compact(d.Number)
}

// SIREN returns the SIREN of a French business, also when its Number is the VAT number, which ends with it; "" for
// any other business.
func (d Details) SIREN() string {
	number := compact(d.Number)
	if d.Country != "FR" || len(number) < 9 {
		return ""
	}
	return number[len(number)-9:]
}

// OtherNumber returns the number if it is neither a SIREN nor a VAT number; "" otherwise.
func (d Details) OtherNumber() string {
	if d.SIREN() != "" || d.VATNumber() != "" {
		return ""
	}
	return d.Number
}
