package config

import (
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/caarlos0/env/v11"
)

// Where the value of a Setting comes from.
const (
	FromEnvironment = "environment"
	FromFile        = "file"
	FromDefault     = "default"
	FromNowhere     = "not set"
)

// A Setting is a variable as it is set, for operators to look at. Nothing in it is secret.
type Setting struct {
	Name    string
	Value   string // "" if there is none; of a secret as much as may be seen
	Default string // "" if there is none
	From    string
	File    string // the path, with FromFile
}

// Settings returns all variables that a node reads, in the order of their names. A file that cannot be used has
// no value here; ReadServe says why.
func Settings(environ []string) []Setting {
	values := env.ToMap(environ)
	var all []Setting
	var walk func(reflect.Type)
	walk = func(t reflect.Type) {
		for f := range t.Fields() {
			tag, _, _ := strings.Cut(f.Tag.Get("env"), ",")
			if tag == "" {
				if f.Anonymous {
					walk(f.Type)
				}
				continue
			}
			all = append(all, setting(Prefix+tag, f.Tag.Get("envDefault"), f.Type == reflect.TypeFor[Secret](), values))
		}
	}
	walk(reflect.TypeFor[Serve]())
	slices.SortFunc(all, func(a, b Setting) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func setting(name, byDefault string, secret bool, values map[string]string) Setting {
	s := Setting{Name: name, Default: byDefault, Value: byDefault, From: FromDefault}
	if byDefault == "" {
		s.From = FromNowhere
	}
	if path := values[name+fileSuffix]; secret && path != "" {
		s.From, s.File, s.Value = FromFile, path, ""
		if text, err := readSecret(path); err == nil {
			s.Value = text
		}
	}
	if values[name] != "" { // with a file, too, it is the one that is seen first
		s.From, s.File, s.Value = FromEnvironment, "", values[name]
	}
	switch {
	case s.Value == "" || s.Value == byDefault:
	case strings.HasSuffix(name, "_URL"):
		s.Value = maskURL(s.Value, secret)
	case secret:
		s.Value = Secret(s.Value).String()
	}
	return s
}

// shownParameters are those of URLs whose values tell operators something, and nobody else.
var shownParameters = []string{
	"addr", "application_name", "client_cache", "connect_timeout", "db", "dbname", "host", "master_set", "max_retries", "pool_max_conns", "port",
	"protocol", "skip_verify", "sslmode", "sslnegotiation", "sslrootcert", "target_session_attrs", "tls",
}

// maskURL leaves the host of a URL, its path and harmless parameters. Of a secret that is not quite a URL nothing is
// left: a password with a slash in it ends up in the path.
func maskURL(text string, secret bool) string {
	u, err := url.Parse(text)
	if err != nil || secret && (u.Host == "" && u.Path == "" || u.Scheme == "" || u.Opaque != "") ||
		u.Fragment != "" || strings.Contains(u.Path, "@") || strings.Contains(u.RawQuery, "@") {
		return Secret(text).String()
	}
	var b strings.Builder
	b.WriteString(u.Scheme + "://")
	if u.User != nil {
		b.WriteString("[redacted]@")
	}
	b.WriteString(u.Host + u.EscapedPath())
	for i, parameter := range strings.Split(u.RawQuery, "&") {
		if parameter == "" {
			continue
		}
		b.WriteByte("?&"[min(i, 1)])
		name, _, pair := strings.Cut(parameter, "=")
		switch {
		case slices.Contains(shownParameters, name):
			b.WriteString(parameter)
		case pair:
			b.WriteString(name + "=[redacted]")
		default:
			b.WriteString("[redacted]")
		}
	}
	return b.String()
}
