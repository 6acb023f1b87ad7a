package main

import (
	"crypto/rand"
	"errors"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/live"
)

// newThrowawayKeys makes the keys of a preview: one per plan, gone with it.
func newThrowawayKeys() (keys *live.Keys, developer, pro account.Key, err error) {
	developer, pro = account.NewKey(), account.NewKey()
	var ids [2][16]byte
	for i := range ids {
		rand.Read(ids[i][:]) // it never fails
	}
	one, err1 := account.NewLiveKey(developer.Hash(), "key_developer", ids[0], account.Developer)
	two, err2 := account.NewLiveKey(pro.Hash(), "key_pro", ids[1], account.Pro)
	keys = live.NewKeys(live.KeysOptions{})
	keys.Hold(one, two)
	return keys, developer, pro, errors.Join(err1, err2)
}
