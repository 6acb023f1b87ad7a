package account

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/palmares-hq/palmares/internal/secrets"
)

// signInKeys derive what belongs to a sign-in from its id and one master secret, with a key for
// each purpose. The job that sends the mail makes the token and the code again, so that no row and
// no job holds them.
type signInKeys struct {
	tokens, codes secrets.Key // these make the token and the code
	codeHashes    secrets.Key // this hashes codes, of which there are too few for a plain hash
	browsers      secrets.Key // this hashes the cookies of browsers
	recipients    secrets.Key // and these the mailboxes, addresses and networks that are counted
	addresses     secrets.Key
	networks      secrets.Key
}

// newSignInKeys derives the keys of each secret, those of the current one first.
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
	// Of 2^64 numbers, a million is so small a part that all codes are equally likely.
	return fmt.Sprintf("%06d", binary.BigEndian.Uint64(k.codes.MAC(id))%1_000_000)
}

// codeHash returns what to store of a code. It is worth something with its sign-in only.
func (k signInKeys) codeHash(id, code string) []byte { return k.codeHashes.MAC(id + " " + code) }

// browserHash returns what to store of the cookie of a browser.
func (k signInKeys) browserHash(cookie string) []byte { return k.browsers.MAC(cookie) }

// recipient returns what stands for the mailbox of an address.
func (k signInKeys) recipient(email string) []byte {
	return short(k.recipients.MAC(recipientOf(email)))
}

// address returns what stands for an address.
func (k signInKeys) address(email string) []byte { return short(k.addresses.MAC(email)) }

// networksOf returns what stands for the networks of an address, the widest first.
func (k signInKeys) networksOf(from netip.Addr) (all [len(widths)][]byte) {
	for i, network := range Networks(from) {
		all[i] = short(k.networks.MAC(network))
	}
	return all
}

// short is as much of a hash as it takes to tell one subject from another.
func short(hash []byte) []byte { return hash[:16] }
