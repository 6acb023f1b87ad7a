// Package mailbox is an SMTP server that delivers nothing. It keeps the latest messages it received, parsed,
// for a developer to read on a page or for a test to examine.
package mailbox
