package catalog

// A License is one under which the operator gives the data away, by its name at SPDX. The zero License is none:
// the credit line alone is the condition of use.
type License string

// The licences that ask for a credit line and for nothing else.
const (
	Etalab License = "etalab-2.0"
	CCBY   License = "CC-BY-4.0"
)

// Licenses lists them.
func Licenses() []License { return []License{Etalab, CCBY} }

// Title is its full name; "" for none.
func (l License) Title() string {
	switch l {
	case Etalab:
		return "Licence Ouverte / Open Licence 2.0"
	case CCBY:
		return "Creative Commons Attribution 4.0"
	}
	return ""
}

// URL is where its text is; "" for none.
func (l License) URL() string {
	switch l {
	case Etalab:
		return "https://spdx.org/licenses/etalab-2.0.html"
	case CCBY:
		return "https://creativecommons.org/licenses/by/4.0/"
	}
	return ""
}
