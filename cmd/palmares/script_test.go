package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/testscript"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/services"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/stripetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// copyCatalog is the script command "catalog example|fixture DIR".
func copyCatalog(ts *testscript.TestScript, neg bool, args []string) {
	from, known := map[string]string{"example": exampleCatalog, "fixture": fixtureCatalog}[first(args)]
	if neg || len(args) != 2 || !known {
		ts.Fatalf("usage: catalog example|fixture dir")
	}
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(from)))
}

// editFile is the script command "edit FILE OLD NEW"; OLD stands there once.
func editFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit file old new")
	}
	text := ts.ReadFile(args[0])
	if n := strings.Count(text, args[1]); n != 1 {
		ts.Fatalf("%s holds %q %d times", args[0], args[1], n)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, args[1], args[2], 1)), 0o600))
}

// startEditors is the script command "editors [FOLDER]": checkouts a and b of one repository, which has the fixture catalog
// at its top or in a folder. Ada has published a. Berthe works in b.
func startEditors(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: editors [folder]")
	}
	config := ts.MkAbs("gitconfig")
	ts.Check(os.WriteFile(config, []byte("[user]\n\tname = Ada Lovelace\n\temail = ada@example.org\n[pull]\n\trebase = false\n"), 0o600))
	ts.Setenv("GIT_CONFIG_GLOBAL", config)
	ts.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	dir := filepath.Join("a", first(args))
	ts.Check(os.CopyFS(ts.MkAbs(dir), os.DirFS(fixtureCatalog)))
	for _, command := range []string{
		"git init -q --bare -b main origin.git", "git -C a init -q -b main", "git -C a add -A", "git -C a commit -q -m un",
		"git -C a remote add origin " + ts.MkAbs("origin.git"), "git -C a push -q -u origin main",
		"git clone -q origin.git b", "git -C b config user.name Berthe", "palmares migrate", "palmares publish " + dir,
	} {
		words := strings.Fields(command)
		ts.Check(ts.Exec(words[0], words[1:]...))
	}
}

// addHostileFiles is the script command "hostile DIR": two files whose name or value would end a line, a
// property or a command of a log.
func addHostileFiles(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hostile dir")
	}
	for name, text := range map[string]string{
		"50% off: a,b\r\n::error::notes.txt": "À faire.\n",
		"alpha.md": "---\nname: Alpha\ndomain: alpha.example\ncategory: \"100%, a: b\"\nicp: mixte\npricing: payant\n" +
			"price: 20 €/mois\ntagline: Un outil\nobsolescence: 1\ntier: 3\nmainstream: false\n---\n",
	} {
		ts.Check(os.WriteFile(filepath.Join(ts.MkAbs(args[0]), "tools", name), []byte(text), 0o600))
	}
}

// expectStatus is the script command "status N command…": exec that wants that
// exit status.
func expectStatus(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(first(args))
	if neg || len(args) < 2 || err != nil {
		ts.Fatalf("usage: status n command args...")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Check(err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// setVariable is the script command "set NAME stdout|stderr REGEXP": NAME is the first match, or
// what its group matched, in what the last command printed.
func setVariable(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: set name stdout|stderr regexp")
	}
	found := regexp.MustCompile(`(?m)` + args[2]).FindStringSubmatch(ts.ReadFile(args[1]))
	if found == nil {
		ts.Fatalf("no match for %q in:\n%s", args[2], ts.ReadFile(args[1]))
	}
	ts.Setenv(args[0], found[len(found)-1])
}

// runUntil is the script command "until REGEXP command…": exec, again and again, until standard
// output matches.
func runUntil(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until regexp command args...")
	}
	wanted := regexp.MustCompile(`(?m)` + args[0])
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		ts.Check(ts.Exec(args[1], args[2:]...))
		if wanted.MatchString(ts.ReadFile("stdout")) {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("no match for %q in:\n%s", args[0], ts.ReadFile("stdout"))
		}
	}
}

// runSQL is the script command "sql STATEMENT", on the script's database.
func runSQL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: sql statement")
	}
	conn, err := pgx.Connect(context.Background(), ts.Getenv("PALMARES_DATABASE_URL"))
	ts.Check(err)
	defer conn.Close(context.Background())
	_, err = conn.Exec(context.Background(), args[0])
	ts.Check(err)
}

// startReceiver gives a script a receiver, at $RECEIVER.
func startReceiver(env *testscript.Env) {
	r := testkit.NewReceiver()
	env.Defer(r.Close)
	env.Setenv("RECEIVER", r.URL+"/palmares")
	env.Values["receiver"] = r
}

// setReceiver is the script command "receiver STATUS [BODY]": what the receiver answers from now
// on. CHALLENGE stands for the challenge that it was sent.
func setReceiver(ts *testscript.TestScript, neg bool, args []string) {
	status, err := strconv.Atoi(first(args))
	if neg || len(args) > 2 || err != nil {
		ts.Fatalf("usage: receiver status [body]")
	}
	response := first(args[1:])
	ts.Value("receiver").(*testkit.Receiver).Answer(func(body []byte) (int, string) {
		var event struct{ Data struct{ Challenge string } }
		_ = json.Unmarshal(body, &event) // what is no event has no challenge
		return status, strings.ReplaceAll(response, "CHALLENGE", event.Data.Challenge)
	})
}

// wantUntouched is the script command "untouched": nobody has sent the receiver anything.
func wantUntouched(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: untouched")
	}
	if n := len(ts.Value("receiver").(*testkit.Receiver).Requests()); n > 0 {
		ts.Fatalf("the receiver got %d requests", n)
	}
}

// wantSigned is the script command "signed REGEXP SECRET…": the last request has a body that
// matches, and is signed with each of these secrets and no other.
func wantSigned(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: signed regexp secret...")
	}
	got := ts.Value("receiver").(*testkit.Receiver).Requests()
	if len(got) == 0 {
		ts.Fatalf("nothing arrived")
	}
	last := got[len(got)-1]
	if !regexp.MustCompile(args[0]).Match(last.Body) {
		ts.Fatalf("no match for %q in %s", args[0], last.Body)
	}
	if n := len(strings.Fields(last.Header.Get("webhook-signature"))); n != len(args)-1 {
		ts.Fatalf("%d signatures, want %d", n, len(args)-1)
	}
	for _, secret := range args[1:] {
		v, err := standardwebhooks.NewWebhook(secret)
		ts.Check(err)
		ts.Check(v.Verify(last.Body, last.Header))
	}
}

// startTill gives a script a payment provider, and the variables with which Pro is sold.
func startTill(env *testscript.Env) error {
	fake, err := stripefake.Start(context.Background(), "127.0.0.1:0", stripefake.Options{})
	if err != nil {
		return err
	}
	env.Defer(func() { _ = fake.Close() })
	env.Values["till"] = fake
	for name, value := range map[string]string{
		"STRIPE_KEY": fake.Key, "STRIPE_WEBHOOK_SECRET": fake.Secret, "STRIPE_PRICE": fake.Price, "STRIPE_URL": fake.URL,
	} {
		env.Setenv(name, value)
	}
	return nil
}

// runTill is the script command "till VERB EMAIL": buy takes an account through checkout, end and
// fail do that to its subscription, refuse-number has the register not know its VAT number, begin-refund refunds what it paid by hand,
// which is under way until end-refunds, away on|off takes the provider away, price CENTS makes another price and has it sold,
// skip N leaves out numbers of invoices, forbid PATH takes the right to call from the key, and other account has the variables be those of another one. Nobody is told of it.
func runTill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: till buy|end|fail|refuse-number|begin-refund email, till end-refunds now, till away on|off, till price cents, till skip n, till forbid path")
	}
	fake := ts.Value("till").(*stripefake.Server)
	switch args[0] {
	case "other":
		another, err := stripefake.Start(context.Background(), "127.0.0.1:0", stripefake.Options{})
		ts.Check(err)
		ts.Defer(func() { _ = another.Close() })
		ts.Setenv("PALMARES_STRIPE_KEY", another.Key)
		ts.Setenv("PALMARES_STRIPE_WEBHOOK_SECRET", another.Secret)
		ts.Setenv("PALMARES_STRIPE_PRICE", another.Price)
		ts.Setenv("PALMARES_STRIPE_URL", another.URL)
	case "buy":
		buy(ts, fake, args[1])
	case "end":
		ts.Check(fake.SetStatus(subscriptionOf(ts, fake, args[1]), "canceled"))
	case "fail":
		ts.Check(fake.FailPayment(subscriptionOf(ts, fake, args[1])))
	case "away":
		fake.Away(args[1] == "on")
	case "refuse-number":
		customer := customerOf(ts, fake, args[1])
		ts.Check(fake.SetAddress(customer, stripefake.Address{Country: "DE", PostalCode: "10115", City: "Berlin", Line1: "Torstr. 1"})) // no tax hangs on one at home
		number, err := fake.AddTaxID(customer, "DE111111111")
		ts.Check(err)
		ts.Check(fake.VerifyTaxID(number.ID, "unverified"))
	case "begin-refund":
		fake.PendRefunds(true)
		_, err := fake.Refund(customerOf(ts, fake, args[1]), 0)
		ts.Check(err)
	case "end-refunds":
		fake.PendRefunds(false)
		for _, r := range fake.Refunds() {
			ts.Check(fake.SettleRefund(r.ID, true))
		}
	case "price":
		cents, err := strconv.ParseInt(args[1], 10, 64)
		ts.Check(err)
		ts.Setenv("PALMARES_STRIPE_PRICE", fake.AddPrice(func(p *stripefake.Price) { p.UnitAmount = cents }))
	case "skip":
		n, err := strconv.Atoi(args[1])
		ts.Check(err)
		fake.SkipNumbers(n)
	case "forbid":
		fake.ChangeSetup(func(s *stripefake.Setup) { s.Forbidden = []string{args[1]} })
	default:
		ts.Fatalf("unknown verb %s", args[0])
	}
}

// buy takes an account through checkout.
func buy(ts *testscript.TestScript, fake *stripefake.Server, email string) {
	ctx := context.Background()
	s, err := services.OpenWithBilling(ctx, []string{
		"PALMARES_DATABASE_URL=" + ts.Getenv("PALMARES_DATABASE_URL"), "PALMARES_BASE_URL=http://localhost:8080",
		"PALMARES_STRIPE_KEY=" + fake.Key, "PALMARES_STRIPE_WEBHOOK_SECRET=" + fake.Secret,
		"PALMARES_STRIPE_PRICE=" + fake.Price, "PALMARES_STRIPE_URL=" + fake.URL,
	})
	ts.Check(err)
	defer s.Close()
	a, err := s.Accounts.Find(ctx, account.Operator(), email)
	ts.Check(err)
	c, err := stripetest.Order(ctx, ts.Getenv("PALMARES_DATABASE_URL"), fake, a.ID)
	ts.Check(err)
	_, err = fake.Complete(c.ID)
	ts.Check(err)
}

// subscriptionOf is the newest subscription of an account.
func subscriptionOf(ts *testscript.TestScript, fake *stripefake.Server, email string) string {
	subs := fake.Subscriptions(customerOf(ts, fake, email))
	if len(subs) == 0 {
		ts.Fatalf("%s has no subscription", email)
	}
	return subs[0].ID
}

// customerOf is the newest customer of an account.
func customerOf(ts *testscript.TestScript, fake *stripefake.Server, email string) (id string) {
	for _, c := range fake.Customers() {
		if c.Email == email {
			id = c.ID
		}
	}
	if id == "" {
		ts.Fatalf("%s is no customer", email)
	}
	return id
}
