// Package mailbox is an SMTP server that delivers nothing. It keeps the last messages that it was
// given, taken apart for whoever reads them: a developer on a page, or a test.
package mailbox
