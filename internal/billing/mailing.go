package billing

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Each invoice that was paid and each credit note is mailed once, by us alone: the provider's own mails are in its words, and
// know neither the language of an account nor why something went back. A row of it is written with what was seen, as that
// of a notice is. The provider remembers it, too: a database that was restored has forgotten mails that were sent.

// recent reports whether a document of a time is to be mailed: not one of before this service mailed them, which is at the
// latest when its customers were bound to the provider's account.
func (s *Service) recent(at time.Time) bool {
	return !at.Before(s.o.Now().Add(-mailedWithin)) && !at.Before(s.boundSince().Truncate(time.Second))
}

// paidInvoices returns the newest invoices of subscriptions if they were paid. An older one that is paid later has its event.
func (s *Service) paidInvoices(subs []Subscription) (docs []DocumentID) {
	for _, sub := range subs {
		if i := sub.Latest; i.State == InvoicePaid && s.recent(i.PaidAt) {
			docs = append(docs, DocumentID{InvoiceDocument, i.ID})
		}
	}
	return docs
}

// MailDocument is the job MailDocument. Its address is that for the invoices of the account; where that is deleted, the one
// to which the document was issued, which the provider has and we have not.
func (s *Service) MailDocument(ctx context.Context, job MailDocument, send func(context.Context, DocumentNotice) error) error {
	kept, err := s.o.Store.Mailing(ctx, job.Document)
	if errors.Is(err, ErrNoDocument) {
		return nil
	}
	if err == nil && s.o.Provider == nil {
		err = ErrNoCheckout
	}
	if err == nil {
		err = s.CheckAccount(ctx)
	}
	if err != nil {
		return err
	}
	if kept.Done { // a former attempt could not mark it
		return s.markMailed(ctx, kept.DocumentID)
	}
	if s.o.Now().Sub(kept.FoundAt) > mailedWithin {
		s.o.Logger.Warn("a document could not be mailed for a month, and is not mailed any more", "kind", kept.Kind, "document", kept.ID)
		return s.o.Store.DocumentDone(ctx, kept.ID, s.o.Now())
	}
	a := kept.Record.Account
	n := DocumentNotice{Language: a.Language}
	if a.Email != "" {
		n.Email = s.payer(a, kept.Record.Details).Email
	}
	mailed, err := s.mailDocument(ctx, kept.DocumentID, n, send)
	if err == nil {
		err = s.o.Store.DocumentDone(ctx, kept.ID, s.o.Now())
	}
	if err != nil || !mailed {
		return err
	}
	return s.markMailed(ctx, kept.DocumentID)
}

// mailDocument mails a document unless that was done or is not to be, and reports whether it did.
func (s *Service) mailDocument(
	ctx context.Context, id DocumentID, n DocumentNotice, send func(context.Context, DocumentNotice) error,
) (mailed bool, err error) {
	n.Document, err = s.o.Provider.Document(ctx, id)
	switch {
	case errors.Is(err, ErrNoDocument):
		s.o.Logger.Warn("a document is not known to the payment provider, and is not mailed", "kind", id.Kind, "document", id.ID)
		return false, nil
	case err != nil:
		return false, s.refused(fmt.Errorf("asking for the document: %w", err))
	case n.Document.Mailed || !n.Document.Issued:
		return false, nil
	}
	if n.Email == "" {
		n.Email = n.Document.Email
	}
	if n.Email == "" {
		s.o.Logger.Warn("a document is not mailed: neither side has an address", "kind", id.Kind, "document", id.ID)
		return false, nil
	}
	n.ID = "document-" + id.ID
	return true, send(ctx, n)
}

// markMailed has the provider remember that a document was mailed. Where it refuses, a restored database mails it again.
func (s *Service) markMailed(ctx context.Context, id DocumentID) error {
	err := s.refused(s.o.Provider.MarkMailed(ctx, id, s.o.Now()))
	if errors.Is(err, ErrRefused) {
		return nil
	}
	return err
}

// TellRefund is the job MailRefund of a former program: it mails the credit note instead.
func (s *Service) TellRefund(ctx context.Context, job MailRefund, send func(context.Context, DocumentNotice) error) error {
	if s.o.Provider == nil {
		return ErrNoCheckout
	}
	if err := s.CheckAccount(ctx); err != nil {
		return err
	}
	for note, err := range s.o.Provider.CreditNotes(ctx, s.o.Now().Add(-mailedWithin)) {
		if err != nil {
			return fmt.Errorf("asking for the credit notes: %w", err)
		}
		if note.Invoice != job.Invoice || note.Reason != job.Reason {
			continue
		}
		id := DocumentID{CreditNote, note.ID}
		mailed, err := s.mailDocument(ctx, id, DocumentNotice{Language: job.Language}, send)
		if err == nil && mailed {
			err = s.markMailed(ctx, id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
