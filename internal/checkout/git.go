package checkout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/palmares-hq/palmares/internal/text"
)

// patience is how long git may take for an answer.
const patience = 10 * time.Second

// git runs the program git in a directory.
type git struct {
	dir   string
	env   []string // the whole environment; nil for that of this process without git's own variables
	limit int      // bytes that git may print; 0 for no limit
}

// run runs git and returns what it prints. The commands used here read only objects and names of commits.
// They start neither hooks nor filters, and the settings in command keep git from everything else that a
// repository can make it run: a file monitor, a program that checks signatures, a fetch of missing objects.
// git's own variables are removed: those that a hook inherits would lead to another repository.
func (g git) run(ctx context.Context, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("it took longer than %v", patience))
	defer cancel()
	out, said, err := g.output(g.command(ctx, args...))
	switch {
	case err == nil:
		return out, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("git %s: %w", args[0], context.Cause(ctx))
	case said == "":
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	return nil, fmt.Errorf("git %s: %w: %s", args[0], err, said)
}

// command returns a git command with the settings that keep it from running other programs.
func (g git) command(ctx context.Context, args ...string) *exec.Cmd {
	safe := []string{
		"-C", g.dir, "--literal-pathspecs", "--no-replace-objects", "--no-pager",
		"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "log.showSignature=false",
		"-c", "protocol.allow=never",
	}
	cmd := exec.CommandContext(ctx, "git", append(safe, args...)...) //nolint:gosec // no shell, and commits are checked
	cmd.WaitDelay = time.Second
	cmd.Env = g.env
	if g.env == nil {
		for _, v := range os.Environ() {
			if !strings.HasPrefix(v, "GIT_") {
				cmd.Env = append(cmd.Env, v)
			}
		}
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none")
	return cmd
}

// errTooMuch says that git printed more than its limit.
var errTooMuch = errors.New("git prints more than is read of it")

// output runs a command, and ends it when it prints more than the limit. said is what it wrote to stderr, in one line.
func (g git) output(cmd *exec.Cmd) (out []byte, said string, err error) {
	stdout, stderr := &bounded{limit: g.limit, cmd: cmd}, &bounded{limit: maxSaid, quiet: true}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err = cmd.Run()
	if stdout.over {
		err = errTooMuch
	}
	return stdout.kept.Bytes(), printed(stderr.kept.String()), err
}

// maxSaid is how many bytes of git's error messages are kept.
const maxSaid = 2000

// bounded is a writer that keeps an output up to a limit.
type bounded struct {
	kept  bytes.Buffer // not embedded: io.Copy would use its ReadFrom, past the limit
	limit int          // 0 for none
	quiet bool         // drop what is over the limit, instead of ending the command
	cmd   *exec.Cmd    // the command that is ended
	over  bool         // there was more than the limit
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.limit == 0 || b.kept.Len()+len(p) <= b.limit {
		return b.kept.Write(p)
	}
	b.kept.Write(p[:b.limit-b.kept.Len()])
	b.over = true
	if b.quiet {
		return len(p), nil
	}
	if b.cmd.Cancel != nil {
		_ = b.cmd.Cancel() // it may have ended
	}
	return 0, errTooMuch
}

// printed returns git's messages as one line of at most 500 characters. Some of them come from the server, so it
// removes everything that could move a cursor or begin a line.
func printed(said string) string {
	var kept []string
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); line != "" {
			kept = append(kept, line)
		}
	}
	shown := text.Line(strings.Join(kept, "; "))
	const most = 500
	if runes := []rune(shown); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return shown
}

// inOwnProcessGroup gives a command its own process group and kills the whole group when its context ends, so that nothing git
// starts outlives it.
func inOwnProcessGroup(cmd *exec.Cmd) *exec.Cmd {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	return cmd
}
