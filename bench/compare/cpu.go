package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// cpuOf returns the CPU time that processes have used: the sum over their threads of the first field of
// schedstat, which is in nanoseconds.
func cpuOf(pids []int) (time.Duration, error) {
	var total time.Duration
	for _, pid := range pids {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		if err != nil || len(threads) == 0 {
			return 0, fmt.Errorf("no processor time of process %d: it has ended, or this kernel has no schedstat", pid)
		}
		for _, path := range threads {
			text, err := os.ReadFile(path)
			if errors.Is(err, fs.ErrNotExist) { // a thread that has just ended
				continue
			}
			if err != nil {
				return 0, fmt.Errorf("reading processor time: %w", err)
			}
			field, _, _ := bytes.Cut(text, []byte(" "))
			ns, err := strconv.ParseInt(string(field), 10, 64)
			if err != nil {
				return 0, fmt.Errorf("%s: %w", path, err)
			}
			total += time.Duration(ns)
		}
	}
	return total, nil
}

// children lists the processes whose parent is pid.
func children(pid int) ([]int, error) {
	paths, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		return nil, err
	}
	parent := fmt.Appendf(nil, "\nPPid:\t%d\n", pid)
	var found []int
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(text, parent) { // it may have ended meanwhile
			continue
		}
		child, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			return nil, err
		}
		found = append(found, child)
	}
	return found, nil
}
