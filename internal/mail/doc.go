// Package mail writes the messages that the service sends to people, and hands them
// to the operator's SMTP server. Sending is an attempt: to try again is the caller's,
// who asks Permanent whether there is a point in it.
package mail
