package mail

import (
	"bytes"
	"image"
	"image/png"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	netmail "net/mail"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/testkit"
)

func testLogo(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	testkit.Must(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))))
	return b.Bytes()
}

func signInOf(s Service) Message {
	return SignIn(Header{Service: s, To: "zoe@example.test", ID: "job-7"}, SignInMail{Link: "https://banc.example/", Until: time.Unix(0, 0)})
}

// A mail has the colours of the operator's theme, and none of ours.
func TestLook_Colours(t *testing.T) {
	t.Parallel()
	css := `:root { --paper: #010101; --ink: #fefefe; --mark: #0a0b0c; --on-mark: #f0f1f2 }
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { --paper: #020202; --ink: #fdfdfd } }`
	message := signInOf(Service{Name: "Le Banc", Look: NewLook(css, nil)})
	found := regexp.MustCompile(`#[0-9a-f]{6}`).FindAllString(message.HTML, -1)
	slices.Sort(found)
	testkit.Equal(t, "colours", strings.Join(slices.Compact(found), " "), "#010101 #020202 #0a0b0c #f0f1f2 #fdfdfd #fefefe")
	if strings.Contains(message.HTML, "ZgotmplZ") {
		t.Error("a colour was taken for something else")
	}
}

// A logo stands at the head in its proportions. It travels in the mail: nothing is fetched.
func TestLook_Logo(t *testing.T) {
	t.Parallel()
	logo := testLogo(t, 600, 60)
	service := Service{Name: strings.Repeat("W", 80), Look: NewLook("", logo)}
	m := signInOf(service)
	if want := `<img src="cid:logo" alt="` + service.Name + `" width="240" height="24"`; !strings.Contains(m.HTML, want) {
		t.Errorf("there is no %s:\n%s", want, m.HTML)
	}
	all := send(t, m)
	checkLines(t, all[0].data)
	parts := partsOf(t, all[0].data)
	if got := parts["image/png <logo>"]; got == "" {
		t.Errorf("the logo is not in the mail: %q", slices.Sorted(maps.Keys(parts)))
	}
	if parts["text/plain "] == "" || parts["text/html "] == "" {
		t.Error("a part is missing")
	}
	if broken := signInOf(Service{Name: "Le Banc", Look: NewLook("", []byte("x"))}); broken.Logo != nil || strings.Contains(broken.HTML, "<img") {
		t.Error("a logo that cannot be read is shown")
	}
}

// partsOf are the parts of a message, by their types and ids.
func partsOf(t *testing.T, data []byte) map[string]string {
	t.Helper()
	m, err := netmail.ReadMessage(bytes.NewReader(data))
	testkit.Must(t, err)
	found := map[string]string{}
	var read func(contentType, id string, body io.Reader)
	read = func(contentType, id string, body io.Reader) {
		kind, params, err := mime.ParseMediaType(contentType)
		testkit.Must(t, err)
		if !strings.HasPrefix(kind, "multipart/") {
			text, err := io.ReadAll(body)
			testkit.Must(t, err)
			found[kind+" "+id] = string(text)
			return
		}
		for r := multipart.NewReader(body, params["boundary"]); ; {
			part, err := r.NextRawPart()
			if err == io.EOF {
				return
			}
			testkit.Must(t, err)
			read(part.Header.Get("Content-Type"), part.Header.Get("Content-Id"), part)
		}
	}
	read(m.Header.Get("Content-Type"), "", m.Body)
	return found
}
