package mailbox_test

import (
	"net/smtp"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/palmares-hq/palmares/internal/mail/mailbox"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const nested = `Subject: =?utf-8?q?=C3=89t=C3=A9?=
Content-Type: multipart/mixed; boundary=outer

--outer
Content-Type: multipart/alternative; boundary=inner

--inner
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

L=C3=A0 : https://a.test/x?a=3D1&b=3D2, puis (http://b.test/).
--inner
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: base64

PGEgaHJlZj0iaHR0cHM6Ly9hLnRlc3QveD9hPTEmYW1wO2I9MiI+PC9hPjxhIGhyZWY9Imh0dHBz
Oi8vYy50ZXN0LyI+PC9hPg==
--inner--
--outer
Content-Type: application/pdf

not shown
--outer--
`

func TestServer(t *testing.T) {
	t.Parallel()
	s, err := mailbox.Start(t.Context(), "127.0.0.1:0", 2)
	testkit.Must(t, err)
	defer func() { testkit.Must(t, s.Close()) }()
	send := func(to, message string) error {
		return smtp.SendMail(s.Addr, nil, "from@example.test", []string{to}, []byte(strings.ReplaceAll(message, "\n", "\r\n")))
	}
	testkit.Must(t, send("ada@example.test", "Subject: first\n\nOne.\n"))
	testkit.Must(t, send("Ada@Example.test", nested))
	testkit.Must(t, send("bob@example.test", "Subject: third\n\nThree.\n"))
	for name, bad := range map[string]string{
		"no header":        "nothing at all",
		"no end":           "Content-Type: multipart/mixed; boundary=x\n\n--x\n\nand then",
		"no base64":        "Content-Transfer-Encoding: base64\n\n!!!\n",
		"a kind like none": "Content-Type: ;;;\n\n",
	} {
		if err := send("bob@example.test", bad); err == nil || !strings.HasPrefix(err.Error(), "554 ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	all := s.Messages("")
	if len(all) != 2 || all[0].Number != 3 || all[0].Subject != "third" || all[0].Text != "Three.\n" {
		t.Fatalf("the last two, the newest first: %+v", all)
	}
	own := s.Messages("ada@example.test")
	if len(own) != 1 {
		t.Fatalf("for one address, in any case: %+v", own)
	}
	testkit.Equal(t, "subject", own[0].Subject, "Été")
	testkit.Equal(t, "text", own[0].Text, "Là : https://a.test/x?a=1&b=2, puis (http://b.test/).")
	testkit.Equal(t, "HTML", own[0].HTML, `<a href="https://a.test/x?a=1&amp;b=2"></a><a href="https://c.test/"></a>`)
	testkit.Equal(t, "links", own[0].Links, []string{"https://a.test/x?a=1&b=2", "http://b.test/", "https://c.test/"})
	testkit.Equal(t, "envelope", own[0].From+" "+strings.Join(own[0].To, " "), "from@example.test Ada@Example.test")
}
