package mailbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-smtp"
)

// A Server receives mail. It is safe for concurrent use.
type Server struct {
	Addr string // where it listens

	smtp     *smtp.Server
	listener net.Listener
	served   chan error
	keep     int

	mu       sync.Mutex
	count    int
	messages []Message // the newest last
}

// Start starts a server that keeps the latest keep messages. Close stops it.
func Start(ctx context.Context, addr string, keep int) (*Server, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listening for mail: %w", err)
	}
	s := &Server{Addr: listener.Addr().String(), listener: listener, keep: keep, served: make(chan error, 1)}
	s.smtp = smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) {
		return &session{server: s}, nil
	}))
	s.smtp.Domain, s.smtp.EnableSMTPUTF8 = "localhost", true
	s.smtp.ReadTimeout, s.smtp.WriteTimeout = time.Minute, time.Minute
	s.smtp.MaxMessageBytes = 10 << 20
	go func() { s.served <- s.smtp.Serve(listener) }()
	return s, nil
}

// Close ends the server and its connections.
func (s *Server) Close() error {
	err := s.smtp.Close()
	_ = s.listener.Close() // smtp.Close does not close it if Serve has not started yet
	return errors.Join(err, <-s.served)
}

// Messages returns the messages for an address, or all if it is empty, the newest first.
func (s *Server) Messages(to string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []Message
	for _, m := range slices.Backward(s.messages) {
		if to == "" || slices.ContainsFunc(m.To, func(t string) bool { return strings.EqualFold(t, to) }) {
			found = append(found, m)
		}
	}
	return found
}

func (s *Server) add(m Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	m.Number, m.At = s.count, time.Now()
	s.messages = append(s.messages, m)
	if over := len(s.messages) - s.keep; over > 0 {
		s.messages = slices.Delete(s.messages, 0, over)
	}
}

// A session is one connection of a client.
type session struct {
	server *Server
	from   string
	to     []string
}

// Reset implements smtp.Session.
func (s *session) Reset() { s.from, s.to = "", nil }

// Logout implements smtp.Session.
func (s *session) Logout() error { return nil }

// Mail implements smtp.Session.
func (s *session) Mail(from string, _ *smtp.MailOptions) error { s.from = from; return nil }

// Rcpt implements smtp.Session.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error { s.to = append(s.to, to); return nil }

// Data implements smtp.Session. It rejects a message that cannot be parsed.
func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	m, err := Parse(raw)
	if err != nil {
		return &smtp.SMTPError{Code: 554, EnhancedCode: smtp.EnhancedCode{5, 6, 0}, Message: err.Error()}
	}
	m.From, m.To = s.from, s.to
	s.server.add(m)
	return nil
}
