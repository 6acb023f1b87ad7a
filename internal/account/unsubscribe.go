package account

import (
	"encoding/base64"
	"errors"
	"strings"

	"github.com/palmares-hq/palmares/internal/secrets"
)

// ErrNoUnsubscribe says that a token ends no mail.
var ErrNoUnsubscribe = errors.New("this link does not end any mail: it is not complete, or it is too old")

// UnsubscribeToken returns the token that ends the mail about an account's usage, and does nothing
// else. It is derived from the service's master secret and holds the account's id: no row is needed
// for it.
func UnsubscribeToken(master []byte, accountID string) string {
	return accountID + "." + base64.RawURLEncoding.EncodeToString(unsubscribeMAC(master, accountID))
}

// ParseUnsubscribeToken returns the account of a token that was made with one of the master
// secrets, or ErrNoUnsubscribe.
func ParseUnsubscribeToken(token string, masters ...[]byte) (accountID string, err error) {
	accountID, signature, _ := strings.Cut(token, ".")
	got, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil {
		return "", ErrNoUnsubscribe
	}
	for _, master := range masters {
		if secrets.Equal(got, unsubscribeMAC(master, accountID)) {
			return accountID, nil
		}
	}
	return "", ErrNoUnsubscribe
}

func unsubscribeMAC(master []byte, accountID string) []byte {
	return secrets.Derive(master, "palmares unsubscribe tokens").MAC(accountID)
}
