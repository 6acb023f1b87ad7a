package memory

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// noLimit is what the first version of control groups writes for none, or more.
const noLimit = 1 << 60

// cgroupLimit is the smallest limit of memory that the kernel sets to this process, by its control group or one around it, of the first or
// second version; 0 if there is none. root is where the files of the machine are.
func cgroupLimit(root string) uint64 {
	text, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return 0 // no Linux, or nothing to read it by
	}
	var least uint64
	for line := range strings.Lines(string(text)) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, group, ok := strings.Cut(rest, ":")
		switch {
		case !ok:
		case controllers == "":
			least = smaller(least, groupLimit(filepath.Join(root, "sys/fs/cgroup"), group, "memory.max"))
		case slices.Contains(strings.Split(controllers, ","), "memory"):
			least = smaller(least, groupLimit(filepath.Join(root, "sys/fs/cgroup/memory"), group, "memory.limit_in_bytes"))
		}
	}
	return least
}

// groupLimit is the smallest limit of a group and those around it. Those that a container does not see have no files here.
func groupLimit(mount, group, file string) (least uint64) {
	for group = path.Clean("/" + group); ; group = path.Dir(group) {
		if text, err := os.ReadFile(filepath.Join(mount, group, file)); err == nil {
			limit, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
			if err == nil && limit < noLimit { // the word max is none
				least = smaller(least, limit)
			}
		}
		if group == "/" {
			return least
		}
	}
}

// smaller is the smaller one of two limits, of which 0 is none.
func smaller(a, b uint64) uint64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}
