package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/services"
)

// accountCommand groups the commands about accounts.
type accountCommand struct {
	Create accountCreate `cmd:"" help:"Create an account."`
	Plan   accountPlan   `cmd:"" help:"Move an account to another plan."`
	List   accountList   `cmd:"" help:"List accounts."`
	Show   accountShow   `cmd:"" help:"Show one account and its keys."`
	Link   accountLink   `cmd:"" name:"login-link" help:"Print a link that signs in to an account."`
	Email  accountEmail  `cmd:"" help:"Change the e-mail address of an account."`
	Delete accountDelete `cmd:"" help:"Delete an account: revoke its keys, erase its e-mail address."`
}

// Help is shown by palmares account --help.
func (accountCommand) Help() string {
	return `An account belongs to an e-mail address and has a plan: developer (1,000 requests a
day, 3 keys) or pro (no limit, 10 keys). Its keys share its quota. Changes reach every node within
five seconds.

PALMARES_DATABASE_URL names the database. With PALMARES_REDIS_URL, show prints how many requests
were made in the last 30 days, in total and with each key. Results are tables, or one JSON value
with --json. Everything else goes to standard error.`
}

type accountCreate struct {
	Email string `arg:"" help:"The owner's e-mail address."`
	Plan  string `default:"developer" help:"developer or pro."`
	JSON  bool   `help:"Print the account as JSON."`
}

// Help is shown by palmares account create --help.
func (accountCreate) Help() string {
	return `An e-mail address has one account; upper and lower case are the same. The account has
no key: palmares key create makes one.`
}

func (c *accountCreate) Run(ctx context.Context, con *console) error {
	email, err := account.ParseEmail(c.Email)
	if err != nil {
		return err
	}
	plan, err := account.ParsePlan(c.Plan)
	if err != nil {
		return err
	}
	return withServices(ctx, func(s *services.Services) error {
		a, err := s.Accounts.Create(ctx, account.Operator(), email, plan)
		if err != nil {
			return fmt.Errorf("%s: %w", email, err)
		}
		if c.JSON {
			return con.json(shownAccount(a))
		}
		fmt.Fprintf(con.err, "account %s created, plan %s; next: palmares key create %s\n",
			email, plan, email)
		return nil
	})
}

type accountPlan struct {
	Email string `arg:"" help:"The account."`
	Plan  string `arg:"" help:"developer or pro."`
}

// Help is shown by palmares account plan --help.
func (accountPlan) Help() string {
	return `If the account has more keys than the new plan allows, those that its owner chose stay active,
then those last used, then the newest. The others become dormant (key list: asleep): the API answers 401 and says why.
They work again on a plan that allows them, or when the owner chooses them. Leaving pro pauses the
account's webhooks; back on pro, they resume with what is published from then on.

While the account has a paid subscription, developer is refused: the owner cancels on the account
pages. Pro that is assigned here stays, whatever a subscription does.`
}

func (c *accountPlan) Run(ctx context.Context, con *console) error {
	email, err := account.ParseEmail(c.Email)
	if err != nil {
		return err
	}
	plan, err := account.ParsePlan(c.Plan)
	if err != nil {
		return err
	}
	return withAccount(ctx, email, func(s *services.Services, a account.Account) error {
		missed, err := missedByPaused(ctx, s, a.ID)
		if err != nil {
			return err
		}
		if err := s.Accounts.SetPlan(ctx, account.Operator(), a.ID, plan); err != nil {
			return fmt.Errorf("%s: %w", email, err)
		}
		fmt.Fprintf(con.err, "account %s is now on the plan %s\n", email, plan)
		if plan.Limits().Endpoints > 0 {
			for _, line := range missed {
				fmt.Fprintln(con.err, line)
			}
		}
		if err := tellSuspended(ctx, con, s, a.ID); err != nil {
			return err
		}
		return tellPaused(ctx, con, s, a.ID)
	})
}

// tellSuspended prints how many keys of an account are suspended.
func tellSuspended(ctx context.Context, con *console, s *services.Services, accountID string) error {
	a, err := s.Accounts.Show(ctx, account.Operator(), accountID)
	if err != nil {
		return err
	}
	if a.Suspended > 0 {
		fmt.Fprintf(con.err, "%d of its %s %s asleep until the owner chooses them or the account is back on the plan pro\n",
			a.Suspended, counted(a.Keys+a.Suspended, "key", "keys"), plural(a.Suspended, "is", "are"))
	}
	return nil
}

type accountList struct {
	After string `placeholder:"EMAIL" help:"Start after this e-mail address."`
	Limit int32  `default:"100" help:"How many at most."`
	JSON  bool   `help:"Print the accounts as a JSON array."`
}

// Help is shown by palmares account list --help.
func (accountList) Help() string {
	return `Accounts are sorted by e-mail address. When there may be more, standard error says how
to continue: palmares account list --after EMAIL`
}

func (c *accountList) Run(ctx context.Context, con *console) error {
	if c.Limit < 1 {
		return fmt.Errorf("--limit is %d: it must be at least 1", c.Limit)
	}
	return withServices(ctx, func(s *services.Services) error {
		list, err := s.Accounts.List(ctx, account.Operator(), strings.ToLower(c.After), int(c.Limit))
		if err != nil {
			return err
		}
		if len(list) == int(c.Limit) {
			fmt.Fprintf(con.err, "there may be more: --after %s\n", list[len(list)-1].Email)
		}
		if c.JSON {
			shown := make([]accountJSON, len(list))
			for i, a := range list {
				shown[i] = shownAccount(a)
			}
			return con.json(shown)
		}
		if len(list) == 0 {
			if c.After != "" {
				fmt.Fprintf(con.err, "there is no account after %s\n", c.After)
			} else {
				fmt.Fprintln(con.err, "there is no account yet: palmares account create EMAIL")
			}
			return nil
		}
		rows := [][]string{{"E-MAIL", "PLAN", "KEYS", "CREATED"}}
		for _, a := range list {
			keys := strconv.Itoa(a.Keys)
			rows = append(rows, []string{a.Email, a.Plan.String(), keys, dateOr(a.CreatedAt, "")})
		}
		return con.table(rows)
	})
}

type accountShow struct {
	Email    string `arg:"" help:"The account."`
	Activity bool   `help:"Also show what was done with the account in the last 90 days."`
	JSON     bool   `help:"Print the account and its keys as JSON."`
}

func (c *accountShow) Run(ctx context.Context, con *console) error {
	email, err := account.ParseEmail(c.Email)
	if err != nil {
		return err
	}
	return withAccount(ctx, email, func(s *services.Services, a account.Account) error {
		keys, err := s.Accounts.Keys(ctx, account.Operator(), a.ID)
		if err != nil {
			return err
		}
		used, err := s.Usage(ctx, a, keys, time.Now())
		if err != nil {
			fmt.Fprintln(con.err, "usage cannot be shown:", err)
		}
		sessions, err := s.Accounts.Sessions(ctx, account.Operator(), a.ID)
		if err != nil {
			return err
		}
		var activity []account.Activity
		if c.Activity {
			if activity, err = s.Accounts.Activity(ctx, account.Operator(), a.ID, mostActivity); err != nil {
				return err
			}
		}
		if c.JSON {
			return con.json(struct {
				accountJSON
				Sessions int                `json:"sessions"`
				List     []keyJSON          `json:"key_list"`
				Usage    *quota.Report      `json:"usage,omitempty"`
				Activity []account.Activity `json:"activity,omitempty"`
			}{shownAccount(a), len(sessions), shownKeys(keys), used, activity})
		}
		tables := [][][]string{accountRows(a, len(sessions))}
		if used != nil {
			tables = append(tables, usageRows(used))
		}
		if len(keys) > 0 {
			tables = append(tables, keyRows(keys))
		}
		if len(activity) > 0 {
			tables = append(tables, activityRows(activity))
		}
		for i, rows := range tables {
			if i > 0 {
				fmt.Fprintln(con.out)
			}
			if err := con.table(rows); err != nil {
				return err
			}
		}
		return nil
	})
}

// mostActivity is how many lines account show --activity prints.
const mostActivity = 1000

func accountRows(a account.Account, sessions int) [][]string {
	limits := a.Plan.Limits()
	allowance := "no limit"
	if limits.Daily > 0 {
		allowance = fmt.Sprintf("%d requests a day", limits.Daily)
	}
	keys := fmt.Sprintf("%d of %d", a.Keys, limits.Keys)
	if a.Suspended > 0 {
		keys += fmt.Sprintf(", %d asleep", a.Suspended)
	}
	return [][]string{
		{"e-mail", a.Email},
		{"id", a.ID},
		{"plan", a.Plan.String() + ", " + allowance},
		{"keys", keys},
		{"created", dateOr(a.CreatedAt, "")},
		{"language", string(a.Language)},
		{"mail", mailsOf(a.Settings)},
		{"sessions", strconv.Itoa(sessions)},
	}
}

// mailsOf says of each kind of mail whether it is sent.
func mailsOf(s account.Settings) string {
	var list []string
	for _, name := range account.Switches() {
		if kind, ok := strings.CutPrefix(string(name), "mail_"); ok {
			list = append(list, kind+" "+onOff(*s.Switch(name)))
		}
	}
	return strings.Join(list, ", ")
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func activityRows(list []account.Activity) [][]string {
	rows := [][]string{{"WHEN", "WHAT", "SUBJECT", "BY"}}
	for _, a := range list {
		by := cmp.Or(string(a.By), "-")
		rows = append(rows, []string{a.At.UTC().Format("2006-01-02 15:04:05"), string(a.Action), a.Subject, by})
	}
	return rows
}

type accountEmail struct {
	Old string `arg:"" help:"The account."`
	New string `arg:"" help:"Its new e-mail address."`
}

// Help is shown by palmares account email --help.
func (accountEmail) Help() string {
	return `The address changes at once, without confirmation by e-mail: this is for owners who
have lost their mailbox. Make sure that you are talking to the owner. Keys and sessions keep working.`
}

func (c *accountEmail) Run(ctx context.Context, con *console) error {
	before, err := account.ParseEmail(c.Old)
	if err != nil {
		return err
	}
	email, err := account.ParseEmail(c.New)
	if err != nil {
		return err
	}
	return withAccount(ctx, before, func(s *services.Services, a account.Account) error {
		if err := s.Accounts.SetEmail(ctx, account.Operator(), a.ID, email); err != nil {
			return fmt.Errorf("%s: %w", email, err)
		}
		fmt.Fprintf(con.err, "account %s is now %s\n", before, email)
		return nil
	})
}

type accountLink struct {
	Email string `arg:"" help:"The account."`
}

// Help is shown by palmares account login-link --help.
func (accountLink) Help() string {
	return `The link is for owners who cannot receive e-mail. It works once, within ten minutes, in any
browser: anyone who has it is signed in to the account. It needs PALMARES_SECRET and PALMARES_BASE_URL.`
}

func (c *accountLink) Run(ctx context.Context, con *console) error {
	email, err := account.ParseEmail(c.Email)
	if err != nil {
		return err
	}
	own, err := config.ReadAddress(os.Environ())
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	if own.Base() == "" {
		return errors.New("configuration: PALMARES_BASE_URL is not set: " +
			"it is the service's own address, such as https://api.example.org")
	}
	return withSecret(ctx, func(s *services.Services) error {
		a, err := s.Accounts.Find(ctx, account.Operator(), email)
		if err != nil {
			return fmt.Errorf("%s: %w", email, err)
		}
		token, err := s.SignIns.Link(ctx, account.Operator(), email)
		if err != nil {
			return fmt.Errorf("%s: %w", email, err)
		}
		fmt.Fprintln(con.err, "this link works once, within 10 minutes:")
		fmt.Fprintln(con.out, own.Base()+address.SignInWith(locale.Tagged(string(a.Language)), token))
		return nil
	})
}

type accountDelete struct {
	Email string `arg:"" help:"The account."`
	Yes   bool   `help:"Do not ask."`
}

// Help is shown by palmares account delete --help.
func (accountDelete) Help() string {
	return `A deletion cannot be undone. On a terminal it asks first, unless --yes is given. The
keys stop working within five seconds. Their names and the e-mail address are erased; the address
is free for a new account. With PALMARES_SECRET the owner is told by e-mail: until it is sent,
within a day, the address stays encrypted. A worker ends a subscription at the payment provider at
once, erases the card there, and the customer once nothing is left to pay or to refund.`
}

func (c *accountDelete) Run(ctx context.Context, con *console) error {
	email, err := account.ParseEmail(c.Email)
	if err != nil {
		return err
	}
	return withAccount(ctx, email, func(s *services.Services, a account.Account) error {
		if !c.Yes {
			question := "Delete the account %s, plan %s, and revoke its %d %s? This cannot be undone."
			n := a.Keys + a.Suspended
			sure, err := con.confirm(ctx, fmt.Sprintf(question, email, a.Plan, n, plural(n, "key", "keys")))
			if err != nil {
				return err
			}
			if !sure {
				fmt.Fprintln(con.err, "nothing was deleted")
				return errReported
			}
		}
		if err := s.Accounts.Delete(ctx, account.Operator(), a.ID); err != nil {
			return fmt.Errorf("%s: %w", email, err)
		}
		fmt.Fprintln(con.err, "account deleted: its keys are revoked and its e-mail address is erased")
		if s.NoDeletionNotice != nil {
			fmt.Fprintln(con.err, s.NoDeletionNotice)
		}
		return nil
	})
}

// accountJSON is how --json shows an account.
type accountJSON struct {
	ID        string `json:"id"`
	Email     string `json:"email"`
	Plan      string `json:"plan"`
	Keys      int    `json:"keys"`
	Suspended int    `json:"keys_asleep"`
	CreatedAt string `json:"created_at"`

	account.Settings
}

func shownAccount(a account.Account) accountJSON {
	return accountJSON{
		a.ID, a.Email, a.Plan.String(), a.Keys, a.Suspended, a.CreatedAt.UTC().Format(time.RFC3339), a.Settings,
	}
}
