package mail

import "time"

// EmailChangeOld asks the present address of an account to confirm that the account moves to
// another.
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

// EmailChangeNew asks the address that an account is to have to confirm it. It does not name the
// present one, which is nobody's business if the new one was mistyped.
func EmailChangeNew(h Header, link string, until time.Time) Message {
	d := h.draft("address.new-subject")
	d.text("address.new-asked", h.Service.name())
	d.button("address.new-confirm", link)
	d.text("address.new-both", d.time(until))
	d.small("address.new-not-you")
	return d.message()
}
