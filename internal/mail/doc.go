// Package mail composes the messages that the service sends to people and submits them to the
// operator's SMTP server. Send makes one attempt; the caller retries, unless the error is
// Permanent.
package mail
