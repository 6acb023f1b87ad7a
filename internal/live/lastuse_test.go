package live

import (
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// The day of a key's last use is written once a day. What cannot be written while PostgreSQL is
// down, when keys that are held go on working, is written once it is back.
func TestKeys_LastUse(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	db := server.Open()
	clock := testkit.NewClock(time.Now().Truncate(24 * time.Hour).Add(12 * time.Hour))
	k := runKeys(t, KeysOptions{
		Open: keyFeedOf(db), Touch: db.Keys.Touch, Now: clock.Now, RefreshEvery: time.Microsecond,
	})
	testkit.Eventually(t, k.Ready)
	lastUse := func(email string) string {
		t.Helper()
		keys, err := pgtest.ByEmail(db).Keys(t.Context(), email)
		must(t, err)
		return keys[0].LastUsed.Format(time.DateOnly)
	}
	used, _ := aKey(t, db, "used@example.org")
	idle, _ := aKey(t, db, "idle@example.org")
	k.refresh(t)
	for range 3 { // days
		for range 3 {
			testkit.Equal(t, "a key works", k.good(t, used), true)
			testkit.Eventually(t, func() error { return k.Flush(t.Context()) })
			testkit.Equal(t, "last use", lastUse("used@example.org"), clock.Now().Format(time.DateOnly))
		}
		clock.Advance(24 * time.Hour)
	}
	testkit.Equal(t, "last use of an idle key", lastUse("idle@example.org"), "0001-01-01")
	server.Stop()
	testkit.Equal(t, "a key works without PostgreSQL", k.good(t, idle), true)
	if k.Flush(t.Context()) == nil {
		t.Error("a flush to nowhere was no error")
	}
	server.Start()
	testkit.Eventually(t, func() error { return k.Flush(t.Context()) })
	testkit.Equal(t, "last use, written late", lastUse("idle@example.org"), clock.Now().Format(time.DateOnly))
}
