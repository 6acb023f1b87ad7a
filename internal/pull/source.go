// Package pull publishes what a branch of a repository elsewhere has, for those who let nobody in: instead of a runner
// with the password of the database, a process beside the database that asks the repository.
//
// Read the files in this order:
//
//   - source.go: the branch, its files, and whether they follow what is published
//   - status.go: what a publisher says of itself
//   - pull.go: the process, which asks again and again
//
// Begin with Main for the process, and with Open for one publication by hand. What is published, and what looks like
// an accident, is for package publish to say.
package pull

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/checkout"
	"github.com/palmares-hq/palmares/internal/config"
)

// A Source is a catalog in a repository elsewhere.
type Source struct {
	mirror *checkout.Mirror
	path   string
	dir    string
}

// The files in the folder of a source, beside the mirror's.
const (
	acceptedFile = "accepted" // a rewritten history: the commit that was published, and the one that follows it
	waitingFile  = "waiting"  // its time is when the tip was first seen that is not published
)

// Open opens a source that is set up as in the settings. Nobody is asked yet.
func Open(cfg config.Publisher) (*Source, error) {
	remote := checkout.Remote{
		URL: cfg.PublishURL, Branch: cfg.PublishBranch, User: cfg.PublishUser, Token: cfg.PublishToken.Reveal(), CAFile: cfg.PublishCAFile,
		KnownHosts: cfg.PublishKnownHosts, SSHKey: cfg.PublishSSHKey,
	}
	if err := checkout.CheckPath(cfg.PublishPath); err != nil {
		return nil, err
	}
	if err := remote.Check(); err != nil {
		return nil, err
	}
	if cfg.PublishDir == "" {
		return nil, errors.New("PALMARES_PUBLISH_DIR is not set: it is the folder for the mirror of the repository, which nobody else writes to")
	}
	limits := checkout.Limits{Files: cfg.PublishMaxFiles, Bytes: int64(cfg.PublishMaxMB) << 20}
	m, err := checkout.OpenMirror(cfg.PublishDir, remote, limits, cfg.PublishTimeout)
	if err != nil {
		return nil, err
	}
	return &Source{m, cfg.PublishPath, cfg.PublishDir}, nil
}

// Tip asks the repository for the commit of the branch.
func (s *Source) Tip(ctx context.Context) (string, error) { return s.mirror.Tip(ctx) }

// A Fetched is the commit of the branch, with its files, until it is closed. Nobody else uses the folder meanwhile.
type Fetched struct {
	*checkout.Export
	Commit string
	unlock func() error
}

// Close removes the files.
func (f *Fetched) Close() error { return errors.Join(f.Export.Close(), f.unlock()) }

// Fetch gets the files of the branch. Its commit may be a later one than the tip that was asked for.
func (s *Source) Fetch(ctx context.Context, tip string) (_ *Fetched, err error) {
	unlock, err := s.mirror.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, unlock())
		}
	}()
	commit, err := s.mirror.Fetch(ctx, tip)
	if err != nil {
		return nil, err
	}
	export, err := s.mirror.Export(ctx, commit, s.path)
	if err != nil {
		if _, refused := errors.AsType[*checkout.RefusedError](err); !refused && ctx.Err() == nil {
			err = errors.Join(err, s.mirror.Forget()) // it may be damaged, and can be fetched again
		}
		return nil, err
	}
	return &Fetched{export, commit, unlock}, nil
}

// Editions lists the last editions, the newest first.
type Editions interface {
	Editions(ctx context.Context, limit int) ([]catalog.EditionRecord, error)
}

// Published is what is published: the number of the last edition, 0 for none, and the last one that came from a commit.
type Published struct {
	Number int64
	Last   catalog.EditionRecord // without a commit where there is none
}

// lookedAt is how many editions are looked at for a commit.
const lookedAt = 100

// ReadPublished asks the database what is published.
func ReadPublished(ctx context.Context, e Editions) (p Published, err error) {
	last, err := e.Editions(ctx, lookedAt)
	if err != nil || len(last) == 0 {
		return p, err
	}
	p.Number = last[0].Number
	for _, record := range last {
		if record.Commit != "" {
			p.Last = record
			break
		}
	}
	return p, nil
}

// Is reports whether the last edition is that commit, whole.
func (p Published) Is(commit string) bool {
	return p.Last.Number == p.Number && p.Last.Commit == commit && !p.Last.Modified
}

// A RewrittenError says that the branch does not contain what was published from it.
type RewrittenError struct {
	Tip  string
	Last catalog.EditionRecord
}

func (e *RewrittenError) Error() string {
	by := ""
	if e.Last.Author != "" {
		by = " by " + e.Last.Author
	}
	return fmt.Sprintf("stopped: the tip %.12s does not contain %.12s, the commit of edition %d%s: the history of the branch was rewritten, or that edition was "+
		"published from another branch. Bring the commit back to the branch, or look at it and publish it by hand with --once --allow-rewritten",
		e.Tip, e.Last.Commit, e.Last.Number, by)
}

// Follows refuses a commit that does not contain what was published last, unless an operator has accepted one for that
// which it does contain.
func (s *Source) Follows(ctx context.Context, f *Fetched, p Published) error {
	if p.Last.Commit == "" || f.Checkout.Contains(ctx, p.Last.Commit) {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("reading the history: %w", context.Cause(ctx))
	}
	if of, next, _ := strings.Cut(s.accepted(), " "); of == p.Last.Commit && f.Checkout.Contains(ctx, next) {
		return nil
	}
	return &RewrittenError{f.Commit, p.Last}
}

// accepted is what an operator accepted last; "" for nothing.
func (s *Source) accepted() string {
	text, err := os.ReadFile(filepath.Join(s.dir, acceptedFile))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// Accept remembers that a commit follows what was published, though it does not contain it. An edition remembers it better, but where
// nothing changes there is none.
func (s *Source) Accept(f *Fetched, p Published) error {
	if p.Last.Commit == "" {
		return nil
	}
	return os.WriteFile(filepath.Join(s.dir, acceptedFile), []byte(p.Last.Commit+" "+f.Commit+"\n"), 0o600)
}

// waits notes that a tip is not published yet, and gives since when.
func (s *Source) waits(now time.Time) (since time.Time, err error) {
	path := filepath.Join(s.dir, waitingFile)
	if info, err := os.Stat(path); err == nil {
		return info.ModTime(), nil
	}
	return now, os.WriteFile(path, nil, 0o600)
}

// waitsNoMore notes that the tip is published.
func (s *Source) waitsNoMore() error {
	if err := os.Remove(filepath.Join(s.dir, waitingFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
