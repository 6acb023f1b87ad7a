package postgres_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/postgres"
)

// before and after differ in every table that a publication writes.
func before() *catalog.Contents {
	c := contents(tool("a", scored(500)), tool("b", scored(600)), tool("part"))
	c.Comparisons = []*catalog.Comparison{versus("a-ou-b", "a", "b")}
	return c
}

func after() *catalog.Contents {
	c := contents(tool("a", scored(500), priced(catalog.Paid, "12 €/mois")), tool("b", scored(650)), tool("neuf"))
	c.Categories[0].Label = "La voix"
	c.Service.Name = "Autre nom"
	c.Comparisons = []*catalog.Comparison{versus("a-ou-b", "a", "b")}
	c.Retired = []*catalog.Retired{grave("part", catalog.Dead)}
	return c
}

func TestAFailedPublicationWritesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.publish(before())
	b.nextDay()
	b.exec(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the step failed'; END $$`)
	want := b.dump()

	check := func(name string, err error) {
		t.Helper()
		if err == nil {
			t.Fatalf("%s: no error", name)
		}
		if got := b.dump(); got != want {
			t.Fatalf("%s: the database changed:\n%s", name, got)
		}
	}

	_, err := b.db.Publish(t.Context(), b.clock, func(context.Context, *catalog.Contents, catalog.Edition) (catalog.Changes, error) {
		return catalog.Diff(before(), after(), "2026-03-02"), errRefused
	})
	check("refused by decide", err)
	if !errors.Is(err, errRefused) {
		t.Errorf("the error of decide is lost: %v", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	_, err = b.db.Publish(ctx, b.clock, func(ctx context.Context, current *catalog.Contents, e catalog.Edition) (catalog.Changes, error) {
		defer cancel()
		return b.toward(after())(ctx, current, e)
	})
	check("cancelled after deciding", err)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled, but the error is %v", err)
	}

	_, err = b.db.Publish(t.Context(), b.clock, b.toward(contents(tool("a", func(t *catalog.Tool) { t.ICP = "personne" }))))
	check("a value that the schema refuses", err)

	for _, table := range tables() {
		b.exec(`CREATE TRIGGER fail BEFORE INSERT OR UPDATE OR DELETE ON ` + table + ` EXECUTE FUNCTION fail()`)
		_, err := b.db.Publish(t.Context(), b.clock, b.toward(after()))
		check("writing "+table+" fails", err)
		b.exec(`DROP TRIGGER fail ON ` + table)
	}

	b.exec(`CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON editions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail()`)
	_, err = b.db.Publish(t.Context(), b.clock, b.toward(after()))
	check("the commit itself fails", err)
	b.exec(`DROP TRIGGER fail ON editions`)

	// Nothing of it stands in the way of the next one, and the number was not used.
	wantEqual(t, "the next edition", b.publish(after()).Number, 2)
	if b.dump() == want {
		t.Error("the publication that works wrote nothing either: the checks above prove nothing")
	}
}

func TestAPanicInDecideWritesNothingAndFreesTheLock(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		b.db.Publish(t.Context(), b.clock, func(context.Context, *catalog.Contents, catalog.Edition) (catalog.Changes, error) {
			panic("decide")
		})
	}()
	wantEqual(t, "the edition after", b.publish(before()).Number, 1)
}

func TestTheSameContentsMakeNoEdition(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	e1 := b.publish(everything())
	want := b.dump()
	b.nextDay()
	wantEqual(t, "the edition", b.publish(everything()), e1)
	if got := b.dump(); got != want {
		t.Errorf("the database changed:\n%s", got)
	}
}

func TestAnEmptyCatalogIsAFirstEditionToo(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	wantEqual(t, "the edition", b.publish(&catalog.Contents{}).Number, 1)
	wantEqual(t, "the edition again", b.publish(&catalog.Contents{}).Number, 1)
}

// The row of a hidden change moves, but no event tells of it.
func TestWhatOnlyEditorsSeeMakesAnEditionWithoutEvents(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.publish(contents(tool("a")))
	b.nextDay()
	e2 := b.publish(contents(tool("a", func(t *catalog.Tool) { t.Mainstream = true })))
	wantEqual(t, "the edition", e2.Number, 2)
	wantSame(t, "the events", ask[string](b, `SELECT type FROM events ORDER BY seq`), []string{"tool.created"})
	wantEqual(t, "updated_at", findTool(t, b.whole(), "a").UpdatedAt, "2026-03-01")
}

func TestEventsSayWhatHappened(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.publish(before())
	b.nextDay()
	b.publish(after())
	wantSame(t, "the log", ask[string](b, `
		SELECT format('%s|%s|%s|%s|%s|%s', seq, edition, type, slug, array_to_string(categories, ','),
		              coalesce(previous->>'price', '-') || '>' || coalesce(object->>'price', '-'))
		FROM events ORDER BY seq`), []string{
		"1|1|tool.created|a|code|->10 €/mois",
		"2|1|tool.created|b|code|->10 €/mois",
		"3|1|tool.created|part|code|->10 €/mois",
		"4|1|comparatif.published|a-ou-b|code|->-",
		"5|2|tool.updated|a|code|10 €/mois>12 €/mois",
		"6|2|price.changed|a|code|10 €/mois>12 €/mois",
		"7|2|tool.updated|b|code|10 €/mois>10 €/mois",
		"8|2|tool.created|neuf|code|->10 €/mois",
		"9|2|tool.retired|part|code|10 €/mois>-",
		"10|2|comparatif.updated|a-ou-b|code|->-",
	})
	wantSame(t, "the last number of each edition", ask[int64](b, `SELECT last_seq FROM editions ORDER BY number`), []int64{4, 10})
}

// A long look at the content is not cut off by a server that ends idle transactions.
func TestDecideMayTakeItsTime(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.exec(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET idle_in_transaction_session_timeout = 50', current_database()); END $$`)
	_, err := b.open().Publish(t.Context(), b.clock, func(ctx context.Context, current *catalog.Contents, e catalog.Edition) (catalog.Changes, error) {
		time.Sleep(250 * time.Millisecond) // the server's clock, not ours
		return b.toward(before())(ctx, current, e)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWaitingForAnotherPublicationCanBeGivenUp(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	inside, release := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		_, err := b.db.Publish(t.Context(), b.clock, func(ctx context.Context, current *catalog.Contents, e catalog.Edition) (catalog.Changes, error) {
			close(inside)
			<-release
			return b.toward(before())(ctx, current, e)
		})
		done <- err
	}()
	<-inside
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := b.open().Publish(ctx, b.clock, func(context.Context, *catalog.Contents, catalog.Edition) (catalog.Changes, error) {
		t.Error("two publications decide at once")
		return catalog.Changes{}, nil
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("giving up: %v", err)
	}
	close(release)
	if err := <-done; err != nil {
		t.Errorf("the one that was first: %v", err)
	}
	wantEqual(t, "tools", len(b.whole().Tools), 3)
}

func TestWithoutASchema(t *testing.T) {
	t.Parallel()
	b := benchAt(t, emptyDatabase(t))
	_, _, err := b.db.Current(t.Context())
	wantNoSchema(t, "Current", err)
	_, err = b.db.Publish(t.Context(), b.clock, b.toward(before()))
	wantNoSchema(t, "Publish", err)
	f := b.feed()
	_, err = f.Latest(t.Context())
	wantNoSchema(t, "Latest", err)
	_, err = f.Since(t.Context(), catalog.Edition{})
	wantNoSchema(t, "Since", err)
}

func wantNoSchema(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, postgres.ErrNoSchema) {
		t.Errorf("%s: %v, which is not ErrNoSchema", what, err)
	}
}

// Whoever waits for a publication sees how far it is.
func TestPublishTellsHowFarItIs(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var told, last, total int
	db, err := postgres.Open(t.Context(), b.url, postgres.Options{Writing: func(done, of int) {
		if done < last || done > of {
			t.Errorf("%d of %d after %d", done, of, last)
		}
		told, last, total = told+1, done, of
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Publish(t.Context(), b.clock, b.toward(everything())); err != nil {
		t.Fatal(err)
	}
	if told == 0 || last != total {
		t.Errorf("it was told %d times, at last %d of %d", told, last, total)
	}
	told = 0
	if _, err := db.Publish(t.Context(), b.clock, b.toward(everything())); err != nil || told > 0 {
		t.Errorf("nothing is written, and told %d times: %v", told, err)
	}
}
