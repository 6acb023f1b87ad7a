package main

import (
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"
)

func TestCPUOfThisProcess(t *testing.T) {
	t.Parallel()
	before, err := cpuOf([]int{os.Getpid()})
	if err != nil {
		t.Skip(err)
	}
	after := before
	for began := time.Now(); after-before < 5*time.Millisecond; {
		if after, err = cpuOf([]int{os.Getpid()}); err != nil {
			t.Fatal(err)
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("a minute of work took %v of processor time", after-before)
		}
	}
	twice, err := cpuOf([]int{os.Getpid(), os.Getpid()})
	if err != nil || twice < 2*after {
		t.Errorf("%v of one process, %v of two: %v", after, twice, err)
	}
}

func TestCPUOfNobody(t *testing.T) {
	t.Parallel()
	if d, err := cpuOf([]int{1 << 30}); err == nil {
		t.Errorf("a process that is not there took %v", d)
	}
}

func TestChildren(t *testing.T) {
	t.Parallel()
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Skip(err)
	}
	defer child.Wait()
	defer child.Process.Kill()
	found, err := children(os.Getpid())
	if err != nil || !slices.Contains(found, child.Process.Pid) {
		t.Errorf("%d is not among %v: %v", child.Process.Pid, found, err)
	}
}
