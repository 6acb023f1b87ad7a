package account_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
)

const (
	alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

	// golden pins the format: keys that people have must go on being read.
	golden = "plm_0123456789ABCDEFGHIJKLMNOPQRST3ulMj6"
)

func TestTheFormOfAKeyIsPinned(t *testing.T) {
	t.Parallel()
	key, err := account.ParseKey(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got := key.Reveal(); got != golden {
		t.Errorf("Reveal: %s", got)
	}
	if got := key.Preview(); got != "plm_0123…" {
		t.Errorf("Preview: %s", got)
	}
	if got := key.Hash(); got != sha256.Sum256([]byte(golden)) {
		t.Errorf("Hash: %x is not the SHA-256 of the text", got)
	}
}

func TestNewKey(t *testing.T) {
	t.Parallel()
	const keys = 20_000
	form := regexp.MustCompile(`^plm_[0-9A-Za-z]{36}$`)
	seen := make(map[string]bool, keys)
	var count [256]int
	for range keys {
		key := account.NewKey()
		text := key.Reveal()
		if !form.MatchString(text) {
			t.Fatalf("%s is not %s", text, form)
		}
		if again, err := account.ParseKey(text); err != nil || again.Hash() != key.Hash() {
			t.Fatalf("%s is not read as itself: %v", text, err)
		}
		if seen[text[4:16]] { // 12 characters are 71 bits: not even those come twice
			t.Fatalf("%s begins as another", text)
		}
		seen[text[4:16]] = true
		for _, c := range []byte(text[4:34]) {
			count[c]++
		}
	}
	// Chi-square, 61 degrees of freedom: over 150 comes once in 10⁹ runs. A plain
	// remainder of a byte would make it some 5,000.
	want := float64(keys*30) / float64(len(alphabet))
	chi := 0.0
	for _, c := range []byte(alphabet) {
		d := float64(count[c]) - want
		chi += d * d / want
	}
	if chi > 150 {
		t.Errorf("some characters are likelier than others: chi-square %.0f", chi)
	}
}

func TestParseKeyRefusesEverySlip(t *testing.T) {
	t.Parallel()
	refused := func(why, s string) {
		t.Helper()
		if got, err := account.ParseKey(s); !errors.Is(err, account.ErrNotKey) || got != (account.Key{}) {
			t.Errorf("%s: %q was read: %v", why, s, err)
		}
	}
	for _, text := range []string{golden, account.NewKey().Reveal(), account.NewKey().Reveal()} {
		for i := range len(text) {
			for _, c := range []byte(alphabet + "_-+/=. \t\n\x00\x7f\x80\xff") {
				if c != text[i] {
					refused(fmt.Sprintf("character %d", i), text[:i]+string([]byte{c})+text[i+1:])
				}
			}
			refused("one left out", text[:i]+text[i+1:])
			refused("one doubled", text[:i+1]+text[i:])
			refused("cut", text[:i])
			if i > 0 && text[i] != text[i-1] {
				refused("two swapped", text[:i-1]+string([]byte{text[i], text[i-1]})+text[i+1:])
			}
		}
		refused("a space before", " "+text)
		refused("a line break after", text+"\n")
		refused("twice", text+text)
		refused("without its prefix", text[4:])
		refused("prefix in capitals", "PLM_"+text[4:])
		refused("all in lower case", strings.ToLower(text))
		refused("an accent of as many bytes", text[:10]+"é"+text[12:])
	}
	refused("nothing", "")
	refused("the prefix alone", "plm_")
	// A checksum that is right does not make up for characters that no key has.
	refused("a hyphen, with its checksum", withChecksum("plm_-123456789ABCDEFGHIJKLMNOPQRST"))
	refused("bytes of any kind, with their checksum", withChecksum("plm_\xff\x00\n456789ABCDEFGHIJKLMNOPQRST"))
	if got := withChecksum(golden[:34]); got != golden {
		t.Fatalf("the test's own checksum is wrong: %s", got)
	}
}

func FuzzParseKey(f *testing.F) {
	for _, s := range []string{golden, golden[:39], golden + "0", "plm_", "", strings.Repeat("é", 20), withChecksum("plm_\xff123456789ABCDEFGHIJKLMNOPQRST"), account.NewKey().Reveal()} {
		f.Add(s)
	}
	form := regexp.MustCompile(`^plm_[0-9A-Za-z]{36}$`)
	f.Fuzz(func(t *testing.T, s string) {
		key, err := account.ParseKey(s)
		if err != nil {
			if !errors.Is(err, account.ErrNotKey) || key != (account.Key{}) || (s != "" && strings.Contains(err.Error(), s) && len(s) > 4) {
				t.Errorf("%q: %v", s, err)
			}
			return
		}
		if key.Reveal() != s || !form.MatchString(s) || withChecksum(s[:34]) != s {
			t.Errorf("%q was read", s)
		}
	})
}

// A key that is only carried along must not end up in a log, however it is printed
// and wherever it stands.
func TestAKeyDoesNotShowItself(t *testing.T) {
	t.Parallel()
	key := account.NewKey()
	hidden := key.Reveal()[8:] // the preview shows what is before
	type exported struct{ Key account.Key }
	type unexported struct{ key account.Key }
	values := map[string]any{
		"key": key, "pointer": &key, "slice": []account.Key{key}, "map": map[string]account.Key{"k": key},
		"as a map's key": map[account.Key]int{key: 1},
		"field":          exported{key}, "pointer to field": &exported{key}, "unexported field": unexported{key}, "deep": []any{&unexported{key}, [1]unexported{{key}}},
		"in an error": fmt.Errorf("the key %v: %w", key, account.ErrNoKey),
	}
	hides := func(how, text string) {
		t.Helper()
		if strings.Contains(text, hidden) || strings.Contains(text, fmt.Sprintf("%x", hidden)) || strings.Contains(text, fmt.Sprintf("%X", hidden)) {
			t.Errorf("%s shows the key: %s", how, text)
		}
	}
	for name, v := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%#q", "%10.50s", "%+q"} {
			hides(verb+" of "+name, fmt.Sprintf(verb, v))
		}
		hides("Sprint of "+name, fmt.Sprint(v))
		if out, err := json.Marshal(v); err == nil {
			hides("JSON of "+name, string(out))
		}
		if out, err := xml.Marshal(v); err == nil {
			hides("XML of "+name, string(out))
		}
		var log bytes.Buffer
		for _, h := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
			slog.New(h).Info("a key", "v", v, slog.Group("g", "v", v))
			slog.New(h).With("v", v).WithGroup("g").Info(fmt.Sprint("a key ", v))
		}
		if log.Len() == 0 {
			t.Fatal("nothing was logged: this proves nothing")
		}
		hides("slog of "+name, log.String())
	}
	for verb, want := range map[string]string{"%v": key.Preview(), "%+v": key.Preview(), "%#v": key.Preview(), "%s": key.Preview(), "%q": `"` + key.Preview() + `"`} {
		if got := fmt.Sprintf(verb, key); got != want {
			t.Errorf("%s: %s, want %s", verb, got, want)
		}
	}
}

func TestTheZeroKeyIsHarmless(t *testing.T) {
	t.Parallel()
	var none account.Key
	if none.Reveal() != "" || none.Preview() != "" || fmt.Sprintf("%v%+v%#v", none, none, none) != "" {
		t.Errorf("it shows %q, %q, %v", none.Reveal(), none.Preview(), none)
	}
	if none.Hash() != sha256.Sum256(nil) {
		t.Error("its hash is that of some text")
	}
}

func TestLooksLikeKey(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		golden: true, golden[:20]: true, " " + golden + "\n": true, "plm_": true,
		"": false, "key_abcdefghijkl": false, "plm": false, "my plm_": false,
	} {
		if got := account.LooksLikeKey(s); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}

// withChecksum ends a text as a key ends: CRC-32 (IEEE) in six digits of base 62,
// worked out bit by bit and apart from the program.
func withChecksum(s string) string {
	crc := ^uint32(0)
	for _, b := range []byte(s) {
		crc ^= uint32(b)
		for range 8 {
			crc = crc>>1 ^ 0xedb88320*(crc&1)
		}
	}
	crc = ^crc
	digits := ""
	for range 6 {
		digits = string(alphabet[crc%62]) + digits
		crc /= 62
	}
	return s + digits
}
