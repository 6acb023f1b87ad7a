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
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The user that the tests' servers know, and the URL's form of it.
const (
	testUser     = "palmares"
	testPassword = "hunter2/é"
	testUserinfo = "palmares:hunter2%2F%C3%A9@"
)

// A post is a real SMTP server on loopback. Its functions answer in place of the
// server where a test gives them.
type post struct {
	onMail, onRcpt, onData func(c *smtp.Conn) error
	mechanism              string // of authentication; none when empty
	certificate            *tls.Certificate
	direct                 bool // TLS from the first byte
	authError              *smtp.SMTPError

	addr string

	ended    chan struct{} // a connection is over
	mu       sync.Mutex
	received []delivered
}

type delivered struct {
	from, to, user string
	encrypted      bool
	data           []byte
}

func (p *post) start(t *testing.T) *post {
	t.Helper()
	p.ended = make(chan struct{}, 8)
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		s := &session{post: p, conn: c}
		if p.mechanism == "" {
			return s, nil
		}
		return &authSession{s}, nil
	}))
	server.Domain = "post.test"
	server.AllowInsecureAuth = true
	server.EnableSMTPUTF8 = true
	server.ErrorLog = log.New(io.Discard, "", 0)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.addr = listener.Addr().String()
	if p.certificate != nil {
		config := &tls.Config{Certificates: []tls.Certificate{*p.certificate}}
		if p.direct {
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

func (p *post) all() []delivered {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.received
}

type session struct {
	post *post
	conn *smtp.Conn
	now  delivered
	user string
}

func (s *session) Reset() { s.now = delivered{} }

func (s *session) Logout() error {
	s.post.ended <- struct{}{}
	return nil
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.now.from = from
	return s.say(s.post.onMail)
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.now.to = to
	return s.say(s.post.onRcpt)
}

func (s *session) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := s.say(s.post.onData); err != nil {
		return err
	}
	s.now.data, s.now.user = data, s.user
	_, s.now.encrypted = s.conn.TLSConnectionState()
	s.post.mu.Lock()
	s.post.received = append(s.post.received, s.now)
	s.post.mu.Unlock()
	return nil
}

func (s *session) say(answer func(*smtp.Conn) error) error {
	if answer == nil {
		return nil
	}
	return answer(s.conn)
}

type authSession struct{ *session }

func (s *authSession) AuthMechanisms() []string { return []string{s.post.mechanism} }

func (s *authSession) Auth(string) (sasl.Server, error) {
	check := func(user, password string) error {
		if s.post.authError != nil {
			return s.post.authError
		}
		if user != testUser || password != testPassword {
			return errors.New("no")
		}
		s.user = user
		return nil
	}
	if s.post.mechanism == sasl.Plain {
		return sasl.NewPlainServer(func(_, user, password string) error { return check(user, password) }), nil
	}
	return &loginServer{check: check}, nil
}

// loginServer asks for the user, then for the password.
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

var testDate = time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC)

// newSender makes a sender whose messages are of testDate.
func newSender(t *testing.T, url string) *Sender {
	t.Helper()
	s, err := NewSender(Options{
		URL: url, From: "Palmarès <noreply@palmares.test>", Timeout: 5 * time.Second,
		Now: func() time.Time { return testDate },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// certify makes a certificate for 127.0.0.1, and who trusts it.
func certify(t *testing.T) (*tls.Certificate, *x509.CertPool) {
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

func refusal(code int, text string) func(*smtp.Conn) error {
	return func(*smtp.Conn) error { return &smtp.SMTPError{Code: code, Message: text} }
}
