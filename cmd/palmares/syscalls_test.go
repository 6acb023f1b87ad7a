package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// callGroups are the groups of system calls that systemd knows, each with what it lists: calls and other groups.
func callGroups(t *testing.T) map[string][]string {
	t.Helper()
	out, _ := finish(t, exec.Command("systemd-analyze", "syscall-filter", "--no-pager"))
	groups := make(map[string][]string)
	var group string
	for line := range strings.Lines(out) {
		name, comment := strings.TrimSpace(line), strings.HasPrefix(strings.TrimSpace(line), "#")
		switch {
		case name == "" || comment:
		case !strings.HasPrefix(line, " "):
			group = name
		default:
			groups[group] = append(groups[group], name)
		}
	}
	return groups
}

// resolve adds the calls of a group, or a call, to a set, or takes them out of it.
func resolve(groups map[string][]string, name string, calls map[string]bool, allowed bool) {
	if !strings.HasPrefix(name, "@") {
		calls[name] = allowed
		return
	}
	for _, member := range groups[name] {
		resolve(groups, member, calls, allowed)
	}
}

// allowedCalls are the system calls that the units leave to the program.
func allowedCalls(t *testing.T) map[string]bool {
	t.Helper()
	groups := callGroups(t)
	calls := make(map[string]bool)
	resolve(groups, "@default", calls, true) // a list of what is allowed begins with it; what follows may take it back
	lines := regexp.MustCompile(`(?m)^SystemCallFilter=(~?)(.+)$`).FindAllStringSubmatch(testkit.ReadFile(t, root+"/deploy/debian/sandbox.tmpl"), -1)
	testkit.Equal(t, "the lines of the filter", len(lines), 2)
	for _, line := range lines {
		for name := range strings.FieldsSeq(line[2]) {
			if strings.HasPrefix(name, "@") && len(groups[name]) == 0 {
				t.Errorf("systemd has no group %s", name)
			}
			resolve(groups, name, calls, line[1] == "")
		}
	}
	maps.DeleteFunc(calls, func(_ string, allowed bool) bool { return !allowed })
	return calls
}

// traced is a command under strace, which counts its system calls into the file. The process is that of the command, so that
// signals reach it.
func traced(t *testing.T, file string, environ []string, args ...string) *exec.Cmd {
	t.Helper()
	program, err := binary()
	must(t, err)
	return commandOf(t, "strace", environ, append([]string{"-D", "-f", "-qq", "-c", "-o", file, program}, args...)...)
}

// callsIn waits for what strace has counted, which it writes after the end of the command.
func callsIn(t *testing.T, file string) (calls []string) {
	t.Helper()
	var text string
	testkit.EventuallyTrue(t, "strace writes what it has seen", func() bool {
		b, err := os.ReadFile(file)
		text = string(b)
		return err == nil && strings.HasSuffix(text, " total\n")
	})
	for _, m := range regexp.MustCompile(`(?m)^ *[\d.]+ .* (\w+)$`).FindAllStringSubmatch(text, -1) {
		if m[1] != "total" {
			calls = append(calls, m[1])
		}
	}
	return calls
}

// A call that the units forbid fails under systemd, and nowhere else: so every call that a migration and a node with all roles
// make, from the start to the end, is one that they allow.
func TestUnits_AllowEverySystemCall(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"strace", "systemd-analyze"} {
		if _, err := exec.LookPath(name); err != nil {
			pgtest.SkipOrFail(t, "no %s: apt-get install strace systemd", name)
		}
	}
	allowed := allowedCalls(t)
	dir, db := t.TempDir(), pgtest.URL(t)
	environ := onFreePorts(db, "PALMARES_REDIS_URL="+redistest.NewServer(t).URL(), "PALMARES_SNAPSHOT_FILE="+filepath.Join(dir, "snapshot"))
	seen := make(map[string][]string) // by call, the commands that make it
	see := func(name string) {
		t.Helper()
		calls := callsIn(t, filepath.Join(dir, name))
		if len(calls) < 15 {
			t.Errorf("%s: strace has seen only %q", name, calls)
		}
		for _, call := range calls {
			seen[call] = append(seen[call], name)
		}
	}

	finish(t, traced(t, filepath.Join(dir, "migrate"), environ, "migrate"))
	see("migrate")
	n := serving(startCommand(t, traced(t, filepath.Join(dir, "serve"), environ, "serve")))
	palmares(t, environ, "publish", root+"/examples/catalog") // from elsewhere than a unit
	key := newKey(t, db, "you@example.org", "pro")
	n.ready()
	n.counts(1)
	for _, path := range []string{"/api/v1/tools?limit=1", "/", "/outils/tournevis", "/api/v1/export/tools.jsonl"} {
		testkit.Equal(t, path, testkit.Get(t, n.public+path).Status, 200)
	}
	testkit.EventuallyTrue(t, "a key works", func() bool {
		r, err := testkit.Fetch(n.public+"/api/embeddings/tournevis", testkit.Bearer(key))
		return err == nil && r.OK()
	})
	for _, name := range []string{"snapshot", "snapshot.keys"} {
		testkit.Eventually(t, func() error { _, err := os.Stat(filepath.Join(dir, name)); return err })
	}
	n.stop()
	see("serve")

	for _, call := range slices.Sorted(maps.Keys(seen)) {
		if !allowed[call] {
			t.Errorf("%s: %v makes this call, and SystemCallFilter of deploy/debian/sandbox.tmpl forbids it", call, seen[call])
		}
	}
	for _, call := range []string{"accept4", "connect", "epoll_pwait", "futex", "renameat"} { // a node does so in any case
		if !slices.Contains(seen[call], "serve") {
			t.Errorf("strace has not seen %s among %v", call, slices.Sorted(maps.Keys(seen)))
		}
	}
	t.Logf("%d system calls seen, %d allowed", len(seen), len(allowed))
}
