package postgres_test

import (
	"encoding/json"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
)

// Every switch has a column. It is turned by itself, for one account, once in the log, and read wherever accounts are.
func TestSettings_EverySwitchByItself(t *testing.T) {
	t.Parallel()
	s := newServices(t)
	a, other := s.signUp(owner, account.Pro), s.signUp("bob@example.org", account.Pro)
	by := account.ByAccount(a.ID)
	for _, name := range account.Switches() {
		on := a.Switch(name)
		*on = !*on
		before := s.count(`activity`)
		for range 2 {
			s.must(s.accounts.SetSwitch(t.Context(), by, a.ID, name, *on))
		}
		what := "after " + string(name) + " was turned: "
		wantEqual(t, what+"lines of the log", s.count(`activity`), before+1)
		wantEqual(t, what+"the settings", s.account(owner).Settings, a.Settings)
		wantEqual(t, what+"those of the other", s.account(other.Email).Settings, other.Settings)
		list, err := s.accounts.List(t.Context(), by, "", 10)
		s.must(err)
		wantEqual(t, what+"in a list", list[0].Settings, a.Settings)
		record, err := s.Billing.Find(t.Context(), by, a.ID)
		s.must(err)
		wantEqual(t, what+"beside payments", record.Account.Settings, a.Settings)
		export, err := s.accounts.Export(t.Context(), by, a.ID)
		s.must(err)
		text, err := json.Marshal(export.Account)
		s.must(err)
		var exported map[string]any
		s.must(json.Unmarshal(text, &exported))
		wantEqual(t, what+"in the export", exported[string(name)], any(*on))
	}
	if err := s.accounts.SetSwitch(t.Context(), by, a.ID, "plan", true); err == nil {
		t.Error("the plan was turned on")
	}
}
