package account

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"golang.org/x/net/idna"

	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/secrets"
)

// Limits of the mails that anybody can cause. They refuse no request: mails beyond them wait, except
// those beyond MailsPerRecipient, which are not sent: the last one that was sent stays valid instead.
const (
	// MailsPerRecipient is how many mails a recipient gets in MailHour, of sign-ins and of changes of
	// address together.
	MailsPerRecipient = 5
	// MailHour is the hour in which mails are counted.
	MailHour = time.Hour

	// MailsPer64, MailsPer56 and MailsPer48 are how many mails a network may cause in MailHour: an
	// IPv4 address or an IPv6 /64, and the wider networks that one customer may have.
	MailsPer64 = 20
	MailsPer56 = 4 * MailsPer64
	MailsPer48 = 16 * MailsPer64

	// KnownMailsPerSecond and NewMailsPerSecond are how many mails all nodes together release in a
	// second, to addresses with an account and to those without.
	KnownMailsPerSecond = 40
	NewMailsPerSecond   = 10

	// MaxMailsQueued is how many released mails may wait for a worker: more would be sent in the
	// order of arrival, not in turns between networks.
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

// recipientOf returns the mailbox that gets the mail to an address: without its +tag, and with the
// domain in ASCII. A domain that idna refuses stays unchanged.
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

// signInKeys derive the token and the code of a sign-in from its id and one master secret, with a
// key for each purpose. The job that sends the mail derives them again, so that no row and no job
// holds them.
type signInKeys struct {
	tokens, codes secrets.Key // these make the token and the code
	codeHashes    secrets.Key // this hashes codes, of which there are too few for a plain hash
	browsers      secrets.Key // this hashes the cookies of browsers
	recipients    secrets.Key // and these the mailboxes, addresses and networks that are counted
	addresses     secrets.Key
	networks      secrets.Key
}

// newSignInKeys derives the keys of each master secret, the current one first.
func newSignInKeys(ring secrets.Ring) (all []signInKeys) {
	derive := func(purpose string) secrets.Keys { return ring.Keys("palmares sign-in " + purpose) }
	tokens, codes, codeHashes, browsers := derive("tokens"), derive("codes"), derive("code hashes"), derive("browsers")
	recipients, addresses, networks := derive("recipients"), derive("addresses"), derive("networks")
	for i := range tokens {
		all = append(all, signInKeys{
			tokens[i], codes[i], codeHashes[i], browsers[i], recipients[i], addresses[i], networks[i],
		})
	}
	return all
}

// token returns the token of a sign-in.
func (k signInKeys) token(id string) string {
	return base64.RawURLEncoding.EncodeToString(k.tokens.MAC(id))
}

// code returns the code of a sign-in: six digits.
func (k signInKeys) code(id string) string {
	// 2^64 is so much more than a million that all codes are practically equally likely.
	return fmt.Sprintf("%06d", binary.BigEndian.Uint64(k.codes.MAC(id))%1_000_000)
}

// codeHash returns the stored form of a code. It is useless without its sign-in.
func (k signInKeys) codeHash(id, code string) []byte { return k.codeHashes.MAC(id + " " + code) }

// browserHash returns the stored form of a browser's cookie.
func (k signInKeys) browserHash(cookie string) []byte { return k.browsers.MAC(cookie) }

// recipient returns the pseudonym of an address's mailbox.
func (k signInKeys) recipient(email string) []byte {
	return short(k.recipients.MAC(recipientOf(email)))
}

// address returns the pseudonym of an address.
func (k signInKeys) address(email string) []byte { return short(k.addresses.MAC(email)) }

// networksOf returns the pseudonyms of an address's networks, the widest first.
func (k signInKeys) networksOf(from netip.Addr) (all [limit.Widths][]byte) {
	for i, network := range limit.Networks(from) {
		all[i] = short(k.networks.MAC(network))
	}
	return all
}

// short truncates a hash to as many bytes as distinguish subjects.
func short(hash []byte) []byte { return hash[:16] }
