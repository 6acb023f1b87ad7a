package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A press is a repository whose main is published, by a role that may do nothing else.
type press struct {
	*forge
	admin *pgx.Conn
	url   string // of the role
}

func newPress(t *testing.T) *press {
	t.Helper()
	f := newForge(t, nil)
	f.shell(f.dir, "git switch --quiet main")
	database := pgtest.Migrated(t)
	admin, err := pgx.Connect(t.Context(), database)
	must(t, err)
	role := "publisher_" + strings.ToLower(rand.Text()[:12])
	t.Cleanup(func() {
		defer admin.Close(context.Background())
		for _, sql := range []string{"DROP OWNED BY " + role, "DROP ROLE " + role} {
			if _, err := admin.Exec(context.Background(), sql); err != nil {
				t.Errorf("%s: %v", sql, err)
			}
		}
	})
	script, err := postgres.PublisherScript(role)
	must(t, err)
	_, err = admin.PgConn().Exec(t.Context(), script+"ALTER ROLE "+role+" PASSWORD 'hunter2'").ReadAll()
	must(t, err)
	u, err := url.Parse(database)
	must(t, err)
	u.User = url.UserPassword(role, "hunter2")
	p := &press{forge: f, admin: admin, url: u.String()}
	p.event, p.contexts["secrets.PALMARES_DATABASE_URL"] = "push", p.url
	return p
}

// editions are the commits of all editions, the first one first.
func (p *press) editions() []string {
	p.t.Helper()
	rows, err := p.admin.Query(p.t.Context(), `SELECT coalesce(commit, '') FROM editions ORDER BY number`)
	must(p.t, err)
	commits, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(p.t, err)
	return commits
}

func (p *press) head() string {
	p.t.Helper()
	return strings.TrimSpace(p.shell(p.dir, "git rev-parse HEAD"))
}

// A publication is one run of the workflow of a forge.
type publication struct{ log, summary string }

// forges publish, by hand or for a push. The run has the inputs in both cases.
func (p *press) forges() map[string]func(byHand bool, inputs map[string]string) (publication, bool) {
	summary := func(path string) string {
		text, _ := os.ReadFile(path) // none is ""
		must(p.t, os.RemoveAll(path))
		return string(text)
	}
	return map[string]func(bool, map[string]string) (publication, bool){
		"GitHub": func(byHand bool, inputs map[string]string) (publication, bool) {
			p.event = map[bool]string{true: "workflow_dispatch", false: "push"}[byHand]
			for _, name := range []string{"allow-removal", "allow-shrink", "allow-price-jump", "allow-stale", "correct"} {
				p.contexts["inputs."+name] = inputs[name]
			}
			log, failed := p.github("publish.yml")
			if failed != "" && failed != "Publish" {
				p.t.Fatalf("%s failed:\n%s", failed, log)
			}
			return publication{log, summary(p.summary())}, failed == ""
		},
		"GitLab": func(byHand bool, inputs map[string]string) (publication, bool) {
			environ := []string{
				"PALMARES_DATABASE_URL=" + p.contexts["secrets.PALMARES_DATABASE_URL"], "BY_HAND=true",
				"CI_PIPELINE_SOURCE=" + map[bool]string{true: "web", false: "push"}[byHand],
			}
			for name, value := range inputs {
				environ = append(environ, strings.ToUpper(strings.ReplaceAll(name, "-", "_"))+"="+value)
			}
			log, err := p.gitlab("publish", environ...)
			return publication{log, summary(filepath.Join(p.dir, "published.md"))}, err == nil
		},
	}
}

// What is merged is published, with its plan as the summary. What looks like an accident is refused, and allowed by a run that
// somebody started.
func TestRepository_PublishesMain(t *testing.T) {
	t.Parallel()
	p := newPress(t)
	price, commits := "20 €/mois", []string{}
	move := func(to string) {
		t.Helper()
		p.edit("price: "+price, "price: "+to)
		price = to
	}
	published := func(what string, got publication, ok bool, in ...string) {
		t.Helper()
		commits = append(commits, p.head())
		testkit.Equal(t, what+": the commits of the editions", p.editions(), commits)
		for _, text := range append(in, "## What publishing this changes\n\n    ", "\nIt is published.\n") {
			if !ok || !strings.Contains(got.summary, text) {
				t.Errorf("%s: the log is\n%s\nand the summary, without %q,\n%s", what, got.log, text, got.summary)
			}
		}
	}
	refused := func(what string, got publication, ok bool, in ...string) {
		t.Helper()
		testkit.Equal(t, what+": the commits of the editions", p.editions(), commits)
		for _, text := range in {
			if ok || !strings.Contains(got.summary, text) || strings.Contains(got.summary, "is published.") {
				t.Errorf("%s: the log is\n%s\nand the summary, without %q,\n%s", what, got.log, text, got.summary)
			}
		}
	}
	amount := 20
	for name, publish := range p.forges() {
		got, ok := publish(false, nil)
		if len(commits) == 0 {
			published(name+" begins", got, ok, "lumen", "edition 0 stays")
		} else if !ok {
			t.Errorf("%s, the same again: %s", name, got.log)
		}
		amount++
		move(fmt.Sprint(amount, " €/mois"))
		got, ok = publish(false, map[string]string{"allow-stale": "true"})
		published(name+" moves a price", got, ok, "→ "+price, fmt.Sprintf("edition %d stays", len(commits)))

		// Five times as much, on a push, whatever it says.
		move("2400 €/mois")
		all := map[string]string{
			"allow-price-jump": "true", "allow-removal": "true", "allow-shrink": "true", "allow-stale": "true", "correct": "lumen",
		}
		got, ok = publish(false, all)
		refused(name+": a price that jumps", got, ok, "→ 2400 €/mois", "refused, nothing was written", "\nNothing was published.\n")
		got, ok = publish(true, map[string]string{"allow-removal": "true"})
		refused(name+": a run by hand that allows something else", got, ok, "\nNothing was published.\n")
		got, ok = publish(true, map[string]string{"allow-price-jump": "true"})
		published(name+": a run by hand", got, ok, "→ 2400 €/mois")
		amount++
		move(fmt.Sprint(amount, " €/mois"))
		got, ok = publish(true, map[string]string{"correct": "$(touch ran)`touch ran`; touch ran #"})
		refused(name+": hostile slugs", got, ok, "\nNothing was published.\n")
		got, ok = publish(true, map[string]string{"correct": "lumen"})
		published(name+": a correction", got, ok, "2400 €/mois → "+price)

		// A fault has no plan, and no secret is no publication.
		p.edit("price: "+price, "price: 20 euros")
		got, ok = publish(false, nil)
		refused(name+": a fault", got, ok, "20 euros", "\nNothing was published.\n")
		p.edit("price: 20 euros", "price: "+price)
		p.contexts["secrets.PALMARES_DATABASE_URL"] = ""
		if got, ok = publish(false, nil); ok || !strings.Contains(got.log, "PALMARES_DATABASE_URL: it is not set: README.md says what it is") {
			t.Errorf("%s, without the secret: %s", name, got.log)
		}
		p.contexts["secrets.PALMARES_DATABASE_URL"] = p.url
		if strings.Contains(got.log, "hunter2") {
			t.Errorf("%s: the log has the password:\n%s", name, got.log)
		}
	}
	if _, err := os.Stat(filepath.Join(p.dir, "ran")); err == nil {
		t.Error("an input was run")
	}
}

// If another edition comes between the plan and the publication, nothing is published.
func TestRepository_PublishesThePlanOrNothing(t *testing.T) {
	t.Parallel()
	p := newPress(t)
	other := filepath.Join(t.TempDir(), "other")
	p.shell(p.dir, fmt.Sprintf("git clone --quiet . %q && cd %[1]q && sed -i 's/score: 7.5/score: 8/' catalog/tools/lumen.md && git commit --quiet --all --message Other", other))
	p.got = func(bin string) {
		p.instead(bin, fmt.Sprintf(`case "$*" in *--dry-run*) %s "$@"; exec %[1]s publish %q ;; esac`, p.program, other+"/catalog"))
	}
	got, ok := p.forges()["GitHub"](false, nil)
	if ok || !strings.Contains(got.log, "edition 1 is published, not edition 0 as expected") || strings.Contains(got.summary, "is published.") {
		t.Errorf("the log is\n%s\nand the summary\n%s", got.log, got.summary)
	}
	commit := strings.TrimSpace(p.shell(other, "git rev-parse HEAD"))
	testkit.Equal(t, "the commits of the editions", p.editions(), []string{commit})
}
