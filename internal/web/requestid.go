package web

import (
	"encoding/base32"
	"encoding/binary"
	"math/rand/v2"

	"github.com/palmares-hq/palmares/internal/logging"
)

const (
	requestIDHeader = "X-Request-Id" // in canonical form: header maps are indexed with it
	maxRequestID    = 64

	idBytes  = 15 // 24 characters of base32, without padding
	idChars  = idBytes * 8 / 5
	idsAhead = 64
)

// An idBatch hands out request ids as header values. It makes 64 at a time from one string and one
// slice, so that an id costs no allocation of its own.
type idBatch struct{ ready []string }

// choose returns the id that a trusted proxy sent, if it can safely be echoed and logged, or else a new
// one. Callers pass nothing for other clients: a cache would show one client's text to the others.
func (b *idBatch) choose(incoming []string) []string {
	if len(incoming) > 0 && validRequestID(incoming[0]) {
		return incoming[:1:1]
	}
	if len(b.ready) == 0 {
		b.refill()
	}
	values := b.ready[:1:1]
	b.ready = b.ready[1:]
	return values
}

func (b *idBatch) refill() {
	// The runtime's own generator is seeded by the system and costs no call to it. An id is no secret.
	var random [idsAhead * idBytes]byte
	for i := 0; i < len(random); i += 8 {
		binary.LittleEndian.PutUint64(random[i:], rand.Uint64()) //nolint:gosec // as said
	}
	all := base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").EncodeToString(random[:])
	b.ready = make([]string, idsAhead)
	for i := range b.ready {
		b.ready[i] = all[i*idChars : (i+1)*idChars]
	}
}

func validRequestID(s string) bool {
	if s == "" || len(s) > maxRequestID || logging.MaskKeys(s) != s {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}
