package stripe

import (
	"errors"
	"strings"
)

// errOtherMode says that an answer is about a sandbox although the key is a live one, or the other way round.
var errOtherMode = errors.New("the answer is of the other mode than the key")

// IsTest reports whether a key belongs to a sandbox (https://docs.stripe.com/keys).
func IsTest(key string) bool {
	return strings.HasPrefix(key, "sk_test_") || strings.HasPrefix(key, "rk_test_")
}

// isLive reports whether a key is a live one.
func isLive(key string) bool {
	return strings.HasPrefix(key, "sk_live_") || strings.HasPrefix(key, "rk_live_")
}

// sameMode returns errOtherMode for an object of the other mode than the key's: a payment in one mode counts
// for nothing in the other. A key whose prefix names no mode is not checked.
func (c *Client) sameMode(live bool) error {
	if live && IsTest(c.key) || !live && isLive(c.key) {
		return errOtherMode
	}
	return nil
}
