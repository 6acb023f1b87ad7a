package checkout

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// patience is how long git may take for an answer.
const patience = 10 * time.Second

// git runs the program in a directory.
type git struct{ dir string }

// run gives what git prints. The commands that are run here read objects and names of commits alone.
// They start neither hooks nor filters, and the settings below keep git from everything else that a
// repository can make it run: a monitor of files, a program that checks signatures, a server that is
// asked for objects that are missing. Variables of git's own, as a hook inherits them, would lead to
// another repository.
func (g git) run(ctx context.Context, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	safe := []string{
		"-C", g.dir, "--literal-pathspecs", "--no-replace-objects", "--no-pager",
		"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "log.showSignature=false",
		"-c", "protocol.allow=never",
	}
	cmd := exec.CommandContext(ctx, "git", append(safe, args...)...) //nolint:gosec // no shell, and commits are checked
	cmd.WaitDelay = time.Second
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	return out, nil
}
