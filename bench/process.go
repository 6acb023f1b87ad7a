package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A process is a program running in the background.
type process struct {
	*exec.Cmd

	log  string        // the file that its output goes to
	done chan struct{} // closed when it has ended
}

// start runs a program with its output in a new file in dir. The program gets a process group of its own, so
// that Ctrl-C does not reach it: we stop programs ourselves, in order.
func start(dir string, env []string, program string, args ...string) *process {
	out := must(os.CreateTemp(dir, filepath.Base(program)+"-*.log"))
	defer out.Close()                                                  //nolint:errcheck // the process has its own
	cmd := exec.CommandContext(context.Background(), program, args...) //nolint:gosec // our own programs
	cmd.Env, cmd.Stdout, cmd.Stderr = env, out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	check(cmd.Start())
	p := &process{cmd, out.Name(), make(chan struct{})}
	go func() {
		cmd.Wait() //nolint:errcheck,gosec // how it ended is in its log
		close(p.done)
	}()
	return p
}

// stop sends SIGTERM, and kills the process if it has not ended after 10 s.
func (p *process) stop() {
	p.Process.Signal(syscall.SIGTERM) //nolint:errcheck,gosec // it has ended by itself
	select {
	case <-p.done:
	case <-time.After(10 * time.Second):
		p.Process.Kill() //nolint:errcheck,gosec // as above
		<-p.done
	}
}

// await calls ready repeatedly until it returns nil. It fails if the process ends, or the limit is over.
func (p *process) await(ctx context.Context, limit time.Duration, ready func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		err := ready(ctx)
		if err == nil {
			return
		}
		select {
		case <-p.done:
			check(fmt.Errorf("%s has ended: %s", p.Path, p.output()))
		case <-ctx.Done():
			check(fmt.Errorf("%s is not ready: %w\n%s", p.Path, errors.Join(ctx.Err(), err), p.output()))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// output returns the end of what the process has written.
func (p *process) output() string {
	text := must(os.ReadFile(p.log))
	return strings.TrimSpace(string(text[max(0, len(text)-600):]))
}

// listening returns a function for await that checks whether an address accepts connections.
func listening(address string) func(context.Context) error {
	return func(ctx context.Context) error {
		var d net.Dialer
		conn, err := d.DialContext(ctx, "tcp", address)
		if err != nil {
			return err
		}
		return conn.Close()
	}
}

// freeAddress returns a loopback address that nothing listens on.
func freeAddress(ctx context.Context) string {
	var lc net.ListenConfig
	l := must(lc.Listen(ctx, "tcp", "127.0.0.1:0"))
	check(l.Close())
	return l.Addr().String()
}

// command runs a program to its end.
func command(ctx context.Context, env []string, program string, args ...string) {
	cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // our own programs
	cmd.Env, cmd.WaitDelay = env, time.Second         // of a build that is ended compilers are left for a moment
	if out, err := cmd.CombinedOutput(); err != nil {
		check(fmt.Errorf("%s %s: %w\n%s", filepath.Base(program), strings.Join(args, " "), err, bytes.TrimSpace(out)))
	}
}

// cpuTime returns the CPU time that the processes of a group have used: the sum over their threads of the first field
// of schedstat, which is in nanoseconds.
func cpuTime(group int) (total time.Duration) {
	found := false
	for _, dir := range must(filepath.Glob("/proc/[0-9]*")) {
		pid := must(strconv.Atoi(filepath.Base(dir)))
		if g, err := syscall.Getpgid(pid); err != nil || g != group { // it may have ended meanwhile
			continue
		}
		for _, path := range must(filepath.Glob(dir + "/task/*/schedstat")) {
			text, err := os.ReadFile(path)
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) { // a thread that has just ended
				continue
			}
			check(err)
			ns, _, _ := strings.Cut(string(text), " ")
			total += time.Duration(must(strconv.ParseInt(ns, 10, 64)))
			found = true
		}
	}
	if !found {
		check(fmt.Errorf("no CPU time of the processes of %d: they have ended, or this kernel has no schedstat", group))
	}
	return total
}
