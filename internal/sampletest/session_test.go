package sampletest_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/sampletest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// page has blocks, each after what stands behind its fence.
func page(blocks ...string) string {
	const fence = "```"
	var b strings.Builder
	for i := 0; i < len(blocks); i += 2 {
		b.WriteString("Text.\n\n" + fence + blocks[i] + "\n" + blocks[i+1] + "\n" + fence + "\n\n")
	}
	return b.String()
}

// Good samples pass, and each way to be wrong is noticed.
func TestSession(t *testing.T) {
	t.Parallel()
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

// Samples that were compiled together are judged as they are one by one.
func TestCompile(t *testing.T) {
	t.Parallel()
	sampletest.NewSession(t) // or there is no compiler
	program := func(body string) string {
		return "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(" + body + ")\n}"
	}
	good := []string{
		page("go", program(`"plm_…"`), "text output", "clé"),
		page("go", program(`"b"`), "text output", "b", "go", program(`"c"`), "text output", "c"),
		page("ts", "const n: number = 4;\nconsole.log(n);", "text output", "4"),
		page("ts", "const n = \"plm_…\";\nconsole.log(n);", "text output", "clé"),
	}
	faulty := map[string]string{
		page("go", program(`"b"`), "text output", "a"):                                      "the page shows\na",
		page("go", program("x")+"\n\nvar x = 1 / zero()\n\nfunc zero() int { return 0 }\n"): "divide by zero",
		page("ts", `throw new Error("no");`):                                                "no",
	}
	wrong := map[string]string{
		page("go", program("nothing")):                                          "undefined: nothing",
		page("ts", "const n: string = 4;\nconsole.log(n);", "text output", "4"): "TS2322",
	}
	run := func(c *sampletest.Compiled, page string) error {
		s := sampletest.NewSession(t)
		s.Key, s.Compiled = "clé", c
		return s.Run(t.Context(), page)
	}
	check := func(c *sampletest.Compiled, pages map[string]string) {
		for page, fault := range pages {
			if err := run(c, page); err == nil || !strings.Contains(err.Error(), fault) {
				t.Errorf("%v, want %q", err, fault)
			}
		}
	}
	pages := slices.Concat(good, slices.Collect(maps.Keys(faulty)))
	together := sampletest.Compile(t, "clé", pages...)
	testkit.Equal(t, "programs", together.Len(), 6) // one has a variable that others would set, another is there already
	for _, page := range good {
		testkit.Must(t, run(together, page))
	}
	check(together, faulty)

	alone := sampletest.Compile(t, "clé", slices.Concat(pages, slices.Collect(maps.Keys(wrong)))...)
	testkit.Equal(t, "programs beside those that do not compile", alone.Len(), 0)
	testkit.Must(t, run(alone, good[0]))
	check(alone, wrong)
}
