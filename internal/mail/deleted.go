package mail

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
