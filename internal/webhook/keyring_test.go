package webhook

import (
	"bytes"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

func keyring(t *testing.T, master string) *Keyring {
	t.Helper()
	return NewKeyring(testkit.Ring(t, master))
}

const master = "0123456789abcdef0123456789abcdef"

func TestKeyring(t *testing.T) {
	t.Parallel()
	b, s := keyring(t, master), NewSecret()
	sealed := b.Seal(s, "ep_a")
	for _, same := range []*Keyring{b, keyring(t, master)} {
		got, err := same.Open(sealed, "ep_a")
		if err != nil || got.Reveal() != s.Reveal() {
			t.Errorf("opened as %q: %v", got.Reveal(), err)
		}
	}
	if sealed[0] != 1 {
		t.Errorf("version %d", sealed[0])
	}
	if bytes.Contains(sealed, []byte(s.Reveal()[6:])) {
		t.Error("the secret is readable")
	}
	if bytes.Equal(sealed, b.Seal(s, "ep_a")) {
		t.Error("two seals are the same: the nonce does not change")
	}
}

func TestKeyring_OpensNothingElse(t *testing.T) {
	t.Parallel()
	b := keyring(t, master)
	sealed := b.Seal(NewSecret(), "ep_a")
	refused := func(why string, b *Keyring, sealed []byte, endpoint string) {
		t.Helper()
		if s, err := b.Open(sealed, endpoint); !errors.Is(err, ErrSealed) || s != (Secret{}) {
			t.Errorf("%s: opened: %v", why, err)
		}
	}
	refused("another endpoint", b, sealed, "ep_b")
	refused("no endpoint", b, sealed, "")
	refused("another master", keyring(t, master+"x"), sealed, "ep_a")
	refused("nothing", b, nil, "ep_a")
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		refused("a changed bit", b, changed, "ep_a")
		refused("cut", b, sealed[:i], "ep_a")
	}
}

// What is in a database must go on being opened.
func TestKeyring_IsPinned(t *testing.T) {
	t.Parallel()
	sealed, err := hex.DecodeString("01d3e8df63a28880785cf7a874d59d1e48f828075fb786cd90fe9783aa467e248f218086b1ac9bc3d8681b021d3d69576f239f601578c89d5dbe1036797256ace3cbde")
	testkit.Must(t, err)
	s, err := keyring(t, master).Open(sealed, "ep_0123456789abcdef")
	if err != nil || s.Reveal() != knownSecret {
		t.Errorf("%q: %v", s.Reveal(), err)
	}
}
