package secrets_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/secrets"
	"github.com/palmares-hq/palmares/internal/testkit"
)

const (
	master = "never-shown-0123456789abcdef0123456789"
	label  = "0b6f1c1e-6f5a-4c59-9f0e-1d2c3b4a5968"
)

func ring(t *testing.T, current string, previous ...string) secrets.Ring {
	t.Helper()
	var before [][]byte
	for _, p := range previous {
		before = append(before, []byte(p))
	}
	r, err := secrets.New([]byte(current), before...)
	testkit.Must(t, err)
	return r
}

// What is in databases, mails and cookies was made with these keys, in this format, by the program of
// 16 November 2026 and those before it. It must go on being recognized and opened.
func TestVectors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ purpose, text, mac string }{
		{"palmares sign-in browsers", "a cookie", "8f4eedd9ac05f70eaab009fd979164cde45779ff1104fa2963cb79083c7e713a"},
		{
			"palmares sign-in code hashes", label + " 200970",
			"53a2644767cb14fecac1db6967371546f2204b3e569114a7649436d44570b51e",
		},
	} {
		if got := hex.EncodeToString(ring(t, master).Keys(tt.purpose)[0].MAC(tt.text)); got != tt.mac {
			t.Errorf("the MAC of %q for %s is %s", tt.text, tt.purpose, got)
		}
	}
	for _, tt := range []struct{ purpose, label, sealed, text string }{
		{
			"palmares farewell addresses", label,
			"01a1fbc206eaf7e2ea7604ee20fd4cec9784f8775d3de80caef34258d556239faefade58f1c46cb72602fa9d", "ada@example.org",
		},
		{
			"palmares webhook secrets", "canary",
			"018b8d049e28fcc9ab7f1de4f8ba8a69bd88ed6750f626dbdb8fb3663e7949d313749626bfbe90c66fcc02d38371254f0e9e562d1a6fff4b",
			"the secret of this database",
		},
	} {
		sealed, err := hex.DecodeString(tt.sealed)
		testkit.Must(t, err)
		text, current, err := ring(t, master).Seals(tt.purpose).Open(sealed, tt.label)
		if err != nil || text != tt.text || !current {
			t.Errorf("%s opens as %q, by the current secret: %v, %v", tt.purpose, text, current, err)
		}
	}
}

// A ring makes with the current secret, and knows what the one before made.
func TestRing_KnowsThePreviousSecret(t *testing.T) {
	t.Parallel()
	next := strings.Repeat("next", 8)
	before, during, after := ring(t, master, ""), ring(t, next, master), ring(t, next)

	sealed := before.Seals("p").Seal("text", label)
	if text, current, err := during.Seals("p").Open(sealed, label); text != "text" || current || err != nil {
		t.Errorf("opened as %q, by the current secret: %v, %v", text, current, err)
	}
	again := during.Seals("p").Seal("text", label)
	if _, current, err := after.Seals("p").Open(again, label); !current || err != nil {
		t.Errorf("what was sealed last is opened by the current secret: %v, %v", current, err)
	}
	if _, _, err := after.Seals("p").Open(sealed, label); !errors.Is(err, secrets.ErrSealed) {
		t.Errorf("a secret that is gone: %v", err)
	}

	mac := func(k secrets.Key) []byte { return k.MAC("text")[:16] }
	made := mac(before.Keys("p")[0])
	for name, tt := range map[string]struct {
		r    secrets.Ring
		want bool
	}{"before": {before, true}, "during": {during, true}, "after": {after, false}} {
		if got := tt.r.Keys("p").Made(made, mac); got != tt.want {
			t.Errorf("%s the change the MAC is known: %v", name, got)
		}
	}
	if during.Keys("p").Made(made[:15], mac) || during.Keys("p").Made(nil, mac) || during.Keys("q").Made(made, mac) {
		t.Error("a part of a MAC, none, or one of another purpose is known")
	}
	if bytes.Equal(mac(during.Keys("p")[0]), made) {
		t.Error("the previous secret makes something new")
	}
}

func TestSeals_OpenNothingElse(t *testing.T) {
	t.Parallel()
	s := ring(t, master).Seals("p")
	sealed := s.Seal("text", label)
	wrong := map[string]secrets.Seals{"another secret": ring(t, master+"x").Seals("p"), "another purpose": ring(t, master).Seals("q")}
	for why, other := range wrong {
		if _, _, err := other.Open(sealed, label); !errors.Is(err, secrets.ErrSealed) {
			t.Errorf("%s: %v", why, err)
		}
	}
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		for _, bad := range [][]byte{changed, sealed[:i]} {
			if _, _, err := s.Open(bad, label); !errors.Is(err, secrets.ErrSealed) {
				t.Errorf("changed or cut at %d: %v", i, err)
			}
		}
	}
	if _, _, err := s.Open(sealed, label+" "); !errors.Is(err, secrets.ErrSealed) {
		t.Errorf("another label: %v", err)
	}
	if bytes.Equal(sealed, s.Seal("text", label)) {
		t.Error("two seals are the same: the nonce does not change")
	}
}

func TestNew_WantsLongSecrets(t *testing.T) {
	t.Parallel()
	long, short := make([]byte, secrets.MinLength), make([]byte, secrets.MinLength-1)
	for _, masters := range [][][]byte{{short}, {nil}, {long, short}} {
		if _, err := secrets.New(masters[0], masters[1:]...); err == nil {
			t.Errorf("%d secrets, one of them short, will do", len(masters))
		}
	}
}
