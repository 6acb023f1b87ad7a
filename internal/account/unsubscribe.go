package account

import (
	"encoding/base64"
	"errors"
	"strings"

	"github.com/palmares-hq/palmares/internal/secrets"
)

// ErrNoUnsubscribe says that a token ends no mail.
var ErrNoUnsubscribe = errors.New("this link does not end any mail: it is not complete, or it is too old")

const unsubscribePurpose = "palmares unsubscribe tokens"

// UnsubscribeToken returns the token that ends the mail about an account's usage, and does nothing
// else. It is derived from the service's master secret and holds the account's id: no row is needed
// for it.
func UnsubscribeToken(ring secrets.Ring, accountID string) string {
	mac := ring.Keys(unsubscribePurpose)[0].MAC(accountID)
	return accountID + "." + base64.RawURLEncoding.EncodeToString(mac)
}

// ParseUnsubscribeToken returns the account of a token that was made with one of the master
// secrets, or ErrNoUnsubscribe.
func ParseUnsubscribeToken(ring secrets.Ring, token string) (accountID string, err error) {
	accountID, signature, _ := strings.Cut(token, ".")
	got, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil {
		return "", ErrNoUnsubscribe
	}
	if !ring.Keys(unsubscribePurpose).Made(got, func(k secrets.Key) []byte { return k.MAC(accountID) }) {
		return "", ErrNoUnsubscribe
	}
	return accountID, nil
}
