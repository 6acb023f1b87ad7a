package postgres_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/limit"
)

// limited returns the limit that an error says is met, and until when.
func limited(err error) (name string, until time.Time) {
	if e, ok := errors.AsType[*limit.ReachedError](err); ok {
		return e.Name, e.Until.UTC()
	}
	return "", time.Time{}
}

// KeyLimit bounds how many keys are created or rotated in any 24 hours. What is refused is not counted, and the operator's
// commands are neither counted nor refused.
func TestKeys_ADay(t *testing.T) {
	t.Parallel()
	s := newServices(t)
	a := s.signUp(owner, account.Developer)
	by, ctx := account.ByAccount(a.ID), t.Context()
	create := func(by account.Actor) (string, error) {
		_, k, err := s.accounts.CreateKey(ctx, by, a.ID, "clé")
		return k.ID, err
	}
	rotate := func(by account.Actor, id string) (string, error) {
		_, k, err := s.accounts.RotateKey(ctx, by, id, 0)
		return k.ID, err
	}
	first := s.now
	id, err := create(by)
	s.must(err)
	for i := range account.KeyLimit.Most - 2 { // together one less than allowed
		s.now = s.now.Add(10 * time.Minute)
		if i%2 == 0 {
			s.must(s.accounts.RevokeKey(ctx, by, id))
			id, err = create(by)
		} else {
			id, err = rotate(by, id)
		}
		s.must(err)
	}
	_, err = rotate(by, "key_nobody")
	wantError(t, "a key that there is not", err, account.ErrNoKey)
	other, err := create(by)
	s.must(err)
	for range 3 {
		_, err = create(by)
		name, until := limited(err)
		wantEqual(t, "the limit of creations", name, "keys")
		wantEqual(t, "when it ends", until, first.Add(24*time.Hour))
		_, err = rotate(by, id)
		name, _ = limited(err)
		wantEqual(t, "the limit of rotations", name, "keys")
	}
	id, err = rotate(operator, id)
	s.must(err)
	s.must(s.accounts.RevokeKey(ctx, by, other)) // what is not limited
	_, err = create(operator)
	s.must(err)

	s.now = first.Add(24 * time.Hour)
	id, err = rotate(by, id)
	s.must(err)
	_, err = rotate(by, id)
	_, until := limited(err)
	wantEqual(t, "when it ends then", until, first.Add(24*time.Hour+10*time.Minute))

	b := s.signUp("bob@example.org", account.Developer)
	_, _, err = s.accounts.CreateKey(ctx, account.ByAccount(b.ID), b.ID, "clé")
	wantError(t, "another account", err, nil)
}

// However many processes create and rotate at once, as many keys are made as KeyLimit allows.
func TestKeys_ADayUnderRaces(t *testing.T) {
	t.Parallel()
	s := newServices(t)
	a := s.signUp(owner, account.Pro)
	by := account.ByAccount(a.ID)
	services := [2]*account.Service{}
	for i := range services {
		p := s.process()
		services[i] = account.NewService(p.Accounts, p.Keys, s.clock)
	}
	var made atomic.Int64
	var mu sync.Mutex
	ends := make(map[string]bool)
	atOnce(8, func(i int) {
		keys := services[i%2]
		for range account.KeyLimit.Most / 4 {
			_, k, err := keys.CreateKey(t.Context(), by, a.ID, "clé")
			if err == nil {
				made.Add(1)
				if _, k, err = keys.RotateKey(t.Context(), by, k.ID, 0); err == nil {
					made.Add(1)
				}
			}
			switch name, _ := limited(err); {
			case err == nil:
				wantError(t, "revoking", keys.RevokeKey(t.Context(), by, k.ID), nil)
			case name != "":
				mu.Lock()
				ends[name] = true
				mu.Unlock()
			default:
				wantError(t, "making a key", err, account.ErrTooManyKeys)
			}
		}
	})
	wantEqual(t, "keys made", made.Load(), int64(account.KeyLimit.Most))
	wantEqual(t, "keys stored", s.count(`keys`), account.KeyLimit.Most)
	wantEqual(t, "the limit was met", ends["keys"], true)
}
