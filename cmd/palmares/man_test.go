package main

import (
	"bytes"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// The manual page has every command that is not hidden, and readers of it print it without a complaint.
func TestMan(t *testing.T) {
	t.Parallel()
	page, errs := palmares(t, nil, "man")
	testkit.Equal(t, "standard error", errs, "")
	for field := range reflect.TypeFor[commands]().Fields() {
		_, is := field.Tag.Lookup("cmd")
		_, hidden := field.Tag.Lookup("hidden")
		if name := ".SS palmares " + strings.ToLower(field.Name); is && strings.Contains(page, name) == hidden {
			t.Errorf("%s: on the page: %t", field.Name, !hidden)
		}
	}
	for _, want := range []string{
		".SS palmares webhook create", `.B \-\-live`, ".B PALMARES_DATABASE_URL\n", ".SH NAME\npalmares", `\-\-roles=api,site,worker`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if _, err := exec.LookPath("groff"); err != nil {
		pgtest.SkipOrFail(t, "no groff: install one, for instance with apt-get install groff-base")
	}
	cmd := exec.Command("groff", "-man", "-Tutf8", "-Kutf8", "-ww", "-P-cbou")
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	var out, complaints bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(page), &out, &complaints
	if err := cmd.Run(); err != nil || complaints.Len() > 0 {
		t.Errorf("groff: %v\n%s", err, complaints.String())
	}
	if !strings.Contains(out.String(), "PALMARES_SNAPSHOT_FILE") || !strings.Contains(out.String(), "palmares ready") {
		t.Errorf("groff prints:\n%.2000s", out.String())
	}
}
