package live

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// What a copier logs.
const (
	copyWritten = "disk copy written"
	copyFailed  = "the disk copy was not written; the old one stays"
)

// loggedCopier is a copier and all that it logs.
func loggedCopier(path string) (*copier, *testkit.Log) {
	log := &testkit.Log{}
	return newCopier(path, slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})), time.Now), log
}

func save(c *copier, tools int, editions ...int64) {
	for _, number := range editions {
		c.save(snapshot(catalogtest.Generated(tools), number, "any"))
	}
}

func TestCopierKeepsOnlyTheLatest(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "copy")
	c, log := loggedCopier(path)
	c.busy = true // as while a slow disk is busy with an older edition
	save(c, 1, 1, 2, 3, 4, 5)
	go c.write()
	c.close()
	if n := strings.Count(log.String(), copyWritten); n != 1 {
		t.Errorf("%d copies were written, want the last alone", n)
	}
	if err := copied(path, 5); err != nil {
		t.Error(err)
	}
}

// The first copy is written at once, others a while after the swap, and one for all editions until then.
func TestCopierLetsASwapPass(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, log := loggedCopier(filepath.Join(t.TempDir(), "copy"))
		save(c, 1, 1)
		synctest.Wait()
		testkit.Equal(t, "the edition on disk at once", c.edition.Load(), int64(1))
		save(c, 1, 2)
		time.Sleep(copyAfter - time.Second)
		save(c, 1, 3)
		synctest.Wait()
		testkit.Equal(t, "the edition on disk soon after", c.edition.Load(), int64(1))
		time.Sleep(2 * time.Second)
		synctest.Wait()
		testkit.Equal(t, "the edition on disk at last", c.edition.Load(), int64(3))
		testkit.Equal(t, "the copies", strings.Count(log.String(), copyWritten), 2)
		save(c, 1, 4)
		began := time.Now()
		c.close()
		testkit.Equal(t, "the edition on disk in the end", c.edition.Load(), int64(4))
		if waited := time.Since(began); waited >= copyAfter {
			t.Errorf("a node that ends waits %v before it writes its copy", waited)
		}
	})
}

// Closing waits for the copy under way. A copy that cannot be written leaves the old one and does not
// stop the next.
func TestCopierCloses(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "later")
	path := filepath.Join(dir, "copy")
	c, log := loggedCopier(path)
	c.close() // nothing to wait for
	save(c, 1, 1)
	c.close()
	if n := strings.Count(log.String(), copyFailed); n != 1 {
		t.Errorf("the failure was logged %d times, want once", n)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	save(c, 500, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	c.close()
	if err := copied(path, 10); err != nil {
		t.Error(err)
	}
	wantFiles(t, path)
}

// Without another edition a copy that failed is tried again every minute, until it works
// or the node ends.
func TestCopierTriesAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "later")
		path := filepath.Join(dir, "copy")
		c, log := loggedCopier(path)
		failures := func() int { return strings.Count(log.String(), copyFailed) }
		save(c, 1, 1, 2)
		time.Sleep(2*retryEvery + retryEvery/2)
		synctest.Wait()
		tried := failures()
		if tried < 3 || tried > 4 || c.edition.Load() != 0 { // the first edition may have been overtaken
			t.Errorf("after two minutes and a half %d failures are logged, the copy is said to hold edition %d",
				tried, c.edition.Load())
		}
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		time.Sleep(retryEvery)
		synctest.Wait()
		if err := copied(path, 2); err != nil || c.edition.Load() != 2 {
			t.Errorf("%v; the copy is said to hold edition %d", err, c.edition.Load())
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * retryEvery)
		save(c, 1, 3)
		c.close() // ends the retries
		time.Sleep(2 * retryEvery)
		if got := failures(); got != tried+1 {
			t.Errorf("%d failures are logged, want %d", got, tried+1)
		}
	})
}

// A copy that cannot be written ages from the edition that it lacks, and no longer once it is there.
func TestCopierTellsItsAge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "later")
		c, _ := loggedCopier(filepath.Join(dir, "copy"))
		testkit.Equal(t, "before the first edition", c.age(), time.Duration(0))
		save(c, 1, 1)
		time.Sleep(retryEvery + time.Second)
		save(c, 1, 2)
		time.Sleep(time.Second)
		synctest.Wait()
		testkit.Equal(t, "while there is no directory", c.age(), retryEvery+2*time.Second)
		testkit.Must(t, os.Mkdir(dir, 0o755))
		time.Sleep(2 * retryEvery)
		synctest.Wait()
		testkit.Equal(t, "once it is written", c.age(), time.Duration(0))
		testkit.Equal(t, "the edition on disk", c.edition.Load(), int64(2))
		c.close()
	})
}
