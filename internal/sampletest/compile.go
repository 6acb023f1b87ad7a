package sampletest

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/site/guide"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Compiled holds the programs of samples that were compiled together.
type Compiled struct {
	dir      string
	key      string
	commands map[guide.Sample]string // the command that runs a sample
}

// Compile compiles the samples of pages together, which takes little longer than compiling one: the Go samples become
// parts of one program, which is linked once, and the TypeScript samples are checked against types that are read once.
// If the samples of a language do not compile together, they are left to sessions, which compile each by itself and
// report which one is wrong.
func Compile(tb testing.TB, key string, pages ...string) *Compiled {
	tb.Helper()
	c := &Compiled{dir: tb.TempDir(), key: key, commands: make(map[guide.Sample]string)}
	programs := make(map[string][]guide.Sample)
	for _, page := range pages {
		samples, err := guide.Samples(page)
		testkit.Must(tb, err)
		for _, s := range samples {
			if s.File == "" && !s.Output && !s.Shown && !strings.Contains(s.Text, port) {
				programs[s.Language] = append(programs[s.Language], s)
			}
		}
	}
	testkit.Must(tb, c.compileGo(tb, programs["go"]))
	testkit.Must(tb, c.compileTypeScript(tb, programs["ts"]))
	return c
}

// Len returns the number of compiled samples.
func (c *Compiled) Len() int { return len(c.commands) }

// text returns the text of a sample with the key filled in.
func (c *Compiled) text(s guide.Sample) string { return strings.ReplaceAll(s.Text, "plm_…", c.key) }

// compileGo turns each sample into a package, and compiles one program that runs the sample named by its argument.
func (c *Compiled) compileGo(tb testing.TB, samples []guide.Sample) error {
	tb.Helper()
	const header, entry = "package main\n", "\nfunc main() {\n"
	var imports, cases strings.Builder
	commands := make(map[guide.Sample]string)
	for i, s := range samples {
		text := c.text(s)
		if !strings.HasPrefix(text, header) || strings.Count(text, entry) != 1 || strings.Contains(text, "\nfunc init() {\n") || strings.Contains(text, "\nvar ") ||
			strings.Contains(text, "github.com/palmares-hq/") {
			continue // it cannot be part of another program, or would act whenever that program runs
		}
		name := fmt.Sprintf("s%d", i)
		text = strings.Replace("package "+name+"\n"+strings.TrimPrefix(text, header), entry, "\nfunc Main() {\n", 1)
		if err := c.write(filepath.Join(name, "sample.go"), text); err != nil {
			return err
		}
		fmt.Fprintf(&imports, "\t\"samples/%s\"\n", name)
		fmt.Fprintf(&cases, "\tcase %q:\n\t\t%s.Main()\n", name, name)
		commands[s] = fmt.Sprintf("%q %s", filepath.Join(c.dir, "samples"), name)
	}
	program := fmt.Sprintf("package main\n\nimport (\n\t\"os\"\n%s)\n\nfunc main() {\n\tswitch os.Args[1] {\n%s\t}\n}\n", imports.String(), cases.String())
	if err := c.write("main.go", program); err != nil {
		return err
	}
	if c.runs(tb, "sh", "-c", `go mod init samples && go mod edit -go "$(go env GOVERSION | cut -c 3-)" && go build -o samples .`) {
		maps.Copy(c.commands, commands)
	}
	return nil
}

func (c *Compiled) compileTypeScript(tb testing.TB, samples []guide.Sample) error {
	tb.Helper()
	dir, err := TypeScript()
	if err != nil {
		return err
	}
	args, commands := []string{"--outDir", filepath.Join(c.dir, "js")}, make(map[guide.Sample]string)
	for i, s := range samples {
		name := fmt.Sprintf("s%d", i)
		if err := c.write(name+".mts", c.text(s)); err != nil {
			return err
		}
		args = append(args, name+".mts")
		commands[s] = fmt.Sprintf("node %q", filepath.Join(c.dir, "js", name+".mjs"))
	}
	if len(commands) > 0 && c.runs(tb, filepath.Join(dir, "tsc"), args...) {
		maps.Copy(c.commands, commands)
	}
	return nil
}

func (c *Compiled) write(name, text string) error {
	path := filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}

// runs executes a compiler and reports whether it succeeded. It logs a failure.
func (c *Compiled) runs(tb testing.TB, name string, args ...string) bool {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), name, args...) //nolint:gosec // the samples are ours
	cmd.Dir, cmd.Env = c.dir, environ("")
	out, err := cmd.CombinedOutput()
	if err != nil {
		tb.Logf("samples do not compile together: %v\n%s", err, out)
	}
	return err == nil
}
