package webhook

import (
	"slices"
	"strings"
	"time"
)

// A Reason says why nothing is delivered to an endpoint, why a delivery ended, or why an attempt
// failed. The zero Reason means that there is none.
type Reason struct {
	Code   ReasonCode
	Detail string // the value in the sentence of the code; "" if it has none
}

// A ReasonCode names a reason. Codes are stored in the database, so the meaning of one must never change.
// Package portal has texts for all of them, package mail for those of endpoints.
type ReasonCode string

// Why an endpoint is not active, or why nothing is delivered to it although it is.
const (
	NotVerified      ReasonCode = "not_verified"      // unverified
	NotPro           ReasonCode = "not_pro"           // paused
	DisabledByOwner  ReasonCode = "disabled_by_owner" // disabled
	InWords          ReasonCode = "in_words"          // disabled; an operator's own words
	AllFailed        ReasonCode = "all_failed"        // disabled; since when
	AnsweredGone     ReasonCode = "answered_gone"     // disabled; when
	SecretUnreadable ReasonCode = "secret_unreadable" // active; its cursor and its deliveries wait, and no attempt counts
)

// Why an attempt failed.
const (
	Answered             ReasonCode = "answered"   // with a status that is no success
	Redirected           ReasonCode = "redirected" // with the status
	TimedOut             ReasonCode = "timed_out"  // after how long
	Interrupted          ReasonCode = "interrupted"
	EventLost            ReasonCode = "event_lost" // its number
	URLNotValid          ReasonCode = "url_not_valid"
	AddressNotPublic     ReasonCode = "address_not_public"
	PortNotAllowed       ReasonCode = "port_not_allowed"
	NetworkNotAllowed    ReasonCode = "network_not_allowed"
	HostNotFound         ReasonCode = "host_not_found"
	HostNotResolved      ReasonCode = "host_not_resolved"
	ConnectionRefused    ReasonCode = "connection_refused"
	ConnectionReset      ReasonCode = "connection_reset"
	NoRoute              ReasonCode = "no_route"
	ConnectTimedOut      ReasonCode = "connect_timed_out"
	NoTLS                ReasonCode = "no_tls"
	HandshakeFailed      ReasonCode = "handshake_failed"
	HeaderTooLarge       ReasonCode = "header_too_large"
	ClosedWithoutAnswer  ReasonCode = "closed_without_answer"
	NotHTTP              ReasonCode = "not_http"
	RequestFailed        ReasonCode = "request_failed"
	CertificateUnknown   ReasonCode = "certificate_unknown"
	CertificateOtherHost ReasonCode = "certificate_other_host"
	CertificateExpired   ReasonCode = "certificate_expired"
	CertificateNotValid  ReasonCode = "certificate_not_valid"
)

// A sentence is a reason in English. The detail replaces %s.
type sentence struct {
	code  ReasonCode
	text  string
	timed bool // the detail is a time
}

var endpointSentences = []sentence{
	{NotVerified, "it has not answered its challenge yet", false},
	{NotPro, "the account is no longer on the Pro plan: webhooks are paused", false},
	{DisabledByOwner, "disabled by its owner", false},
	{InWords, "%s", false},
	{AllFailed, "every attempt has failed since %s", true},
	{AnsweredGone, "the receiver answered 410 Gone at %s", true},
	{
		SecretUnreadable, "its secret cannot be opened: set the PALMARES_SECRET_PREVIOUS that sealed it, " +
			"or palmares webhook rotate; what is published meanwhile waits", false,
	},
}

var attemptSentences = []sentence{
	{Answered, "the receiver answered %s", false},
	{Redirected, "the receiver answered %s: redirects are not followed", false},
	{TimedOut, "timed out after %s", false},
	{Interrupted, "interrupted before there was an answer", false},
	{EventLost, "event %s is not in the log any more", false},
	{URLNotValid, "the URL is not valid", false},
	{AddressNotPublic, "the address is not public", false},
	{PortNotAllowed, "only port 443 is allowed", false},
	{NetworkNotAllowed, "only TCP is allowed", false},
	{HostNotFound, "the host name does not exist", false},
	{HostNotResolved, "the host name could not be resolved", false},
	{ConnectionRefused, "connection refused", false},
	{ConnectionReset, "connection reset", false},
	{NoRoute, "no route to the host", false},
	{ConnectTimedOut, "connecting timed out", false},
	{NoTLS, "the receiver does not speak TLS", false},
	{HandshakeFailed, "the TLS handshake failed", false},
	{HeaderTooLarge, "the header of the answer is larger than 16 KB", false}, // maxHeader
	{ClosedWithoutAnswer, "the connection was closed without an answer", false},
	{NotHTTP, "the answer is not HTTP", false},
	{RequestFailed, "the request failed", false},
	{CertificateUnknown, "certificate signed by an unknown authority", false},
	{CertificateOtherHost, "certificate not valid for the host", false},
	{CertificateExpired, "certificate expired or not valid yet", false},
	{CertificateNotValid, "certificate not valid", false},
}

// sentences has all sentences by code, and longestFirst has them in the order in which ParseReason tries them.
var sentences, longestFirst = func() (map[ReasonCode]sentence, []sentence) {
	all := slices.Concat(endpointSentences, attemptSentences)
	byCode := make(map[ReasonCode]sentence, len(all))
	for _, s := range all {
		byCode[s.code] = s
	}
	slices.SortStableFunc(all, func(a, b sentence) int { return len(b.text) - len(a.text) })
	return byCode, all
}()

// EndpointReasons returns the codes that an endpoint can have.
func EndpointReasons() []ReasonCode { return codesOf(endpointSentences) }

// Reasons returns all codes.
func Reasons() []ReasonCode { return append(EndpointReasons(), codesOf(attemptSentences)...) }

func codesOf(list []sentence) []ReasonCode {
	codes := make([]ReasonCode, len(list))
	for i, s := range list {
		codes[i] = s.code
	}
	return codes
}

// Detailed reports whether reasons of the code have a detail.
func (c ReasonCode) Detailed() bool { return strings.Contains(sentences[c].text, "%s") }

// At returns the detail as a time; ok is false if the detail is not a time.
func (r Reason) At() (at time.Time, ok bool) {
	if !sentences[r.Code].timed {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339, r.Detail)
	return at, err == nil
}

// String returns the reason in English, as commands and exports show it. The database has this text beside
// the code, for programs that know no codes.
func (r Reason) String() string { return strings.Replace(sentences[r.Code].text, "%s", r.Detail, 1) }

// timedReason returns a reason whose detail is a time.
func timedReason(c ReasonCode, at time.Time) Reason {
	return Reason{c, at.UTC().Format(time.RFC3339)}
}

// StoredReason returns the reason stored in a row. A program that knows no codes changes only the text
// and leaves the code as it was, so the code counts only if the text is its own. Any other text is parsed.
func StoredReason(text string, code ReasonCode, detail string) Reason {
	r := Reason{Code: code}
	if code.Detailed() {
		r.Detail = detail
	}
	switch text {
	case "":
		return Reason{}
	case r.String():
		return r
	}
	return parseReason(text)
}

// parseReason returns the reason with this text. Any text that no sentence matches is in an operator's own words.
func parseReason(text string) Reason {
	for _, s := range longestFirst {
		before, after, detailed := strings.Cut(s.text, "%s")
		detail, begins := strings.CutPrefix(text, before)
		detail, ends := strings.CutSuffix(detail, after)
		r := Reason{Code: s.code}
		if detailed {
			r.Detail = detail
		}
		if _, ok := r.At(); begins && ends && (detailed || detail == "") && (ok || !s.timed) {
			return r
		}
	}
	return Reason{InWords, text}
}
