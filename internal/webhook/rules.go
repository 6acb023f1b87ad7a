package webhook

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Bounds of what an owner writes about an endpoint.
const (
	mostURL         = 2048
	mostDescription = 200
	mostCategories  = 50
)

// NewEndpointID makes the id of an endpoint.
func NewEndpointID() string { return "ep_" + randomText(16) }

// NewDeliveryID makes the id of a delivery.
func NewDeliveryID() string { return "msg_" + randomText(24) }

// randomText is of lower-case letters and digits, of 5 bits each; n is at most 26.
func randomText(n int) string { return strings.ToLower(rand.Text()[:n]) }

// Types lists what can be subscribed to: the types of the log.
func Types() []catalog.EventType {
	return []catalog.EventType{
		catalog.ToolCreated, catalog.ToolUpdated, catalog.ToolRetired, catalog.ToolRemoved, catalog.PriceChanged,
		catalog.ComparisonPublished, catalog.ComparisonUpdated, catalog.ComparisonUnpublished,
		catalog.EmbeddingsUpdated,
	}
}

// ParseTypes reads the types to subscribe to; none is all.
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
			return nil, fmt.Errorf("%s is not a type of event: allowed are %s", quote(name), strings.Join(list, ", "))
		}
		if !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	return types, nil
}

// ParseCategories reads the categories to hear of; none is all.
func ParseCategories(slugs []string) ([]string, error) {
	var categories []string
	for _, slug := range slugs {
		if !catalog.ValidSlug(slug) {
			return nil, fmt.Errorf("%s is not a category: write its slug, lower-case words joined by hyphens", quote(slug))
		}
		if !slices.Contains(categories, slug) {
			categories = append(categories, slug)
		}
		if len(categories) > mostCategories {
			return nil, fmt.Errorf("at most %d categories can be named; none is all", mostCategories)
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
	return fmt.Sprintf("%s is not a category of the current edition: allowed are %s", quote(e.Asked), strings.Join(e.Known, ", "))
}

// CheckCategories refuses categories that the catalog does not have, with a CategoryError.
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

// quote repeats what somebody wrote, not all of it when it is long.
func quote(s string) string {
	if r := []rune(s); len(r) > 40 {
		s = string(r[:40]) + "…"
	}
	return strconv.Quote(s)
}

// ParseDescription reads an owner's own words about an endpoint.
func ParseDescription(text string) (string, error) {
	text = strings.TrimSpace(text)
	if n := utf8.RuneCountInString(text); n > mostDescription {
		return "", fmt.Errorf("the description is %d characters long: at most %d are allowed", n, mostDescription)
	}
	hidden := func(r rune) bool {
		return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
	}
	if !utf8.ValidString(text) || strings.ContainsFunc(text, hidden) {
		return "", errors.New("the description must be one line of text without control characters")
	}
	return text, nil
}

// ParseURL reads where an endpoint is, and gives it in its one spelling. It refuses
// early what the guard would refuse, and more; the guard decides when a connection is
// made. Whoever runs the service with networks of their own to allow may use http,
// other ports and local names too.
func ParseURL(raw string, allow []netip.Prefix) (string, error) {
	if len(raw) > mostURL {
		return "", fmt.Errorf("the URL is %d bytes long: at most %d are allowed", len(raw), mostURL)
	}
	if i := strings.IndexFunc(raw, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }); i >= 0 {
		return "", errors.New("the URL holds a character that URLs do not have: write it percent-encoded, and an international host name in its xn-- form")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return "", errors.New("the URL cannot be read: write it as https://host/path")
	}
	open := len(allow) > 0
	switch {
	case u.Scheme != "https" && (!open || u.Scheme != "http"):
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
	usual := port
	if text := u.Port(); text != "" {
		port, err = strconv.ParseUint(text, 10, 16)
		if err != nil || port == 0 || text[0] == '0' || !open && port != httpsPort {
			return "", fmt.Errorf("the URL must have no port or port %d", httpsPort)
		}
	}
	host, err := parseHost(u, uint16(port), allow)
	if err != nil {
		return "", err
	}
	if u.Host = host; port != usual {
		u.Host += ":" + strconv.FormatUint(port, 10)
	}
	return u.String(), nil
}

// parseHost gives the URL's host, an address in its one spelling or a name in lower
// case.
func parseHost(u *url.URL, port uint16, allow []netip.Prefix) (string, error) {
	host := strings.ToLower(u.Hostname())
	addr, err := netip.ParseAddr(host)
	bracketed := strings.HasPrefix(u.Host, "[")
	switch {
	case err == nil && (addr.Zone() != "" || addr.Is4In6() || addr.Is4() == bracketed):
		return "", errors.New("the host must be a name, an IPv4 address of four decimal numbers or an IPv6 address in brackets, without a zone")
	case err != nil:
		return host, checkName(host, len(allow) > 0)
	}
	if err := checkAddress(netip.AddrPortFrom(addr, port), allow); err != nil {
		return "", fmt.Errorf("%w: the host must be a public name or address", err)
	}
	if addr.Is6() {
		return "[" + addr.String() + "]", nil
	}
	return addr.String(), nil
}

var errName = errors.New("the host must be a name such as hooks.example.com, or a public address")

// checkName refuses what is no name of the public DNS. Where networks are allowed,
// names that only those networks know are accepted.
func checkName(host string, open bool) error {
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
	// No top-level domain begins with a digit, and old spellings of addresses end in a
	// number: 2130706433, 127.1, 0177.0.0.1, 0x7f.1.
	last := labels[len(labels)-1]
	if last[0] >= '0' && last[0] <= '9' {
		return errName
	}
	if !open && (len(labels) == 1 || last == "localhost" || last == "local" || last == "internal") {
		return fmt.Errorf("%w: %s is not a public name", errName, quote(host))
	}
	return nil
}

// Wants reports whether an event of that type and those categories is to be delivered
// to the endpoint. A webhook.test always is.
func (e Endpoint) Wants(t catalog.EventType, categories []string) bool {
	if t == TestEvent {
		return true
	}
	if len(e.Types) > 0 && !slices.Contains(e.Types, t) {
		return false
	}
	return len(e.Categories) == 0 ||
		slices.ContainsFunc(categories, func(c string) bool { return slices.Contains(e.Categories, c) })
}

// SucceededChallenge reports whether a receiver answered a challenge: with the
// challenge alone, or with {"challenge":"…"} and nothing else. A server that says back
// whatever it was told shows nothing, so the request in the answer does not do.
func SucceededChallenge(response, challenge string) bool {
	if challenge == "" {
		return false
	}
	if strings.TrimSpace(response) == challenge {
		return true
	}
	// Read token by token: a map would not see a key that comes twice.
	d := json.NewDecoder(strings.NewReader(response))
	for _, want := range []json.Token{json.Delim('{'), "challenge", challenge, json.Delim('}')} {
		if got, err := d.Token(); err != nil || got != want {
			return false
		}
	}
	_, err := d.Token()
	return errors.Is(err, io.EOF)
}
