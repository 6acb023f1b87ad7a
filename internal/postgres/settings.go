package postgres

import (
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/account"
)

// settings are the columns of account.Settings, of a table of accounts named a.
var settings = func() string {
	columns := []string{"a.language"}
	for _, s := range account.Switches() {
		columns = append(columns, "a."+string(s))
	}
	return strings.Join(columns, ", ")
}()

// settingsOf returns where to scan the columns of settings, after others.
func settingsOf(s *account.Settings, others ...any) []any {
	values := append(slices.Clone(others), &s.Language)
	for _, name := range account.Switches() {
		values = append(values, s.Switch(name))
	}
	return values
}
