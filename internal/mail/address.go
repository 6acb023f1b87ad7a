package mail

import "time"

// EmailChangeOld asks the current address of an account to confirm the move to a new one.
func EmailChangeOld(h Header, newEmail, link string, until time.Time) Message {
	d := h.draft("address.old-subject")
	d.text("address.old-asked", h.Service.name())
	d.facts(d.fact("address.new", newEmail))
	d.text("address.old-open")
	d.button("address.old-confirm", link)
	d.text("address.old-both", d.time(until))
	d.small("address.old-not-you")
	return d.message()
}

// EmailChangeNew asks the new address of an account to confirm the move. It does not name the current one,
// which must not reach a stranger if the new address was mistyped.
func EmailChangeNew(h Header, link string, until time.Time) Message {
	d := h.draft("address.new-subject")
	d.text("address.new-asked", h.Service.name())
	d.button("address.new-confirm", link)
	d.text("address.new-both", d.time(until))
	d.small("address.new-not-you")
	return d.message()
}
