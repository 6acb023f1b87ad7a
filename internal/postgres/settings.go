package postgres

import (
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
	others = append(others, &s.Language)
	for _, name := range account.Switches() {
		others = append(others, s.Switch(name))
	}
	return others
}
