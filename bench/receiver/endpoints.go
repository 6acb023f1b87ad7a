package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/secrets"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// endpoints are active endpoints to create, in accounts of their own.
type endpoints struct {
	at   addresses
	n    int
	kind string
}

// create creates the endpoints and appends their paths and secrets to a file, unless its name is "".
func (e endpoints) create(ctx context.Context, file string) (err error) {
	ring, err := secrets.New([]byte(os.Getenv("PALMARES_SECRET")))
	if err != nil {
		return err
	}
	keyring := webhook.NewKeyring(ring)
	db, err := postgres.Open(ctx, os.Getenv("PALMARES_DATABASE_URL"), postgres.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	each := account.Pro.Limits().Endpoints
	accounts := (e.n + each - 1) / each
	lines := make([]string, e.n)

	const together = 4
	failed := make([]error, together)
	var wg sync.WaitGroup
	for w := range together {
		wg.Go(func() {
			for i := w; i < accounts && failed[w] == nil; i += together {
				failed[w] = e.createAccount(ctx, db, keyring, lines, i*each, min((i+1)*each, e.n))
			}
		})
	}
	wg.Wait()
	if err := errors.Join(failed...); err != nil || file == "" {
		return err
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600) //nolint:gosec // the path is the command line's
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = f.WriteString(strings.Join(lines, ""))
	return err
}

// createAccount creates an account with the endpoints numbered [from, to), and puts their lines of the file
// into lines.
func (e endpoints) createAccount(ctx context.Context, db *postgres.DB, keyring *webhook.Keyring, lines []string, from, to int) error {
	a, err := db.Accounts.Create(ctx, fmt.Sprintf("%s-%s-%d@example.org", e.kind, time.Now().Format("150405"), from), account.Pro)
	if err != nil {
		return err
	}
	for i := from; i < to; i++ {
		secret, path := webhook.NewSecret(), fmt.Sprintf("/%s/%d", e.kind, i)
		lines[i] = path + " " + secret.Reveal() + "\n"
		made := webhook.Endpoint{
			ID: webhook.NewEndpointID(), Account: a.ID, URL: "http://" + e.at.of(i) + path, State: webhook.Active,
			Types: []catalog.EventType{catalog.ToolUpdated}, // one for each tool that changes
		}
		made.Secret = keyring.Seal(secret, made.ID)
		if err := db.Webhooks.CreateEndpoint(ctx, account.Operator(), made, time.Now()); err != nil {
			return err
		}
	}
	return nil
}
