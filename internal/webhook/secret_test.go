package webhook

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// The example of the specification's own reference libraries.
const knownSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func secret(t *testing.T, text string) Secret {
	t.Helper()
	s, err := ParseSecret(text)
	testkit.Must(t, err)
	return s
}

func TestNewSecret(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^whsec_[A-Za-z0-9+/]{43}=$`)
	seen := map[string]bool{}
	for range 1000 {
		text := NewSecret().Reveal()
		if !form.MatchString(text) || seen[text] {
			t.Fatalf("%s: of another form, or the second time", text)
		}
		seen[text] = true
		if again := secret(t, text); again.Reveal() != text {
			t.Fatalf("%s is read as %s", text, again.Reveal())
		}
	}
}

func TestParseSecretRefuses(t *testing.T) {
	t.Parallel()
	of := func(n int) string {
		return secretPrefix + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0xfb}, n))
	}
	for _, n := range []int{24, 25, 26, 32, 64} {
		secret(t, of(n))
	}
	whole := of(32)
	for _, text := range []string{
		"", "whsec_", of(23), of(65), of(0), whole[:len(whole)-1], whole + "=", whole + "\n", " " + whole,
		whole[:20] + "\n" + whole[20:], strings.TrimPrefix(whole, "whsec_"), "WHSEC_" + whole[6:], "whsec_" + whole,
		strings.ReplaceAll(whole, "+", "-"), whole[:len(whole)-2] + "/=", // stray bits at the end
	} {
		if s, err := ParseSecret(text); !errors.Is(err, ErrNotSecret) || s != (Secret{}) {
			t.Errorf("%q was read: %v", text, err)
		}
	}
}

func TestASecretDoesNotShowItself(t *testing.T) {
	t.Parallel()
	s := NewSecret()
	type holder struct {
		Shown  Secret
		hidden Secret
		list   []Secret
	}
	h := holder{s, s, []Secret{s}}
	var printed bytes.Buffer
	for _, v := range []any{s, &s, h, &h, []Secret{s}, map[string]Secret{"a": s}, Message{Secrets: []Secret{s}}, fmt.Errorf("sending: %v", s)} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			fmt.Fprintf(&printed, verb+"\n", v)
		}
		slog.New(slog.NewJSONHandler(&printed, nil)).Info("x", "v", v)
		slog.New(slog.NewTextHandler(&printed, nil)).Info("x", "v", v)
		if b, err := json.Marshal(v); err == nil {
			printed.Write(b)
		}
	}
	key := strings.TrimPrefix(s.Reveal(), secretPrefix)
	raw, _ := base64.StdEncoding.DecodeString(key)
	for _, spelling := range []string{key, string(raw), fmt.Sprintf("%x", key), fmt.Sprintf("%x", s.Reveal()), fmt.Sprintf("%d", raw)} {
		if strings.Contains(printed.String(), spelling) {
			t.Errorf("the secret shows as %q in\n%s", spelling, printed.String())
		}
	}
	if s.String() != "whsec_…" || (Secret{}).String() != "" || (Secret{}).Reveal() != "" {
		t.Errorf("%q %q", s, Secret{})
	}
}

func TestSign(t *testing.T) {
	t.Parallel()
	got := Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`), secret(t, knownSecret))
	testkit.Equal(t, "the example of the specification", got, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")

	old, current, other := NewSecret(), NewSecret(), NewSecret()
	id, at, body := NewDeliveryID(), time.Now(), []byte(`{"type":"tool.updated","data":{"é":1}}`)
	verifies := func(s Secret, id string, at time.Time, body []byte, signature string) bool {
		w, err := standardwebhooks.NewWebhook(s.Reveal())
		testkit.Must(t, err)
		return w.Verify(body, http.Header{
			"Webhook-Id": {id}, "Webhook-Timestamp": {strconv.FormatInt(at.Unix(), 10)}, "Webhook-Signature": {signature},
		}) == nil
	}
	for name, tt := range map[string]struct {
		secrets []Secret
		by      Secret
		want    bool
	}{
		"one secret":               {[]Secret{current}, current, true},
		"one secret, another's":    {[]Secret{current}, other, false},
		"two secrets, the new one": {[]Secret{current, old}, current, true},
		"two secrets, the old one": {[]Secret{current, old}, old, true},
		"two secrets, neither":     {[]Secret{current, old}, other, false},
		"none":                     {nil, current, false},
		"a secret that is not one": {[]Secret{{}}, current, false},
	} {
		signature := Sign(id, at, body, tt.secrets...)
		testkit.Equal(t, name, verifies(tt.by, id, at, body, signature), tt.want)
		if verifies(tt.by, id+"x", at, body, signature) || verifies(tt.by, id, at.Add(time.Second), body, signature) ||
			verifies(tt.by, id, at, append([]byte(" "), body...), signature) {
			t.Errorf("%s: another message has the same signature", name)
		}
	}
	testkit.Equal(t, "signatures", len(strings.Fields(Sign(id, at, body, current, old))), 2)
	testkit.Equal(t, "without a secret", Sign(id, at, body, Secret{}), "")
}
