package live

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"
)

const secondsADay = 24 * 60 * 60

// uses are the keys whose use is still to be written down.
type uses struct {
	mu   sync.Mutex
	list []use
}

type use struct {
	id  [16]byte
	day uint32 // counted from 1970
}

// mostUses bounds what waits while the database is gone. What is over is not written:
// "last used" is then a day behind.
const mostUses = 2_000_000

func (u *uses) note(id [16]byte, day uint32) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.list) < mostUses {
		u.list = append(u.list, use{id, day})
	}
}

// atOnce is how many uses are written with one statement.
const atOnce = 10_000

// Flush writes down which keys were used since the last time. What cannot be written is
// kept for the next.
func (k *Keys) Flush(ctx context.Context) error {
	k.uses.mu.Lock()
	list := k.uses.list
	k.uses.list = nil
	k.uses.mu.Unlock()
	days := make(map[uint32][]use)
	for _, u := range list {
		days[u.day] = append(days[u.day], u)
	}
	var failed error
	for day, list := range days {
		for len(list) > 0 {
			n := min(len(list), atOnce)
			if err := k.touch(ctx, list[:n], day); err != nil {
				failed = errors.Join(failed, err)
				k.uses.keep(list)
				break
			}
			list = list[n:]
		}
	}
	return failed
}

func (k *Keys) touch(ctx context.Context, list []use, day uint32) error {
	ids := make([]string, len(list))
	for i, u := range list {
		ids[i] = string(bytes.TrimRight(u.id[:], "\x00"))
	}
	return k.o.Touch(ctx, ids, time.Unix(int64(day)*secondsADay, 0).UTC())
}

// keep puts uses back that were not written.
func (u *uses) keep(list []use) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.list = append(u.list, list[:min(len(list), max(mostUses-len(u.list), 0))]...)
}
