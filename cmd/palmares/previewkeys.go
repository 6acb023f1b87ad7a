package main

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// throwawayKeys are the keys of a preview: one per plan, gone with it.
type throwawayKeys map[account.Hash]account.Grant

func newThrowawayKeys() (keys throwawayKeys, developer, pro account.Key) {
	developer, pro = account.NewKey(), account.NewKey()
	return throwawayKeys{
		developer.Hash(): {KeyID: "key_developer", AccountID: "developer-" + rand.Text(), Plan: account.Developer},
		pro.Hash():       {KeyID: "key_pro", AccountID: "pro-" + rand.Text(), Plan: account.Pro},
	}, developer, pro
}

// FindKey implements api.Keys.
func (k throwawayKeys) FindKey(_ context.Context, hash account.Hash) (account.Grant, error) {
	if g, ok := k[hash]; ok {
		return g, nil
	}
	return account.Grant{}, account.ErrNoKey
}

// TouchKeys implements api.Keys; nobody asks when a throwaway key was used.
func (throwawayKeys) TouchKeys(context.Context, []string, time.Time) error { return nil }
