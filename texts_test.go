package palmares_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/layouttest"
	"github.com/palmares-hq/palmares/internal/locale"
)

// Every text of pages and mails is there in both languages, with the same values and in good typography.
func TestTexts(t *testing.T) {
	t.Parallel()
	all := make(locale.Texts)
	with := make(map[string]int) // texts by package
	eachPackage(t, func(dir string, files map[string]string) {
		for name, source := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			for key, text := range textsOf(t, dir+"/"+name, source) {
				all[dir+": "+key] = text
				with[dir]++
			}
		}
	})
	layouttest.Texts(t, all)
	for _, dir := range []string{
		"internal/layout", "internal/mail", "internal/portal/keys", "internal/portal/plan", "internal/portal/settings",
		"internal/portal/webhooks", "internal/site/about", "internal/site/docs", "internal/site/pages",
	} {
		if with[dir] < 50 {
			t.Errorf("only %d texts were found in %s", with[dir], dir)
		}
	}
}

// textsOf returns the entries of the tables of texts in a Go file.
func textsOf(t *testing.T, name, source string) locale.Texts {
	t.Helper()
	found := make(locale.Texts)
	f, err := parser.ParseFile(token.NewFileSet(), name, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		table, ok := n.(*ast.CompositeLit)
		if !ok || !isTexts(table.Type) {
			return true
		}
		for _, entry := range table.Elts {
			pair := entry.(*ast.KeyValueExpr)
			key, known := constant(pair.Key)
			text, ok := pair.Value.(*ast.CompositeLit)
			if !known || !ok || len(text.Elts) != 2 {
				t.Errorf("%s: the text %q is not written in place, once in each language", name, key)
				continue
			}
			french, inFrench := constant(text.Elts[0])
			english, inEnglish := constant(text.Elts[1])
			if !inFrench || !inEnglish {
				t.Errorf("%s: the text %q is not a constant", name, key)
			}
			found[key] = locale.Text{french, english}
		}
		return false
	})
	return found
}

// isTexts reports whether an expression names the type of tables of texts, here or in another package.
func isTexts(typ ast.Expr) bool {
	if s, ok := typ.(*ast.SelectorExpr); ok {
		typ = s.Sel
	}
	id, ok := typ.(*ast.Ident)
	return ok && strings.EqualFold(id.Name, "texts")
}

// constant is the value of a string that is written as one or more literals.
func constant(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		left, ok := constant(e.X)
		right, also := constant(e.Y)
		return left + right, ok && also && e.Op == token.ADD
	}
	return "", false
}
