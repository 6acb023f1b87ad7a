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
	namesVariables(t, "serve", serveCommand{}.Help(), reflect.TypeFor[config.Serve](), "")
}

// So does that of publish, for a publisher.
func TestPublish_NamesItsVariables(t *testing.T) {
	t.Parallel()
	namesVariables(t, "publish", publishCommand{}.Help(), reflect.TypeFor[config.Publisher](), "PUBLISH_")
}

// namesVariables looks for the variables of settings that begin so.
func namesVariables(t *testing.T, command, help string, settings reflect.Type, prefix string) {
	t.Helper()
	guide := testkit.ReadFile(t, "../../docs/operations.md")
	var walk func(reflect.Type)
	walk = func(s reflect.Type) {
		for field := range s.Fields() {
			name, ok := field.Tag.Lookup("env")
			if !ok && field.Type.Kind() == reflect.Struct {
				walk(field.Type)
			}
			if !ok || !strings.HasPrefix(name, prefix) {
				continue
			}
			name = config.Prefix + name
			if !strings.Contains(help, "\n  "+name+" ") {
				t.Errorf("%s --help does not name %s", command, name)
			}
			if !strings.Contains(guide, "`"+name+"`") {
				t.Errorf("docs/operations.md does not name %s", name)
			}
		}
	}
	walk(settings)
}
