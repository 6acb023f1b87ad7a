// Package mail composes the messages that the service sends to people, and submits them to the operator's
// SMTP server. Begin with SignIn, the message of a sign-in, and Sender.Send.
//
// Send makes one attempt; the caller retries, unless the error is Permanent. Whether a message may be sent, and
// which links it has, is up to package workers. The only text from a stranger that a message can contain is an
// address.
//
// Read the files in this order:
//
//	look.go, message.go      what is sent
//	server.go, sender.go     how it is sent
//	render.go                the two parts of a message: text and HTML
//	mail_texts.go, draft.go: what messages say, in both languages, and how one is composed
//	signin.go, address.go, disabled.go, pro.go, document.go, difference.go, vat.go, report.go, digest.go: the
//	messages themselves
package mail
