package account_test

import (
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
)

func TestActor_Owns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		who  string
		by   account.Actor
		owns map[string]bool // by account id
	}{
		{"the operator", account.Operator(), map[string]bool{"a": true, "b": true, "": true}},
		{"an account", account.ByAccount("a"), map[string]bool{"a": true, "b": false, "": false}},
		{"an account without an id", account.ByAccount(""), map[string]bool{"a": false, "": false}},
		{"the zero Actor", account.Actor{}, map[string]bool{"a": false, "": false}},
	} {
		for id, want := range tt.owns {
			if got := tt.by.Owns(id); got != want {
				t.Errorf("%s owns %q: %v", tt.who, id, got)
			}
		}
	}
}
