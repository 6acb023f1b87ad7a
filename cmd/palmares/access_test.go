package main

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
)

// An access is the commands about accounts and keys, on a database of their own.
type access struct {
	*testing.T
	environ []string
}

func newAccess(t *testing.T) *access {
	t.Helper()
	return &access{t, []string{"PALMARES_DATABASE_URL=" + pgtest.Migrated(t)}}
}

func (a *access) run(args ...string) (stdout, stderr string) {
	a.Helper()
	return palmares(a.T, a.environ, args...)
}

// refused runs a command that must end with status 1 and print no result.
func (a *access) refused(args ...string) (stderr string) {
	a.Helper()
	cmd := command(a.T, a.environ, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 1 || out.Len() > 0 {
		a.Fatalf("palmares %s: %v\n%s%s", args, err, out.String(), errs.String())
	}
	return errs.String()
}

// key creates a key, and gives it and its id.
func (a *access) key(email string) (key, id string) {
	a.Helper()
	out, errs := a.run("key", "create", email)
	key, found := strings.CutSuffix(out, "\n")
	if _, err := account.ParseKey(key); err != nil || !found {
		a.Fatalf("key create printed %q, which is not a key alone: %v", out, err)
	}
	if strings.Contains(errs, key[8:]) {
		a.Errorf("the key is on standard error too: %s", errs)
	}
	return key, regexp.MustCompile(`key_\w+`).FindString(errs)
}

// value reads one JSON value and checks its fields, in their order.
func value[T any](t *testing.T, text string, fields ...string) T {
	t.Helper()
	var v T
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil || d.More() {
		t.Fatalf("not one JSON value as documented: %v\n%s", err, text)
	}
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^ {2,}"(\w+)": `).FindAllStringSubmatch(text, -1) {
		if !slices.Contains(got, m[1]) {
			got = append(got, m[1])
		}
	}
	if !slices.Equal(got, fields) {
		t.Errorf("the fields are %q, want %q", got, fields)
	}
	return v
}

// The fields that --json prints: scripts depend on each.
type (
	jsonAccount struct {
		ID        string    `json:"id"`
		Email     string    `json:"email"`
		Plan      string    `json:"plan"`
		Keys      int       `json:"keys"`
		CreatedAt time.Time `json:"created_at"`
	}
	jsonKey struct {
		ID        string     `json:"id"`
		Name      string     `json:"name"`
		Preview   string     `json:"preview"`
		CreatedAt time.Time  `json:"created_at"`
		LastUsed  *string    `json:"last_used"`
		RevokedAt *time.Time `json:"revoked_at"`
	}
)

func TestAccountsAndKeysAsJSON(t *testing.T) {
	t.Parallel()
	a := newAccess(t)
	accountFields := []string{"id", "email", "plan", "keys", "created_at"}
	keyFields := []string{"id", "name", "preview", "created_at", "last_used", "revoked_at"}
	recent := func(what string, at time.Time) {
		t.Helper()
		if d := time.Since(at); d < -time.Minute || d > time.Minute || at.Location() != time.UTC || at.Nanosecond() != 0 {
			t.Errorf("%s: %v is not now, in whole seconds of UTC", what, at)
		}
	}

	out, errs := a.run("account", "create", "Ada@Example.org", "--plan", "pro", "--json")
	made := value[jsonAccount](t, out, accountFields...)
	if made.Email != "ada@example.org" || made.Plan != "pro" || made.Keys != 0 || len(made.ID) != 36 || errs != "" {
		t.Errorf("%+v, and on standard error %q", made, errs)
	}
	recent("created", made.CreatedAt)

	secret, id := a.key("ada@example.org")
	_, gone := a.key("ada@example.org")
	if _, errs := a.run("key", "revoke", gone); errs != "key "+gone+" is revoked; every node knows within five seconds\n" {
		t.Errorf("key revoke: %s", errs)
	}
	a.run("key", "revoke", gone) // twice is no error

	out, _ = a.run("key", "list", "ada@example.org", "--json")
	keys := value[[]jsonKey](t, out, keyFields...)
	if len(keys) != 2 || keys[0].ID != id || keys[1].ID != gone {
		t.Fatalf("the keys are not the live one, then the revoked one:\n%s", out)
	}
	if k := keys[0]; k.Name != "default" || k.Preview != secret[:8]+"…" || k.LastUsed != nil || k.RevokedAt != nil {
		t.Errorf("the live key:\n%s", out)
	}
	recent("created", keys[0].CreatedAt)
	if keys[1].RevokedAt == nil {
		t.Fatalf("the revoked key:\n%s", out)
	}
	recent("revoked", *keys[1].RevokedAt)

	out, _ = a.run("account", "show", "ada@example.org", "--json")
	shown := value[struct {
		jsonAccount
		KeyList []jsonKey `json:"key_list"`
	}](t, out, append(accountFields, "key_list", "name", "preview", "last_used", "revoked_at")...)
	if want := made; shown.Keys != 1 || shown.ID != want.ID || len(shown.KeyList) != 2 || shown.KeyList[0].ID != id {
		t.Errorf("account show:\n%s", out)
	}
	if strings.Contains(out, secret[8:]) {
		t.Error("account show prints a key")
	}

	out, _ = a.run("account", "list", "--json")
	if list := value[[]jsonAccount](t, out, accountFields...); len(list) != 1 || list[0].Keys != 1 || list[0].ID != made.ID {
		t.Errorf("account list:\n%s", out)
	}
}

// Whoever gives a key where its id is wanted has leaked it to a shell's history:
// the command says so, says what to do, and does not leak it further.
func TestRevokingByTheKeyItself(t *testing.T) {
	t.Parallel()
	a := newAccess(t)
	a.run("account", "create", "ada@example.org")
	key, id := a.key("ada@example.org")
	for what, given := range map[string]string{
		"the key": key, "with spaces around it": " " + key + "\n", "cut": key[:30], "mistyped": key[:20] + "0000" + key[24:],
	} {
		errs := a.refused("key", "revoke", given)
		if !strings.Contains(errs, "in your shell's history now") || !strings.Contains(errs, "palmares key list EMAIL") {
			t.Errorf("%s: no advice in %s", what, errs)
		}
		if strings.Contains(errs, key[8:20]) {
			t.Errorf("%s: the key is repeated in %s", what, errs)
		}
	}
	if errs := a.refused("key", "revoke", key); !strings.HasSuffix(errs, "shows beside "+key[:8]+"…\n") {
		t.Errorf("what to look for in the list is not in %s", errs)
	}
	if out, _ := a.run("key", "list", "ada@example.org", "--json"); !strings.Contains(out, id) || !strings.Contains(out, `"revoked_at": null`) {
		t.Errorf("the key was revoked all the same:\n%s", out)
	}
}

// A result that cannot be printed is a failure: above all a key, which nobody will
// see again.
func TestResultsThatCannotBePrinted(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("a device that takes nothing is needed: %v", err)
	}
	defer full.Close()
	a := newAccess(t)
	a.run("account", "create", "ada@example.org")
	a.key("ada@example.org")
	for _, args := range [][]string{
		{"key", "create", "ada@example.org"},
		{"key", "list", "ada@example.org"},
		{"account", "list"},
		{"account", "list", "--json"},
		{"account", "show", "ada@example.org"},
	} {
		cmd := command(t, a.environ, args...)
		var errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = full, &errs
		if err := cmd.Run(); err == nil || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("palmares %s: %v\n%s", args, err, errs.String())
		}
		if args[1] != "create" {
			continue
		}
		advice := regexp.MustCompile(`palmares key revoke (key_\w+)`).FindStringSubmatch(errs.String())
		if advice == nil {
			t.Fatalf("nobody has the key, and nobody is told:\n%s", errs.String())
		}
		a.run("key", "revoke", advice[1])
	}
}
