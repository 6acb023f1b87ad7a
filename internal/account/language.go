package account

import "fmt"

// A Language is that of the pages and the mail of an account.
type Language string

// The languages of the service.
const (
	French  Language = "fr"
	English Language = "en"
)

// ParseLanguage parses the code of a language.
func ParseLanguage(s string) (Language, error) {
	switch l := Language(s); l {
	case French, English:
		return l, nil
	default:
		return "", fmt.Errorf("%q is not a language of the service: it is fr or en", s)
	}
}
