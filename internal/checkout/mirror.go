package checkout

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A Mirror is a bare repository with one branch of a remote repository. It has no working files: Export writes those
// that are published. Everything in its folder can be fetched again.
type Mirror struct {
	remote Remote
	dir    string // the folder of the mirror and its exports, for no other use
	limits Limits
	within time.Duration // how long one exchange with the server may take
	env    []string
}

// The names in the folder of a mirror.
const (
	repositoryFolder = "repository.git"
	exportFolder     = "export"
	lockFile         = "lock"
)

// OpenMirror opens the mirror in a folder, which it creates if necessary. It does not connect to the server yet.
// within is how long each exchange with the server may take.
func OpenMirror(dir string, r Remote, l Limits, within time.Duration) (*Mirror, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	if _, err := exec.LookPath("git"); err != nil {
		return nil, errors.New("there is no program git here, which fetches the repository: install it (apt install git)")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the folder of the mirror: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, fmt.Errorf("the folder of the mirror: %w", err)
	}
	return &Mirror{remote: r, dir: dir, limits: l, within: within, env: r.environment(filepath.Join(dir, "nobody"))}, nil
}

// CheckPath returns what is wrong with the path of a catalog in a repository; nil for nothing.
func CheckPath(folder string) error {
	if folder == "" || path.Clean(folder) != folder || path.IsAbs(folder) || folder == ".." || strings.HasPrefix(folder, "../") ||
		strings.ContainsAny(folder, "\\\x00\n") {
		return fmt.Errorf("--path %q is no folder of a repository: write it as catalog or docs/catalog, or . for all of it", folder)
	}
	return nil
}

// Lock locks the folder for this process. Another one that has it locked is waited for, until ctx is done.
func (m *Mirror) Lock(ctx context.Context) (unlock func() error, err error) {
	return lock(ctx, filepath.Join(m.dir, lockFile))
}

func (m *Mirror) repository() string { return filepath.Join(m.dir, repositoryFolder) }

func (m *Mirror) ref() string { return "refs/heads/" + m.remote.Branch }

// Tip asks the server for the newest commit of the branch.
func (m *Mirror) Tip(ctx context.Context) (commit string, err error) {
	out, err := m.ask(ctx, 64<<10, "ls-remote", "--refs", m.remote.URL, m.ref())
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(out)) {
		if id, ref, _ := strings.Cut(strings.TrimSpace(line), "\t"); ref == m.ref() && validCommit(id) {
			return id, nil
		}
	}
	return "", fmt.Errorf("the repository has no branch %s", m.remote.Branch)
}

// maxPacks is how many pack files a mirror may have. Each fetch adds one; with that many it is cheaper to fetch all
// anew.
const maxPacks = 20

// Fetch fetches the branch, unless the mirror has the commit tip of it already, and returns the commit that the mirror
// has then. If the fetch fails, or the mirror becomes too large, it empties the mirror.
func (m *Mirror) Fetch(ctx context.Context, tip string) (commit string, err error) {
	if has, err := m.has(ctx); err == nil && has == tip {
		return has, nil
	}
	if packs, _ := filepath.Glob(filepath.Join(m.repository(), "objects/pack/*.pack")); len(packs) >= maxPacks {
		if err := m.Forget(); err != nil {
			return "", err
		}
	}
	if _, err := os.Stat(filepath.Join(m.repository(), "HEAD")); err != nil {
		if err := m.init(ctx); err != nil {
			return "", err
		}
	}
	_, err = m.ask(ctx, 64<<10, "--git-dir="+m.repository(), "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head",
		"--no-auto-maintenance", "--refmap=", m.remote.URL, "+"+m.ref()+":"+m.ref())
	if err != nil {
		return "", errors.Join(err, m.Forget()) // a part may be left, and it is unknown which
	}
	if m.size() > m.limits.Bytes { // ask bounds each file, not their sum
		return "", errors.Join(m.tooLarge(), m.Forget())
	}
	return m.has(ctx)
}

// Forget removes what was fetched.
func (m *Mirror) Forget() error {
	if err := os.RemoveAll(m.repository()); err != nil {
		return fmt.Errorf("removing the mirror: %w", err)
	}
	return nil
}

func (m *Mirror) init(ctx context.Context) error {
	if err := m.Forget(); err != nil {
		return err
	}
	_, err := m.ask(ctx, 64<<10, "-c", "init.defaultBranch="+m.remote.Branch, "init", "--quiet", "--bare", "--template=", m.repository())
	return err
}

// has returns the commit of the branch in the mirror.
func (m *Mirror) has(ctx context.Context) (string, error) {
	out, err := git{m.repository(), m.localEnv(m.repository()), 1 << 10}.run(ctx, "rev-parse", "--verify", "--quiet", m.ref()+"^{commit}")
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(out)), nil
}

// localEnv returns the environment of a git that reads only the mirror. work is the folder that paths are relative to.
func (m *Mirror) localEnv(work string) []string {
	return append([]string{"GIT_DIR=" + m.repository(), "GIT_WORK_TREE=" + work}, m.env...)
}

// maxMemory is how many bytes of memory a git that talks to the server may use.
const maxMemory = 1 << 30

// ask runs a git that talks to the server, or one that prepares for it. git and everything it starts end when the time
// is up, or when a file they write exceeds what is left of the mirror's size: git itself does not bound what it
// fetches.
func (m *Mirror) ask(ctx context.Context, limit int, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, m.within, fmt.Errorf("the server took longer than %v", m.within))
	defer cancel()
	// The shell sets the limits for itself, and then becomes git.
	const bounds = `ulimit -f "$0" && ulimit -d "$1" && shift && exec git "$@"`
	cmd := inOwnProcessGroup(exec.CommandContext(ctx, "/bin/sh", append([]string{ //nolint:gosec // the text is a constant, and the rest are arguments
		"-c", bounds, strconv.FormatInt(max(m.limits.Bytes-m.size(), 0)/512+1, 10), strconv.Itoa(maxMemory >> 10),
	}, args...)...))
	cmd.Dir, cmd.Env = m.dir, m.env
	out, said, err := git{limit: limit}.output(cmd)
	switch cause := context.Cause(ctx); {
	case err == nil:
		return out, nil
	case cause != nil:
		return nil, cause
	case m.size() > m.limits.Bytes || strings.Contains(said, "File too large"):
		return nil, m.tooLarge()
	default:
		return nil, explain(said, err)
	}
}

func (m *Mirror) tooLarge() error {
	return &RefusedError{"", fmt.Sprintf("the repository has more than %d MB: PALMARES_PUBLISH_MAX_MB allows more", m.limits.Bytes>>20)}
}

// size returns how many bytes the files of the mirror have.
func (m *Mirror) size() (total int64) {
	_ = filepath.WalkDir(m.repository(), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				total += info.Size()
			}
		}
		return nil // a file that is gone meanwhile counts as 0
	})
	return total
}

// explain returns an error with git's message and what the operator can do about it.
func explain(said string, err error) error {
	has := func(texts ...string) bool {
		for _, text := range texts {
			if strings.Contains(said, text) {
				return true
			}
		}
		return false
	}
	advice := "the repository was not read"
	switch {
	case has("fsck error", "fsck warning"):
		return &RefusedError{"", "git refuses the objects of the repository: " + said}
	case has("Authentication failed", "could not read Username", "error: 403"):
		advice = "the server does not let us in: PALMARES_PUBLISH_TOKEN must be a token that may read the repository"
	case has("certificate verification failed", "certificate problem"):
		advice = "the certificate of the server is from nobody that is known here: PALMARES_PUBLISH_CA_FILE names a file with that authority"
	case has("Host key verification failed", "HOST IDENTIFICATION HAS CHANGED"):
		advice = "the key of the server is not in the file that PALMARES_PUBLISH_KNOWN_HOSTS names"
	case has("Permission denied (publickey"):
		advice = "the server does not take the key that PALMARES_PUBLISH_SSH_KEY names"
	case has("not found", "does not appear to be a git repository"):
		advice = "the server knows no such repository, or does not show it to us"
	}
	if said == "" {
		return fmt.Errorf("%s: git: %w", advice, err)
	}
	return fmt.Errorf("%s: %s", advice, said)
}

// An Export has the files of a commit's catalog in a folder, until Close deletes it.
type Export struct {
	Dir      string // the content directory
	Checkout *Checkout
	root     string
}

// Export writes the catalog of a commit into a folder of the mirror, and deletes any earlier export. folder is the
// path of the catalog in the repository.
func (m *Mirror) Export(ctx context.Context, commit, folder string) (_ *Export, err error) {
	if err := CheckPath(folder); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, m.within, fmt.Errorf("reading the commit took longer than %v", m.within))
	defer cancel()
	e := &Export{root: filepath.Join(m.dir, exportFolder)}
	e.Dir = filepath.Join(e.root, filepath.FromSlash(folder))
	if err := e.Close(); err != nil { // deletes an earlier export
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.Close())
		}
	}()
	if err := os.MkdirAll(e.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("writing the files of the commit: %w", err)
	}
	root, err := os.OpenRoot(e.Dir)
	if err != nil {
		return nil, fmt.Errorf("writing the files of the commit: %w", err)
	}
	defer root.Close() //nolint:errcheck // nothing is written by it
	g := git{dir: e.Dir, env: m.localEnv(e.root), limit: 16 << 20}
	e.Checkout, err = g.export(ctx, commit, folder, root, m.limits)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return nil, err
	}
	return e, nil
}

// Close removes the files.
func (e *Export) Close() error {
	if err := os.RemoveAll(e.root); err != nil {
		return fmt.Errorf("removing the files of the commit: %w", err)
	}
	return nil
}
