package live

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A damage is a way in which a disk copy can be bad, and what is said of it.
type damage struct {
	bytes  []byte
	reason string
}

func damages(whole []byte) map[string]damage {
	at := func(i int, b byte) []byte {
		c := bytes.Clone(whole)
		c[i] ^= b
		return c
	}
	// An older format whose checksum is right, as after an upgrade.
	older := append([]byte("palmares snapshot 1\n"), whole[len(magic):len(whole)-sha256.Size]...)
	return map[string]damage{
		"empty":             {nil, "0 bytes are too few"},
		"cut in the head":   {whole[:len(magic)+3], "bytes are too few"},
		"cut in the middle": {whole[:len(whole)/2], "checksum does not match"},
		"cut at the end":    {whole[:len(whole)-1], "checksum does not match"},
		"another file":      {bytes.Repeat([]byte("Lorem ipsum. "), 100), "another format"},
		"an older format":   {withSum(older), "another version"},
		"cut and older":     {withSum(older)[:len(older)], "another format"},
		"no payload":        {withSum([]byte(magic)), "decoding"},
		"a flipped bit":     {at(len(whole)/2, 0x10), "checksum does not match"},
		"a flipped sum":     {at(len(whole)-1, 0x01), "checksum does not match"},
		"too long":          {append(bytes.Clone(whole), '\n'), "checksum does not match"},
		"not a catalog":     {withSum([]byte(magic + "not a gob at all")), "decoding"},
	}
}

// withSum puts the checksum behind what may be a disk copy.
func withSum(b []byte) []byte {
	sum := sha256.Sum256(b)
	return append(slices.Clip(b), sum[:]...)
}

// A node that has neither a database nor a copy that it can use is never ready, and says why.
func TestNeitherDatabaseNorCopy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	refused := []string{"no catalog to serve", "connecting to PostgreSQL", "refused"}
	type start struct {
		path string
		why  []string
	}
	starts := map[string]start{
		"none kept":   {"", refused},
		"none yet":    {filepath.Join(dir, "none yet"), refused},
		"a directory": {dir, append(refused, dir, "is a directory")},
	}
	bad := damages(encoded(t, snapshot(catalogtest.Generated(10), 1, "one")))
	for name, d := range bad {
		path := filepath.Join(t.TempDir(), "copy")
		if err := os.WriteFile(path, d.bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		want := ErrCorrupt
		if name == "an older format" {
			want = ErrOtherVersion
		}
		starts[name] = start{path, append(refused, want.Error(), path, d.reason)}
		if _, err := ReadCopy(path); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
	for name, start := range starts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := run(t, Options{Open: nowhere(t), File: start.path, Patience: 50 * time.Millisecond})
			testkit.Eventually(t, func() error { return says(n.Ready(), start.why...) })
			time.Sleep(100 * time.Millisecond) // beyond the patience
			if err := says(n.Ready(), start.why...); err != nil {
				t.Error(err)
			}
			n.stop()
			got, err := os.ReadFile(start.path)
			if d, ok := bad[name]; ok && (err != nil || !bytes.Equal(got, d.bytes)) {
				t.Errorf("the corrupt copy was touched (%v): it is evidence", err)
			} else if !ok && err == nil {
				t.Error("a copy of nothing was written")
			}
		})
	}
}

// With a database a copy that is bad, or of an older version, is replaced by a good one.
func TestBadCopyIsReplaced(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	publish(t, db, put(catalogtest.Generated(20)))
	edition := publish(t, db, tagline(0, "Deux."))
	want := read(t, db)
	bad := damages(encoded(t, want))
	maps.DeleteFunc(bad, func(name string, _ damage) bool {
		return name != "an older format" && name != "a flipped bit" && name != "empty"
	})
	for name, d := range bad {
		path := filepath.Join(t.TempDir(), "copy")
		if err := os.WriteFile(path, d.bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		var log testkit.Log
		n := run(t, Options{Open: feedOf(db), File: path, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		n.wantEdition(t, edition)
		testkit.Eventually(t, n.Ready)
		// An upgrade is no trouble.
		if failed := strings.Contains(log.String(), "level=ERROR"); failed == (name == "an older format") {
			t.Errorf("%s: the log has an error: %t\n%s", name, failed, log.String())
		}
		if s := n.last(t); s.From != 0 {
			t.Errorf("%s: the node fetched from edition %d, want from nothing", name, s.From)
		}
		n.stop() // waits for the copy
		s, err := ReadCopy(path)
		if err != nil {
			t.Fatal(err)
		}
		catalogtest.WantSame(t, want, s)
		wantFiles(t, path)
	}
}

// With a copy, a start waits for the database, but not for long.
func TestStartWithCopy(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t)
	publish(t, db, put(catalogtest.Generated(20)))
	path := filepath.Join(t.TempDir(), "copy")
	if err := WriteCopy(path, read(t, db)); err != nil {
		t.Fatal(err)
	}
	t.Run("no database", func(t *testing.T) {
		t.Parallel()
		n := run(t, Options{Open: nowhere(t), File: path})
		testkit.Eventually(t, n.Ready)
		if err := says(n.Connected(), "refused"); err != nil {
			t.Error(err)
		}
	})
	t.Run("a database that does not answer", func(t *testing.T) {
		t.Parallel()
		started := time.Now()
		n := run(t, Options{File: path, Open: func(ctx context.Context) (Feed, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}})
		testkit.Eventually(t, func() error {
			if n.Ready() == nil { // a busy machine has missed it
				return nil
			}
			return says(n.Ready(), "waiting for the database")
		})
		testkit.Eventually(t, n.Ready)
		if took := time.Since(started); took < 900*time.Millisecond {
			t.Errorf("the node was ready with an old edition after %v, without waiting for the database", took)
		}
	})
	t.Run("the same edition", func(t *testing.T) {
		t.Parallel()
		n := run(t, Options{Open: feedOf(db), File: path})
		testkit.Eventually(t, n.Ready)
		testkit.Eventually(t, n.Connected)
		if s := n.seen(); len(s) != 0 {
			t.Errorf("the node fetched what it had: %+v", s)
		}
	})
}

// A database that is there but has no schema or no edition: say what to do, and follow the first.
func TestFirstEdition(t *testing.T) {
	t.Parallel()
	bare := run(t, Options{Open: feedOf(open(t, pgtest.URL(t)))})
	testkit.Eventually(t, func() error { return says(bare.Ready(), "run palmares migrate") })

	db := pgtest.Open(t)
	n := run(t, Options{Open: feedOf(db)})
	testkit.Eventually(t, n.Connected)
	if err := says(n.Ready(), "none has been published yet", "palmares publish"); err != nil {
		t.Error(err)
	}
	n.wantEdition(t, publish(t, db, put(catalogtest.Generated(20))))
	testkit.Eventually(t, n.Ready)
	catalogtest.WantSame(t, read(t, db), n.Current())
}
