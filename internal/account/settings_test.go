package account_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Every setting that is on or off is a switch, with the name of its field in exports, and with an action, for which
// pages have a sentence.
func TestSettings_EveryFieldIsASwitch(t *testing.T) {
	t.Parallel()
	var s account.Settings
	var names []account.Switch
	for field, value := range reflect.ValueOf(&s).Elem().Fields() {
		if field.Type.Kind() != reflect.Bool {
			continue
		}
		name := account.Switch(field.Tag.Get("json"))
		names = append(names, name)
		if s.Switch(name) != value.Addr().Interface() {
			t.Errorf("%s: Settings.%s is not the field of this switch; add it to switches in settings.go", name, field.Name)
		}
		if !slices.Contains(account.Actions(), name.Action()) {
			t.Errorf("%s: the log has no action %q", name, name.Action())
		}
	}
	testkit.Equal(t, "Switches of settings.go, against the fields of Settings", account.Switches(), names)
	if s.Switch("mail_pigeons") != nil {
		t.Error("there is a switch that there is not")
	}
}
