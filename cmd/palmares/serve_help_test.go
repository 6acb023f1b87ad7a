package main

import (
	"reflect"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/config"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// The help of serve and the guide for operators name every variable that a node reads.
func TestServe_NamesItsVariables(t *testing.T) {
	t.Parallel()
	guide := testkit.ReadFile(t, "../../docs/operations.md")
	var walk func(reflect.Type)
	walk = func(s reflect.Type) {
		for field := range s.Fields() {
			name, ok := field.Tag.Lookup("env")
			if !ok && field.Type.Kind() == reflect.Struct {
				walk(field.Type)
			}
			if name = config.Prefix + name; !ok {
				continue
			}
			if !strings.Contains(serveCommand{}.Help(), "\n  "+name+" ") {
				t.Errorf("serve --help does not name %s", name)
			}
			if !strings.Contains(guide, "`"+name+"`") {
				t.Errorf("docs/operations.md does not name %s", name)
			}
		}
	}
	walk(reflect.TypeFor[config.Serve]())
}
