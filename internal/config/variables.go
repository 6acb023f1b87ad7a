package config

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
)

// parse fills a struct from the environment. It returns an error for every variable that cannot be parsed,
// saying what to write instead. Those variables keep their defaults, so that validation does not complain about
// them again.
func parse(into any, environ []string) error {
	values := env.ToMap(environ)
	unreadable := readFiles(reflect.TypeOf(into).Elem(), values)
	options := env.Options{Prefix: Prefix, Environment: values}
	err := env.ParseWithOptions(into, options)
	var all env.AggregateError
	if !errors.As(err, &all) {
		return errors.Join(unreadable, err)
	}
	variables := variablesOf(reflect.TypeOf(into).Elem())
	errs := []error{unreadable}
	for _, e := range all.Errors {
		var bad env.ParseError
		if !errors.As(e, &bad) {
			errs = append(errs, e)
			continue
		}
		name := variables[bad.Name]
		if what := expected(bad.Type); what != "" {
			errs = append(errs, fmt.Errorf("%s is %q: it is %s", name, values[name], what))
		} else {
			errs = append(errs, fmt.Errorf("%s: %w", name, bad.Err)) // the type's own error is clear
		}
		delete(values, name)
	}
	_ = env.ParseWithOptions(into, options) // its errors are in errs already
	return errors.Join(errs...)
}

// expected describes the values of a type to operators; "" for a type whose own errors do.
func expected(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[time.Duration]():
		return "a duration such as 2s, 500ms or 1m30s"
	case reflect.TypeFor[Days]():
		return "a number of days such as 400d, or hours such as 9600h"
	case reflect.TypeFor[slog.Level]():
		return "debug, info, warn or error"
	case reflect.TypeFor[int]():
		return "a whole number, in digits"
	case reflect.TypeFor[float64]():
		return "a number such as 0.01"
	case reflect.TypeFor[bool]():
		return "true or false"
	}
	return ""
}

// variablesOf returns the variables that a struct reads, by field name. It walks embedded structs itself,
// because reflection treats a field named like its embedded struct, such as Signup, as hidden.
func variablesOf(t reflect.Type) map[string]string {
	found := make(map[string]string)
	for f := range t.Fields() {
		if tag, _, _ := strings.Cut(f.Tag.Get("env"), ","); tag != "" {
			found[f.Name] = Prefix + tag
		} else if f.Anonymous {
			maps.Copy(found, variablesOf(f.Type))
		}
	}
	return found
}

// Unknown is a variable with our prefix that nothing reads.
type Unknown struct {
	Name    string
	Nearest string // the variable probably meant; "" if none is similar
}

// String returns the sentence of a warning about the variable.
func (u Unknown) String() string {
	if u.Nearest == "" {
		return u.Name + " is set, and is no variable of palmares"
	}
	return u.Name + " is set, and is no variable of palmares: did you mean " + u.Nearest + "?"
}

// Variables that are set for other reasons: by tests, and by Kubernetes for services whose name
// begins with palmares.
var (
	forTests      = regexp.MustCompile(`^PALMARES_(TEST_.*|LONG)$`)
	forKubernetes = regexp.MustCompile(`^PALMARES_(.*_)?(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT_\d+_(TCP|UDP|SCTP)(_.*)?)$`)
	servicePort   = regexp.MustCompile(`^(tcp|udp|sctp)://`) // the value of PALMARES_PORT there
)

// forChecks are the variables that name a program to the CI checks that palmares new repository writes. They
// are set together: a single one is probably a typo.
var forChecks = []string{Prefix + "VERSION", Prefix + "URL", Prefix + "SHA256"}

// UnknownVariables returns the variables with our prefix that nothing reads, which are probably
// misspelt.
func UnknownVariables(environ []string) []Unknown {
	var known []string
	for _, t := range processes {
		known = slices.AppendSeq(known, maps.Values(variablesOf(t)))
		for _, name := range secretsOf(t) {
			known = append(known, name+fileSuffix)
		}
	}
	slices.Sort(known)
	var unknown []Unknown
	values := env.ToMap(environ)
	if !slices.ContainsFunc(forChecks, func(name string) bool { return values[name] == "" }) {
		known = slices.Concat(known, forChecks)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch {
		case !strings.HasPrefix(name, Prefix), values[name] == "", slices.Contains(known, name),
			forTests.MatchString(name), forKubernetes.MatchString(name):
		case strings.HasSuffix(name, "_PORT") && servicePort.MatchString(values[name]):
		default:
			unknown = append(unknown, Unknown{name, nearest(name, known)})
		}
	}
	return unknown
}

// nearest returns the known name most similar to a misspelt one; "" if their Dice coefficient over letter pairs
// is below 0.5.
func nearest(name string, known []string) string {
	pairs := func(s string) map[string]bool {
		found := make(map[string]bool)
		s = "_" + strings.TrimPrefix(s, Prefix) + "_"
		for i := range len(s) - 1 {
			found[s[i:i+2]] = true
		}
		return found
	}
	mine := pairs(name)
	best := slices.MaxFunc(known, func(a, b string) int {
		return cmp.Compare(similarity(mine, pairs(a)), similarity(mine, pairs(b)))
	})
	if similarity(mine, pairs(best)) < 0.5 {
		return ""
	}
	return best
}

// similarity returns the Dice coefficient of two sets, from 0 to 1.
func similarity(a, b map[string]bool) float64 {
	both := 0
	for x := range a {
		if b[x] {
			both++
		}
	}
	return 2 * float64(both) / float64(len(a)+len(b))
}

const day = 24 * time.Hour

// minEventsKeep is the minimum of PALMARES_EVENTS_KEEP: deliveries can be shown and replayed for 30
// days, and need their event.
const minEventsKeep = Days(31 * day)

// Days is a duration that may be written in days, such as 400d, or in hours, such as 9600h.
type Days time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Days) UnmarshalText(text []byte) error {
	if n, ok := strings.CutSuffix(string(text), "d"); ok {
		days, err := strconv.ParseInt(n, 10, 64)
		if most := int64(1<<63-1) / int64(day); err == nil && days >= -most && days <= most {
			*d = Days(days) * Days(day)
			return nil
		}
	} else if parsed, err := time.ParseDuration(string(text)); err == nil {
		*d = Days(parsed)
		return nil
	}
	return fmt.Errorf("%q is no duration such as 400d or 9600h", text)
}

// String formats whole days as days.
func (d Days) String() string {
	if whole := time.Duration(d) / day; time.Duration(d)%day == 0 {
		return strconv.FormatInt(int64(whole), 10) + "d"
	}
	return time.Duration(d).String()
}
