package live

import (
	"bytes"
	"errors"
	"sync"
	"time"
)

const secondsADay = 24 * 60 * 60

// uses are the key uses not yet written to the database.
type uses struct {
	mu   sync.Mutex
	list []use
}

type use struct {
	id  [16]byte
	day uint32 // counted from 1970
}

// maxUses is how many uses wait at most while the database is unavailable. Further ones are
// dropped: "last used" is then a day behind.
const maxUses = 2_000_000

func (u *uses) note(id [16]byte, day uint32) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.list) < maxUses {
		u.list = append(u.list, use{id, day})
	}
}

// usesAtOnce is how many uses are written with one statement.
const usesAtOnce = 10_000

// flush calls touch with the keys used since the last flush, grouped by day. It keeps those that
// touch fails to write for the next flush.
func (u *uses) flush(touch func(ids []string, day time.Time) error) error {
	u.mu.Lock()
	list := u.list
	u.list = nil
	u.mu.Unlock()
	days := make(map[uint32][]use)
	for _, x := range list {
		days[x.day] = append(days[x.day], x)
	}
	var failed error
	for day, list := range days {
		for len(list) > 0 {
			n := min(len(list), usesAtOnce)
			ids := make([]string, n)
			for i, x := range list[:n] {
				ids[i] = string(bytes.TrimRight(x.id[:], "\x00"))
			}
			if err := touch(ids, time.Unix(int64(day)*secondsADay, 0).UTC()); err != nil {
				failed = errors.Join(failed, err)
				u.keep(list)
				break
			}
			list = list[n:]
		}
	}
	return failed
}

// keep puts back uses that were not written, as far as maxUses allows.
func (u *uses) keep(list []use) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.list = append(u.list, list[:min(len(list), max(maxUses-len(u.list), 0))]...)
}
