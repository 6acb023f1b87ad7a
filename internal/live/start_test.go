package live_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/pgtest"
)

// damages are the ways in which a disk copy can be bad, and what is said of each.
func damages(whole []byte) map[string]struct {
	bytes  []byte
	reason string
} {
	at := func(i int, b byte) []byte {
		c := bytes.Clone(whole)
		c[i] ^= b
		return c
	}
	other := append([]byte("palmares snapshot 0\n"), whole[len(live.Magic):]...)
	return map[string]struct {
		bytes  []byte
		reason string
	}{
		"empty":             {nil, "0 bytes are too few"},
		"cut in the head":   {whole[:len(live.Magic)+3], "bytes are too few"},
		"cut in the middle": {whole[:len(whole)/2], "checksum does not match"},
		"cut at the end":    {whole[:len(whole)-1], "checksum does not match"},
		"another file":      {bytes.Repeat([]byte("Lorem ipsum. "), 100), "another format"},
		"another format":    {other, "another format"},
		"no payload":        {framed(nil), "decoding"},
		"a flipped bit":     {at(len(whole)/2, 0x10), "checksum does not match"},
		"a flipped sum":     {at(len(whole)-1, 0x01), "checksum does not match"},
		"too long":          {append(bytes.Clone(whole), '\n'), "checksum does not match"},
		"not a catalog":     {framed([]byte("not a gob at all")), "decoding"},
	}
}

func TestCorruptCopy(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	publish(t, db, put(contents(20)))
	edition := publish(t, db, tagline(0, "Deux."))
	want := read(t, db)
	for name, damage := range damages(encoded(t, snapshot(contents(10), 1, "one"))) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "copy")
			if err := os.WriteFile(path, damage.bytes, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := live.ReadCopy(path); !errors.Is(err, live.ErrCorrupt) {
				t.Errorf("%v, want %v", err, live.ErrCorrupt)
			}

			// Without a database the node refuses to be ready, for good.
			n := run(t, live.Options{Open: nowhere(t), File: path, Patience: 50 * time.Millisecond})
			why := []string{"no catalog to serve", "refused", "the disk copy is corrupt", path, damage.reason}
			eventually(t, 2*time.Second, func() error { return says(n.Ready(), why...) })
			time.Sleep(100 * time.Millisecond)
			if err := says(n.Ready(), why...); err != nil {
				t.Error(err)
			}
			n.stop()
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, damage.bytes) {
				t.Errorf("the corrupt copy was touched (%v): it is evidence", err)
			}

			// With one it serves, and writes a good copy.
			n = run(t, live.Options{Open: feedOf(db), File: path})
			n.wantEdition(t, edition, 10*time.Second)
			eventually(t, time.Second, n.Ready)
			if s := n.last(t); s.From != 0 {
				t.Errorf("the node fetched from edition %d, want from nothing", s.From)
			}
			n.stop() // waits for the copy
			s, err := live.ReadCopy(path)
			if err != nil {
				t.Fatal(err)
			}
			wantSame(t, want, s)
			wantFiles(t, path)
		})
	}
}

func TestUnreadableCopy(t *testing.T) {
	t.Parallel()
	path := t.TempDir() // a directory is no copy
	n := run(t, live.Options{Open: nowhere(t), File: path, Patience: 50 * time.Millisecond})
	eventually(t, 2*time.Second, func() error { return says(n.Ready(), "no catalog to serve", path, "is a directory") })
}

// With a copy, a start waits for the database, but not for long.
func TestStartWithCopy(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	publish(t, db, put(contents(20)))
	path := filepath.Join(t.TempDir(), "copy")
	if err := live.WriteCopy(path, read(t, db)); err != nil {
		t.Fatal(err)
	}

	t.Run("no database", func(t *testing.T) {
		t.Parallel()
		n := run(t, live.Options{Open: nowhere(t), File: path})
		eventually(t, 2*time.Second, n.Ready)
		if err := says(n.Connected(), "refused"); err != nil {
			t.Error(err)
		}
	})
	t.Run("a database that does not answer", func(t *testing.T) {
		t.Parallel()
		started := time.Now()
		silent := func(ctx context.Context) (live.Feed, error) { <-ctx.Done(); return nil, ctx.Err() }
		n := run(t, live.Options{Open: silent, File: path})
		eventually(t, time.Second, func() error {
			if n.Ready() == nil { // a busy machine has missed it
				return nil
			}
			return says(n.Ready(), "waiting for the database")
		})
		eventually(t, 2*time.Second-time.Since(started), n.Ready)
		if time.Since(started) < 900*time.Millisecond {
			t.Errorf("the node was ready with an old edition after %v, without waiting for the database", time.Since(started))
		}
	})
	t.Run("the same edition", func(t *testing.T) {
		t.Parallel()
		n := run(t, live.Options{Open: feedOf(db), File: path})
		eventually(t, 5*time.Second, n.Ready)
		eventually(t, 5*time.Second, n.Connected)
		if s := n.seen(); len(s) != 0 {
			t.Errorf("the node fetched what it had: %+v", s)
		}
	})
}
