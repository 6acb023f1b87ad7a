package machine

import (
	"net/http"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/web"
)

// securityDays is how long security.txt holds. It must be less than a year (RFC 9116, section 2.5.5).
const securityDays = 180

// Security is security.txt: whom to tell of a vulnerability (RFC 9116). It changes with the day, as
// all of an edition does. Without a contact there is none; one that is no https address is none.
func Security(v *view.View) (*view.File, error) {
	contact := v.Operator().Contact.Href
	if !strings.HasPrefix(contact, "mailto:") && !strings.HasPrefix(contact, "https://") {
		return nil, web.Errorf(http.StatusNotFound, "the operator of this site has named no contact")
	}
	b := &view.Lines{}
	b.Line("Contact: ", contact)
	b.Line("Expires: ", v.Figures.Today.Time().AddDate(0, 0, securityDays).Format(time.RFC3339))
	b.Line("Preferred-Languages: fr, en")
	b.Line("Canonical: ", v.Base(), v.Path(address.Security))
	return b.File(view.PlainType), nil
}
