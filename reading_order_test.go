package palmares_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxOrderExceptions is how many identifiers the files of a package may use that a later file
// declares.
const maxOrderExceptions = 6

var goFile = regexp.MustCompile(`[a-z0-9_]+\.go\b`)

// The doc.go of a package of more than six files names all files in the order in which to read
// them, and what a file uses stands in the files before it.
func TestReadingOrder(t *testing.T) {
	t.Parallel()
	eachPackage(t, func(dir string, texts map[string]string) {
		fset := token.NewFileSet()
		files := make(map[string]*ast.File)
		for name, text := range texts {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(fset, name, text, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files[name] = f
		}
		if len(files) <= 6 {
			return
		}
		if files["doc.go"] == nil {
			t.Errorf("%s has more than six files and no doc.go that says in which order to read them", dir)
			return
		}
		var order []string
		for _, name := range goFile.FindAllString(files["doc.go"].Doc.Text(), -1) {
			if !slices.Contains(order, name) {
				order = append(order, name)
			}
		}
		stated, present := slices.Clone(order), slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(name string) bool {
			return name == "doc.go"
		})
		slices.Sort(stated)
		if !slices.Equal(stated, present) {
			t.Errorf("%s: doc.go gives an order for %q, the files are %q", dir, stated, present)
			return
		}
		if e := orderExceptions(fset, files, order); len(e) > maxOrderExceptions {
			t.Errorf("%s: %d identifiers are used before the file that declares them, %d may be:\n%s",
				dir, len(e), maxOrderExceptions, strings.Join(e, "\n"))
		} else if len(e) > 0 {
			t.Logf("%s: %q", dir, e)
		}
	})
}

// orderExceptions lists, once for each file, the identifiers that it uses and a later file
// declares: types, functions, methods, fields, variables and constants.
func orderExceptions(fset *token.FileSet, files map[string]*ast.File, order []string) []string {
	info := &types.Info{Uses: make(map[*ast.Ident]types.Object)}
	config := types.Config{
		Importer: emptyImporter{},
		Error:    func(error) {}, // what other packages declare is not known here
	}
	pkg, _ := config.Check("p", fset, slices.Collect(maps.Values(files)), info)
	exceptions := make(map[string]bool)
	for id, object := range info.Uses {
		if object.Pkg() != pkg || object.Pos() == token.NoPos {
			continue
		}
		user, declarer := fset.Position(id.Pos()).Filename, fset.Position(object.Pos()).Filename
		if slices.Index(order, user) < slices.Index(order, declarer) {
			exceptions[fmt.Sprintf("%s uses %s of %s", filepath.Base(user), id.Name, filepath.Base(declarer))] = true
		}
	}
	return slices.Sorted(maps.Keys(exceptions))
}

// An emptyImporter gives packages without any declaration.
type emptyImporter struct{}

func (emptyImporter) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, filepath.Base(path))
	p.MarkComplete()
	return p, nil
}
