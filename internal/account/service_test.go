package account_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// What the parsers reject never reaches the store, which these services do not have.
func TestService_ChecksItsInput(t *testing.T) {
	t.Parallel()
	s, by := account.NewService(nil, nil, nil), account.Operator()
	_, create := s.Create(t.Context(), by, "ada", account.Pro)
	_, find := s.Find(t.Context(), by, "ada")
	_, _, createKey := s.CreateKey(t.Context(), by, "a", " ")
	_, _, createOnce := s.CreateKeyOnce(t.Context(), by, "a", " ", account.NewOnce())
	changes := account.NewEmailChanges(nil, testkit.Ring(t, strings.Repeat("secret", 6)), nil)
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"Create":        {create, "is not an e-mail address"},
		"Find":          {find, "is not an e-mail address"},
		"CreateKey":     {createKey, "a key's name has 1 to 80 characters"},
		"CreateKeyOnce": {createOnce, "a key's name has 1 to 80 characters"},
		"RenameKey":     {s.RenameKey(t.Context(), by, "key_a", "a\nb"), "a key's name has 1 to 80 characters"},
		"SetLanguage":   {s.SetLanguage(t.Context(), by, "a", "de"), `"de" is not a language of the service: it is fr or en`},
		"SetEmail":      {s.SetEmail(t.Context(), by, "a", "ada"), "is not an e-mail address"},
		"PinKeys":       {s.PinKeys(t.Context(), by, "a", []string{"k", "l", "m", "n", "k"}), account.ErrTooManyPinned.Error()},
		"Ask":           {changes.Ask(t.Context(), by, "a", "ada"), "is not an e-mail address"},
	} {
		if tt.err == nil || !strings.Contains(tt.err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", name, tt.err, tt.want)
		}
	}
	for _, once := range []string{"", "abcdefghijk", "abcdefghijklm", "Abcdefghijkl", "abcdefghij-l", "abcdefghijé"} {
		if _, _, err := s.CreateKeyOnce(t.Context(), by, "a", "name", once); err == nil || !strings.Contains(err.Error(), "load the page again") {
			t.Errorf("CreateKeyOnce with %q: %v", once, err)
		}
	}
	for _, grace := range []time.Duration{-time.Hour, time.Second, time.Hour + 1, 48 * time.Hour, 8 * 24 * time.Hour} {
		if _, _, err := s.RotateKey(t.Context(), by, "key_a", grace); err == nil || !strings.Contains(err.Error(), "it is 0, 1, 24 or 168 hours") {
			t.Errorf("RotateKey with a grace of %v: %v", grace, err)
		}
	}
	if _, err := s.Create(t.Context(), account.ByAccount("a"), "ada@example.org", account.Pro); !errors.Is(err, account.ErrOperatorOnly) {
		t.Errorf("Create by an account: %v", err)
	}
}

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
