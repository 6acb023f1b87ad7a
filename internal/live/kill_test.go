package live

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// copyWriterVariable makes this program write copies to the file it names.
const copyWriterVariable = "PALMARES_TEST_COPY_WRITER"

// alternating is the two editions that the killed program writes in turn.
func alternating() [2]*catalog.Snapshot {
	next := catalogtest.Generated(100)
	for i := range next.Tools {
		tagline(i, "La suivante.")(next)
	}
	return [2]*catalog.Snapshot{snapshot(catalogtest.Generated(100), 1, "one"), snapshot(next, 2, "two")}
}

// writeCopiesForever is what the killed program does.
func writeCopiesForever(path string) {
	editions := alternating()
	for i := 0; ; i++ {
		if err := WriteCopy(path, editions[i%2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if i == 0 {
			fmt.Println("writing") // and it goes on
		}
	}
}

// TestCopySurvivesKill ends a program that writes copies, with SIGKILL, at 50 random
// moments. The copy is always whole, one edition or the other, and what the dead
// left behind is swept away by the next start.
func TestCopySurvivesKill(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "copy[1]") // a name that is a pattern, too
	editions := alternating()
	if err := WriteCopy(path, editions[0]); err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var found [3]int // by edition number
	halves := 0      // killed in the middle of a file
	for i := range testkit.Size(30, 50) {
		killWriter(t, path, time.Duration(random.IntN(40_000))*time.Microsecond)
		s, err := ReadCopy(path)
		if err != nil {
			t.Fatal(err)
		}
		number := s.Edition().Number
		if number != 1 && number != 2 || !reflect.DeepEqual(s.Whole(), editions[number-1].Whole()) {
			t.Fatalf("the copy holds an edition %d that nobody wrote", number)
		}
		found[number]++
		if i%10 != 9 {
			continue
		}
		files, err := os.ReadDir(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		halves += len(files) - 1
		start(t, path, number, 2*sweepAfter)
		wantFiles(t, path)
	}
	t.Logf("edition 1 found %d times, edition 2 %d times; %d files left half-written", found[1], found[2], halves)
	if halves == 0 || found[1] == 0 || found[2] == 0 {
		t.Error("the kills did not hit the writing")
	}
}

// killWriter starts the program and kills it the given time after its first copy.
func killWriter(t *testing.T, path string, after time.Duration) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), copyWriterVariable+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	time.Sleep(after)
	cmd.Process.Kill()
	if ended := cmd.Wait(); err != nil || ended == nil || ended.Error() != "signal: killed" {
		t.Fatalf("the program said %q (%v) and ended with %v", line, err, ended)
	}
}

// start starts a node, some time from now and without a database, and ends it at once.
func start(t *testing.T, path string, number int64, later time.Duration) {
	t.Helper()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	n := New(Options{
		File: path, Logger: slog.New(slog.DiscardHandler), Now: func() time.Time { return time.Now().Add(later) },
		Open: func(context.Context) (Feed, error) { return nil, errors.New("this must not be asked") },
	})
	n.Run(over)
	if got, copied := n.Current().Edition().Number, n.CopyEdition(); got != number || copied != number {
		t.Errorf("the node started with edition %d and says that its copy holds %d, want %d", got, copied, number)
	}
}

// Sweeping must not take what is not a leftover of this copy, nor what another process
// may be writing.
func TestSweepTakesOnlyLeftovers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "copy*")
	const old = sweepAfter + time.Minute
	for name, file := range map[string]struct {
		age   time.Duration
		stays bool
	}{
		"copy*":                      {old, true},
		"copy*" + leftover + "1":     {old, false},
		"copy*" + leftover + "old":   {old, false},
		"copy*" + leftover + "young": {sweepAfter - time.Minute, true},
		"copy*" + leftover + "ahead": {-time.Minute, true},
		"copy-of-mine":               {old, true},
		"copy2" + leftover + "1":     {old, true},
		"a-copy*" + leftover + "1":   {old, true},
	} {
		at, written := filepath.Join(dir, name), time.Now().Add(-file.age)
		if err := errors.Join(os.WriteFile(at, nil, 0o600), os.Chtimes(at, written, written)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if _, err := os.Stat(at); (err == nil) != file.stays {
				t.Errorf("%s: %v, want it to stay: %v", name, err, file.stays)
			}
		})
	}
	if err := WriteCopy(path, snapshot(catalogtest.Generated(1), 4, "four")); err != nil {
		t.Fatal(err)
	}
	start(t, path, 4, 0)
}
