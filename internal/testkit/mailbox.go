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
	taken  map[int]bool // the numbers of the mails that Wait has returned
}

// NewMailbox starts a mailbox and stops it when the test ends.
func NewMailbox(tb testing.TB) *Mailbox {
	tb.Helper()
	server, err := mailbox.Start(context.Background(), "127.0.0.1:0", 1_000_000)
	Must(tb, err)
	tb.Cleanup(func() { Must(tb, server.Close()) })
	return &Mailbox{URL: "smtp://" + server.Addr, server: server, taken: make(map[int]bool)}
}

// Wait waits for mail to an address and returns the oldest that it has not returned before.
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

// All returns all mail to an address so far, newest first, whether Wait has returned it or not. If the address is
// empty, it returns the mail to all addresses.
func (m *Mailbox) All(to string) []mailbox.Message { return m.server.Messages(to) }
