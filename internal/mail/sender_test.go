package mail

import (
	"context"
	"encoding/base64"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestSend_Authenticates(t *testing.T) {
	t.Parallel()
	for _, mechanism := range []string{"PLAIN", "LOGIN"} {
		p := (&mailServer{mechanism: mechanism}).start(t)
		if err := newSender(t, "smtp://"+testUserinfo+p.addr).Send(t.Context(), message()); err != nil {
			t.Fatalf("%s: %v", mechanism, err)
		}
		if all := p.all(); len(all) != 1 || all[0].user != testUser {
			t.Errorf("%s: received %+v", mechanism, all)
		}
		err := newSender(t, "smtp://palmares:wrong-one@"+p.addr).Send(t.Context(), message())
		if err == nil || Permanent(err) || strings.Contains(err.Error(), "wrong-one") {
			t.Errorf("%s with a wrong password: %v, permanent %v", mechanism, err, Permanent(err))
		}
	}
	p := (&mailServer{}).start(t)
	err := newSender(t, "smtp://"+testUserinfo+p.addr).Send(t.Context(), message())
	if err == nil || len(p.all()) != 0 {
		t.Errorf("a password for a server without AUTH: %v", err)
	}
}

func TestSend_TLS(t *testing.T) {
	t.Parallel()
	certificate, pool := newCertificate(t)
	for _, tc := range []struct {
		name        string
		certificate bool // the server has one
		implicit    bool
		query       string
		trusting    bool
		want        string // the error; "" if it is delivered
	}{
		{"STARTTLS", true, false, "?tls=starttls", true, ""},
		{"smtps", true, true, "", true, ""},
		{"loopback needs none", false, false, "", false, ""},
		{"STARTTLS not offered", false, false, "?tls=starttls", false, "does not offer STARTTLS"},
		{"STARTTLS not trusted", true, false, "?tls=starttls", false, "certificate"},
		{"smtps not trusted", true, true, "", false, "certificate"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p, scheme := &mailServer{mechanism: "PLAIN", implicitTLS: tc.implicit}, "smtp"
			if tc.certificate {
				p.certificate = certificate
			}
			if tc.implicit {
				scheme = "smtps"
			}
			s := newSender(t, scheme+"://"+testUserinfo+p.start(t).addr+tc.query)
			if tc.trusting {
				s.tls.RootCAs = pool
			}
			err, all := s.Send(t.Context(), message()), p.all()
			switch {
			case tc.want != "":
				if err == nil || !strings.Contains(err.Error(), tc.want) || Permanent(err) || len(all) != 0 {
					t.Errorf("got %v, permanent %v, received %+v", err, Permanent(err), all)
				}
			case err != nil || len(all) != 1 || all[0].encrypted != tc.trusting || all[0].user != testUser:
				t.Errorf("got %v, received %+v", err, all)
			}
		})
	}
}

func TestSend_RejectedByTheServer(t *testing.T) {
	t.Parallel()
	drop := func(c *smtp.Conn) error { c.Conn().Close(); return nil }
	for _, tc := range []struct {
		name      string
		on        map[string]func(*smtp.Conn) error
		permanent bool
	}{
		{"550 to the recipient", reject("RCPT", 550, "no such user"), true},
		{"554 to the message", reject("DATA", 554, "spam"), true},
		{"450 to the recipient", reject("RCPT", 450, "greylisted"), false},
		{"421 to the message", reject("DATA", 421, "closing"), false},
		{"421 to the sender", reject("MAIL", 421, "closing"), false},
		{"550 to the sender", reject("MAIL", 550, "not you"), false},
		{"connection dropped at the sender", map[string]func(*smtp.Conn) error{"MAIL": drop}, false},
		{"connection dropped at the recipient", map[string]func(*smtp.Conn) error{"RCPT": drop}, false},
		{"connection dropped at the message", map[string]func(*smtp.Conn) error{"DATA": drop}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := (&mailServer{on: tc.on}).start(t)
			err := newSender(t, "smtp://"+p.addr).Send(t.Context(), message())
			if err == nil || Permanent(err) != tc.permanent {
				t.Fatalf("got %v, permanent %v", err, Permanent(err))
			}
			if !Unaccepted(err) && tc.name != "connection dropped at the message" {
				t.Errorf("%v: the server may have accepted it", err)
			}
			if code, _, _ := strings.Cut(tc.name, " to"); len(code) == 3 {
				if !strings.Contains(err.Error(), code) || len(p.all()) != 0 {
					t.Errorf("got %v, received %+v", err, p.all())
				}
				<-p.ended // the connection is closed
			}
		})
	}
	if Permanent(nil) || Permanent(errors.New("550 no")) {
		t.Error("an error that is not Send's is permanent")
	}
}

// silentServer accepts connections and never says anything.
func silentServer(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.Must(t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
		}
	}()
	t.Cleanup(func() { listener.Close(); <-ended })
	return listener.Addr().String()
}

func TestSend_ServerHangs(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	var reached atomic.Bool // the command at which the server hangs
	hangs := func(command string) string {
		hang := func(*smtp.Conn) error { reached.Store(true); <-over; return nil }
		return (&mailServer{on: map[string]func(*smtp.Conn) error{command: hang}}).start(t).addr
	}
	for _, c := range []struct {
		name, url string
		unsent    bool // certainly
	}{
		{"before the greeting", "smtp://" + silentServer(t), true},
		{"before the TLS handshake", "smtps://" + silentServer(t), true},
		{"at the recipient", "smtp://" + hangs("RCPT"), true},
		{"at the message", "smtp://" + hangs("DATA"), false},
	} {
		s := newSender(t, c.url)
		reached.Store(false)
		var err error
		for s.timeout = 200 * time.Millisecond; ; s.timeout *= 4 { // on a busy machine the timeout ends what comes before the message
			err = s.Send(t.Context(), message())
			if !errors.Is(err, context.DeadlineExceeded) || Permanent(err) || !strings.Contains(err.Error(), s.timeout.String()) {
				t.Fatalf("%s: got %v, permanent %v", c.name, err, Permanent(err))
			}
			if c.unsent || reached.Load() {
				break
			}
		}
		testkit.Equal(t, c.name+": certainly not accepted", Unaccepted(err), c.unsent)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	err := newSender(t, "smtp://"+silentServer(t)).Send(ctx, message())
	if !errors.Is(err, context.Canceled) || Permanent(err) {
		t.Errorf("the caller gives up: got %v, permanent %v", err, Permanent(err))
	}
	if err := newSender(t, "smtp://127.0.0.1:1").Send(t.Context(), message()); err == nil || Permanent(err) {
		t.Errorf("no server at all: got %v, permanent %v", err, Permanent(err))
	}
}

func TestSend_ErrorsHideSecrets(t *testing.T) {
	t.Parallel()
	plain := base64.StdEncoding.EncodeToString([]byte("\x00" + testUser + "\x00" + testPassword))
	login := base64.StdEncoding.EncodeToString([]byte(testPassword))
	echo := "I do not like " + testPassword + ", " + plain + ", " + login + " for Zoe@Example.test or zoe@example.test"
	for _, p := range []*mailServer{
		{mechanism: "PLAIN", on: reject("AUTH", 535, echo)},
		{mechanism: "PLAIN", on: reject("RCPT", 550, echo)},
		{mechanism: "LOGIN", on: reject("DATA", 451, echo)},
	} {
		m := message()
		m.To = "Zoe@Example.test"
		err := newSender(t, "smtp://"+testUserinfo+p.start(t).addr).Send(t.Context(), m)
		if err == nil || !strings.Contains(err.Error(), "I do not like") {
			t.Fatalf("got %v", err)
		}
		for e := err; e != nil; e = errors.Unwrap(e) {
			for _, secret := range []string{testPassword, plain, login, "Zoe@", "zoe@"} {
				if strings.Contains(e.Error(), secret) {
					t.Errorf("the error repeats %q: %v", secret, e)
				}
			}
		}
	}
}

func TestParseServer(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]server{
		"smtp://u:p@mail.example.com:2525":               {"mail.example.com", "2525", "u", "p", startTLS},
		"smtp://mail.example.com":                        {"mail.example.com", "587", "", "", startTLS},
		"smtp://mail.example.com/":                       {"mail.example.com", "587", "", "", startTLS},
		"smtp://u:p@mail.example.com:25?tls=none":        {"mail.example.com", "25", "u", "p", plainText},
		"smtp://10.0.0.8:25":                             {"10.0.0.8", "25", "", "", startTLS},
		"smtp://localhost.example.com":                   {"localhost.example.com", "587", "", "", startTLS},
		"smtp://127.example.com":                         {"127.example.com", "587", "", "", startTLS},
		"smtp://localhost:1025":                          {"localhost", "1025", "", "", plainText},
		"smtp://127.0.0.1:1025":                          {"127.0.0.1", "1025", "", "", plainText},
		"smtp://[::1]:1025":                              {"::1", "1025", "", "", plainText},
		"smtp://localhost?tls=starttls":                  {"localhost", "587", "", "", startTLS},
		"smtps://u%40example.com:p%2Fq@mail.example.com": {"mail.example.com", "465", "u@example.com", "p/q", directTLS},
		"smtps://127.0.0.1:4650":                         {"127.0.0.1", "4650", "", "", directTLS},
	} {
		got, err := parseServer(url)
		if err != nil || got != want {
			t.Errorf("%s: got %+v, %v", url, got, err)
		}
	}
}

func TestNewSender(t *testing.T) {
	t.Parallel()
	const from = "noreply@palmares.test"
	for _, tc := range []struct{ url, from, want string }{
		{"", from, "PALMARES_SMTP_URL: it is not set"},
		{"smtp://u:hunter2@host:port", from, "is not a URL"},
		{"smtp://u:hunter2%zz@host", from, "is not a URL"},
		{"smtp://u:hunter2#x@host", from, "is not a URL"},
		{"smtp:u:hunter2@host", from, "is not a URL"},
		{"smtp://u:22/hunter2@host", from, "goes on after the host"},
		{"smtp://u:22#hunter2@host", from, "goes on after the host"},
		{"smtp://u:22?hunter2@host", from, "after the question mark"},
		{"smtp://u:hunter2@host?tls=maybe", from, "after the question mark"},
		{"smtp://u:hunter2@host?tls=none&tls=starttls", from, "after the question mark"},
		{"smtp://u:hunter2@host?tls=none&x=1", from, "after the question mark"},
		{"smtps://u:hunter2@host?tls=none", from, "does not go with it"},
		{"http://u:hunter2@host", from, "neither smtp:// nor smtps://"},
		{"smtp://u:hunter2@", from, "names no host"},
		{"smtp://u:hunter2@host:0", from, "port"},
		{"smtp://u:hunter2@host:70000", from, "port"},
		{"smtp://:hunter2@host", from, "without a user"},
		{"smtp://u@host", from, "without a password"},
		{"smtp://u:hunter2@host", "", "PALMARES_MAIL_FROM"},
		{"smtp://u:hunter2@host", "palmares", "PALMARES_MAIL_FROM"},
		{"smtp://u:hunter2@host", "a@b.test\r\nBcc: c@d.test", "PALMARES_MAIL_FROM"},
		{"smtp://u:hunter2@host", "noreply@palmarès.test", "xn--"},
	} {
		_, err := NewSender(Options{URL: tc.url, From: tc.from})
		if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s from %q: got %v, want %q and no password", tc.url, tc.from, err, tc.want)
		}
	}
	s, err := NewSender(Options{URL: "smtps://mail.example.com", From: from})
	testkit.Must(t, err)
	testkit.Equal(t, "the default timeout", s.timeout, 10*time.Second)
	testkit.Equal(t, "the name in the certificate", s.tls.ServerName, "mail.example.com")
}
