package account

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// Rows and mails that the program of 16 November 2026 made go on working: links, codes, tokens and
// sealed addresses have the same bytes.
func TestVectors(t *testing.T) {
	t.Parallel()
	const id = "0b6f1c1e-6f5a-4c59-9f0e-1d2c3b4a5968"
	ring := testkit.Ring(t, "never-shown-0123456789abcdef0123456789")
	equal := func(what string, got any, want string) {
		t.Helper()
		testkit.Equal(t, what, fmt.Sprintf("%x", got), want)
	}
	k := newSignInKeys(ring)[0]
	testkit.Equal(t, "token", k.token(id), "hl4RlemKlLAGxukSAFm2b0lYx_gvCvlAxSTJ2ahEE4E")
	testkit.Equal(t, "code", k.code(id), "200970")
	equal("hash of the code", k.codeHash(id, "200970"), "53a2644767cb14fecac1db6967371546f2204b3e569114a7649436d44570b51e")
	equal("hash of a browser", k.browserHash("a cookie"), "8f4eedd9ac05f70eaab009fd979164cde45779ff1104fa2963cb79083c7e713a")
	equal("recipient", k.recipient("ada@example.org"), "52ffc8d42aba674de6ccebf44ce06e3c")
	equal("address", k.address("ada@example.org"), "0b64a81d8c81b042d840393cd89340d2")
	equal("network", k.networksOf(netip.MustParseAddr("192.0.2.7"))[0], "fb9f8dddf0d302a156fa5e48082ec5b4")

	changes := NewEmailChanges(nil, ring, nil)
	old, hash := changeToken(changes.keys[0], id, OldMailbox)
	testkit.Equal(t, "token of the old mailbox", old, "xMSRFGb07_wJ1cyYHYJ4jgyRf1vyFLEbH2LtxbwCYeQ")
	equal("its hash", hash, "31bb2970491382aea023ac8aa26109d0890710e03017d4c6cfa3f92ffb754c37")
	next, hash := changeToken(changes.keys[0], id, NewMailbox)
	testkit.Equal(t, "token of the new mailbox", next, "YCr0yfXGGMeyIwaPXWMVzDky3ks9YBV9PkJJlETH9LM")
	equal("its hash", hash, "5ac1f8bb9ab7f5c660cec3f995df2c77ae54633d0f3134fc3c7d71a237e99c74")

	sealed, err := hex.DecodeString("01a1fbc206eaf7e2ea7604ee20fd4cec9784f8775d3de80caef34258d556239faefade58f1c46cb72602fa9d")
	testkit.Must(t, err)
	email, err := openAddress(addressSeals(ring), sealed, id)
	testkit.Must(t, err)
	testkit.Equal(t, "sealed address", email, "ada@example.org")

	const token = id + ".JuZgqfYx2xOHkbmS6SxGTk_Y6fRmYcd5UX0PqfwTfUk"
	testkit.Equal(t, "token to unsubscribe", UnsubscribeToken(ring, id), token)
	whose, err := ParseUnsubscribeToken(ring, token)
	testkit.Must(t, err)
	testkit.Equal(t, "whose it is", whose, id)
}
