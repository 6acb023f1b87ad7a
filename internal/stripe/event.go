package stripe

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/billing"
)

const (
	// tolerance is how far the time of a signature may be from ours. Stripe signs an event again each
	// time it retries it.
	tolerance = 5 * time.Minute
	// maxSignatures is how many signatures of a header are checked. Stripe sends two while a secret is
	// being replaced.
	maxSignatures = 5
)

// Expect implements billing.Provider.
func (c *Client) Expect(signature string, now time.Time) error {
	_, _, err := readSignature(signature, now)
	return err
}

// Verify implements billing.Provider. It does what the library does, but takes the time as a parameter
// and accepts events of every version. A forged event costs one hash of its body, and a stale one not
// even that.
func (c *Client) Verify(body []byte, signature string, now time.Time) (billing.Event, error) {
	signed, given, err := readSignature(signature, now)
	if err != nil {
		return billing.Event{}, err
	}
	mac := hmac.New(sha256.New, c.secret)
	mac.Write([]byte(signed))
	mac.Write([]byte{'.'})
	mac.Write(body)
	want, genuine := mac.Sum(nil), false
	for _, sum := range given {
		genuine = hmac.Equal(want, sum) || genuine
	}
	if !genuine {
		return billing.Event{}, fmt.Errorf("%w: another signature", billing.ErrForged)
	}
	return c.readEvent(body)
}

// readSignature parses a header, and returns ErrForged if it is malformed or its time is too far from now.
func readSignature(header string, now time.Time) (signed string, sums [][]byte, err error) {
	signed, sums, ok := parseSignature(header)
	if !ok {
		return "", nil, fmt.Errorf("%w: no signature that can be read", billing.ErrForged)
	}
	seconds, err := strconv.ParseInt(signed, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return "", nil, fmt.Errorf("%w: signed at another time", billing.ErrForged)
	}
	return signed, sums, nil
}

// parseSignature parses a header such as t=1492774577,v1=5257a8…,v1=…: a time, and signatures. It skips
// signatures of other schemes than v1.
func parseSignature(header string) (signed string, sums [][]byte, ok bool) {
	for part := range strings.SplitSeq(header, ",") {
		switch name, value, _ := strings.Cut(part, "="); name {
		case "t":
			signed = value
		case "v1":
			if len(sums) == maxSignatures || len(value) != hex.EncodedLen(sha256.Size) {
				continue
			}
			if sum, err := hex.DecodeString(value); err == nil {
				sums = append(sums, sum)
			}
		}
	}
	return signed, sums, signed != "" && len(sums) > 0
}

// readEvent reads which customer an event is about. The objects of disputes and refunds name a charge and no customer
// (https://docs.stripe.com/api/disputes/object, https://docs.stripe.com/api/refunds/object).
func (c *Client) readEvent(body []byte) (billing.Event, error) {
	var event struct {
		ID         string `json:"id"`
		Type       string `json:"type"`
		APIVersion string `json:"api_version"`
		Livemode   bool   `json:"livemode"`
		Data       struct {
			Object struct {
				ID       string   `json:"id"`
				Object   string   `json:"object"`
				Customer objectID `json:"customer"`
				Charge   objectID `json:"charge"`
			} `json:"object"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &event); err != nil || event.ID == "" || event.Type == "" {
		return billing.Event{}, fmt.Errorf("%w: it is signed, but no event", billing.ErrForged)
	}
	if c.sameMode(event.Livemode) != nil {
		return billing.Event{}, fmt.Errorf("%w: it is signed, but of the other mode", billing.ErrForged)
	}
	customer := string(event.Data.Object.Customer)
	if event.Data.Object.Object == "customer" {
		customer = event.Data.Object.ID
	}
	e := billing.Event{ID: event.ID, Type: event.Type, Customer: customer, UnexpectedVersion: event.APIVersion != Version}
	switch of := event.Data.Object.Object; {
	case of == "dispute", of == "refund":
		e.Charge = string(event.Data.Object.Charge)
	case of == "invoice" && e.Type == "invoice.paid" && event.Data.Object.ID != "":
		e.Document = billing.DocumentID{Kind: billing.InvoiceDocument, ID: event.Data.Object.ID}
	case of == "credit_note" && e.Type == "credit_note.created" && event.Data.Object.ID != "":
		e.Document = billing.DocumentID{Kind: billing.CreditNote, ID: event.Data.Object.ID}
	}
	return e, nil
}

// An objectID is the id of an object, for which Stripe sends the id or the whole object. It is "" for
// anything else: an event with an odd field is better than none.
type objectID string

// UnmarshalJSON implements json.Unmarshaler.
func (o *objectID) UnmarshalJSON(data []byte) error {
	var whole struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(data, (*string)(o)) != nil && json.Unmarshal(data, &whole) == nil {
		*o = objectID(whole.ID)
	}
	return nil
}
