package sampletest_test

import (
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/sampletest"
)

// Good samples pass, and each way to be wrong is noticed.
func TestSession(t *testing.T) {
	t.Parallel()
	const fence = "```"
	page := func(blocks ...string) string {
		var b strings.Builder
		for i := 0; i < len(blocks); i += 2 {
			b.WriteString("Text.\n\n" + fence + blocks[i] + "\n" + blocks[i+1] + "\n" + fence + "\n\n")
		}
		return b.String()
	}
	for name, x := range map[string]struct{ page, fault string }{
		"variables":    {page("sh", "export A=plm_…", "sh", `echo "$A $A"`, "text output", "clé clé"), ""},
		"a file":       {page("python file=a.py", "print(2+2)", "sh", "python3 a.py", "text output", "4"), ""},
		"what differs": {page("sh", "printf 'a\\r\\nb\\nc 1 d\\n'", "text output", "a\n…\nc … d"), ""},
		"no lines":     {page("sh", "printf 'a\\nb\\n'", "text output", "a\n…\nb"), ""},
		"background":   {page("sh", "sleep 100 & echo x", "text output", "x"), ""},
		"go":           {page("go", "package main\n\nfunc main() { print() }"), ""},
		"typescript":   {page("ts", "const n: number = await Promise.resolve(4);\nconsole.log(n);", "text output", "4"), ""},
		"python":       {page("python", "print(1)", "text output", "1"), ""},
		"shown":        {page("json shown", "{}"), ""},

		"another output":    {page("sh", "echo a", "text output", "b"), "the page shows\nb"},
		"more output":       {page("sh", "echo a; echo b", "text output", "a"), "prints\na\nb"},
		"output not shown":  {page("sh", "echo a"), "prints\na"},
		"a status":          {page("sh", "false"), "exit status 1"},
		"an empty variable": {page("sh", "echo $NOPE"), "NOPE: unbound variable"},
		"go, wrong":         {page("go", "package main\n\nfunc main() { x := 1 }"), "declared and not used"},
		"typescript, wrong": {page("ts", `const n: number = "4";`), "TS2322"},
		"python, wrong":     {page("python", "print(x)"), "NameError"},
		"json alone":        {page("json", "{}"), "neither output nor shown"},
		"another place":     {page("sh file=../x", "x"), "not in this directory"},
		"no such word":      {page("sh later", "x"), "later"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sampletest.NewSession(t)
			s.Key = "clé"
			err := s.Run(t.Context(), x.page)
			if (err == nil) != (x.fault == "") || err != nil && !strings.Contains(err.Error(), x.fault) {
				t.Errorf("%v, want %q", err, x.fault)
			}
		})
	}
}
