package mail

import (
	"time"

	"github.com/palmares-hq/palmares/internal/locale"
)

// A SignInMail is what the message of a sign-in says.
type SignInMail struct {
	Link  string
	Code  string    // six digits; "" where too many wrong ones were typed
	Until time.Time // when both expire
	Last  bool      // no other is sent until then
}

// SignIn is the message by which somebody signs in: a link for the browser that asked, and a code
// of six digits to type into it. The code is not in the subject: that is shown on locked screens
// and written into the logs of mail servers.
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

// typed is the code as it is easily typed.
func (m SignInMail) typed() string {
	if len(m.Code) == 6 {
		return m.Code[:3] + " " + m.Code[3:]
	}
	return m.Code
}

// DeletionNotice is the last message to the owner of an account: it is deleted. What was ordered is kept.
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

// A Usage is what an account has used of the requests that it has for a day.
type Usage struct {
	Percent     int // that it has reached: 80 or 100
	Used, Limit int
	Resets      time.Time
	Link        string // to the page that shows it
	Unsubscribe string // ends such messages
}

// UsageNotice tells the owner of an account that it is near the limit of a day, or at it.
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

// begin says how much is used.
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
