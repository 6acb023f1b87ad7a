package mail

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"net/textproto"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/wneessen/go-mail/smtp"
)

// Options configure a Sender.
type Options struct {
	// URL is PALMARES_SMTP_URL: smtp://user:password@host:587, or smtps://host:465.
	// With smtp://, STARTTLS is required unless the host is loopback or ?tls=none is given.
	URL     string
	From    string           // PALMARES_MAIL_FROM: an address, with a name or without
	Timeout time.Duration    // for one Send; 10 s when 0
	Now     func() time.Time // for the Date header; time.Now when nil
}

// A Sender submits messages to an SMTP server, each over a connection of its own. It is safe for concurrent
// use.
type Sender struct {
	server  server
	from    *netmail.Address
	timeout time.Duration
	now     func() time.Time
	tls     *tls.Config
	helo    string
}

// NewSender returns a sender. It does not connect. Its errors do not repeat the password.
func NewSender(o Options) (*Sender, error) {
	at, err := parseServer(o.URL)
	if err != nil {
		return nil, fmt.Errorf("PALMARES_SMTP_URL: %w", err)
	}
	from, err := netmail.ParseAddress(o.From)
	if err != nil {
		return nil, fmt.Errorf("PALMARES_MAIL_FROM is %q: "+
			"it is an e-mail address, such as Palmarès <noreply@example.com>", o.From)
	}
	if strings.ContainsFunc(from.Address, func(r rune) bool { return r > '~' }) {
		return nil, fmt.Errorf("PALMARES_MAIL_FROM is %q: "+
			"the address itself can have ASCII letters only, a domain in its xn-- form", o.From)
	}
	s := &Sender{
		server: at, from: from, timeout: o.Timeout, now: o.Now,
		tls: &tls.Config{ServerName: at.host, MinVersion: tls.VersionTLS12},
	}
	if s.timeout == 0 {
		s.timeout = 10 * time.Second
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.helo, err = os.Hostname(); err != nil || s.helo == "" {
		s.helo = "localhost"
	}
	return s, nil
}

// A sendError is an error of Send. Its text contains neither the password nor the recipient's address, even if
// the server's reply did.
type sendError struct {
	text      string
	permanent bool
	unknown   bool  // the server may have accepted the message all the same
	cause     error // the context's error, or nil
}

func (e *sendError) Error() string { return e.text }

func (e *sendError) Unwrap() error { return e.cause }

// Permanent reports whether retrying the same message is pointless: it cannot be composed, or the
// server rejected the recipient or the text with a 5xx reply. A server that cannot be reached, or
// that rejects the sender or the password, is for the operator to fix, and the message is still
// good.
func Permanent(err error) bool {
	var e *sendError
	return errors.As(err, &e) && e.permanent
}

// Unaccepted reports whether the server certainly has not accepted the message. After other errors it may have: the
// whole message went, and no reply came.
func Unaccepted(err error) bool {
	var e *sendError
	return errors.As(err, &e) && !e.unknown
}

// Send submits the message. A nil error means that the server has accepted it.
func (s *Sender) Send(ctx context.Context, m Message) error {
	data, to, err := m.compose(s.from, s.now())
	if err != nil {
		return &sendError{text: "sending mail: " + err.Error(), permanent: true}
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(s.server.host, s.server.port))
	if err != nil {
		return s.newError(ctx, err, to, false)
	}
	defer func() { _ = conn.Close() }()
	// The SMTP client takes no context: when ctx ends, the deadline fails its reads and writes.
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()

	client, err := s.handshake(conn)
	if err != nil {
		return s.newError(ctx, err, to, false)
	}
	if whole, err := transmit(client, to, data); err != nil {
		var reply *textproto.Error
		replied := errors.As(err, &reply)
		failed := s.newError(ctx, err, to, replied && reply.Code >= 500)
		failed.unknown = whole && !replied
		return failed
	}
	_ = client.Quit() // the server has the message, so an error here does not matter
	return nil
}

// handshake does everything up to MAIL FROM. Its errors are not the message's fault.
func (s *Sender) handshake(conn net.Conn) (*smtp.Client, error) {
	if s.server.security == directTLS {
		conn = tls.Client(conn, s.tls)
	}
	client, err := smtp.NewClient(conn, s.server.host)
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", err)
	}
	if err := client.Hello(s.helo); err != nil {
		return nil, fmt.Errorf("introducing ourselves: %w", err)
	}
	if s.server.security == startTLS {
		if offered, _ := client.Extension("STARTTLS"); !offered {
			return nil, errors.New("the server does not offer STARTTLS, and without it nothing is sent")
		}
		if err := client.StartTLS(s.tls); err != nil {
			return nil, fmt.Errorf("starting TLS: %w", err)
		}
	}
	if err := s.authenticate(client); err != nil {
		return nil, fmt.Errorf("authenticating: %w", err)
	}
	if err := client.Mail(envelope(s.from.Address)); err != nil {
		return nil, fmt.Errorf("naming the sender: %w", err)
	}
	return client, nil
}

func (s *Sender) authenticate(client *smtp.Client) error {
	at := s.server
	if at.user == "" {
		return nil
	}
	_, offered := client.Extension("AUTH")
	mechanisms := strings.Fields(offered)
	unencrypted := at.security == plainText // by configuration
	switch {
	case slices.Contains(mechanisms, "PLAIN"):
		return client.Auth(smtp.PlainAuth("", at.user, at.password, at.host, unencrypted))
	case slices.Contains(mechanisms, "LOGIN"):
		return client.Auth(smtp.LoginAuth(at.user, at.password, at.host, unencrypted))
	}
	return errors.New("the server offers neither PLAIN nor LOGIN")
}

// transmit sends a message. whole reports whether its end may have been sent, too.
func transmit(client *smtp.Client, to string, data []byte) (whole bool, err error) {
	if err := client.Rcpt(envelope(to)); err != nil {
		return false, fmt.Errorf("naming the recipient: %w", err)
	}
	body, err := client.Data()
	if err != nil {
		return false, fmt.Errorf("beginning the message: %w", err)
	}
	if _, err := body.Write(data); err != nil {
		return false, fmt.Errorf("sending the message: %w", err) // unclosed, so the server discards it
	}
	if err := body.Close(); err != nil {
		return true, fmt.Errorf("ending the message: %w", err)
	}
	return true, nil
}

// newError returns a sendError without the recipient and the credentials, which servers may repeat in their
// replies.
func (s *Sender) newError(ctx context.Context, err error, to string, permanent bool) *sendError {
	hidden := []string{to, "[recipient]", strings.ToLower(to), "[recipient]"}
	if at := s.server; at.password != "" {
		for _, secret := range []string{ // as sent by PLAIN, as sent by LOGIN, and in clear
			base64.StdEncoding.EncodeToString([]byte("\x00" + at.user + "\x00" + at.password)),
			base64.StdEncoding.EncodeToString([]byte(at.password)),
			at.password,
		} {
			hidden = append(hidden, secret, "[redacted]")
		}
	}
	text := strings.NewReplacer(hidden...).Replace(err.Error())
	cause := ctx.Err()
	if errors.Is(cause, context.DeadlineExceeded) {
		text += fmt.Sprintf(" (the time for it was over: %v)", s.timeout)
	}
	return &sendError{text: "sending mail: " + text, permanent: permanent, cause: cause}
}
