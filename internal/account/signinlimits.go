package account

import (
	"net/netip"
	"strings"
	"time"

	"golang.org/x/net/idna"
)

// Limits of mails that anybody can have sent. None of them refuses a request: mails over them wait,
// but for those to one recipient, of which the last stays valid instead.
const (
	// MailsPerRecipient is how many mails a recipient gets in MailHour, of sign-ins and of changes of
	// address together.
	MailsPerRecipient = 5
	// MailHour is the hour in which mails are counted.
	MailHour = time.Hour

	// MailsPer64, MailsPer56 and MailsPer48 are how many mails a network has sent in MailHour: an IPv4
	// address or an IPv6 /64, and the wider networks that one customer may have.
	MailsPer64 = 20
	MailsPer56 = 4 * MailsPer64
	MailsPer48 = 16 * MailsPer64

	// KnownMailsPerSecond and NewMailsPerSecond are how many mails are released in a second over all
	// nodes, to addresses that have an account and to those that have none.
	KnownMailsPerSecond = 40
	NewMailsPerSecond   = 10

	// MaxMailsQueued is how many released mails may wait for a worker: more would be sent in the
	// order in which they came, not in turns.
	MaxMailsQueued = 20
)

// WrongCodesPerDay is how many wrong codes can be typed for an address in CodeDay. After that its
// links alone sign in.
const (
	WrongCodesPerDay = 10
	CodeDay          = 24 * time.Hour
)

// NewPerIPv4 and the others are how many accounts can be made from a network in SignUpDay. Behind an IPv4 address there may be a
// school, or the customers of a whole provider.
const (
	NewPerIPv4 = 200
	NewPer64   = 20
	NewPer56   = 4 * NewPer64
	NewPer48   = 16 * NewPer64
	SignUpDay  = 24 * time.Hour
)

// widths are the networks that an IPv6 address is counted with, the widest first.
var widths = [...]int{48, 56, 64}

// Networks returns the networks of an address, the widest first. An IPv4 address is its own.
func Networks(addr netip.Addr) (all [len(widths)]string) {
	addr = addr.Unmap().WithZone("")
	for i, bits := range widths {
		if addr.Is4() {
			bits = 32
		}
		if p, err := addr.Prefix(bits); err == nil { // the zero Addr is counted too
			all[i] = p.String()
		}
	}
	return all
}

// recipientOf returns who gets the mail to an address: the address without its +tag and with its
// domain as mail servers know it. A domain that idna refuses stays as it is.
func recipientOf(email string) string {
	at := strings.LastIndexByte(email, '@')
	name, domain := email[:at], strings.ToLower(email[at+1:])
	if tag := strings.IndexByte(name, '+'); tag > 0 {
		name = name[:tag]
	}
	if ascii, err := idna.Lookup.ToASCII(domain); err == nil {
		domain = ascii
	}
	return name + "@" + domain
}
