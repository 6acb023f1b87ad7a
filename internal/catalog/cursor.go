package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// A Cursor is a place in the change log: right after the entry with that number. It also names the edition of
// the entry, because a database that is restored from a backup gives the same numbers to other entries. The
// zero Cursor is the beginning.
type Cursor struct {
	Seq     int64
	Edition string // the first 16 hexadecimal digits of its id; "" is any
}

// editionDigits is how many digits of an edition's id a cursor has: enough to tell apart those of one number.
const editionDigits = 16

// NewCursor is the place after an entry of an edition.
func NewCursor(seq int64, editionID string) Cursor {
	switch digits := strings.ReplaceAll(editionID, "-", ""); {
	case seq == 0:
		return Cursor{}
	case editionID == "":
		return Cursor{Seq: seq}
	case len(digits) >= editionDigits && areDigits(digits):
		return Cursor{seq, digits[:editionDigits]}
	default: // an id that no database gave
		sum := sha256.Sum256([]byte(editionID))
		return Cursor{seq, hex.EncodeToString(sum[:editionDigits/2])}
	}
}

func areDigits(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }

// String is the cursor as clients see it.
func (c Cursor) String() string {
	if c.Edition == "" {
		return strconv.FormatInt(c.Seq, 10)
	}
	return strconv.FormatInt(c.Seq, 10) + "-" + c.Edition
}

// ParseCursor parses what String gives. A number alone is a cursor, too: that of an event which was delivered.
func ParseCursor(text string) (c Cursor, ok bool) {
	number, digits, named := strings.Cut(text, "-")
	seq, err := strconv.ParseUint(number, 10, 63)
	if err != nil || number != strconv.FormatUint(seq, 10) {
		return Cursor{}, false
	}
	if named && (seq == 0 || len(digits) != editionDigits || !areDigits(digits)) {
		return Cursor{}, false
	}
	return Cursor{int64(seq), digits}, true
}
