package memory

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

// The smallest limit counts, of whichever version of control groups, and however far up.
func TestCgroupLimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  uint64
	}{
		"no control groups":         {nil, 0},
		"version 2, no limit":       {map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"}, 0},
		"version 2":                 {map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "300\n"}, 300},
		"version 2, the one around": {map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "300\n", "sys/fs/cgroup/a/memory.max": "200\n"}, 200},
		"version 2, in a container": {map[string]string{"proc/self/cgroup": "0::/../../docker/x\n", "sys/fs/cgroup/memory.max": "400\n"}, 400},
		"version 1": {map[string]string{
			"proc/self/cgroup": "5:cpu,cpuacct:/a\n4:memory:/a\n", "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "500\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, 500},
		"version 1, no limit": {map[string]string{"proc/self/cgroup": "4:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 0},
		"both": {map[string]string{
			"proc/self/cgroup": "4:memory:/a\n0::/a\n", "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "500\n", "sys/fs/cgroup/a/memory.max": "450\n",
		}, 450},
		"nonsense": {map[string]string{"proc/self/cgroup": "hello\n\n4:memory\n0::/a", "sys/fs/cgroup/a/memory.max": "a lot\n"}, 0},
	} {
		root := t.TempDir()
		for file, text := range c.files {
			file = filepath.Join(root, file)
			if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		testkit.Equal(t, name, cgroupLimit(root), c.want)
	}
}

// Nine tenths of the limit are Go's; the operator hears once that they are not enough, and again after they were.
func TestCollector_WarnsOfTooLittle(t *testing.T) {
	t.Parallel()
	var live uint64
	var said int
	c := &Collector{live: func() uint64 { return live }, limit: 1000, TooLittle: func(uint64, uint64) { said++ }}
	for _, step := range []struct {
		live uint64
		said int
	}{{100, 0}, {500, 0}, {501, 1}, {600, 1}, {100, 1}, {700, 2}} {
		live = step.live
		c.adjust()
		testkit.Equal(t, "warnings", said, step.said)
	}
}
