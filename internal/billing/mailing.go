package billing

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Each paid invoice and each credit note is mailed once, and only by us: the provider's own mails know neither the
// language of an account nor why something was refunded. A document's row is written in the transaction that saw it, as
// a notice's is. The mail is recorded at the provider, too, because a restored database has forgotten which were sent.

// recent reports whether a document from that time is to be mailed: its links still work, and it is not from before our
// customers were bound to the provider's account, since when at the latest this service mails documents.
func (s *Service) recent(at time.Time) bool {
	return !at.Before(s.o.Now().Add(-mailedWithin)) && !at.Before(s.boundSince().Truncate(time.Second))
}

// paidInvoices returns the newest invoice of each subscription if it is paid and recent. An older invoice that is paid
// later is found by its event.
func (s *Service) paidInvoices(subs []Subscription) (docs []DocumentID) {
	for _, sub := range subs {
		if i := sub.Latest; i.State == InvoicePaid && s.recent(i.PaidAt) {
			docs = append(docs, DocumentID{InvoiceDocument, i.ID})
		}
	}
	return docs
}

// MailDocument does the job MailDocument. It mails to the account's address for invoices, or, for a deleted account, to
// the address the document was issued to, which only the provider has.
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

// mailDocument mails a document and reports whether it did: not if the provider does not know it, it was mailed
// before or is not to be, or there is no address.
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

// markMailed records at the provider that a document was mailed. A refusal is logged and otherwise ignored: the worst
// is that the document is mailed again after the database was restored.
func (s *Service) markMailed(ctx context.Context, id DocumentID) error {
	err := s.refused(s.o.Provider.MarkMailed(ctx, id, s.o.Now()))
	if errors.Is(err, ErrRefused) {
		return nil
	}
	return err
}

// TellRefund does a job MailRefund that an older version of the program inserted: it mails the credit note instead.
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
