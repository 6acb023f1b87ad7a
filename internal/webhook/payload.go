package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// MaxPayload is the largest payload that is sent, in bytes.
const MaxPayload = 20_000

// TestEvent is the type of test messages. It is not in the log and cannot be subscribed to.
const TestEvent catalog.EventType = "webhook.test"

// An envelope is the form of every payload. Fields are encoded in this order.
type envelope struct {
	Type      catalog.EventType `json:"type"`
	Timestamp string            `json:"timestamp"`
	Data      any               `json:"data"`
}

type eventData struct {
	Test            bool            `json:"test,omitempty"`
	Seq             int64           `json:"seq"`
	Edition         int64           `json:"edition"`
	Slug            string          `json:"slug"`
	Correction      int64           `json:"correction,omitempty"`
	RenamedFrom     string          `json:"renamed_from,omitempty"`
	RenamedTo       string          `json:"renamed_to,omitempty"`
	Changed         []string        `json:"changed,omitzero"` // set if object and previous are of one kind
	Object          json.RawMessage `json:"object"`           // null if there is none
	Previous        json.RawMessage `json:"previous,omitempty"`
	PreviousOmitted bool            `json:"previous_omitted,omitempty"`
	ObjectOmitted   bool            `json:"object_omitted,omitempty"`
}

type testData struct {
	Endpoint  string `json:"endpoint"`
	Challenge string `json:"challenge,omitempty"`
}

func (e *Event) data() eventData {
	return eventData{
		Test: e.Test, Seq: e.Seq, Edition: e.Edition, Slug: e.Slug, Correction: e.Correction,
		RenamedFrom: e.RenamedFrom, RenamedTo: e.RenamedTo, Changed: e.Changed(), Object: e.Object, Previous: e.Previous,
	}
}

// Body returns the event in the form of Payload, but complete, whatever its size. It is nil if the item is not valid
// JSON.
func (e Event) Body() []byte {
	body, _ := encode(e.Type, e.At, e.data())
	return body
}

// Payload returns the body of the event's deliveries: the same bytes for every attempt and replay.
// If it would be too large it leaves out the previous item and, if that is not enough, the item too.
func (e Event) Payload() []byte {
	data := e.data()
	if body, ok := encode(e.Type, e.At, data); ok {
		return body
	}
	data.Previous, data.PreviousOmitted = nil, len(e.Previous) > 0
	if body, ok := encode(e.Type, e.At, data); ok {
		return body
	}
	data.Object, data.ObjectOmitted = nil, true
	body, _ := encode(e.Type, e.At, data)
	return body
}

// TestPayload returns the body of a webhook.test, with a challenge for the receiver to answer unless
// that is "".
func TestPayload(endpoint string, at time.Time, challenge string) []byte {
	body, _ := encode(TestEvent, at, testData{endpoint, challenge})
	return body
}

// encode returns the payload, and whether it can be sent.
func encode(t catalog.EventType, at time.Time, data any) (body []byte, ok bool) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // as the API does
	if err := e.Encode(envelope{t, at.UTC().Format(time.RFC3339), data}); err != nil {
		return nil, false // the item is not JSON
	}
	body = bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	return body, len(body) <= MaxPayload
}

// A payloadCache holds the bodies of recent events, which all endpoints receive at about the same
// time. Entries are keyed by edition too: a database that is restored from a backup gives the same
// numbers to other events, in other editions.
type payloadCache struct {
	log LogReader

	mu       sync.Mutex
	payloads map[int64]payload
	bytes    int
}

type payload struct {
	edition string
	body    []byte
}

// maxPayloadBytes bounds the cache; when it is full it is emptied.
const maxPayloadBytes = 32 << 20

func newPayloadCache(log LogReader) *payloadCache {
	return &payloadCache{log: log, payloads: make(map[int64]payload)}
}

// bodies returns the body of each delivery's event, by number. Events that are not in the log have
// none.
func (c *payloadCache) bodies(ctx context.Context, due []Delivery) (map[int64][]byte, error) {
	seqs := make([]int64, len(due))
	for i, d := range due {
		seqs[i] = d.Seq
	}
	editions, err := c.log.EventEditions(ctx, seqs)
	if err != nil {
		return nil, err
	}
	bodies := make(map[int64][]byte, len(due))
	var missing []int64
	c.mu.Lock()
	for seq, edition := range editions {
		if p, ok := c.payloads[seq]; ok && p.edition == edition {
			bodies[seq] = p.body
		} else {
			missing = append(missing, seq)
		}
	}
	c.mu.Unlock()
	if len(missing) == 0 {
		return bodies, nil
	}
	events, err := c.log.Events(ctx, missing)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range events {
		b := e.Payload()
		bodies[e.Seq] = b
		if c.bytes += len(b) - len(c.payloads[e.Seq].body); c.bytes > maxPayloadBytes {
			c.payloads, c.bytes = make(map[int64]payload), len(b)
		}
		c.payloads[e.Seq] = payload{editions[e.Seq], b}
	}
	return bodies, nil
}
