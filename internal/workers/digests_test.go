package workers

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	build "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/digest"
	"github.com/palmares-hq/palmares/internal/mail"
	"github.com/palmares-hq/palmares/internal/mail/mailbox"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/secrets"
	"github.com/palmares-hq/palmares/internal/testkit"
)

const digestWorker = "PALMARES_TEST_DIGEST_WORKER"

// A process with digestWorker in its environment is a worker that sends digests, and nothing else.
func TestMain(m *testing.M) {
	if at := os.Getenv(digestWorker); at != "" {
		fmt.Fprintln(os.Stderr, workDigests(context.Background(), at))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// workDigests sends digests until the process is killed. at is a directory with the addresses of the database and the mail
// server, and the time.
func workDigests(ctx context.Context, at string) error {
	read := func(name string) string {
		text, _ := os.ReadFile(filepath.Join(at, name))
		return string(text)
	}
	db, err := postgres.Open(ctx, read("db"), postgres.Options{})
	if err != nil {
		return err
	}
	s, err := senderOfDigests(db, read("smtp"), func() time.Time {
		now, err := time.Parse(time.RFC3339, read("now"))
		for ; err != nil; now, err = time.Parse(time.RFC3339, read("now")) {
			time.Sleep(time.Millisecond) // it is being written
		}
		return now
	})
	if err != nil {
		return err
	}
	go s.run(ctx)
	fmt.Println("works")
	for ; err == nil; time.Sleep(5 * time.Millisecond) {
		err = s.read(ctx)
	}
	return err
}

// senderOfDigests is what Mails.Digests runs, at the pace of a test.
func senderOfDigests(db *postgres.DB, at string, now func() time.Time) (*digestSender, error) {
	sender, err := mail.NewSender(mail.Options{URL: at, From: "noreply@palmares.test"})
	if err != nil {
		return nil, err
	}
	ring, err := secrets.New([]byte("never-shown-0123456789abcdef0123456789"))
	if err != nil {
		return nil, err
	}
	m := New(Options{
		DB: db, Mailer: sender, BaseURL: "https://palmares.example", Logger: slog.New(slog.DiscardHandler), Registry: prometheus.NewRegistry(),
	})
	return m.newDigestSender(digest.NewService(digest.Options{Store: db.Digests, Secrets: ring, Now: now}),
		func(context.Context) error { return nil }, DigestPace{Every: 5 * time.Millisecond, Again: 20 * time.Millisecond}), nil
}

// A following is a catalogue whose prices rise, and accounts that follow its tools.
type following struct {
	*testing.T
	db     *postgres.DB
	url    string
	admin  *pgx.Conn
	now    time.Time
	prices map[string]int // in euros
}

const followed = 12 // tools

func newFollowing(t *testing.T) *following {
	t.Helper()
	f := &following{T: t, url: pgtest.Migrated(t), now: time.Date(2026, 3, 2, 5, 0, 0, 0, time.UTC), prices: make(map[string]int)}
	var err error
	f.db, err = postgres.Open(t.Context(), f.url, postgres.Options{})
	testkit.Must(t, err)
	t.Cleanup(f.db.Close)
	f.admin, err = pgx.Connect(t.Context(), f.url)
	testkit.Must(t, err)
	t.Cleanup(func() { f.admin.Close(context.Background()) })
	for i := range followed {
		f.prices[fmt.Sprintf("outil-%d", i)] = 100
	}
	f.publish()
	return f
}

// publish publishes the prices, after an edit.
func (f *following) publish(edits ...func(*catalog.Contents)) {
	f.Helper()
	_, err := f.db.Catalog.Publish(f.Context(), func() time.Time { return f.now },
		func(_ context.Context, current *catalog.Contents, _ catalog.Edition, _ catalog.Past) (catalog.Changes, error) {
			next := build.Contents()
			for slug, euros := range f.prices {
				next.Tools = append(next.Tools, build.Tool(slug, build.Named(slug), build.Priced(catalog.Paid, strconv.Itoa(euros)+" €/mois")))
			}
			next.Sort()
			for _, edit := range edits {
				edit(next)
			}
			return catalog.Diff(current, next, catalog.DateOf(f.now)), nil
		})
	testkit.Must(f, err)
}

// account makes an account that follows tools.
func (f *following) account(name string, every account.Frequency, slugs ...string) account.Account {
	f.Helper()
	service := account.NewService(f.db.Accounts, f.db.Keys, func() time.Time { return f.now })
	a, err := service.Create(f.Context(), account.Operator(), name+"@example.org", account.Developer)
	testkit.Must(f, err)
	_, err = f.admin.Exec(f.Context(), `UPDATE accounts SET confirmed = true WHERE id = $1`, a.ID)
	testkit.Must(f, err)
	by := account.ByAccount(a.ID)
	_, err = service.Watch(f.Context(), by, a.ID, slugs)
	testkit.Must(f, err)
	testkit.Must(f, service.SetDigest(f.Context(), by, a.ID, every))
	return a
}

func (f *following) count(from string, args ...any) (n int) {
	f.Helper()
	testkit.Must(f, f.admin.QueryRow(f.Context(), `SELECT count(*) FROM `+from, args...).Scan(&n))
	return n
}

// A workerProcess sends digests in a process of its own.
type workerProcess struct {
	*exec.Cmd
	out io.Reader
}

func (f *following) worker(at string) *workerProcess {
	f.Helper()
	w := &workerProcess{Cmd: exec.Command(os.Args[0], "-test.run=^$")}
	w.Env = append(os.Environ(), digestWorker+"="+at)
	w.Stderr = os.Stderr
	var err error
	w.out, err = w.StdoutPipe()
	testkit.Must(f, err)
	testkit.Must(f, w.Start())
	line, err := bufio.NewReader(w.out).ReadString('\n')
	if err != nil || line != "works\n" {
		f.Fatalf("a worker does not begin: %q %v", line, err)
	}
	return w
}

func (w *workerProcess) kill() {
	_ = w.Process.Kill()
	_ = w.Wait()
}

var toldPrice = regexp.MustCompile(`(outil-\d+)\x{a0}: (\d+)\x{a0}€/mois, contre (\d+)\x{a0}€/mois`)

// Two workers are killed again and again while they send digests. No rise of a price is told twice, what was not told was
// on its way when a worker died, and that is counted with the list.
func TestDigests_KilledWorkers(t *testing.T) {
	t.Parallel()
	f := newFollowing(t)
	editions, lists := testkit.Size(20, 200), testkit.Size(30, 500)
	box, err := mailbox.Start(t.Context(), "127.0.0.1:0", editions*lists)
	testkit.Must(t, err)
	t.Cleanup(func() { testkit.Must(t, box.Close()) })
	at := t.TempDir()
	write := func(name, text string) {
		testkit.Must(t, os.WriteFile(filepath.Join(at, "new"), []byte(text), 0o600))
		testkit.Must(t, os.Rename(filepath.Join(at, "new"), filepath.Join(at, name)))
	}
	setNow := func(now time.Time) { f.now = now; write("now", now.Format(time.RFC3339)) }
	random := rand.New(rand.NewPCG(1, 2))
	type list struct {
		account account.Account
		slugs   []string
	}
	var all []list
	for i := range lists {
		var slugs []string
		for range 1 + random.IntN(6) {
			slugs = append(slugs, fmt.Sprintf("outil-%d", random.IntN(followed)))
		}
		slices.Sort(slugs)
		slugs = slices.Compact(slugs)
		every := account.Daily
		if i%3 == 0 {
			every = account.Weekly
		}
		all = append(all, list{f.account(fmt.Sprintf("a%d", i), every, slugs...), slugs})
	}
	write("db", f.url)
	write("smtp", "smtp://"+box.Addr+"?tls=none")
	setNow(f.now)
	workers := []*workerProcess{f.worker(at), f.worker(at)}
	t.Cleanup(func() {
		for _, w := range workers {
			w.kill()
		}
	})
	day := f.now
	settled := func(what, waits string) {
		t.Helper()
		for began := time.Now(); f.count(waits) > 0; time.Sleep(5 * time.Millisecond) {
			if time.Since(began) > testkit.Patience {
				t.Fatalf("%s: %d wait", what, f.count(waits))
			}
		}
	}
	kills := 0
	for i := range editions + 8 { // the last days bring the weekly ones
		day = day.AddDate(0, 0, 1)
		setNow(day)
		if i < editions {
			for range 3 {
				f.prices[fmt.Sprintf("outil-%d", random.IntN(followed))]++
			}
			f.publish()
		}
		settled("the log is read", `digests d WHERE d.read_to < (SELECT max(last_seq) FROM editions)`)
		setNow(day.Add(90 * time.Minute))
		if i%2 == 0 {
			time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond)
			victim := random.IntN(2)
			workers[victim].kill()
			kills++
			workers[victim] = f.worker(at)
		}
		settled("digests go", `watchlists WHERE pending AND claim IS NULL AND next_at <= '`+f.now.Format(time.RFC3339)+`'`)
		for f.count(`watchlists WHERE claim IS NOT NULL`) > 0 { // those of the dead are abandoned
			setNow(f.now.Add(10 * time.Second))
			time.Sleep(5 * time.Millisecond)
		}
	}
	lost, missing, recorded := 0, 0, 0
	for _, l := range all {
		rises := make(map[string][][2]int) // that were told, in the order of the mails
		for _, m := range slices.Backward(box.Messages(l.account.Email)) {
			testkit.Equal(t, "one click", m.Header.Get("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click")
			for _, said := range toldPrice.FindAllStringSubmatch(strings.ReplaceAll(m.Text, "\n    ", " "), -1) {
				is, _ := strconv.Atoi(said[2])
				was, _ := strconv.Atoi(said[3])
				rises[said[1]] = append(rises[said[1]], [2]int{was, is})
			}
		}
		gaps := 0
		for _, slug := range l.slugs {
			reached := 100
			for _, rise := range append(rises[slug], [2]int{f.prices[slug], f.prices[slug]}) {
				if rise[0] < reached {
					t.Errorf("%s: %s is told twice: %v", l.account.Email, slug, rises[slug])
				}
				if rise[0] > reached {
					gaps++
				}
				reached = rise[1]
			}
		}
		var n int
		testkit.Must(t, f.admin.QueryRow(t.Context(), `SELECT lost FROM watchlists WHERE account_id = $1`, l.account.ID).Scan(&n))
		if gaps > 0 && n == 0 || gaps > n*len(l.slugs) {
			t.Errorf("%s: %d rises were not told, and %d digests lost", l.account.Email, gaps, n)
		}
		lost, missing, recorded = lost+n, missing+gaps, recorded+len(box.Messages(l.account.Email))
	}
	t.Logf("%d editions, %d lists, %d workers killed: %d digests arrived, %d were on their way with a worker that died, %d rises were not told",
		editions, lists, kills, recorded, lost, missing)
	if recorded < lists {
		t.Errorf("%d digests", recorded)
	}
}
