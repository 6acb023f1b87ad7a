package mail

import (
	"context"
	"encoding/base64"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
)

func TestAuthentication(t *testing.T) {
	t.Parallel()
	for _, mechanism := range []string{"PLAIN", "LOGIN"} {
		p := (&post{mechanism: mechanism}).start(t)
		if err := newSender(t, "smtp://"+testUserinfo+p.addr).Send(t.Context(), message()); err != nil {
			t.Fatalf("%s: %v", mechanism, err)
		}
		if all := p.all(); len(all) != 1 || all[0].user != testUser {
			t.Errorf("%s: delivered %+v", mechanism, all)
		}
		err := newSender(t, "smtp://palmares:wrong-one@"+p.addr).Send(t.Context(), message())
		if err == nil || Permanent(err) || strings.Contains(err.Error(), "wrong-one") {
			t.Errorf("%s with a wrong password: %v, permanent %v", mechanism, err, Permanent(err))
		}
	}
	p := (&post{}).start(t)
	if err := newSender(t, "smtp://"+testUserinfo+p.addr).Send(t.Context(), message()); err == nil || len(p.all()) != 0 {
		t.Errorf("a password and a server without AUTH: %v", err)
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	certificate, pool := certify(t)
	for _, tc := range []struct {
		name      string
		post      *post
		scheme    string
		query     string
		trusting  bool
		encrypted bool
		want      string // of the error; none when it is delivered
	}{
		{name: "STARTTLS", post: &post{certificate: certificate, mechanism: "PLAIN"}, scheme: "smtp", query: "?tls=starttls", trusting: true, encrypted: true},
		{name: "smtps", post: &post{certificate: certificate, direct: true, mechanism: "PLAIN"}, scheme: "smtps", trusting: true, encrypted: true},
		{name: "loopback needs none", post: &post{mechanism: "PLAIN"}, scheme: "smtp"},
		{name: "STARTTLS not offered", post: &post{mechanism: "PLAIN"}, scheme: "smtp", query: "?tls=starttls", want: "does not offer STARTTLS"},
		{name: "STARTTLS not trusted", post: &post{certificate: certificate, mechanism: "PLAIN"}, scheme: "smtp", query: "?tls=starttls", want: "certificate"},
		{name: "smtps not trusted", post: &post{certificate: certificate, direct: true, mechanism: "PLAIN"}, scheme: "smtps", want: "certificate"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := tc.post.start(t)
			s := newSender(t, tc.scheme+"://"+testUserinfo+p.addr+tc.query)
			if tc.trusting {
				s.tls.RootCAs = pool
			}
			err := s.Send(t.Context(), message())
			if tc.want != "" {
				if err == nil || !strings.Contains(err.Error(), tc.want) || Permanent(err) {
					t.Errorf("got %v, permanent %v", err, Permanent(err))
				}
				if len(p.all()) != 0 {
					t.Error("it was delivered all the same")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if all := p.all(); len(all) != 1 || all[0].encrypted != tc.encrypted || all[0].user != testUser {
				t.Errorf("delivered %+v", all)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name      string
		post      *post
		permanent bool
	}{
		{"550 to the recipient", &post{onRcpt: refusal(550, "no such user")}, true},
		{"554 to the message", &post{onData: refusal(554, "spam")}, true},
		{"450 to the recipient", &post{onRcpt: refusal(450, "greylisted")}, false},
		{"421 to the recipient", &post{onRcpt: refusal(421, "closing")}, false},
		{"421 to the message", &post{onData: refusal(421, "closing")}, false},
		{"421 to the sender", &post{onMail: refusal(421, "closing")}, false},
		{"550 to the sender", &post{onMail: refusal(550, "not you")}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := tc.post.start(t)
			err := newSender(t, "smtp://"+p.addr).Send(t.Context(), message())
			if err == nil || Permanent(err) != tc.permanent || !strings.Contains(err.Error(), tc.name[:3]) {
				t.Errorf("got %v, permanent %v", err, Permanent(err))
			}
			if len(p.all()) != 0 {
				t.Error("it was delivered all the same")
			}
			select {
			case <-p.ended:
			case <-time.After(3 * time.Second):
				t.Error("the connection is still open")
			}
		})
	}
	if Permanent(nil) || Permanent(errors.New("550 no")) {
		t.Error("what does not come of Send is permanent")
	}
}

func TestAServerThatIsNotThere(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	listener.Close()
	if err := newSender(t, "smtp://"+addr).Send(t.Context(), message()); err == nil || Permanent(err) {
		t.Errorf("got %v, permanent %v", err, Permanent(err))
	}
}

// silent accepts connections and never says a word.
func silent(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
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

func TestAServerThatHangs(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	hang := func(*smtp.Conn) error { <-over; return nil }
	for name, url := range map[string]string{
		"before the greeting":      "smtp://" + silent(t),
		"before the TLS handshake": "smtps://" + silent(t),
		"at the recipient":         "smtp://" + (&post{onRcpt: hang}).start(t).addr,
		"at the message":           "smtp://" + (&post{onData: hang}).start(t).addr,
	} {
		s := newSender(t, url)
		s.timeout = 200 * time.Millisecond
		started := time.Now()
		err := s.Send(t.Context(), message())
		if !errors.Is(err, context.DeadlineExceeded) || Permanent(err) || !strings.Contains(err.Error(), "200ms") {
			t.Errorf("%s: got %v, permanent %v", name, err, Permanent(err))
		}
		if took := time.Since(started); took > time.Minute {
			t.Errorf("%s: it took %v", name, took)
		}
	}
}

func TestTheCallerGivesUp(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	started := time.Now()
	err := newSender(t, "smtp://"+silent(t)).Send(ctx, message())
	if !errors.Is(err, context.Canceled) || Permanent(err) {
		t.Errorf("got %v, permanent %v", err, Permanent(err))
	}
	if took := time.Since(started); took > time.Minute {
		t.Errorf("it took %v", took)
	}
}

func TestAServerThatDropsTheConnection(t *testing.T) {
	t.Parallel()
	drop := func(c *smtp.Conn) error { c.Conn().Close(); return nil }
	for name, p := range map[string]*post{
		"at the sender":    {onMail: drop},
		"at the recipient": {onRcpt: drop},
		"at the message":   {onData: drop},
	} {
		p.start(t)
		if err := newSender(t, "smtp://"+p.addr).Send(t.Context(), message()); err == nil || Permanent(err) {
			t.Errorf("%s: got %v, permanent %v", name, err, Permanent(err))
		}
	}
}

func TestErrorsHideWhatServersRepeat(t *testing.T) {
	t.Parallel()
	plain := base64.StdEncoding.EncodeToString([]byte("\x00" + testUser + "\x00" + testPassword))
	login := base64.StdEncoding.EncodeToString([]byte(testPassword))
	echo := "I do not like " + testPassword + ", " + plain + ", " + login + " for Zoe@Example.test or zoe@example.test"
	for name, p := range map[string]*post{
		"authentication": {mechanism: "PLAIN", authError: &smtp.SMTPError{Code: 535, Message: echo}},
		"the recipient":  {mechanism: "PLAIN", onRcpt: refusal(550, echo)},
		"the message":    {mechanism: "LOGIN", onData: refusal(451, echo)},
	} {
		p.start(t)
		m := message()
		m.To = "Zoe@Example.test"
		err := newSender(t, "smtp://"+testUserinfo+p.addr).Send(t.Context(), m)
		if err == nil || !strings.Contains(err.Error(), "I do not like") {
			t.Fatalf("%s: got %v", name, err)
		}
		for e := err; e != nil; e = errors.Unwrap(e) {
			for _, secret := range []string{testPassword, plain, login, "Zoe@", "zoe@"} {
				if strings.Contains(e.Error(), secret) {
					t.Errorf("%s: the error repeats %q: %v", name, secret, e)
				}
			}
		}
	}
}
