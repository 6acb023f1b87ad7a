package postgres_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/postgres"
)

// A sleeper is an account on Pro with ten keys, named 0 to 9 in the order of their creation.
type sleeper struct {
	*testDB
	id    string
	start account.Change
	keys  []aKey
}

func newSleeper(t *testing.T) *sleeper {
	t.Helper()
	s := &sleeper{testDB: newDB(t)}
	s.start = s.latest()
	s.id = s.signUp(owner, account.Pro).ID
	for range 10 {
		s.keys = append(s.keys, s.newKey(owner))
	}
	return s
}

// ids are the keys with these names.
func (s *sleeper) ids(names string) (ids []string) {
	for _, name := range names {
		ids = append(ids, s.keys[name-'0'].ID)
	}
	return ids
}

func (s *sleeper) use(day int, names string) {
	s.Helper()
	s.must(s.Keys.Touch(s.Context(), s.ids(names), time.Date(2026, 3, day, 0, 0, 0, 0, time.UTC)))
}

func (s *sleeper) keep(names string) error {
	return s.accountsOn(s.DB).PinKeys(s.Context(), account.ByAccount(s.id), s.id, s.ids(names))
}

// active checks who is awake: in what nodes read, all of it and what changed, in the list and in the
// counts. All others of the keys that are not revoked sleep.
func (s *sleeper) active(when, names string) {
	s.Helper()
	for read, since := range map[string]account.Change{"all": {}, "what changed": s.start} {
		f := s.keyFeed()
		got := ""
		for i, k := range s.keys {
			_, _, err := f.Since(s.Context(), since, s.now, func(l account.LiveKey) {
				if l.Hash == k.Hash() && !l.Suspended {
					got += fmt.Sprint(i)
				}
			})
			s.must(err)
		}
		f.Close()
		wantEqual(s, when+": awake for nodes that read "+read, got, names)
	}
	active, suspended := []string{}, 0
	for _, k := range s.list(s.id) {
		switch {
		case k.Suspended:
			suspended++
		case k.RevokedAt.IsZero() && k.EndsAt.IsZero():
			active = append(active, k.ID)
		}
	}
	wantSame(s, when+": awake in the list", active, s.ids(names))
	a := s.account(owner)
	wantSame(s, when+": counts", []int{a.Keys, a.Suspended}, []int{len(names), suspended})
}

// Whoever leaves Pro with ten keys keeps three: those that were chosen, then the last used, then the
// newest. An upgrade wakes all.
func TestKeys_Downgrade(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ what, chosen, want string }{
		{"nothing chosen", "", "458"},
		{"one chosen", "0", "058"},
		{"three chosen", "017", "017"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			t.Parallel()
			s := newSleeper(t)
			s.use(5, "145")
			s.use(6, "45")
			s.use(7, "8")
			s.must(s.keep(tt.chosen))
			s.active("on Pro", "0123456789")
			for range 2 { // a second time changes nothing
				s.setPlan(owner, account.Developer)
				s.active("on Developer", tt.want)
			}
			kept := ""
			for _, k := range s.list(s.id) {
				if k.Pinned {
					kept += fmt.Sprint(slices.IndexFunc(s.keys, func(x aKey) bool { return x.ID == k.ID }))
				}
			}
			wantEqual(t, "what was chosen", kept, tt.chosen)
			s.setPlan(owner, account.Pro)
			s.active("on Pro again", "0123456789")
		})
	}
}

// On Developer the owner chooses among ten keys, revokes, creates and rotates: there are never more
// than three awake, nor more than ten in all.
func TestKeys_OnAPlanWithFewer(t *testing.T) {
	t.Parallel()
	s := newSleeper(t)
	s.setPlan(owner, account.Developer)
	s.active("never used", "789")
	s.tooMany("with three awake", owner)
	_, err := s.rotate(s.keys[0].ID, time.Hour)
	wantError(t, "rotating a key that sleeps", err, account.ErrKeySuspended)

	s.must(s.keep("12"))
	s.active("two chosen", "129")
	s.must(s.keep("12"))
	activity, err := s.accountsOn(s.DB).Activity(t.Context(), account.ByAccount(s.id), s.id, 100)
	s.must(err)
	said := each(activity, func(a account.Activity) string { return string(a.Action) })
	wantEqual(t, "recorded", strings.Count(strings.Join(said, " "), "keys.kept"), 1)
	wantEqual(t, "what was recorded", fmt.Sprint(activity[0].Subject, " ", activity[0].ByOperator), "clé, clé false")
	s.signUp("eve@example.org", account.Developer)
	err = s.accountsOn(s.DB).PinKeys(t.Context(), account.ByAccount(s.id), s.id, append(s.ids("3"), s.newKey("eve@example.org").ID))
	wantError(t, "choosing another's key", err, account.ErrNoKey)
	s.active("another's key was chosen", "129")
	wantError(t, "four chosen", s.keep("1234"), account.ErrTooManyPinned)
	s.must(s.keep("1111"))
	s.must(s.keep(""))
	s.active("nothing chosen any more", "129")

	// A key that is revoked makes room, whether it worked or slept, but ten are all there can be.
	s.revoke(s.keys[0].ID)
	s.tooMany("without one that slept", owner)
	s.revoke(s.keys[1].ID)
	wantError(t, "choosing a revoked key", s.keep("1"), account.ErrNoKey)
	s.active("one revoked", "29")
	s.keys = append(s.keys, s.newKey(owner))
	s.tooMany("with three again", owner)

	// A rotated key hands its choice on, and what is in its grace takes no place.
	s.must(s.keep("29"))
	next := s.mustRotate(s.keys[2].ID, time.Hour)
	wantEqual(t, "the new key is chosen", next.Pinned, true)
	old := s.keys[2]
	s.keys[2] = next
	s.setPlan(owner, account.Pro)
	s.setPlan(owner, account.Developer)
	wantSame(t, "chosen, the newest first", account.ActiveKeys(s.list(s.id), 2), s.ids("29"))
	_, works := s.ends(account.Change{})[old.ID]
	wantEqual(t, "the rotated key works on", works, true)

	s.setPlan(owner, account.Pro)
	for s.account(owner).Keys < 10 {
		s.newKey(owner)
	}
	s.tooMany("on Pro", owner)
	wantEqual(t, "keys that sleep on Pro", s.account(owner).Suspended, 0)
}

// Plans, keys and choices change at once, from two processes: nothing deadlocks, and in the end the
// account has what its plan allows.
func TestKeys_SleepUnderRaces(t *testing.T) {
	t.Parallel()
	s := newSleeper(t)
	processes := []*postgres.DB{s.isolated("read committed"), s.isolated("serializable")}
	refused := []error{
		account.ErrTooManyKeys, account.ErrNoKey, account.ErrKeySuspended, account.ErrKeyRevoked,
		account.ErrKeyInGrace, account.ErrTooManyGracePeriods,
	}
	for _, last := range []account.Plan{account.Developer, account.Pro} {
		atOnce(12, func(i int) {
			service := s.accountsOn(processes[i%2])
			for round := range 6 {
				n := (i*5 + round) % 10
				var err error
				switch i % 6 {
				case 0, 1: // two downgrades at once, and two upgrades
					err = service.SetPlan(t.Context(), operator, s.id, account.Developer+account.Plan(round%2))
				case 2:
					err = service.PinKeys(t.Context(), operator, s.id, []string{s.keys[n].ID})
				case 3:
					_, err = tryKey(s.testDB, processes[i%2], owner)
				case 4:
					_, _, err = service.RotateKey(t.Context(), operator, s.keys[n].ID, 0)
				case 5:
					err = s.Keys.Touch(t.Context(), s.ids("0123456789"), s.now.AddDate(0, 0, i*6+round))
				}
				if err != nil && !slices.ContainsFunc(refused, func(r error) bool { return errors.Is(err, r) }) {
					t.Errorf("%d: %v", i%6, err)
				}
				if n := s.count(`keys WHERE revoked_at IS NULL`); n > 10 {
					t.Errorf("%d keys", n)
				}
			}
		})
		atOnce(2, func(i int) {
			wantError(t, "the last plan", processes[i].Accounts.SetPlan(t.Context(), s.id, last, s.now), nil)
		})
		a := s.account(owner)
		wantEqual(t, "awake on "+last.String(), a.Keys, min(a.Keys+a.Suspended, last.Limits().Keys))
		if a.Keys+a.Suspended < 4 {
			t.Errorf("%d keys are left: this proves little", a.Keys+a.Suspended)
		}
	}
}

// Ten keys are all there can be, those that sleep included, whatever program writes them; and nodes
// hear of sleep from any of them, also after the migration went down and up again.
func TestKeys_SleepInTheSchema(t *testing.T) {
	t.Parallel()
	s := newSleeper(t)
	s.setPlan(owner, account.Developer)
	insert := `INSERT INTO keys (id, account_id, slot, name, preview, hash, asleep) VALUES ('raw', $1, $2, '', '', sha256('raw'), $3)`
	for slot := range 12 {
		for _, suspended := range []bool{false, true} {
			if _, err := s.conn().Exec(t.Context(), insert, s.id, slot, suspended); err == nil {
				t.Errorf("an eleventh key in slot %d, asleep: %v", slot, suspended)
			}
		}
	}
	// An older program wakes nothing and puts nothing to sleep. The same plan again puts that right.
	s.exec(`UPDATE accounts SET plan = 'pro'`)
	s.active("upgraded by an older program", "789")
	s.tooMany("with ten", owner)
	s.setPlan(owner, account.Pro)
	s.active("and by this one", "0123456789")
	s.exec(`UPDATE accounts SET plan = 'developer'`)
	s.active("downgraded by an older program", "0123456789")
	s.setPlan(owner, account.Developer)
	s.active("and by this one", "789")

	for range 2 {
		have := s.latest()
		s.exec(`UPDATE keys SET asleep = NOT asleep WHERE id = $1`, s.keys[9].ID)
		wantEqual(t, "changes by sleep", s.latest().Number, have.Number+1)
		s.exec(`UPDATE keys SET kept_at = now(), asleep = asleep`)
		wantEqual(t, "changes by a choice", s.latest().Number, have.Number+1)
		_, err := s.migrations().DownTo(t.Context(), 11)
		s.must(err)
		s.exec(`UPDATE keys SET revoked_at = now() + interval '1 hour', grace = true WHERE id = $1`, s.keys[8].ID)
		s.exec(`UPDATE keys SET revoked_at = NULL, grace = false WHERE id = $1`, s.keys[8].ID)
		_, err = s.migrations().Up(t.Context())
		s.must(err)
		wantEqual(t, "changes without the migration", s.latest().Number, have.Number+3)
	}
}
