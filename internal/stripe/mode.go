package stripe

import (
	"errors"
	"strings"
)

// errOtherMode says that Stripe answered about a sandbox where the key is a live one, or the other way round.
var errOtherMode = errors.New("the answer is of the other mode than the key")

// IsTest reports whether a key is one of a sandbox (https://docs.stripe.com/keys).
func IsTest(key string) bool {
	return strings.HasPrefix(key, "sk_test_") || strings.HasPrefix(key, "rk_test_")
}

// isLive reports whether a key is a live one.
func isLive(key string) bool {
	return strings.HasPrefix(key, "sk_live_") || strings.HasPrefix(key, "rk_live_")
}

// sameMode returns errOtherMode for an object that is not of the key's mode: what was paid there is not
// paid here. A key that says neither is taken at its word.
func (c *Client) sameMode(live bool) error {
	if live && IsTest(c.key) || !live && isLive(c.key) {
		return errOtherMode
	}
	return nil
}
