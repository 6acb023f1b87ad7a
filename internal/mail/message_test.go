package mail

import (
	"bytes"
	"io"
	"mime"
	"mime/quotedprintable"
	netmail "net/mail"
	"strings"
	"testing"
)

// read parses a delivered message, and checks that it can travel anywhere: ASCII,
// in lines of at most 78 characters that end in CRLF.
func read(t *testing.T, data []byte) (netmail.Header, string) {
	t.Helper()
	for line := range bytes.Lines(data) {
		text, ended := bytes.CutSuffix(line, []byte("\r\n"))
		if !ended || len(text) > 78 || bytes.ContainsAny(text, "\r\n") {
			t.Errorf("a line is not fit for mail: %q", line)
		}
		for _, b := range text {
			if b >= 0x80 {
				t.Errorf("a line is not ASCII: %q", line)
				break
			}
		}
	}
	m, err := netmail.ReadMessage(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Header.Get("Content-Transfer-Encoding"); got != "quoted-printable" {
		t.Errorf("encoding %q", got)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	if err != nil {
		t.Fatal(err)
	}
	return m.Header, strings.ReplaceAll(string(body), "\r\n", "\n")
}

func TestADeliveredMessage(t *testing.T) {
	t.Parallel()
	p := (&post{}).start(t)
	m := Message{
		To:      `"Zoé, the reader" <zoe@example.test>`,
		Subject: "Votre point d’accès à été désactivé : " + strings.Repeat("très long, ", 20) + "日本",
		Text:    "Ça marche.\n.\n.. a dot begins a line\n\n" + strings.Repeat("é", 3000) + "\nFrom the end   \n",
		ID:      "endpoint-disabled-ep_1.2",
	}
	if err := newSender(t, "smtp://"+p.addr).Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	all := p.all()
	if len(all) != 1 {
		t.Fatalf("%d messages", len(all))
	}
	if all[0].from != "noreply@palmares.test" || all[0].to != "zoe@example.test" {
		t.Errorf("the envelope says from %q to %q", all[0].from, all[0].to)
	}
	header, text := read(t, all[0].data)
	if text != m.Text {
		t.Errorf("the text is\n%q, want\n%q", text, m.Text)
	}
	for name, want := range map[string]string{
		"Message-Id":     "<endpoint-disabled-ep_1.2@palmares.test>",
		"Date":           "Sun, 15 Nov 2026 09:30:00 +0000",
		"Auto-Submitted": "auto-generated",
		"Content-Type":   "text/plain; charset=UTF-8",
		"Mime-Version":   "1.0",
		"User-Agent":     "", // nobody needs to know what sends
		"X-Mailer":       "",
	} {
		if got := header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if subject, err := new(mime.WordDecoder).DecodeHeader(header.Get("Subject")); err != nil || subject != m.Subject {
		t.Errorf("the subject is %q (%v), want %q", subject, err, m.Subject)
	}
	from, err := header.AddressList("From")
	if err != nil || len(from) != 1 || from[0].Name != "Palmarès" || from[0].Address != "noreply@palmares.test" {
		t.Errorf("from %v, %v", from, err)
	}
	to, err := header.AddressList("To")
	if err != nil || len(to) != 1 || to[0].Name != "Zoé, the reader" || to[0].Address != "zoe@example.test" {
		t.Errorf("to %v, %v", to, err)
	}
}

func TestTextThatIsNotUTF8IsRepaired(t *testing.T) {
	t.Parallel()
	p := (&post{}).start(t)
	m := message()
	m.Text = "it said: \xff\xfe\n"
	if err := newSender(t, "smtp://"+p.addr).Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if _, text := read(t, p.all()[0].data); text != "it said: \uFFFD\n" {
		t.Errorf("the text is %q", text)
	}
}

func TestTheSameIDGivesTheSameMessageID(t *testing.T) {
	t.Parallel()
	p := (&post{}).start(t)
	s := newSender(t, "smtp://"+p.addr)
	for _, id := range []string{"job-7", "job-7", "job-8"} {
		m := message()
		m.ID = id
		if err := s.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	var ids []string
	for _, d := range p.all() {
		header, _ := read(t, d.data)
		ids = append(ids, header.Get("Message-Id"))
	}
	if len(ids) != 3 || ids[0] != "<job-7@palmares.test>" || ids[1] != ids[0] || ids[2] == ids[0] {
		t.Errorf("the ids are %q", ids)
	}
}

func TestNothingGetsIntoTheHeader(t *testing.T) {
	t.Parallel()
	p := (&post{}).start(t)
	s := newSender(t, "smtp://"+p.addr)
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
	} {
		m := message()
		change(&m)
		err := s.Send(t.Context(), m)
		if err == nil {
			t.Errorf("%s: it was sent", name)
			continue
		}
		if !Permanent(err) {
			t.Errorf("%s: trying again is said to have a point: %v", name, err)
		}
		if strings.HasPrefix(name, "to with") && !strings.Contains(err.Error(), "a line break") {
			t.Errorf("%s: refused for another reason: %v", name, err)
		}
		if strings.Contains(err.Error(), "zoe@") || strings.Contains(err.Error(), "eve@") {
			t.Errorf("%s: the error names an address: %v", name, err)
		}
	}
	// What is allowed in an address is quoted or encoded, and stays in it.
	m := message()
	m.To = `"zoe> SIZE=1"@example.test`
	if err := s.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	m.To = "=?utf-8?q?Zoe=0D=0ABcc=3A_eve=40example.test?= <zoe@example.test>"
	if err := s.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	all := p.all()
	if len(all) != 2 || all[0].to != "zoe> SIZE=1@example.test" || all[1].to != "zoe@example.test" {
		t.Fatalf("delivered: %+v", all)
	}
	if header, text := read(t, all[1].data); header.Get("Bcc") != "" || text != m.Text {
		t.Errorf("the header is %v, the text %q", header, text)
	}
}
