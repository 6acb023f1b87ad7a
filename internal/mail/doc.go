// Package mail composes the messages that the service sends to people and submits them to the
// operator's SMTP server. Send makes one attempt; the caller retries, unless the error is
// Permanent. Nothing that a stranger typed is in a message but an address.
//
// Read message.go (what is sent), writer.go (the two parts of a letter), letter.go (what letters
// have in common), server.go and sender.go (how they are sent), then the letters themselves:
// signin.go, address.go, usage.go, disabled.go, pro.go, farewell.go.
package mail
