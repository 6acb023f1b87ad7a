package webhook

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/guard"
	"github.com/palmares-hq/palmares/internal/text"
)

// httpsPort is the port of every endpoint outside of the networks that the operator allows.
const httpsPort = 443

// Limits of what an owner writes about an endpoint.
const (
	maxURL         = 2048 // bytes
	maxDescription = 200  // characters
	maxCategories  = 50
)

// NewEndpointID returns a new id for an endpoint.
func NewEndpointID() string { return "ep_" + randomText(16) }

// NewDeliveryID returns a new id for a delivery.
func NewDeliveryID() string { return "msg_" + randomText(24) }

// randomText returns n lower-case letters and digits of 5 bits each; n is at most 26.
func randomText(n int) string { return strings.ToLower(rand.Text()[:n]) }

// Types returns the event types that an endpoint can subscribe to.
func Types() []catalog.EventType { return catalog.EventTypes() }

// ParseTypes parses the event types to subscribe to; none means all.
func ParseTypes(names []string) ([]catalog.EventType, error) {
	known := Types()
	var types []catalog.EventType
	for _, name := range names {
		t := catalog.EventType(name)
		if !slices.Contains(known, t) {
			list := make([]string, len(known))
			for i, k := range known {
				list[i] = string(k)
			}
			return nil, fmt.Errorf("%s is not a type of event: allowed are %s",
				quote(name), strings.Join(list, ", "))
		}
		if !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	return types, nil
}

// checkTypes returns an error for types that ParseTypes does not know.
func checkTypes(types []catalog.EventType) error {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = string(t)
	}
	_, err := ParseTypes(names)
	return err
}

// ParseCategories parses the categories to subscribe to; none means all.
func ParseCategories(slugs []string) ([]string, error) {
	var categories []string
	for _, slug := range slugs {
		if !catalog.ValidSlug(slug) {
			return nil, fmt.Errorf("%s is not a category: "+
				"write its slug, lower-case words joined by hyphens", quote(slug))
		}
		if !slices.Contains(categories, slug) {
			categories = append(categories, slug)
		}
		if len(categories) > maxCategories {
			return nil, fmt.Errorf("at most %d categories can be named; none is all", maxCategories)
		}
	}
	return categories, nil
}

// A CategoryError says that the catalog has no such category.
type CategoryError struct {
	Asked string
	Known []string
}

// Error implements error.
func (e *CategoryError) Error() string {
	return fmt.Sprintf("%s is not a category of the current edition: allowed are %s",
		quote(e.Asked), strings.Join(e.Known, ", "))
}

// CheckCategories returns a CategoryError if the catalog does not have one of the categories.
func CheckCategories(asked []string, categories []catalog.Category) error {
	known := make([]string, len(categories))
	for i, c := range categories {
		known[i] = c.Slug
	}
	for _, slug := range asked {
		if !slices.Contains(known, slug) {
			return &CategoryError{slug, known}
		}
	}
	return nil
}

// quote quotes a user's text, shortened if it is long.
func quote(s string) string {
	if r := []rune(s); len(r) > 40 {
		s = string(r[:40]) + "…"
	}
	return strconv.Quote(s)
}

// ParseDescription parses an owner's description of an endpoint.
func ParseDescription(s string) (string, error) {
	s = strings.TrimSpace(s)
	if n := utf8.RuneCountInString(s); n > maxDescription {
		return "", fmt.Errorf("the description is %d characters long: at most %d are allowed",
			n, maxDescription)
	}
	if !text.IsLine(s) {
		return "", errors.New("the description must be one line of text without control characters")
	}
	return s, nil
}

// ParseURL parses the URL of an endpoint and returns it in canonical form. It rejects early most of what
// the guard would reject when a connection is made, and more. If the operator allows networks of their
// own, URLs may also have http, other ports and local names.
func ParseURL(raw string, allow []netip.Prefix) (string, error) {
	if len(raw) > maxURL {
		return "", fmt.Errorf("the URL is %d bytes long: at most %d are allowed", len(raw), maxURL)
	}
	if i := strings.IndexFunc(raw, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }); i >= 0 {
		return "", errors.New("the URL holds a character that URLs do not have: " +
			"write it percent-encoded, and an international host name in its xn-- form")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return "", errors.New("the URL cannot be read: write it as https://host/path")
	}
	private := len(allow) > 0 // the operator allows networks of their own
	switch {
	case u.Scheme != "https" && (!private || u.Scheme != "http"):
		return "", errors.New("the URL must begin with https://")
	case u.Host == "":
		return "", errors.New("the URL has no host: write it as https://host/path")
	case u.User != nil:
		return "", errors.New("the URL must not hold a user name or password: deliveries are signed instead")
	case strings.Contains(raw, "#"):
		return "", errors.New("the URL must not hold a fragment (#)")
	}
	port := uint64(httpsPort)
	if u.Scheme == "http" {
		port = 80
	}
	standard := port
	if text := u.Port(); text != "" {
		port, err = strconv.ParseUint(text, 10, 16)
		if err != nil || port == 0 || text[0] == '0' || !private && port != httpsPort {
			return "", fmt.Errorf("the URL must have no port or port %d", httpsPort)
		}
	}
	host, err := parseHost(u, uint16(port), allow)
	if err != nil {
		return "", err
	}
	if u.Host = host; port != standard {
		u.Host += ":" + strconv.FormatUint(port, 10)
	}
	return u.String(), nil
}

// parseHost returns the URL's host: an address in canonical form, or a name in lower case.
func parseHost(u *url.URL, port uint16, allow []netip.Prefix) (string, error) {
	host := strings.ToLower(u.Hostname())
	addr, err := netip.ParseAddr(host)
	bracketed := strings.HasPrefix(u.Host, "[")
	switch {
	case err == nil && (addr.Zone() != "" || addr.Is4In6() || addr.Is4() == bracketed):
		return "", errors.New("the host must be a name, an IPv4 address of four decimal numbers " +
			"or an IPv6 address in brackets, without a zone")
	case err != nil:
		return host, checkName(host, len(allow) > 0)
	}
	if err := guard.Check(netip.AddrPortFrom(addr, port), allow, httpsPort); err != nil {
		return "", fmt.Errorf("%w: the host must be a public name or address", err)
	}
	if addr.Is6() {
		return "[" + addr.String() + "]", nil
	}
	return addr.String(), nil
}

var errName = errors.New("the host must be a name such as hooks.example.com, or a public address")

// checkName rejects names that are not in the public DNS. With private it accepts local names.
func checkName(host string, private bool) error {
	labels := strings.Split(host, ".")
	if len(host) > 253 {
		return errName
	}
	for _, l := range labels {
		plain := strings.Trim(l, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
		if l == "" || len(l) > 63 || !plain || l[0] == '-' || l[len(l)-1] == '-' {
			return errName
		}
	}
	// No top-level domain begins with a digit, and the historic forms of IPv4 addresses end in a
	// number: 2130706433, 127.1, 0177.0.0.1, 0x7f.1.
	last := labels[len(labels)-1]
	if last[0] >= '0' && last[0] <= '9' {
		return errName
	}
	if !private && (len(labels) == 1 || last == "localhost" || last == "local" || last == "internal") {
		return fmt.Errorf("%w: %s is not a public name", errName, quote(host))
	}
	return nil
}
