package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/gittest"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// publishGit runs palmares publish and returns its exit status and what it prints.
func publishGit(t *testing.T, environ []string, args ...string) (status int, printed string) {
	t.Helper()
	cmd := command(t, environ, append([]string{"publish"}, args...)...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// By hand, what a repository elsewhere has is published as a directory is: with a plan, and with the flags of the guards.
func TestPublishFromGit_Once(t *testing.T) {
	t.Parallel()
	dir, repo := testkit.CopyOf(t, fixtureCatalog), gittest.New(t)
	forge := repo.Serve()
	tip := repo.CommitDir(dir, "catalog")
	environ := append(database(pgtest.Migrated(t)), "PALMARES_PUBLISH_CA_FILE="+forge.CAFile, "PALMARES_PUBLISH_DIR="+t.TempDir())
	wants := func(want int, texts []string, flags ...string) {
		t.Helper()
		status, printed := publishGit(t, environ, append([]string{"--from-git", forge.URL, "--once"}, flags...)...)
		if status != want {
			t.Errorf("%q: status %d, want %d\n%s", flags, status, want, printed)
		}
		for _, text := range texts {
			if !strings.Contains(printed, text) {
				t.Errorf("%q: no %q in\n%s", flags, text, printed)
			}
		}
	}
	wants(0, []string{"commit " + tip[:12] + " of main", "dry run: nothing was written, edition 0 stays"}, "--dry-run")
	wants(0, []string{"edition 1 published"}, "--branch", "main", "--path", "catalog")
	wants(0, []string{"edition 1 stays"})
	wants(1, []string{"refused, nothing was written: nowhere: the commit has no such folder"}, "--path", "nowhere")
	wants(1, []string{"the repository has no branch other"}, "--branch", "other")

	testkit.Must(t, os.Remove(filepath.Join(dir, "tools/sans-avis.md")))
	tip = repo.CommitDir(dir, "catalog", tip)
	wants(1, []string{"refused, nothing was written", "tools/sans-avis.md"})
	wants(0, []string{"edition 2 published"}, "--allow-removal")

	testkit.Edit(t, filepath.Join(dir, "catalog.yaml"), "name: ", "nom: ")
	repo.CommitDir(dir, "catalog", tip)
	wants(1, []string{"catalog/catalog.yaml:", "nothing was published"})

	testkit.Edit(t, filepath.Join(dir, "catalog.yaml"), "nom: ", "name: Autre ")
	tip = repo.CommitDir(dir, "catalog") // a history of its own
	wants(1, []string{"refused, nothing was written: stopped: the tip " + tip[:12], "--allow-rewritten"})
	wants(0, []string{"edition 3 published"}, "--allow-rewritten")
	editions, _ := palmares(t, environ, "editions")
	if !strings.Contains(editions, tip[:12]) || !strings.Contains(editions, "Ada Lovelace") || strings.Contains(editions, "modified") {
		t.Errorf("editions:\n%s", editions)
	}
}

// Neither another protocol nor flags that do not go together are taken.
func TestPublishFromGit_Refuses(t *testing.T) {
	t.Parallel()
	environ := database("postgres://127.0.0.1:1/none")
	for args, want := range map[string]struct {
		status int
		text   string
	}{
		"--from-git file:///srv/catalogue.git --once":                         {1, "--from-git takes https://"},
		"--from-git /srv/catalogue.git --once":                                {1, "--from-git takes https://"},
		"--from-git http://git.example.org/c.git --every 1m":                  {1, "--from-git takes https://"},
		"--from-git ext::sh --once":                                           {1, "--from-git takes https://"},
		"--from-git https://u:hunter2@git.example.org/c.git --once":           {1, "PALMARES_PUBLISH_TOKEN_FILE"},
		"--from-git git@git.example.org:c.git --once":                         {1, "PALMARES_PUBLISH_KNOWN_HOSTS is not set"},
		"--from-git https://git.example.org/c.git --once --path ../c":         {1, "--path"},
		"--from-git https://git.example.org/c.git --once --branch=-x":         {1, "--branch"},
		"--from-git https://git.example.org/c.git --every 1m":                 {1, "PALMARES_PUBLISH_DIR is not set"},
		"--from-git https://git.example.org/c.git --every 1s":                 {1, "--every is 1s"},
		"--from-git= --once":                                                  {1, "PALMARES_PUBLISH_URL is not set"},
		"--from-git https://git.example.org/c.git --every 1m --once":          {2, "name one of them"},
		"--from-git https://git.example.org/c.git --every 1m --allow-removal": {2, "add --once"},
		"--from-git https://git.example.org/c.git --allow-rewritten":          {2, "add --once"},
		"--from-git https://git.example.org/c.git --dry-run":                  {2, "add --once"},
		"--from-git https://git.example.org/c.git --correct a":                {2, "add --once"},
		"--from-git https://git.example.org/c.git --once catalog":             {2, "name one of them"},
		"catalog --once":   {2, "go with --from-git"},
		"catalog --path a": {2, "go with --from-git"},
		"--dry-run":        {2, `expected "<dir>"`},
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			status, printed := publishGit(t, environ, strings.Fields(args)...)
			if status != want.status || !strings.Contains(printed, want.text) || strings.Contains(printed, "hunter2") {
				t.Errorf("status %d, want %d and %q:\n%s", status, want.status, want.text, printed)
			}
		})
	}
}
