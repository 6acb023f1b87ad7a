package quota

import (
	"crypto/rand"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"github.com/palmares-hq/palmares/internal/redistest"
)

// TestClusterLosesAMaster: charges of its slots are counted on the node alone, the
// others go on together until the cluster gives up, and nobody waits for a master
// that is dead.
func TestClusterLosesAMaster(t *testing.T) {
	t.Parallel()
	url := redistest.Cluster(t)
	n := startNode(t, url)
	waitShared(t, []*node{n}, 10*time.Second)
	shutDown(t, url)

	accounts := make([]string, 300)
	for i := range accounts {
		accounts[i] = rand.Text() + strconv.Itoa(i)
	}
	var times []time.Duration
	for end := time.Now().Add(1500 * time.Millisecond); time.Now().Before(end); time.Sleep(time.Millisecond) {
		started := time.Now()
		if d := n.Charge(n.Account(accounts[len(times)%len(accounts)]), wideLimit); !d.Allowed {
			t.Fatal("a charge was refused because a master was gone")
		}
		times = append(times, time.Since(started))
	}
	t.Logf("%d charges, %d counted together, %d alone: p99 %v, the longest %v",
		len(times), n.shared.Load(), n.local.Load(), p99(times), slices.Max(times))
	holdTo(t, "p99 without a master", p99(times), mostBefore)
	if n.local.Load() == 0 || n.shared.Load() == 0 {
		t.Error("either no master was missed, or all were")
	}
}

// shutDown ends the first server of the URL.
func shutDown(t *testing.T, url string) {
	t.Helper()
	first, _, _ := strings.Cut(url, "?")
	o, err := rueidis.ParseURL(first)
	if err != nil {
		t.Fatal(err)
	}
	o.ForceSingleClient, o.DisableCache, o.DisableRetry = true, true, true
	c, err := rueidis.NewClient(o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Do(t.Context(), c.B().Arbitrary("SHUTDOWN", "NOSAVE").Build()).Error(); err == nil {
		t.Fatal("the server answers after its end")
	}
}
