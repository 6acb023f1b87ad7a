package config

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

// The values of PALMARES_SIGNUP.
const (
	signupOpen   = "open"
	signupClosed = "closed"
)

func (c Signup) validate() error {
	if !slices.Contains([]string{signupOpen, signupClosed}, c.Signup) {
		return fmt.Errorf("PALMARES_SIGNUP is %q: it is open or closed", c.Signup)
	}
	return nil
}

// Open reports whether addresses without an account may sign up.
func (c Signup) Open() bool { return c.Signup == signupOpen }

// Blocked returns a function that reports whether an e-mail address may not sign up, because its domain, or a
// parent of it, is in PALMARES_SIGNUP_BLOCKED or in the file named there.
func (c Signup) Blocked() (func(email string) bool, error) {
	list, err := c.blockedDomains()
	if err != nil {
		return nil, fmt.Errorf("PALMARES_SIGNUP_BLOCKED: %w", err)
	}
	blocked := make(map[string]bool)
	for _, d := range list {
		blocked[d] = true
	}
	return func(email string) bool {
		domain := dots.Replace(strings.ToLower(email[strings.LastIndexByte(email, '@')+1:]))
		for above := true; above; _, domain, above = strings.Cut(domain, ".") {
			// Convert each parent domain by itself: idna rejects some names that mail servers accept, and the
			// parents of such a name would escape the list with it.
			if ascii, err := asciiDomain(domain); blocked[domain] || err == nil && blocked[ascii] {
				return true
			}
		}
		return false
	}, nil
}

// blockedDomains reads the domains from the variable itself or, if it contains a slash, from the file it names.
func (c Signup) blockedDomains() (domains []string, err error) {
	var errs []error
	if !strings.Contains(c.SignupBlocked, "/") {
		for entry := range strings.SplitSeq(c.SignupBlocked, ",") {
			if entry = strings.TrimSpace(entry); entry == "" {
				continue
			}
			d, err := asciiDomain(entry)
			domains, errs = append(domains, d), append(errs, err)
		}
		return domains, errors.Join(errs...)
	}
	file, err := os.Open(c.SignupBlocked)
	if err != nil {
		return nil, fmt.Errorf("it has a slash, so it is a file: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		d, err := asciiDomain(line)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", c.SignupBlocked, n, err))
		}
		domains = append(domains, d)
	}
	return domains, errors.Join(append(errs, lines.Err())...)
}

// dots replaces the characters that idna takes for a dot.
var dots = strings.NewReplacer("\u3002", ".", "\uff0e", ".", "\uff61", ".")

var domain = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`)

// asciiDomain returns a domain in the form of mail servers: in lower case, and with xn--.
func asciiDomain(s string) (string, error) {
	ascii, err := idna.Lookup.ToASCII(strings.ToLower(s))
	if err != nil || !domain.MatchString(ascii) {
		return "", fmt.Errorf("%q is no domain such as example.org", s)
	}
	return ascii, nil
}
