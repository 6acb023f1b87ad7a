package sampletest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/palmares-hq/palmares/internal/site/guide"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A Session simulates a reader at a terminal, in a directory that is empty at first. Variables that a
// sample exports are set for the next ones.
type Session struct {
	Key      string    // the API key that replaces plm_… in samples; "" for none
	Compiled *Compiled // programs that are compiled already; nil for none

	dir, state string   // the working directory, and the file that keeps exported variables
	path       string   // the directory of TypeScript, put in front of PATH
	modules    []string // variables with which go get takes the Go client from this checkout
	port       string   // a free port, which replaces port in samples
	groups     []int    // the process groups of the samples
}

// port is the port on which the receivers in the guides listen.
const port = "8000"

// programs are the programs that samples need.
var programs = []string{"bash", "curl", "jq", "go", "node", "npm", "openssl", "python3", "sqlite3"}

// NewSession returns a session, which ends with the test. If TypeScript or one of programs is not
// available, it skips the test, or fails it if CI=true.
func NewSession(tb testing.TB) *Session {
	tb.Helper()
	dir, err := TypeScript()
	for _, name := range programs {
		if _, missing := exec.LookPath(name); missing != nil {
			err = missing
		}
	}
	if err != nil && os.Getenv("CI") != "true" {
		tb.Skip(err)
	}
	testkit.Must(tb, err)
	_, free, _ := strings.Cut(testkit.FreeAddress(tb), ":")
	s := &Session{dir: tb.TempDir(), state: filepath.Join(tb.TempDir(), "exported"), path: dir, port: free, modules: GoModules(tb)}
	tb.Cleanup(func() {
		for _, group := range s.groups {
			_ = syscall.Kill(-group, syscall.SIGKILL) // fails if the group has ended already, as most have
		}
	})
	return s
}

// Run runs the samples of a page in order. It returns the first failure, with the text of the sample.
func (s *Session) Run(ctx context.Context, markdown string) error {
	samples, err := guide.Samples(markdown)
	if err != nil {
		return err
	}
	for i, sample := range samples {
		if sample.Output || sample.Shown {
			continue
		}
		shown := ""
		if i+1 < len(samples) && samples[i+1].Output {
			shown = samples[i+1].Text
		}
		if err := s.run(ctx, sample, shown); err != nil {
			return fmt.Errorf("%w\n%s", err, sample.Text)
		}
	}
	return nil
}

// commands are the commands that run a saved sample, by language. Shell samples need none.
var commands = map[string]string{
	"go": "go run sample.go", "ts": "node sample.ts", "python": "python3 sample.py",
}

// run saves a sample that is a file, or runs any other and compares its output with shown.
func (s *Session) run(ctx context.Context, sample guide.Sample, shown string) error {
	text := strings.NewReplacer("plm_…", s.Key, port, s.port).Replace(sample.Text)
	command, known := commands[sample.Language]
	switch {
	case sample.File != "":
		return s.save(sample.File, text)
	case sample.Language == "sh":
		command = text
	case !known:
		return fmt.Errorf("this is %s, and neither output nor shown", sample.Language)
	case s.compiled(sample) != "":
		command = s.compiled(sample)
	default:
		extension := map[string]string{"go": "go", "ts": "ts", "python": "py"}[sample.Language]
		if err := s.save("sample."+extension, text); err != nil {
			return err
		}
	}
	printed, err := s.shell(ctx, command)
	switch {
	case err != nil:
		return err
	case !matches(printed, shown):
		return fmt.Errorf("a sample prints\n%s\nand the page shows\n%s\nThe sample is", printed, shown)
	default:
		return nil
	}
}

// compiled returns the command that runs a sample that Compile has compiled for the same key; "" if it has not.
func (s *Session) compiled(sample guide.Sample) string {
	if s.Compiled == nil || s.Compiled.key != s.Key {
		return ""
	}
	return s.Compiled.commands[sample]
}

// save writes a file into the session's directory. A name with a path is an error.
func (s *Session) save(name, text string) error {
	if filepath.Base(name) != name {
		return fmt.Errorf("%s is not in this directory", name)
	}
	return os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600)
}

// shell runs commands in bash, waits for them and returns their standard output. Processes that they leave in the
// background are killed when the session ends.
func (s *Session) shell(ctx context.Context, commands string) (printed string, err error) {
	// Files rather than pipes: a process left in the background would hold a pipe open, and Wait would not return.
	var streams [2]*os.File
	for i, name := range []string{"stdout", "stderr"} {
		if streams[i], err = os.Create(s.state + "." + name); err != nil {
			return "", err
		}
		defer streams[i].Close() //nolint:errcheck // what was printed is read from another
	}
	cmd := exec.CommandContext(ctx, "bash", //nolint:gosec // the samples are ours
		"-euo", "pipefail", "-c",
		`[ ! -f "$0" ] || . "$0"`+"\n"+commands+"\nexport -p >\"$0\"", s.state)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, streams[0], streams[1]
	cmd.Env = append(environ(s.path), s.modules...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	s.groups = append(s.groups, cmd.Process.Pid)
	failed := cmd.Wait()
	out, err := os.ReadFile(s.state + ".stdout")
	if err != nil {
		return "", err
	}
	if failed != nil {
		said, err := os.ReadFile(s.state + ".stderr")
		return "", errors.Join(fmt.Errorf("a sample fails: %w\n%s%s", failed, out, said), err)
	}
	return string(out), nil
}

// environ returns the environment of samples and their compilers, with dir in front of PATH.
func environ(dir string) []string {
	return append(slices.DeleteFunc(os.Environ(), foreign), "PATH="+strings.TrimPrefix(dir+":"+os.Getenv("PATH"), ":"),
		"GOFLAGS=-trimpath", "GOWORK=off", "GO111MODULE=auto", "CGO_ENABLED=0")
}

// foreign reports whether a variable of the tester's environment must be removed: samples use it, or it would
// change how programs behave.
func foreign(variable string) bool {
	for _, prefix := range []string{"PALMARES_", "KEY=", "BASE=", "PORT=", "WEBHOOK_SECRET=", "GOFLAGS=", "PATH="} {
		if strings.HasPrefix(variable, prefix) {
			return true
		}
	}
	return false
}
