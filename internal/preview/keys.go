package preview

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/quota"
)

// newThrowawayKeys returns the keys of a preview, one per plan. They stop working when it ends.
func newThrowawayKeys() (keys *live.Keys, names keyNames, developer, pro account.Key, err error) {
	developer, pro = account.NewKey(), account.NewKey()
	var ids [2][16]byte
	for i := range ids {
		rand.Read(ids[i][:]) // it never fails
	}
	one, err1 := account.NewLiveKey(developer.Hash(), "key_developer", ids[0], account.Developer)
	two, err2 := account.NewLiveKey(pro.Hash(), "key_pro", ids[1], account.Pro)
	keys, names = live.NewKeys(live.KeysOptions{}), make(keyNames)
	keys.Replace(one, two)
	for _, k := range []account.LiveKey{one, two} {
		g := k.Grant()
		names[g.AccountID] = account.KeyInfo{ID: g.KeyID, Name: "preview"}
	}
	return keys, names, developer, pro, errors.Join(err1, err2)
}

// keyNames maps each account's ID to its only key.
type keyNames map[string]account.KeyInfo

// Keys implements api.KeyNames.
func (n keyNames) Keys(_ context.Context, _ account.Actor, accountID string) ([]account.KeyInfo, error) {
	k, ok := n[accountID]
	if !ok {
		return nil, account.ErrNoAccount
	}
	return []account.KeyInfo{k}, nil
}

// memoryUsage keeps the usage of throwaway keys in memory.
type memoryUsage struct {
	mu   sync.Mutex
	days map[accountDay]quota.DayUsage
}

type accountDay struct {
	account string
	day     time.Time
}

// Ping implements quota.UsageStore.
func (*memoryUsage) Ping(context.Context) error { return nil }

// AddUsage implements quota.UsageStore.
func (p *memoryUsage) AddUsage(
	_ context.Context, counts []quota.UsageCount,
) (later []quota.UsageCount, unknown int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range counts {
		d := p.days[accountDay{c.Account, c.Day}]
		d.Charged += c.Requests - c.Unlimited
		d.Unlimited += c.Unlimited
		d.Keys = map[string]int{c.Key: d.Keys[c.Key] + c.Requests} // an account has one key
		p.days[accountDay{c.Account, c.Day}] = d
	}
	return nil, 0, nil
}

// ReadUsage implements quota.UsageStore.
func (p *memoryUsage) ReadUsage(_ context.Context, account string, days []time.Time) ([]quota.DayUsage, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	read := make([]quota.DayUsage, len(days))
	for i, day := range days {
		read[i] = p.days[accountDay{account, day}]
	}
	return read, nil
}
