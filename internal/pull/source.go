// Package pull publishes the catalog from a branch of a remote repository. It is for operators who let nobody
// in: instead of giving a CI runner the database password, they run a process beside the database that polls
// the repository.
//
// Read the files in this order:
//
//   - source.go: the branch, its files, and whether they follow what is published
//   - status.go: the publisher's state, for metrics and health checks
//   - pull.go: the process that polls
//
// Begin with Main for the process, and with Open for a single publication by hand. Package publish decides what
// is published and what looks like an accident.
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

// A Source is a catalog on a branch of a remote repository, with a local mirror.
type Source struct {
	mirror *checkout.Mirror
	path   string
	dir    string
}

// The files in the folder of a source, next to the mirror.
const (
	acceptedFile = "accepted" // for a rewritten history: the published commit, and the commit accepted as its successor
	waitingFile  = "waiting"  // its modification time is when an unpublished tip was first seen
)

// Open returns the source described by the settings. It contacts no server yet.
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

// A Fetched is a fetched commit with its files. It holds the lock on the mirror's folder until it is closed.
type Fetched struct {
	*checkout.Export
	Commit string
	unlock func() error
}

// Close removes the files and releases the lock.
func (f *Fetched) Close() error { return errors.Join(f.Export.Close(), f.unlock()) }

// Fetch fetches the branch and exports its files. Its commit may be newer than tip. The caller must close the
// result.
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
			err = errors.Join(err, s.mirror.Forget()) // the mirror may be damaged, and can be fetched again
		}
		return nil, err
	}
	return &Fetched{export, commit, unlock}, nil
}

// Editions reads the records of the latest editions, newest first.
type Editions interface {
	Editions(ctx context.Context, limit int) ([]catalog.EditionRecord, error)
}

// Published describes what is published: the number of the last edition, 0 for none, and the last edition that
// came from a commit.
type Published struct {
	Number int64
	Last   catalog.EditionRecord // zero if there is none
}

// lookedAt is how many editions are searched for one with a commit.
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

// Is reports whether the last edition was published from exactly that commit, without uncommitted changes.
func (p Published) Is(commit string) bool {
	return p.Last.Number == p.Number && p.Last.Commit == commit && !p.Last.Modified
}

// A RewrittenError is returned when the branch does not contain the commit that was published last.
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

// Follows returns a *RewrittenError if a commit does not contain the one published last, unless an operator has
// accepted that commit, or an ancestor of it, as the successor.
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

// accepted returns the operator's last acceptance, two commits separated by a space; "" if there is none.
func (s *Source) accepted() string {
	text, err := os.ReadFile(filepath.Join(s.dir, acceptedFile))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// Accept records that a commit follows what was published although it does not contain it. Once the commit is
// published, its edition records the same, but a commit that changes nothing has no edition.
func (s *Source) Accept(f *Fetched, p Published) error {
	if p.Last.Commit == "" {
		return nil
	}
	return os.WriteFile(filepath.Join(s.dir, acceptedFile), []byte(p.Last.Commit+" "+f.Commit+"\n"), 0o600)
}

// waits records that a tip is not published yet, and returns since when.
func (s *Source) waits(now time.Time) (since time.Time, err error) {
	path := filepath.Join(s.dir, waitingFile)
	if info, err := os.Stat(path); err == nil {
		return info.ModTime(), nil
	}
	return now, os.WriteFile(path, nil, 0o600)
}

// waitsNoMore records that the tip is published.
func (s *Source) waitsNoMore() error {
	if err := os.Remove(filepath.Join(s.dir, waitingFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
