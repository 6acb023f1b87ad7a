package account

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"time"
)

// A LiveKey is a key that is not revoked, as nodes hold it in memory: of fixed size and without
// pointers, so that a million of them cost the garbage collector nothing.
type LiveKey struct {
	Hash      Hash
	ID        [16]byte // the text, padded with zeros
	Account   [16]byte // a UUID
	Plan      Plan
	Suspended bool   // it is known, and does not work
	End       uint32 // when it stops working, in seconds since 1970; 0 for no end
}

// NewLiveKey returns a LiveKey, or an error if the id does not fit.
func NewLiveKey(hash Hash, id string, account [16]byte, plan Plan) (LiveKey, error) {
	k := LiveKey{Hash: hash, Account: account, Plan: plan}
	if id == "" || len(id) > len(k.ID) {
		return LiveKey{}, fmt.Errorf("the id of a key has %d bytes: it has 1 to %d", len(id), len(k.ID))
	}
	copy(k.ID[:], id)
	return k, nil
}

// Until returns the key with an end, rounded up to a second.
func (k LiveKey) Until(end time.Time) LiveKey {
	seconds := end.Unix()
	if end.Nanosecond() > 0 {
		seconds++
	}
	k.End = uint32(seconds) //nolint:gosec // until 2106
	return k
}

// Grant returns what the key gives its bearer while active.
func (k LiveKey) Grant() Grant {
	id := string(bytes.TrimRight(k.ID[:], "\x00"))
	return Grant{KeyID: id, AccountID: uuidText(k.Account), Plan: k.Plan}
}

func uuidText(id [16]byte) string {
	var b [36]byte
	hex.Encode(b[:], id[:4])
	b[8] = '-'
	hex.Encode(b[9:], id[4:6])
	b[13] = '-'
	hex.Encode(b[14:], id[6:8])
	b[18] = '-'
	hex.Encode(b[19:], id[8:10])
	b[23] = '-'
	hex.Encode(b[24:], id[10:])
	return string(b[:])
}

// A Change is a numbered change of access: a key created, rotated, revoked, suspended or resumed, a
// plan changed, an account deleted. After a restore from an older backup the same number can name
// another change, which has another id.
type Change struct {
	Number int64
	ID     [16]byte // a UUID
}
