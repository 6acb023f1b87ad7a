package mail

import (
	"bytes"
	"io"
	"mime"
	"mime/quotedprintable"
	netmail "net/mail"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// checkLines checks that a message can travel anywhere: ASCII, in lines of at most 78 characters
// that end in CRLF.
func checkLines(t *testing.T, data []byte) {
	t.Helper()
	for line := range bytes.Lines(data) {
		text, ended := bytes.CutSuffix(line, []byte("\r\n"))
		ascii := bytes.IndexFunc(text, func(r rune) bool { return r >= 0x80 }) < 0
		if !ended || !ascii || len(text) > 78 || bytes.ContainsAny(text, "\r\n") {
			t.Errorf("a line is not fit for mail: %q", line)
		}
	}
}

// parse parses a received message of plain text.
func parse(t *testing.T, data []byte) (netmail.Header, string) {
	t.Helper()
	checkLines(t, data)
	m, err := netmail.ReadMessage(bytes.NewReader(data))
	testkit.Must(t, err)
	testkit.Equal(t, "encoding", m.Header.Get("Content-Transfer-Encoding"), "quoted-printable")
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	testkit.Must(t, err)
	return m.Header, strings.ReplaceAll(string(body), "\r\n", "\n")
}

// send sends messages through a server and returns what it received.
func send(t *testing.T, messages ...Message) []received {
	t.Helper()
	p := (&mailServer{}).start(t)
	s := newSender(t, "smtp://"+p.addr)
	for _, m := range messages {
		testkit.Must(t, s.Send(t.Context(), m))
	}
	return p.all()
}

func TestSend_Message(t *testing.T) {
	t.Parallel()
	m := Message{
		To:      `"Zoé, the reader" <zoe@example.test>`,
		Subject: "Votre point d’accès à été désactivé : " + strings.Repeat("très long, ", 20) + "日本",
		Text:    "Ça marche.\n.\n.. a dot begins a line\n\n" + strings.Repeat("é", 3000) + "\nFrom the end   \n",
		ID:      "endpoint-disabled-ep_1.2",
	}
	broken, again, other := message(), message(), message()
	broken.Text, other.ID = "it said: \xff\xfe\n", "job-8"
	all := send(t, m, broken, again, other)
	if len(all) != 4 || all[0].from != "noreply@palmares.test" || all[0].to != "zoe@example.test" {
		t.Fatalf("received %+v", all)
	}
	header, text := parse(t, all[0].data)
	testkit.Equal(t, "text", text, m.Text)
	for name, want := range map[string]string{
		"Message-Id":     "<endpoint-disabled-ep_1.2@palmares.test>",
		"Date":           "Sun, 15 Nov 2026 09:30:00 +0000",
		"Auto-Submitted": "auto-generated",
		"Content-Type":   "text/plain; charset=UTF-8",
		"Mime-Version":   "1.0",
		"User-Agent":     "", // nobody needs to know what sends
		"X-Mailer":       "",
	} {
		testkit.Equal(t, name, header.Get(name), want)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(header.Get("Subject"))
	if err != nil || subject != m.Subject {
		t.Errorf("the subject is %q (%v), want %q", subject, err, m.Subject)
	}
	for name, want := range map[string]netmail.Address{
		"From": {Name: "Palmarès", Address: "noreply@palmares.test"},
		"To":   {Name: "Zoé, the reader", Address: "zoe@example.test"},
	} {
		list, err := header.AddressList(name)
		if err != nil || len(list) != 1 || *list[0] != want {
			t.Errorf("%s is %v, %v", name, list, err)
		}
	}
	// Invalid UTF-8 is replaced, and the Message-ID depends on the ID alone.
	header, text = parse(t, all[1].data)
	testkit.Equal(t, "invalid UTF-8", text, "it said: \uFFFD\n")
	for i, want := range map[int]bool{2: true, 3: false} {
		if h, _ := parse(t, all[i].data); (h.Get("Message-Id") == header.Get("Message-Id")) != want {
			t.Errorf("message %d has the Message-ID %s", i, h.Get("Message-Id"))
		}
	}
}

func TestSend_RejectsHeaderInjection(t *testing.T) {
	t.Parallel()
	s := newSender(t, "smtp://"+(&mailServer{}).start(t).addr)
	for name, change := range map[string]func(*Message){
		"to with CRLF":             func(m *Message) { m.To = "zoe@example.test\r\nBcc: eve@example.test" },
		"to with LF":               func(m *Message) { m.To = "zoe@example.test\nBcc: eve@example.test" },
		"to's name with CRLF":      func(m *Message) { m.To = "\"Zoe\r\n Bcc: eve@example.test\" <zoe@example.test>" },
		"to with CR":               func(m *Message) { m.To = "zoe@example.test\r" },
		"two recipients":           func(m *Message) { m.To = "zoe@example.test, eve@example.test" },
		"a command in the address": func(m *Message) { m.To = "zoe@example.test>\r\nRCPT TO:<eve@example.test" },
		"no recipient":             func(m *Message) { m.To = "" },
		"subject with CRLF":        func(m *Message) { m.Subject = "Hello\r\nBcc: eve@example.test" },
		"subject with LF":          func(m *Message) { m.Subject = "Hello\n\nanother body" },
		"subject with CR":          func(m *Message) { m.Subject = "Hello\rBcc: eve@example.test" },
		"subject with NUL":         func(m *Message) { m.Subject = "Hello\x00" },
		"subject without end":      func(m *Message) { m.Subject = strings.Repeat("x", 1000) },
		"id with CRLF":             func(m *Message) { m.ID = "7>\r\nBcc: <eve@example.test" },
		"id with LF at its end":    func(m *Message) { m.ID = "7\n" },
		"id with a bracket":        func(m *Message) { m.ID = "7>" },
		"id with an at":            func(m *Message) { m.ID = "7@elsewhere" },
		"no id":                    func(m *Message) { m.ID = "" },
		"unsubscribe with CRLF":    func(m *Message) { m.Unsubscribe = "https://a.test/\r\nBcc: eve@example.test" },
		"unsubscribe with a space": func(m *Message) { m.Unsubscribe = "https://a.test/ b" },
		"unsubscribe at two links": func(m *Message) { m.Unsubscribe = "https://a.test/>,<https://b.test/" },
		"unsubscribe by mail":      func(m *Message) { m.Unsubscribe = "mailto:eve@example.test" },
		"unsubscribe without end":  func(m *Message) { m.Unsubscribe = "https://a.test/" + strings.Repeat("x", 900) },
	} {
		m := message()
		change(&m)
		err := s.Send(t.Context(), m)
		if !Permanent(err) || strings.Contains(err.Error(), "zoe@") || strings.Contains(err.Error(), "eve@") {
			t.Errorf("%s: got %v, want a permanent error that names no address", name, err)
		}
		if strings.HasPrefix(name, "to with") && !strings.Contains(err.Error(), "a line break") {
			t.Errorf("%s: rejected for another reason: %v", name, err)
		}
	}
	// What an address may contain is quoted or encoded, and stays in it.
	quoted, encoded := message(), message()
	quoted.To = `"zoe> SIZE=1"@example.test`
	encoded.To = "=?utf-8?q?Zoe=0D=0ABcc=3A_eve=40example.test?= <zoe@example.test>"
	all := send(t, quoted, encoded)
	testkit.Equal(t, "the quoted recipient", all[0].to, "zoe> SIZE=1@example.test")
	testkit.Equal(t, "the encoded recipient", all[1].to, "zoe@example.test")
	header, text := parse(t, all[1].data)
	testkit.Equal(t, "Bcc", header.Get("Bcc"), "")
	testkit.Equal(t, "text", text, encoded.Text)
}
