package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/services"
)

// keyCommand groups the commands about API keys.
type keyCommand struct {
	Create keyCreate `cmd:"" help:"Create a key and print it, once."`
	List   keyList   `cmd:"" help:"List the keys of an account."`
	Rotate keyRotate `cmd:"" help:"Replace a key and print the new one, once."`
	Revoke keyRevoke `cmd:"" help:"Revoke a key."`
}

// Help is shown by palmares key --help.
func (keyCommand) Help() string {
	return `A key is sent as Authorization: Bearer <API_KEY>. It is printed once, when it is
created: only its hash is kept. A developer account may have 3 active keys, a pro account 10.
PALMARES_DATABASE_URL names the database.`
}

type keyCreate struct {
	Email string `arg:"" help:"The account."`
	Name  string `default:"default" help:"What the key is for."`
}

// Help is shown by palmares key create --help.
func (keyCreate) Help() string {
	return `The key is printed alone on standard output, for scripts:
  KEY=$(palmares key create ada@example.org)`
}

func (c *keyCreate) Run(ctx context.Context, con *console) error {
	email, err := account.ParseEmail(c.Email)
	if err != nil {
		return err
	}
	name, err := account.ParseKeyName(c.Name)
	if err != nil {
		return err
	}
	return withAccount(ctx, email, func(s *services.Services, a account.Account) error {
		key, info, err := s.Accounts.CreateKey(ctx, account.Operator(), a.ID, name)
		if err != nil {
			return fmt.Errorf("%s: %w", email, err)
		}
		fmt.Fprintf(con.err, "key %s (%s) created for %s; it is shown only once:\n", info.ID, info.Name, email)
		return con.key(key, info)
	})
}

// key prints a new key.
func (con *console) key(key account.Key, info account.KeyInfo) error {
	if _, err := fmt.Fprintln(con.out, key.Reveal()); err != nil {
		return fmt.Errorf("the key could not be printed, and nobody has it: palmares key revoke %s (%w)",
			info.ID, err)
	}
	return nil
}

type keyList struct {
	Email string `arg:"" help:"The account."`
	JSON  bool   `help:"Print the keys as a JSON array."`
}

// Help is shown by palmares key list --help.
func (keyList) Help() string {
	return `Prints of each key the id to revoke it by, its name, its first characters, and the
days (UTC) on which it was created, last used and revoked, or when it ends if it was rotated and
still works, or that it is asleep because the plan allows fewer keys. Revoked keys come last.`
}

func (c *keyList) Run(ctx context.Context, con *console) error {
	email, err := account.ParseEmail(c.Email)
	if err != nil {
		return err
	}
	return withAccount(ctx, email, func(s *services.Services, a account.Account) error {
		keys, err := s.Accounts.Keys(ctx, account.Operator(), a.ID)
		if err != nil {
			return fmt.Errorf("%s: %w", email, err)
		}
		if c.JSON {
			return con.json(shownKeys(keys))
		}
		if len(keys) == 0 {
			fmt.Fprintf(con.err, "%s has no key yet: palmares key create %s\n", email, email)
			return nil
		}
		return con.table(keyRows(keys))
	})
}

type keyRotate struct {
	ID    string `arg:"" help:"The key's id, as key list shows it; not the key itself."`
	Grace string `default:"24h" enum:"0,1h,24h,7d" help:"How long the old key keeps working: ${enum}."`
}

// Help is shown by palmares key rotate --help.
func (keyRotate) Help() string {
	return `The new key has the name of the old one and takes its place among those that the plan
allows. It is printed alone on standard output. The old key works until the grace period is over;
palmares key revoke ends it before.`
}

func (c *keyRotate) Run(ctx context.Context, con *console) error {
	if err := refuseKey(c.ID, "rotate"); err != nil {
		return err
	}
	grace, err := time.ParseDuration(strings.Replace(c.Grace, "7d", "168h", 1))
	if err != nil {
		return err
	}
	return withServices(ctx, func(s *services.Services) error {
		key, info, err := s.Accounts.RotateKey(ctx, account.Operator(), c.ID, grace)
		if err != nil {
			return fmt.Errorf("%s: %w", c.ID, err)
		}
		old := "is revoked; every node knows within five seconds"
		if grace > 0 {
			old = "works for another " + c.Grace
		}
		fmt.Fprintf(con.err, "key %s %s\n", c.ID, old)
		fmt.Fprintf(con.err, "key %s (%s) takes its place; it is shown only once:\n", info.ID, info.Name)
		return con.key(key, info)
	})
}

type keyRevoke struct {
	ID string `arg:"" help:"The key's id, as key list shows it; not the key itself."`
}

// Help is shown by palmares key revoke --help.
func (keyRevoke) Help() string {
	return `A revocation cannot be undone: create another key instead. Revoking a key twice is not an
error. The account may create another key at once.`
}

func (c *keyRevoke) Run(ctx context.Context, con *console) error {
	if err := refuseKey(c.ID, "revoke"); err != nil {
		return err
	}
	return withServices(ctx, func(s *services.Services) error {
		if err := s.Accounts.RevokeKey(ctx, account.Operator(), c.ID); err != nil {
			return fmt.Errorf("%s: %w", c.ID, err)
		}
		fmt.Fprintf(con.err, "key %s is revoked; every node knows within five seconds\n", c.ID)
		return nil
	})
}

// refuseKey returns an error if id is an API key instead of a key's id.
func refuseKey(id, verb string) error {
	if !account.LooksLikeKey(id) {
		return nil
	}
	// For a well-formed key, the message has its preview, which identifies it in the list.
	sought := ""
	if key, err := account.ParseKey(strings.TrimSpace(id)); err == nil {
		sought = " beside " + key.Preview()
	}
	return fmt.Errorf("that is a key itself, and it is in your shell's history now: "+
		"%s it by its id, which palmares key list EMAIL shows%s", verb, sought)
}

func keyRows(keys []account.KeyInfo) [][]string {
	rows := [][]string{{"ID", "NAME", "KEY", "CREATED", "LAST USED", "REVOKED"}}
	for _, k := range keys {
		revoked := dateOr(k.RevokedAt, "")
		switch {
		case !k.EndsAt.IsZero():
			revoked = "ends " + k.EndsAt.UTC().Format(time.RFC3339)
		case k.Suspended:
			revoked = "asleep"
		}
		rows = append(rows, []string{
			k.ID, k.Name, k.Preview, dateOr(k.CreatedAt, ""), dateOr(k.LastUsed, "never"), revoked,
		})
	}
	return rows
}

func dateOr(t time.Time, none string) string {
	if t.IsZero() {
		return none
	}
	return t.UTC().Format(time.DateOnly)
}

// keyJSON is how --json shows a key.
type keyJSON struct {
	ID        string  `json:"id"`
	Name      string  `json:"name"`
	Preview   string  `json:"preview"`
	CreatedAt string  `json:"created_at"`
	LastUsed  *string `json:"last_used"`
	EndsAt    *string `json:"ends_at"`
	RevokedAt *string `json:"revoked_at"`
	Suspended bool    `json:"asleep"`
	Pinned    bool    `json:"kept"` // chosen to stay active on a smaller plan
}

func shownKeys(keys []account.KeyInfo) []keyJSON {
	optional := func(t time.Time, layout string) *string {
		if t.IsZero() {
			return nil
		}
		s := t.UTC().Format(layout)
		return &s
	}
	shown := make([]keyJSON, len(keys))
	for i, k := range keys {
		shown[i] = keyJSON{
			k.ID, k.Name, k.Preview, k.CreatedAt.UTC().Format(time.RFC3339),
			optional(k.LastUsed, time.DateOnly), optional(k.EndsAt, time.RFC3339), optional(k.RevokedAt, time.RFC3339),
			k.Suspended, k.Pinned,
		}
	}
	return shown
}
