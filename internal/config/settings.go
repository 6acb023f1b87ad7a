package config

import (
	"fmt"
	"net"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/caarlos0/env/v11"
)

// The sources of a Setting's value.
const (
	FromEnvironment = "environment"
	FromFile        = "file"
	FromDefault     = "default"
	FromNowhere     = "not set"
)

// A Setting is the value of a variable, for operators to see. Nothing in it is secret.
type Setting struct {
	Name    string
	Value   string // "" if there is none; a secret is redacted
	Default string // "" if there is none
	From    string
	File    string // the path, with FromFile
}

// Settings returns all variables that a node reads, by name. A file that cannot be used has no
// value here; ReadServe returns the reason.
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
	if values[name] != "" { // shown even if there is a file as well
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

// shownParameters are the parameters of URLs whose values help operators and reveal no secret.
var shownParameters = []string{
	"addr", "application_name", "client_cache", "connect_timeout", "db", "dbname", "host", "master_set", "max_retries", "pool_max_conns", "port",
	"protocol", "skip_verify", "sslmode", "sslnegotiation", "sslrootcert", "target_session_attrs", "tls",
}

// maskURL returns a URL with only its host, path and harmless parameters. It redacts the whole of a
// secret that is not quite a URL: a password with a slash in it ends up in the path.
func maskURL(text string, secret bool) string {
	u, err := url.Parse(text)
	if err != nil || secret && (u.Host == "" && u.Path == "" || u.Scheme == "" || u.Opaque != "") ||
		u.Fragment != "" || strings.Contains(u.Path, "@") || strings.Contains(u.RawQuery, "@") {
		return Secret(text).String()
	}
	var b strings.Builder
	if u.Scheme != "" {
		b.WriteString(u.Scheme + "://")
	}
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

// fromExamples matches placeholders that somebody copied from an example and forgot to replace.
var fromExamples = regexp.MustCompile(`(?i)^(change|replace|insert|your|example|secret|todo|xxx)[-_ .]?(me|this|here|secret|key|xxx|\d|$)`)

// Oddities returns warnings about settings that are valid but probably not intended. They quote no secret.
func (c Serve) Oddities() (odd []string) {
	for _, secret := range []struct {
		name  string
		value Secret
	}{
		{"PALMARES_DATABASE_URL", c.URL},
		{"PALMARES_REDIS_URL", c.RedisURL},
		{"PALMARES_SECRET", c.Secret},
		{"PALMARES_SECRET_PREVIOUS", c.SecretPrevious},
		{"PALMARES_SMTP_URL", c.SMTPURL},
		{"PALMARES_PURGE_TOKEN", c.PurgeToken},
		{"PALMARES_STRIPE_KEY", c.StripeKey},
		{"PALMARES_STRIPE_WEBHOOK_SECRET", c.StripeWebhookSecret},
	} {
		text := secret.value.Reveal()
		if len(text) > 1 && strings.ContainsAny(text[:1], `"'`) && text[0] == text[len(text)-1] {
			odd = append(odd, secret.name+" begins and ends with a quotation mark, which is then part of it: files of settings are not read "+
				"by a shell everywhere; leave the marks out")
		}
	}
	if fromExamples.MatchString(strings.Trim(c.Secret.Reveal(), `"'`)) {
		odd = append(odd, "PALMARES_SECRET looks as if it was taken from an example: whoever knows it can sign in as anybody; "+
			"make one with: openssl rand -hex 32")
	}
	if host, _, err := net.SplitHostPort(c.AdminListen); err == nil && everywhere(host) {
		odd = append(odd, fmt.Sprintf("PALMARES_ADMIN_LISTEN is %q, all addresses of this machine: metrics and health are for operators alone; "+
			"name an address that the public does not reach, such as 127.0.0.1:9090", c.AdminListen))
	}
	return odd
}
