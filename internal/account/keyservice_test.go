package account_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Each key is a name, the day of its last use (0: never) and what else is known of it: k chosen by
// the owner, s asleep, r revoked, g in its grace. They were created in the order of the list.
func TestAwake(t *testing.T) {
	t.Parallel()
	type key struct {
		id   string
		used int
		is   string
	}
	day := func(n int) time.Time { return time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC) }
	for _, tt := range []struct {
		what  string
		keys  []key
		limit int
		want  string
	}{
		{"no key", nil, 3, ""},
		{"as many as the plan allows", []key{{"a", 0, ""}, {"b", 2, ""}, {"c", 1, ""}}, 3, "b c a"},
		{"the last used", []key{{"a", 5, ""}, {"b", 9, ""}, {"c", 7, ""}, {"d", 8, ""}, {"e", 6, ""}}, 3, "b d c"},
		{"never used: the newest", []key{{"a", 0, ""}, {"b", 0, ""}, {"c", 0, ""}, {"d", 0, ""}}, 3, "d c b"},
		{"the same day: the newest", []key{{"a", 4, ""}, {"b", 4, ""}, {"c", 4, ""}, {"d", 4, ""}, {"e", 0, ""}}, 3, "d c b"},
		{"three chosen", []key{{"a", 0, "k"}, {"b", 9, ""}, {"c", 1, "k"}, {"d", 8, ""}, {"e", 0, "k"}}, 3, "c e a"},
		{"one chosen, the rest by use", []key{{"a", 0, "k"}, {"b", 9, ""}, {"c", 1, ""}, {"d", 8, ""}}, 3, "a b d"},
		{"more chosen than allowed", []key{{"a", 1, "k"}, {"b", 3, "k"}, {"c", 2, "k"}}, 2, "b c"},
		{"a chosen one wakes", []key{{"a", 9, ""}, {"b", 8, ""}, {"c", 7, ""}, {"d", 0, "ks"}}, 3, "d a b"},
		{"asked again: those awake stay", []key{{"a", 9, "s"}, {"b", 0, ""}, {"c", 1, ""}, {"d", 8, "s"}, {"e", 0, ""}}, 3, "c e b"},
		{"room for one that sleeps", []key{{"a", 7, "s"}, {"b", 0, ""}, {"c", 1, ""}, {"d", 8, "s"}}, 3, "c b d"},
		{"an upgrade wakes all", []key{{"a", 9, "s"}, {"b", 0, ""}, {"c", 1, "s"}}, 10, "b a c"},
		{"revoked ones and graces take no place", []key{{"a", 9, "r"}, {"b", 8, "g"}, {"c", 0, ""}, {"d", 9, "kr"}}, 3, "c"},
		{"a plan without keys", []key{{"a", 9, "k"}}, 0, ""},
	} {
		var list []account.KeyInfo
		for i, k := range tt.keys {
			info := account.KeyInfo{
				ID: k.id, CreatedAt: day(1).Add(time.Duration(i) * time.Second),
				Pinned: strings.Contains(k.is, "k"), Suspended: strings.Contains(k.is, "s"),
			}
			if k.used > 0 {
				info.LastUsed = day(k.used)
			}
			if strings.Contains(k.is, "r") {
				info.RevokedAt = day(10)
			}
			if strings.Contains(k.is, "g") {
				info.EndsAt = day(10)
			}
			list = append(list, info)
		}
		before := slices.Clone(list)
		testkit.Equal(t, tt.what, strings.Join(account.ActiveKeys(list, tt.limit), " "), tt.want)
		testkit.Equal(t, tt.what+": the list itself", list, before)
		slices.Reverse(list)
		testkit.Equal(t, tt.what+", listed the other way", strings.Join(account.ActiveKeys(list, tt.limit), " "), tt.want)
	}
}
