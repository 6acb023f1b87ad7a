package account_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
)

// The numbers are those of the interface's sections 5 and 8, and of ADR 23.
func TestPlans(t *testing.T) {
	t.Parallel()
	for plan, want := range map[account.Plan]account.Limits{
		account.Anonymous: {Name: "anonymous", Tier: "", Daily: 100, Keys: 0, Downloads: 192},
		account.Developer: {Name: "developer", Tier: "free", Daily: 1000, Keys: 3, Watched: 50, Downloads: 224},
		account.Pro:       {Name: "pro", Tier: "pro", Daily: 0, Keys: 10, Endpoints: 10, Watched: 200, Downloads: 256}, // 0 is without limit
	} {
		if got := plan.Limits(); got != want {
			t.Errorf("%s:\n got %+v\nwant %+v", plan, got, want)
		}
		if got := plan.String(); got != want.Name {
			t.Errorf("the plan %q calls itself %q", want.Name, got)
		}
	}
	var nobody account.Plan
	if nobody != account.Anonymous {
		t.Error("the zero plan is not the one that gives least")
	}
}

func TestParsePlan(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]account.Plan{"developer": account.Developer, "pro": account.Pro} {
		if got, err := account.ParsePlan(name); err != nil || got != want {
			t.Errorf("%q: %s, %v", name, got, err)
		}
	}
	// free is a tier, not a plan; nobody signs up to be anonymous.
	for _, name := range []string{"", "anonymous", "free", "Pro", "PRO", " pro", "pro ", "developers", "dev"} {
		got, err := account.ParsePlan(name)
		if err == nil || got != account.Anonymous {
			t.Errorf("%q: %s, %v", name, got, err)
		}
	}
	_, err := account.ParsePlan("gold")
	if want := `"gold" is not a plan: it is developer or pro`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
