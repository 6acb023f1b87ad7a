package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/palmares-hq/palmares/internal/checkout"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/publish"
	"github.com/palmares-hq/palmares/internal/pull"
)

// runFromGit publishes the content of a remote repository, once or repeatedly.
func (c *publishCommand) runFromGit(ctx context.Context, con *console) (err error) {
	cfg, err := config.ReadPublisher(os.Environ())
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	if *c.FromGit != "" {
		cfg.PublishURL = *c.FromGit
	} else if cfg.PublishURL == "" {
		return errors.New("--from-git is empty, and PALMARES_PUBLISH_URL is not set: one of them names the repository")
	}
	if c.Branch != "" {
		cfg.PublishBranch = c.Branch
	}
	if c.Path != "" {
		cfg.PublishPath = c.Path
	}
	if c.Every != 0 {
		if err := config.CheckEvery("--every", c.Every); err != nil {
			return err
		}
		cfg.PublishEvery = c.Every
	}
	if !c.Once {
		return pull.Main(ctx, pull.Options{Config: cfg, Environ: os.Environ(), Log: con.err, Version: currentVersion(), Commit: currentCommit()})
	}
	return c.publishOnce(ctx, con, cfg)
}

// publishOnce publishes the tip of the branch, as if it were a directory.
func (c *publishCommand) publishOnce(ctx context.Context, con *console, cfg config.Publisher) (err error) {
	if cfg.PublishDir == "" {
		if cfg.PublishDir, err = os.MkdirTemp("", "palmares-publish-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(cfg.PublishDir)) }()
	}
	source, err := pull.Open(cfg)
	if err != nil {
		return err
	}
	var fetched *pull.Fetched
	defer func() {
		if fetched != nil {
			err = errors.Join(err, fetched.Close())
		}
	}()
	var before pull.Published
	c.Path = cfg.PublishPath
	err = c.publish(ctx, con, cfg.Publish, func(ctx context.Context, db *postgres.DB) (publish.Checkout, error) {
		if before, err = pull.ReadPublished(ctx, db.Catalog); err != nil {
			return nil, reached(err)
		}
		tip, err := source.Tip(ctx)
		if err != nil {
			return nil, err
		}
		if fetched, err = source.Fetch(ctx, tip); err != nil {
			if bad, refused := errors.AsType[*checkout.RefusedError](err); refused {
				return nil, fmt.Errorf("refused, nothing was written: %w", bad)
			}
			return nil, err
		}
		if err := source.Follows(ctx, fetched, before); err != nil && !c.AllowRewritten {
			return nil, fmt.Errorf("refused, nothing was written: %w", err)
		}
		if c.ExpectEdition == nil { // publish over the edition just read, or not at all
			c.ExpectEdition = &before.Number
		}
		c.Dir = fetched.Dir
		fmt.Fprintf(con.err, "commit %.12s of %s\n", fetched.Commit, cfg.PublishBranch)
		return fetched.Checkout, nil
	})
	if err == nil && c.AllowRewritten && !c.DryRun {
		return source.Accept(fetched, before)
	}
	return err
}
