package testkit

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/palmares-hq/palmares/internal/mail/mailbox"
)

// A Mailbox is an SMTP server on loopback that keeps the mail it gets.
type Mailbox struct {
	URL string // for PALMARES_SMTP_URL

	server *mailbox.Server
	mu     sync.Mutex
	taken  map[int]bool // by Wait
}

// NewMailbox starts a mailbox, and ends it with the test.
func NewMailbox(tb testing.TB) *Mailbox {
	tb.Helper()
	server, err := mailbox.Start(context.Background(), "127.0.0.1:0", 1_000_000)
	Must(tb, err)
	tb.Cleanup(func() { Must(tb, server.Close()) })
	return &Mailbox{URL: "smtp://" + server.Addr, server: server, taken: make(map[int]bool)}
}

// Wait waits for mail to an address and takes it: the next call waits for the next mail.
func (m *Mailbox) Wait(tb testing.TB, to string) mailbox.Message {
	tb.Helper()
	var taken mailbox.Message
	Eventually(tb, func() error {
		m.mu.Lock()
		defer m.mu.Unlock()
		taken = mailbox.Message{}
		for _, mail := range m.server.Messages(to) { // the newest first
			if !m.taken[mail.Number] {
				taken = mail
			}
		}
		if taken.Number == 0 {
			return fmt.Errorf("no mail to %s", to)
		}
		m.taken[taken.Number] = true
		return nil
	})
	return taken
}

// All returns the mail to an address so far, taken or not, or all mail if the address is empty. The
// newest comes first.
func (m *Mailbox) All(to string) []mailbox.Message { return m.server.Messages(to) }
