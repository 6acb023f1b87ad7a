package account

import "fmt"

// A Language is the language of an account's pages and mail.
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

// Settings are what owners choose about their account. Exports and the command line show the fields
// by the same names and in this order.
type Settings struct {
	Language      Language `json:"language"`       // of pages and mail
	MailUsage     bool     `json:"mail_usage"`     // mail about 80 % and 100 % of the quota
	MailEndpoints bool     `json:"mail_endpoints"` // mail about endpoints that were disabled
}

// A Switch is a setting that is on or off. It has the name of its field in exports and of its column.
type Switch string

// The switches. The name of one about mail begins with "mail_".
const (
	UsageMail    Switch = "mail_usage"
	EndpointMail Switch = "mail_endpoints"
)

// A switchRow says of a switch where it is, and what the log has of a change.
type switchRow struct {
	action Action
	of     func(*Settings) *bool
}

var switches = map[Switch]switchRow{
	UsageMail:    {MailChanged, func(s *Settings) *bool { return &s.MailUsage }},
	EndpointMail: {MailChanged, func(s *Settings) *bool { return &s.MailEndpoints }},
}

// Switches returns every switch, in the order of the page of settings.
func Switches() []Switch { return []Switch{UsageMail, EndpointMail} }

// Switch returns where the value of a switch is; nil for a switch that there is not.
func (s *Settings) Switch(name Switch) *bool {
	if row, known := switches[name]; known {
		return row.of(s)
	}
	return nil
}

// Action returns what the log of an account has when the switch was turned; "" for a switch that there is not.
func (s Switch) Action() Action { return switches[s].action }
