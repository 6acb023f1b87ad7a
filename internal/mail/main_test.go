package mail

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"go.uber.org/goleak"

	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The user that the test servers know, and its form in a URL.
const (
	testUser     = "palmares"
	testPassword = "hunter2/é"
	testUserinfo = "palmares:hunter2%2F%C3%A9@"
)

// A mailServer is a real SMTP server on loopback.
type mailServer struct {
	on          map[string]func(c *smtp.Conn) error // what to answer to AUTH, MAIL, RCPT and DATA
	mechanism   string                              // of authentication; "" offers none
	certificate *tls.Certificate
	implicitTLS bool

	addr     string
	ended    chan struct{} // receives when a connection ends
	mu       sync.Mutex
	received []received
}

type received struct {
	from, to, user string
	encrypted      bool
	data           []byte
}

func (p *mailServer) start(t *testing.T) *mailServer {
	t.Helper()
	p.ended = make(chan struct{}, 8)
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		s := &session{server: p, conn: c}
		if p.mechanism == "" {
			return s, nil
		}
		return &authSession{s}, nil
	}))
	server.Domain, server.AllowInsecureAuth, server.EnableSMTPUTF8 = "post.test", true, true
	server.ErrorLog = log.New(io.Discard, "", 0)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.Must(t, err)
	p.addr = listener.Addr().String()
	if p.certificate != nil {
		config := &tls.Config{Certificates: []tls.Certificate{*p.certificate}}
		if p.implicitTLS {
			listener = tls.NewListener(listener, config)
		} else {
			server.TLSConfig = config
		}
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Close()
		if err := <-served; err != nil {
			t.Errorf("the SMTP server: %v", err)
		}
	})
	return p
}

func (p *mailServer) all() []received {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.received
}

type session struct {
	server *mailServer
	conn   *smtp.Conn
	now    received
	user   string
}

func (s *session) Reset()        { s.now = received{} }
func (s *session) Logout() error { s.server.ended <- struct{}{}; return nil }

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.now.from = from
	return s.answer("MAIL")
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error { s.now.to = to; return s.answer("RCPT") }

func (s *session) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err == nil {
		err = s.answer("DATA")
	}
	if err != nil {
		return err
	}
	s.now.data, s.now.user = data, s.user
	_, s.now.encrypted = s.conn.TLSConnectionState()
	s.server.mu.Lock()
	s.server.received = append(s.server.received, s.now)
	s.server.mu.Unlock()
	return nil
}

func (s *session) answer(command string) error {
	if answer := s.server.on[command]; answer != nil {
		return answer(s.conn)
	}
	return nil
}

type authSession struct{ *session }

func (s *authSession) AuthMechanisms() []string { return []string{s.server.mechanism} }

func (s *authSession) Auth(string) (sasl.Server, error) {
	check := func(user, password string) error {
		if err := s.answer("AUTH"); err != nil {
			return err
		}
		if user != testUser || password != testPassword {
			return errors.New("no")
		}
		s.user = user
		return nil
	}
	if s.server.mechanism == sasl.Plain {
		return sasl.NewPlainServer(func(_, user, password string) error { return check(user, password) }), nil
	}
	return &loginServer{check: check}, nil
}

// A loginServer asks for the user, then for the password.
type loginServer struct {
	check func(user, password string) error
	said  []string
}

func (l *loginServer) Next(response []byte) (challenge []byte, done bool, err error) {
	if response != nil {
		l.said = append(l.said, string(response))
	}
	switch len(l.said) {
	case 0:
		return []byte("Username:"), false, nil
	case 1:
		return []byte("Password:"), false, nil
	}
	return nil, true, l.check(l.said[0], l.said[1])
}

// reject answers a command with an error.
func reject(command string, code int, text string) map[string]func(*smtp.Conn) error {
	return map[string]func(*smtp.Conn) error{
		command: func(*smtp.Conn) error { return &smtp.SMTPError{Code: code, Message: text} },
	}
}

var testDate = time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC)

func newSender(t *testing.T, url string) *Sender {
	t.Helper()
	s, err := NewSender(Options{
		URL: url, From: "Palmarès <noreply@palmares.test>", Timeout: time.Minute,
		Now: func() time.Time { return testDate },
	})
	testkit.Must(t, err)
	return s
}

// newCertificate returns a certificate for 127.0.0.1 and a pool that trusts it.
func newCertificate(t *testing.T) (*tls.Certificate, *x509.CertPool) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	return &server.TLS.Certificates[0], pool
}

func message() Message {
	return Message{To: "zoe@example.test", Subject: "Hello", Text: "Hello.\n", ID: "job-7"}
}
