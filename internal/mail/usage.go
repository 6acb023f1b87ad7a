package mail

import (
	"time"

	"github.com/palmares-hq/palmares/internal/locale"
)

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
