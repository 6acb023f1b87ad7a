package stripefake

import "regexp"

// vatNumbers are the forms of VAT numbers, by their prefix: https://docs.stripe.com/billing/customer/tax-ids
// has an example of each, and the Commission's list the form.
var vatNumbers = map[string]*regexp.Regexp{
	"AT": regexp.MustCompile(`^U\d{8}$`), "BE": regexp.MustCompile(`^[01]\d{9}$`), "BG": regexp.MustCompile(`^\d{9,10}$`),
	"CY": regexp.MustCompile(`^\d{8}[A-Z]$`), "CZ": regexp.MustCompile(`^\d{8,10}$`), "DE": regexp.MustCompile(`^\d{9}$`),
	"DK": regexp.MustCompile(`^\d{8}$`), "EE": regexp.MustCompile(`^\d{9}$`), "EL": regexp.MustCompile(`^\d{9}$`),
	"ES": regexp.MustCompile(`^[A-Z0-9]\d{7}[A-Z0-9]$`), "FI": regexp.MustCompile(`^\d{8}$`),
	"FR": regexp.MustCompile(`^[A-HJ-NP-Z0-9]{2}\d{9}$`), "HR": regexp.MustCompile(`^\d{11}$`), "HU": regexp.MustCompile(`^\d{8}$`),
	"IE": regexp.MustCompile(`^\d[A-Z0-9+*]\d{5}[A-Z]{1,2}$`), "IT": regexp.MustCompile(`^\d{11}$`),
	"LT": regexp.MustCompile(`^(\d{9}|\d{12})$`), "LU": regexp.MustCompile(`^\d{8}$`), "LV": regexp.MustCompile(`^\d{11}$`),
	"MT": regexp.MustCompile(`^\d{8}$`), "NL": regexp.MustCompile(`^\d{9}B\d{2}$`), "PL": regexp.MustCompile(`^\d{10}$`),
	"PT": regexp.MustCompile(`^\d{9}$`), "RO": regexp.MustCompile(`^\d{2,10}$`), "SE": regexp.MustCompile(`^\d{12}$`),
	"SI": regexp.MustCompile(`^\d{8}$`), "SK": regexp.MustCompile(`^\d{10}$`), "XI": regexp.MustCompile(`^(\d{9}|\d{12}|(GD|HA)\d{3})$`),
}

// checkVATNumber returns the fault of a number that has not the form of its country's. Whether anybody has the
// number is asked later: https://docs.stripe.com/error-codes#tax-id-invalid
func checkVATNumber(value string) error {
	prefix := value[:min(2, len(value))]
	if form := vatNumbers[prefix]; form == nil || !form.MatchString(value[2:]) {
		return invalid("value", "tax_id_invalid", "Invalid value for eu_vat.")
	}
	return nil
}
