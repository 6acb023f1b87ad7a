package site

import (
	"net/http"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/web"
)

// securityDays is how long security.txt holds. It must be less than a year (RFC 9116, section 2.5.5).
const securityDays = 180

// rawSecurity is security.txt: whom to tell of a vulnerability (RFC 9116). It changes with the day, as
// all of an edition does. Without a contact there is none; one that is no https address is none.
func rawSecurity(r *request) (string, []byte, error) {
	contact := r.Operator(r.Snapshot, r.contact).Contact.Href
	if !strings.HasPrefix(contact, "mailto:") && !strings.HasPrefix(contact, "https://") {
		return "", nil, web.Errorf(http.StatusNotFound, "the operator of this site has named no contact")
	}
	b := &linesWriter{}
	b.line("Contact: ", contact)
	b.line("Expires: ", r.today.Time().AddDate(0, 0, securityDays).Format(time.RFC3339))
	b.line("Preferred-Languages: fr, en")
	b.line("Canonical: ", r.base(), r.path("security", ""))
	return textType, []byte(b.text.String()), nil
}
