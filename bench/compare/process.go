package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A process is a program running in the background.
type process struct {
	name string
	cmd  *exec.Cmd
	log  string        // the file that its output goes to
	done chan struct{} // closed when it has ended
}

// start runs a program with its output in a log file in dir. The program gets a process group of its own, so
// that Ctrl-C does not reach it: we stop programs ourselves, in order.
func start(dir, name string, env []string, program string, args ...string) (*process, error) {
	p := &process{name: name, log: filepath.Join(dir, strings.NewReplacer(" ", "-", "/", "-").Replace(name)+".log"), done: make(chan struct{})}
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the log of %s: %w", name, err)
	}
	defer out.Close()                                                   //nolint:errcheck // the process has its own
	p.cmd = exec.CommandContext(context.Background(), program, args...) //nolint:gosec // our own programs
	p.cmd.Env = env
	p.cmd.Stdout, p.cmd.Stderr = out, out
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	go func() {
		p.cmd.Wait() //nolint:errcheck,gosec // how it ended is in its log
		close(p.done)
	}()
	return p, nil
}

// stop sends SIGTERM, and kills the process if it has not ended after 10 s.
func (p *process) stop() {
	p.cmd.Process.Signal(syscall.SIGTERM) //nolint:errcheck,gosec // it has ended by itself
	select {
	case <-p.done:
	case <-time.After(10 * time.Second):
		p.cmd.Process.Kill() //nolint:errcheck,gosec // as above
		<-p.done
	}
}

// await calls ready repeatedly until it returns nil, the process ends, or the limit is over.
func (p *process) await(ctx context.Context, limit time.Duration, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("%s has ended: %s", p.name, p.tail())
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w\n%s", p.name, errors.Join(ctx.Err(), err), p.tail())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// tail returns the end of the process's log.
func (p *process) tail() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	const most = 600
	if len(text) > most {
		text = text[len(text)-most:]
	}
	return string(bytes.TrimSpace(text))
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
func freeAddress(ctx context.Context) (string, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("looking for a free port: %w", err)
	}
	defer l.Close() //nolint:errcheck // it was only to find the port
	return l.Addr().String(), nil
}

// command runs a program to its end.
func command(ctx context.Context, dir string, env []string, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // our own programs
	cmd.Dir, cmd.Env = dir, env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(program), strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	return nil
}
