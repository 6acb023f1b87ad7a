package mail

import (
	"time"

	"github.com/palmares-hq/palmares/internal/locale"
)

// A SignInMail is what the message of a sign-in says.
type SignInMail struct {
	Link  string
	Code  string    // six digits; "" after too many wrong codes
	Until time.Time // when both expire
	Last  bool      // no other mail is sent before Until
}

// SignIn composes the message to sign in with: a link for the browser that asked, and a code of six digits to
// type into it. The code is not in the subject, because subjects are shown on locked screens and written into
// the logs of mail servers.
func SignIn(h Header, m SignInMail) Message {
	d := h.draft("sign-in.subject", h.Service.name())
	d.text("sign-in.open")
	d.button("sign-in.button", m.Link)
	with := "sign-in.link."
	if m.Code != "" {
		with = "sign-in.code."
	}
	d.text(with + "use")
	if m.Code != "" {
		d.add(block{Code: m.typed()})
	}
	if m.Last {
		d.text(with+"last", d.clock(m.Until))
	} else {
		d.text(with+"until", d.clock(m.Until))
	}
	d.small(with + "not-you")
	return d.message()
}

// typed returns the code in two groups of three digits, which are easier to type.
func (m SignInMail) typed() string {
	if len(m.Code) == 6 {
		return m.Code[:3] + " " + m.Code[3:]
	}
	return m.Code
}

// DeletionNotice is the last message to the owner of an account: it was deleted. With ordered, it says that
// orders are kept.
func DeletionNotice(h Header, ordered bool) Message {
	d := h.draft("deleted.subject")
	d.text("deleted.what", h.Service.name())
	d.text("deleted.remains")
	if ordered {
		d.text("deleted.order")
	}
	d.text("deleted.again")
	d.small("deleted.not-you")
	return d.message()
}

// A Usage is how much of a day's quota an account has used.
type Usage struct {
	Percent     int // the threshold reached: 80 or 100
	Used, Limit int
	Resets      time.Time
	Link        string // the URL of the usage page
	Unsubscribe string // the URL that unsubscribes from these messages
}

// UsageNotice tells the owner of an account that its daily quota is nearly or fully used.
func UsageNotice(h Header, u Usage) Message {
	d := u.begin(h)
	d.facts(
		d.fact("usage.requests", d.Must("usage.of", d.Integer(u.Used), d.Integer(u.Limit))),
		d.fact("usage.resets", d.Must("usage.at", d.time(u.Resets))),
	)
	if u.Percent >= 100 {
		d.text("usage.full-advice")
	} else {
		d.text("usage.near-advice")
	}
	d.text("usage.details")
	d.button("usage.button", u.Link)
	d.add(block{
		Text: d.Must("usage.how-often"), Small: true, Label: d.Must("usage.unsubscribe"), Link: u.Unsubscribe,
	})
	m := d.message()
	m.Unsubscribe = u.Unsubscribe
	return m
}

// begin starts the message: its subject, and how much is used.
func (u Usage) begin(h Header) *draft {
	if u.Percent >= 100 {
		d := h.draft("usage.full-subject")
		d.text("usage.full", h.Service.name())
		return d
	}
	percent := locale.Tagged(h.Language).Rate(10 * u.Percent)
	d := h.draft("usage.near-subject", percent)
	d.text("usage.near", h.Service.name(), percent)
	return d
}
