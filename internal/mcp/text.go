package mcp

import (
	"bytes"
	"encoding/json"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A text is something that people wrote into the catalog, or sent to us. For an agent it is data and must not look
// like anything else: what nobody sees of it, and what a terminal acts on, is left out when it is encoded.
type text string

// MarshalJSON implements json.Marshaler.
func (t text) MarshalJSON() ([]byte, error) { return encode(catalog.Plain(string(t))) }

// encode leaves <, > and & as they are: people read our JSON.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// or is a text, or null where there is none.
func or[T ~string](s T) *text {
	if s == "" {
		return nil
	}
	t := text(s)
	return &t
}
