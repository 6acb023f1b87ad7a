package palmares_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A limitRow is a row of the table of limits in SECURITY.md.
type limitRow struct{ most, name string }

var limitLine = regexp.MustCompile("(?m)^\\| [^|]+ \\| [^|]+ \\| ([0-9,]+) \\| [^|]+ \\| `([a-z/]+\\.[A-Za-z0-9]+)` \\|$")

// SECURITY.md lists what strangers can cost. Each number is that of the code, and no limit.Limit, and no package that makes a
// gate or a queue, is left out.
func TestSecurity_ListsEveryLimit(t *testing.T) {
	t.Parallel()
	listed, packages := make(map[string]bool), make(map[string]bool)
	for _, m := range limitLine.FindAllStringSubmatch(read(t, "SECURITY.md"), -1) {
		row := limitRow{strings.ReplaceAll(m[1], ",", ""), m[2]}
		dir, name := path.Split(strings.Replace(row.name, ".", "/", 1))
		dir = strings.TrimSuffix(dir, "/")
		listed[row.name], packages[dir] = true, true
		c := constants{}
		if is, err := c.value(dir, name); err != nil || strconv.FormatInt(is, 10) != row.most {
			t.Errorf("SECURITY.md says %s is %s: it is %d (%v)", row.name, row.most, is, err)
		}
	}
	if len(listed) < 40 {
		t.Errorf("only %d limits are listed in SECURITY.md", len(listed))
	}
	eachPackage(t, func(dir string, files map[string]string) {
		for name, source := range files {
			dir, internal := strings.CutPrefix(dir, "internal/")
			if !internal || dir == "limit" || strings.HasSuffix(name, "_test.go") {
				continue
			}
			for _, m := range regexp.MustCompile(`(?m)^(?:var )?\t?([A-Za-z]+)\s+= limit\.Limit\{`).FindAllStringSubmatch(source, -1) {
				if !listed[dir+"."+m[1]] {
					t.Errorf("SECURITY.md does not list %s.%s", dir, m[1])
				}
			}
			if regexp.MustCompile(`limit\.New(Gate|Queue)\(`).MatchString(source) && !packages[dir] {
				t.Errorf("SECURITY.md lists no limit of %s, which has a gate or a queue", dir)
			}
		}
	})
}

// constants are the values of packages of internal, as far as they were read.
type constants map[string]map[string]ast.Expr

// value evaluates a constant: a number, a duration, an expression of such, or the Most of a limit.Limit.
func (c constants) value(dir, name string) (int64, error) {
	if c[dir] == nil {
		if err := c.read(dir); err != nil {
			return 0, err
		}
	}
	e, ok := c[dir][name]
	if !ok {
		return 0, fmt.Errorf("%s has no %s", dir, name)
	}
	return c.eval(dir, e)
}

func (c constants) read(dir string) error {
	c[dir] = make(map[string]ast.Expr)
	entries, err := os.ReadDir("internal/" + dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path.Join("internal", dir, entry.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && len(v.Values) == len(v.Names) {
				for i, name := range v.Names {
					c[dir][name.Name] = v.Values[i]
				}
			}
			return true
		})
	}
	return nil
}

func (c constants) eval(dir string, e ast.Expr) (int64, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return strconv.ParseInt(e.Value, 0, 64)
	case *ast.Ident:
		return c.value(dir, e.Name)
	case *ast.SelectorExpr:
		from, _ := e.X.(*ast.Ident)
		if from.Name == "time" {
			return int64(map[string]time.Duration{"Second": time.Second, "Minute": time.Minute, "Hour": time.Hour}[e.Sel.Name]), nil
		}
		return c.value(from.Name, e.Sel.Name)
	case *ast.CompositeLit:
		for _, field := range e.Elts {
			if kv, ok := field.(*ast.KeyValueExpr); ok && kv.Key.(*ast.Ident).Name == "Most" {
				return c.eval(dir, kv.Value)
			}
		}
	case *ast.BinaryExpr:
		x, errX := c.eval(dir, e.X)
		y, errY := c.eval(dir, e.Y)
		switch {
		case errX != nil || errY != nil:
			return 0, fmt.Errorf("%w, %w", errX, errY)
		case e.Op == token.MUL:
			return x * y, nil
		case e.Op == token.QUO:
			return x / y, nil
		}
	}
	return 0, fmt.Errorf("%T is no number", e)
}
