package webhook

import (
	"encoding/hex"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// Endpoints whose secrets the program of 16 November 2026 sealed, and its canary, go on being opened.
func TestVectors(t *testing.T) {
	t.Parallel()
	k := keyring(t, "never-shown-0123456789abcdef0123456789")
	sealed, err := hex.DecodeString("01f02034caa28061914f6459e903b9c9966d17115313485485a04117495483bec4fe6d81a8e9e4e281f74c40a2f470a8" +
		"61cbcf2f4375a0a177af5afd98a892ede1116150819dd64e63dac7ae92ae8f")
	testkit.Must(t, err)
	s, err := k.Open(sealed, "ep_vector")
	testkit.Must(t, err)
	testkit.Equal(t, "secret", s.Reveal(), "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
	canary, err := hex.DecodeString("018b8d049e28fcc9ab7f1de4f8ba8a69bd88ed6750f626dbdb8fb3663e7949d3" +
		"13749626bfbe90c66fcc02d38371254f0e9e562d1a6fff4b")
	testkit.Must(t, err)
	if current, ok := k.opensCanary(canary); !current || !ok {
		t.Errorf("the canary is opened: %v, by the current secret: %v", ok, current)
	}
}
