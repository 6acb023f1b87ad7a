package config

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"strings"
)

// Prefix is the prefix of every variable.
const Prefix = "PALMARES_"

// A Secret is a string that is redacted in logs and error messages.
type Secret string

// String hides the secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "[redacted]"
}

// LogValue hides the secret from slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// GoString hides the secret from %#v.
func (s Secret) GoString() string { return s.String() }

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }

// Unread reports whether the secret's file could not be used. The error about the file is then the only one
// that should be reported for it.
func (s Secret) Unread() bool { return s == unread }

// fileSuffix is the suffix of the variable that names a file with another variable's value. Every Secret has
// one.
const fileSuffix = "_FILE"

// maxFile is larger than any secret: a longer file must be the wrong one.
const maxFile = 64 << 10

// unread stands in for a value whose file cannot be used, so that validation does not complain about it as
// well. It is never used as a secret, because reading the configuration then returns an error.
const unread = "0123456789abcdef0123456789abcdef"

// readFiles reads the secrets that are in files, and adds their values to those of the environment.
// Errors name the file and never its content.
func readFiles(t reflect.Type, values map[string]string) error {
	var errs []error
	for _, name := range secretsOf(t) {
		path := values[name+fileSuffix]
		if path == "" {
			continue
		}
		if values[name] != "" {
			errs = append(errs, fmt.Errorf("%s and %s are both set: set one of them", name, name+fileSuffix))
			continue
		}
		text, err := readSecret(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name+fileSuffix, err))
			text = unread
		}
		values[name] = text
	}
	return errors.Join(errs...)
}

// readSecret reads a file that holds one value, and drops a newline at its end.
func readSecret(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // it was only read
	bytes, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return "", err
	}
	text := strings.TrimSuffix(strings.TrimSuffix(string(bytes), "\n"), "\r")
	switch {
	case text == "":
		return "", fmt.Errorf("%s is empty", path)
	case len(text) > maxFile:
		return "", fmt.Errorf("%s is longer than 64 KiB: it is to hold one value and nothing else", path)
	case strings.ContainsRune(text, 0):
		return "", fmt.Errorf("%s is no text", path) // an environment variable could not hold it either
	}
	return text, nil
}

// secretsOf returns the variables of a struct whose values are secret, sorted.
func secretsOf(t reflect.Type) (names []string) {
	for f := range t.Fields() {
		if tag, _, _ := strings.Cut(f.Tag.Get("env"), ","); tag != "" && f.Type == reflect.TypeFor[Secret]() {
			names = append(names, Prefix+tag)
		} else if tag == "" && f.Anonymous {
			names = append(names, secretsOf(f.Type)...)
		}
	}
	slices.Sort(names)
	return names
}
