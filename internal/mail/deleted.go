package mail

// DeletionNotice is the last message to the owner of an account: it is deleted.
func DeletionNotice(h Header) Message {
	d := h.draft("deleted.subject")
	d.text("deleted.what", h.Service.name())
	d.text("deleted.remains")
	d.text("deleted.again")
	d.small("deleted.not-you")
	return d.message()
}
