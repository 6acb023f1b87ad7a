package node

import "testing"

func TestShareDescriptors(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{16, 64, 256, 1024, 65_536, 1 << 30} {
		for _, worker := range []bool{false, true} {
			d := shareDescriptors(limit, worker)
			own := limit - d.public - d.admin
			if worker {
				own -= idleReceivers(limit)
			}
			t.Logf("%d, worker %v: %+v, and %d for the node itself", limit, worker, d, own)
			if d.public < limit/4 || limit >= 256 && own < ownFiles+engineConns {
				t.Errorf("%d, worker %v: %+v, and %d for the node itself", limit, worker, d, own)
			}
		}
	}
}
