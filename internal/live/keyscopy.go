package live

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/throttle"
)

// The disk copy of the keys is a file of its own, because keys change by the minute and editions by
// the day. It is a line that names the format, the change up to which the keys are known, the time,
// the keys, each in keySize bytes, and the SHA-256 of all that.
//
// Version 1 did not have the end of a key, and left out all keys that have one. Version 2 did not
// say which keys are suspended.
const (
	keysMagic   = "palmares keys "
	keysVersion = "3\n"

	keysHead = 8 + 16 + 8
	keySize1 = 32 + 16 + 16 + 1 // hash, id, account, plan
	keySize2 = keySize1 + 4     // end
	keySize  = keySize2 + 1     // 1 for a key that is suspended
)

// CopyAge returns how long the disk copy has been out of date; 0 if it is not. Without a copy it
// counts from the start.
func (k *Keys) CopyAge() time.Duration {
	k.copied.mu.Lock()
	defer k.copied.mu.Unlock()
	if k.copied.behind.IsZero() {
		return 0
	}
	return k.o.Now().Sub(k.copied.behind)
}

// copiedAt records that the disk copy includes the given change. If the keys have changed since,
// the copy counts as out of date from the given time on.
func (k *Keys) copiedAt(at account.Change, now time.Time) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	k.copied.mu.Lock()
	defer k.copied.mu.Unlock()
	k.copied.at, k.copied.behind = at, time.Time{}
	if at != k.at {
		k.copied.behind = now
	}
}

// keepCopy writes the disk copy after changes, until ctx is done, and then once more.
func (k *Keys) keepCopy(ctx context.Context) {
	var last time.Time // of an attempt
	for ctx.Err() == nil {
		k.mu.RLock()
		changed := k.changed
		k.mu.RUnlock()
		if k.behind() {
			if wait := time.Until(last.Add(k.o.CopyEvery)); wait > 0 {
				sleep(ctx, wait)
				continue
			}
			last = time.Now()
			k.writeCopy(ctx)
			continue
		}
		select {
		case <-ctx.Done():
		case <-changed:
		}
	}
	if k.behind() {
		k.writeCopy(ctx)
	}
}

// behind reports whether the disk copy is out of date.
func (k *Keys) behind() bool {
	_, at := k.Count()
	k.copied.mu.Lock()
	defer k.copied.mu.Unlock()
	return at != k.copied.at
}

// writeCopy writes the copy. It uses a third of one processor at most, until ctx is done.
func (k *Keys) writeCopy(ctx context.Context) {
	now := k.o.Now()
	var at account.Change
	err := writeFile(k.o.File, func(w io.Writer) (err error) {
		at, err = k.encode(w, now, throttle.New(ctx.Done()))
		return err
	})
	if err != nil {
		k.o.Logger.Error("the disk copy of the keys was not written; the old one stays", "error", err)
		return
	}
	k.copiedAt(at, now)
	k.o.Logger.Debug("disk copy of the keys written", "change", at.Number)
}

// encode writes the table while it is in use, block by block, so that changes wait for one block at
// most. Changes made meanwhile may or may not be in the copy. It names the change from before it
// began, so whoever loads it reads those accounts again.
func (k *Keys) encode(w io.Writer, now time.Time, slow *throttle.Throttle) (at account.Change, err error) {
	k.mu.RLock()
	t, at := k.table, k.at
	k.mu.RUnlock()
	return at, writeSealed(w, keysMagic+keysVersion, func(w io.Writer) error {
		head := binary.BigEndian.AppendUint64(nil, uint64(at.Number)) //nolint:gosec // never negative
		head = append(head, at.ID[:]...)
		head = binary.BigEndian.AppendUint64(head, uint64(now.Unix())) //nolint:gosec // after 1970
		if _, err := w.Write(head); err != nil {
			return err
		}
		var part []byte
		for first := uint32(0); ; first += blockSize {
			part = part[:0]
			k.mu.RLock()
			for i := first; i < min(first+blockSize, t.made); i++ {
				if e := t.at(i); e.plan() != account.Anonymous {
					part = appendKey(part, e.key())
				}
			}
			over := first+blockSize >= t.made
			k.mu.RUnlock()
			if _, err := w.Write(part); err != nil {
				return err
			}
			if over {
				return nil
			}
			slow.Pause()
		}
	})
}

// appendKey appends a key in keySize bytes.
func appendKey(b []byte, k account.LiveKey) []byte {
	b = append(b, k.Hash[:]...)
	b = append(b, k.ID[:]...)
	b = append(b, k.Account[:]...)
	b = append(b, byte(k.Plan))
	b = binary.BigEndian.AppendUint32(b, k.End)
	if k.Suspended {
		return append(b, 1)
	}
	return append(b, 0)
}

// keyOf reads a key that appendKey, or an older version of it, appended. The length of b tells
// which fields it has.
func keyOf(b []byte) (account.LiveKey, error) {
	k := account.LiveKey{
		Hash: account.Hash(b[:32]), ID: [16]byte(b[32:48]), Account: [16]byte(b[48:64]),
		Plan: account.Plan(b[64]),
	}
	if k.Plan != account.Developer && k.Plan != account.Pro {
		return k, fmt.Errorf("a key has plan %d", k.Plan)
	}
	if len(b) >= keySize2 {
		k.End = binary.BigEndian.Uint32(b[keySize1:])
	}
	if len(b) >= keySize {
		k.Suspended = b[keySize2] != 0
	}
	return k, nil
}

// keySizes is the size of a key in bytes, by the version of the copy.
var keySizes = map[string]int{"1\n": keySize1, "2\n": keySize2, keysVersion: keySize}

// decodeKeys reads what encode wrote, and copies of older versions.
func decodeKeys(
	f io.Reader, size int64,
) (t *keyTable, at account.Change, written time.Time, err error) {
	payload, err := readSealed(f, size, keysMagic)
	if err != nil {
		return nil, at, written, err
	}
	version := string(payload[:min(len(payload), len(keysVersion))])
	each, known := keySizes[version]
	if !known {
		return nil, at, written, ErrOtherVersion
	}
	payload = payload[len(version):]
	if len(payload) < keysHead || (len(payload)-keysHead)%each != 0 {
		return nil, at, written, errors.New("a key is cut")
	}
	// An older copy does not say which keys are suspended, and one of version 1 lacks the keys in
	// their grace period. Its change is left zero, so that all keys are read once the database is
	// available, and not only those of accounts that change.
	if version == keysVersion {
		at.Number = int64(binary.BigEndian.Uint64(payload)) //nolint:gosec // as it was written
		copy(at.ID[:], payload[8:])
	}
	seconds := int64(binary.BigEndian.Uint64(payload[24:])) //nolint:gosec // as it was written
	written = time.Unix(seconds, 0).UTC()
	t = newKeyTable()
	for b := payload[keysHead:]; len(b) > 0; b = b[each:] {
		k, err := keyOf(b[:each])
		if err != nil {
			return nil, at, written, err
		}
		t.add(k)
	}
	return t, at, written, nil
}

// loadCopy loads the keys from the disk copy. If it cannot be used, it logs why.
func (k *Keys) loadCopy() {
	sweep(k.o.File, k.o.Now())
	started := time.Now()
	var t *keyTable
	var at account.Change
	var written time.Time
	err := readFile(k.o.File, func(f io.Reader, size int64) (err error) {
		t, at, written, err = decodeKeys(f, size)
		return err
	})
	switch {
	case err == nil:
		k.swap(t, at)
		k.copiedAt(at, written)
		k.setFresh(written)
		k.o.Logger.Info("disk copy of the keys loaded", "keys", t.live, "change", at.Number,
			"written", written, "took_ms", time.Since(started).Milliseconds())
	case errors.Is(err, fs.ErrNotExist):
		k.o.Logger.Info("no disk copy of the keys yet", "file", k.o.File)
	case errors.Is(err, ErrOtherVersion):
		k.o.Logger.Warn("the disk copy of the keys is made anew: another version of the program wrote it", "file", k.o.File)
		k.follower.setCopyErr(err)
	default:
		k.o.Logger.Error("the disk copy of the keys cannot be used", "error", err)
		k.follower.setCopyErr(err)
	}
}
